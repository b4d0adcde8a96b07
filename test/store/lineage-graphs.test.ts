import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRandom, type Random } from '../../fixtures/random.ts';
import { everything } from '../../src/session/query.ts';
import type { SessionRow } from '../../src/session/types.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForWriting } from '../../src/store/open.ts';
import { lazySource, lineageOf, type Lineage } from '../../src/store/reads/lineages.ts';
import { allLineages, listRows, rowCounts } from '../../src/store/reads/list-rows.ts';
import { selectLineages } from '../../src/store/reads/select.ts';
import { listForShell } from '../../src/store/reads/shell-list.ts';
import { insertRow } from '../../src/store/writes/rows.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const now = Date.UTC(2026, 9, 20, 12);
const start = now / 1000 - 40 * 86_400;

interface Drawn {
  readonly id: string;
  readonly parent?: string;
  readonly endReason?: string;
  readonly marker?: string;
  readonly source?: string;
  readonly startedAt?: number;
}

function openWith(sessions: readonly Drawn[]): OpenConnection {
  const connection = openForWriting(join(temporaryFolder(), 'state.db'), { now: () => now });
  onTestFinished(() => connection.close());
  connection.db.pragma('foreign_keys = OFF');
  connection.db.transaction(() => {
    for (const [index, { id, parent, endReason, marker, source = 'cli', startedAt = start + index * 60 }] of sessions.entries()) {
      insertRow(connection, 'sessions', {
        id,
        source,
        parent_session_id: parent,
        started_at: startedAt,
        ended_at: endReason === undefined ? undefined : startedAt + 30,
        end_reason: endReason,
        model_config: marker === undefined ? undefined : JSON.stringify({ [marker]: parent }),
        title: index === 0 ? 'rare' : undefined,
        message_count: 1,
        last_activity_at: startedAt + 20,
      });
      insertRow(connection, 'messages', { session_id: id, role: 'user', content: `words of ${id}`, timestamp: startedAt + 10, active: 1 });
    }
  })();
  return connection;
}

/** Parents anywhere: above, below, the session itself, nowhere. */
function randomSessions(random: Random, count: number): Drawn[] {
  const ids = Array.from({ length: count }, (_, index) => `${random.hex(2)}-${index}`);
  return ids.map((id, index) => ({
    id,
    source: random.pick(['cli', 'cli', 'cli', 'tool']),
    startedAt: start + random.between(0, 20) * 60,
    ...(random.chance(0.2) ? {} : { parent: random.pick([random.pick(ids), ids[index - 1] ?? id, ids[index + 1] ?? id, id, 'nowhere']) }),
    ...(random.chance(0.3) ? {} : { endReason: random.pick(['compression', 'compression', 'compression', 'branched', 'cli_close']) }),
    ...(random.chance(0.8) ? {} : { marker: random.pick(['_branched_from', '_delegate_from', '_reset_from']) }),
  }));
}

const outline = ({ root, relation, segments, class: kind }: Lineage) => ({
  root: root.id,
  relation,
  ids: segments.map(({ id }) => id),
  kind,
});

/** Every session in one lineage, and the same one wherever one asks. */
function expectOneLineageEach(connection: OpenConnection, sessions: readonly Drawn[]): void {
  const ids = sessions.map(({ id }) => id).sort();
  const lineages = allLineages(connection);
  expect(lineages.flatMap(({ segments }) => segments.map(({ id }) => id)).sort()).toEqual(ids);

  const source = lazySource(connection);
  for (const lineage of lineages)
    for (const [index, { id }] of lineage.segments.entries()) {
      // A chain is the same from each of its ends and from within; of a long one a few are asked.
      if (lineage.segments.length > 100 && index % 400 > 0 && id !== lineage.id) continue;
      expect(outline(lineageOf(connection, source.node(id)!, source))).toEqual(outline(lineage));
    }

  const rows = [...listRows(connection)].flatMap((chunk) => (chunk.type === 'rows' ? chunk.rows : []));
  expect(rows.map(({ id }) => id)).toEqual(lineages.map(({ id }) => id));
  const counts = rowCounts(connection);
  expect(counts.total).toBe(counts.shown + counts.empty + counts.machine + counts.archived);

  const shown = rows.filter((row) => row.class === 'shown').map(({ id }) => id);
  expect(listForShell(connection, { limit: 100_000 }).rows.map(({ id }) => id)).toEqual(shown);
  for (const countAtMost of [{}, { countAtMost: 500 }]) {
    const page = listForShell(connection, { limit: 2, ...countAtMost });
    expect([page.rows.map(({ id }) => id), page.more]).toEqual([shown.slice(0, 2), Math.max(0, shown.length - 2)]);
  }

  // What lies in any segment of a lineage is found, however far above the tip.
  const filters = [
    { test: { field: 'messages', min: 3 }, fits: (row: SessionRow) => row.segments >= 3 },
    { test: { field: 'messages', max: 1 }, fits: (row: SessionRow) => row.segments <= 1 },
    { test: { field: 'title', contains: 'rare' }, fits: (row: SessionRow) => row.ids.includes(sessions[0]!.id) },
  ] as const;
  for (const { test, fits } of filters) {
    const found = rows.filter((row) => row.class === 'shown' && fits(row)).map(({ id }) => id);
    const listed = listForShell(connection, { limit: 100_000, query: { type: 'test', test } }).rows.map(({ id }) => id);
    expect(listed, JSON.stringify(test)).toEqual(found);
  }

  const all = { query: everything, endedOnly: false, includeArchived: true, includePinned: true };
  const selected = selectLineages(connection, all).lineages;
  const taken = selected.flatMap((each) => [...each.ids, ...each.delegates]);
  expect([...taken].sort()).toEqual(ids);
  const whole = new Map(lineages.map((lineage) => [lineage.id, outline(lineage).ids]));
  for (const each of selected) expect(each.ids).toEqual(whole.get(each.id));
}

describe('sessions whose parents no program would have written', () => {
  const end = 'compression';
  const circle = (count: number, more: Omit<Drawn, 'id' | 'parent'>): Drawn[] =>
    Array.from({ length: count }, (_, index) => ({
      id: `c${(index * 7) % count}`,
      parent: `c${((index + count - 1) * 7) % count}`,
      ...more,
    }));
  const chain = (count: number): Drawn[] =>
    Array.from({ length: count }, (_, index) => ({
      id: `s${String(index).padStart(5, '0')}`,
      ...(index === 0 ? {} : { parent: `s${String(index - 1).padStart(5, '0')}` }),
      ...(index === count - 1 ? {} : { endReason: end }),
    }));

  test.each<[string, Drawn[], number]>([
    ['its own parent', [{ id: 'a', parent: 'a' }], 1],
    ['its own parent, compressed', [{ id: 'a', parent: 'a', endReason: end }], 1],
    ['two that continue each other', circle(2, { endReason: end }), 1],
    ['three that continue one another', circle(3, { endReason: end }), 1],
    ['three that help one another', circle(3, {}), 3],
    ['a circle with a branch and a helper', [...circle(3, { endReason: end }), { id: 'x', parent: 'c1', marker: '_branched_from' }], 2],
    ['a parent that is gone', [{ id: 'a', parent: 'nowhere', endReason: end }], 1],
    ['a lineage of 1,001 segments', chain(1001), 1],
    ['a lineage of 2,500 segments', chain(2500), 1],
  ])('%s: all are listed', (_, sessions, shown) => {
    const connection = openWith(sessions);
    expectOneLineageEach(connection, sessions);
    expect(rowCounts(connection).shown).toBe(shown);
  });

  test('80 random stores: every session is in one lineage, the same in list, picker and selection', () => {
    const seed = Number(process.env['GRAPH_SEED'] ?? Date.now() % 1_000_000);
    for (let index = 0; index < 80; index++) {
      const random = createRandom(seed + index);
      const sessions = randomSessions(random, random.between(1, 24));
      const connection = openWith(sessions);
      try {
        expectOneLineageEach(connection, sessions);
      } catch (error) {
        throw new Error(`GRAPH_SEED=${seed + index}: ${JSON.stringify(sessions)}`, { cause: error });
      } finally {
        connection.close();
      }
    }
  });
});
