import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildEra, ERA_CLOCK } from '../../fixtures/eras/build.ts';
import { ERAS } from '../../fixtures/eras/eras.ts';
import { createRandom, type Random } from '../../fixtures/random.ts';
import { generateStore } from '../../fixtures/stores/generate.ts';
import { readFilters } from '../../src/commands/filters.ts';
import { compareSessions } from '../../src/session/order.ts';
import { evaluate } from '../../src/session/query-match.ts';
import { everything, type Query, type Test } from '../../src/session/query.ts';
import type { Selection, Selections } from '../../src/session/selection.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { selectLineages } from '../../src/store/reads/select.ts';
import { insertRow } from '../../src/store/writes/rows.ts';
import { makeFlags } from '../support/random-flags.ts';
import { naiveLineages, type NaiveLineage } from '../support/naive-select.ts';
import { fillRandomStore } from '../support/random-store.ts';
import { copyRealStore, hasRealStores, type RealStore } from '../support/real-stores.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const now = 1_790_000_000_000;
const all: Selection = { query: everything, endedOnly: false, includeArchived: true, includePinned: true };

interface Subject {
  name: string;
  now: number;
  cases: number;
  make: () => string;
}

const real = (name: RealStore, at: number, cases: number): Subject => ({
  name,
  now: at,
  cases,
  make: () => copyRealStore(name, temporaryFolder()),
});
const subjects: Subject[] = [
  { name: 'a store of several programs and broken rows', now, cases: 700, make: () => makeRandomStore(createRandom(11), 250) },
  {
    name: 'a store of believable conversations',
    now,
    cases: 400,
    make: () => {
      const path = join(temporaryFolder(), 'state.db');
      generateStore(path, { sessions: 600, messagesPerSession: 4, hasSearchIndex: false, now });
      return path;
    },
  },
  ...ERAS.map((era) => ({
    name: `a store of version ${era}`,
    now: ERA_CLOCK * 1000,
    cases: 60,
    make: () => {
      const path = join(temporaryFolder(), 'state.db');
      buildEra(path, era);
      return path;
    },
  })),
  ...(hasRealStores
    ? [
        real('hermes-v31-40.db', 1_800_000_000_000, 300),
        real('hermes-v17-10.db', 1_800_000_000_000, 200),
        real('hermes-v17-1000.db', 1_800_000_000_000, 300),
      ]
    : []),
];

function makeRandomStore(random: Random, count: number): string {
  const path = join(temporaryFolder(), 'state.db');
  const writer = openForWriting(path, { now: () => now });
  fillRandomStore(writer, random, count, now);
  const update = writer.db.prepare(
    `UPDATE sessions SET model = ?, billing_provider = ?, git_branch = ?, user_id = ?, chat_id = ?, chat_type = ?, input_tokens = ?, output_tokens = ?,
      tool_call_count = ?, actual_cost_usd = ?, estimated_cost_usd = ?, title = COALESCE(? || title, title) WHERE id = ?`,
  );
  for (const id of writer.db.prepare('SELECT id FROM sessions').pluck().all()) {
    update.run(
      random.pick(['GPT-5-mini', 'claude-sonnet', 'Ümlaut-모델', null]),
      random.pick(['openrouter', 'openai', null]),
      random.pick(['main', 'feature/ÉTÉ', 'FEATURE/x', null]),
      random.pick(['12345', 'ann', null]),
      random.pick(['c1', null]),
      random.pick(['dm', 'group', null]),
      random.between(0, 400),
      random.pick([0, 100, null]),
      random.between(0, 3),
      random.pick([null, null, 0, 0.015]),
      random.pick([null, 0.01, 0.2]),
      random.pick(['Smoke Test ', '회의 ', 'cafe\u0301 ', '', '50% "x" ']),
      id,
    );
  }
  writer.close();
  return path;
}

function openAt(subject: Subject): OpenConnection {
  const connection = openForReading(subject.make(), { now: () => subject.now });
  onTestFinished(() => connection.close());
  return connection;
}

/** What is chosen and what is spared, in a form two answers can be compared in. */
function choose(lineages: readonly NaiveLineage[], flags: Record<string, string>, selection: Omit<Selection, 'query'>) {
  const spared = { pinned: 0, open: 0, archived: 0 };
  const chosen = lineages.filter((lineage) => {
    if (!lineage.fits(flags)) return false;
    if (lineage.pinned && !selection.includePinned) spared.pinned++;
    else if (!lineage.ended && selection.endedOnly) spared.open++;
    else if (lineage.archived && !selection.includeArchived) spared.archived++;
    else return true;
    return false;
  });
  const along = new Set(chosen.flatMap((lineage) => lineage.delegates));
  return { chosen: chosen.filter((lineage) => !along.has(lineage.id)), spared };
}

const comparable = (chosen: readonly { ids: readonly string[]; delegates: readonly string[] }[]): string[] =>
  chosen.map((each) => `${each.ids.join('>')} + ${[...each.delegates].sort().join(' ')}`).sort();

describe('filters of list, export, prune and archive, and the same filters in memory', () => {
  test.each(subjects)(
    '$name',
    (subject) => {
      const seed = Number(process.env['SELECT_SEED'] ?? Date.now() % 1_000_000);
      const random = createRandom(seed);
      const connection = openAt(subject);
      const lineages = naiveLineages(connection);
      const flagsOf = makeFlags(connection);
      const place = { cwd: '/', userHome: '/home/ann', now: () => subject.now };
      let hits = 0;
      let tried = 0;
      while (tried < subject.cases) {
        const flags = flagsOf(random);
        const kind = { endedOnly: random.chance(0.5), includeArchived: random.chance(0.5), includePinned: random.chance(0.5) };
        let query: Query;
        try {
          query = readFilters(flags, place).query;
        } catch (error) {
          // Windows and bounds that are empty by themselves are refused, and have a test of their own.
          if ((error as { code?: string }).code !== 'empty-window') throw error;
          continue;
        }
        tried += 1;
        const found = selectLineages(connection, { query, ...kind });
        const expected = choose(lineages, flags, kind);
        const label = `seed ${seed}: ${JSON.stringify(flags)} ${JSON.stringify(kind)}`;
        expect(comparable(found.lineages), label).toEqual(comparable(expected.chosen));
        expect(found.spared, label).toEqual(expected.spared);
        hits += found.lineages.length;
      }
      // Filters that never fit would compare nothing.
      expect(hits).toBeGreaterThan(0);
    },
    120_000,
  );

  test('there are 2,000 cases at least', () => {
    expect(subjects.reduce((sum, subject) => sum + subject.cases, 0)).toBeGreaterThanOrEqual(2_000);
  });
});

test('any tree selects what the evaluator says of each lineage', () => {
  const seed = Number(process.env['SELECT_SEED'] ?? Date.now() % 1_000_000);
  const random = createRandom(seed);
  const connection = openAt(subjects[0]!);
  const tests = (): Test =>
    random.pick<() => Test>([
      () => ({ field: 'source', is: random.pick(['cli', 'telegram', 'cron']) }),
      () => ({ field: 'title', contains: random.pick(['smoke', 'É', '회의', 'title 1', '%']) }),
      () => ({ field: 'branch', contains: random.pick(['é', 'feature', 'K']) }),
      () => ({ field: 'messages', min: random.between(0, 3), max: random.between(2, 5) }),
      () => ({ field: 'cost', max: 0.1 }),
      () => ({ field: 'active', from: now - random.between(-3, 300) * 86_400_000 }),
      () => ({ field: 'active', until: now - random.between(-3, 300) * 86_400_000 }),
      () => ({ field: 'started', from: now - 300 * 86_400_000, until: now + random.between(-9, 3) * 43_200_000 }),
      () => ({ field: 'is', value: random.pick(['pinned', 'archived', 'ended', 'live']) }),
      () => ({ field: 'role', is: 'user' }),
      () => ({ field: 'cwd', under: '/w/a' }),
      () => ({ field: 'workspace', contains: 'W/A' }),
    ])();
  const tree = (depth: number): Query => {
    const kind = depth === 0 ? 'test' : random.pick(['and', 'or', 'not', 'test', 'text']);
    if (kind === 'not') return { type: 'not', node: tree(depth - 1) };
    if (kind === 'text') return { type: 'text', text: 'x', isPhrase: false, isPrefix: false };
    if (kind === 'test') return { type: 'test', test: tests() };
    return { type: kind as 'and' | 'or', nodes: Array.from({ length: random.between(0, 3) }, () => tree(depth - 1)) };
  };
  // Without their sources being named sub-agents are no candidates; here only which rows fit is compared.
  const everyLineage = selectLineages(connection, all).lineages;
  for (let at = 0; at < 800; at++) {
    const query = tree(3);
    const expected = everyLineage.filter((each) => evaluate(query, each, { now }) === true).map((each) => each.id);
    const found = selectLineages(connection, { ...all, query }).lineages.map((each) => each.id);
    const extra = found.filter((id) => !everyLineage.some((each) => each.id === id));
    expect(
      found.filter((id) => !extra.includes(id)),
      `seed ${seed}: ${JSON.stringify(query)}`,
    ).toEqual(expected);
  }
});

describe('what is selected', () => {
  const seconds = now / 1000;
  const day = 86_400;
  function open(fill: (add: (id: string, values: Record<string, unknown>) => void) => void): OpenConnection {
    const path = join(temporaryFolder(), 'state.db');
    const writer = openForWriting(path, { now: () => now });
    fill((id, { at, ...values }) => {
      const startedAt = (values['started_at'] as number | undefined) ?? seconds - 200 * day;
      const ended = at === undefined ? startedAt : at;
      insertRow(writer, 'sessions', {
        id,
        source: 'cli',
        started_at: startedAt,
        ended_at: ended,
        end_reason: 'cli_close',
        message_count: 1,
        ...values,
      });
      insertRow(writer, 'messages', { session_id: id, role: 'user', content: id, timestamp: ended });
    });
    writer.close();
    const connection = openForReading(path, { now: () => now });
    onTestFinished(() => connection.close());
    return connection;
  }
  const prune = (connection: OpenConnection, query: Query = idle(90)): Selections =>
    selectLineages(connection, { query, endedOnly: true, includeArchived: false, includePinned: false });
  const idle = (days: number): Query => ({ type: 'test', test: { field: 'active', until: now - days * 86_400_000 } });
  const ids = (found: Selections): string[] => found.lineages.map((each) => each.id);

  test('age is that of the last message of the newest segment; pinned, open and archived ones are counted as spared', () => {
    const connection = open((add) => {
      add('gone', {});
      add('pinned', { pinned: 1 });
      add('used', { at: seconds - day });
      add('root', { end_reason: 'compression' });
      add('tip', { parent_session_id: 'root', started_at: seconds - 150 * day, at: seconds - 2 * day });
      add('open', { ended_at: null, end_reason: null });
      add('away', { archived: 1 });
      add('ahead', { at: seconds + 900 * day });
      add('broken', { started_at: 0, at: 0 });
    });
    const found = prune(connection);
    expect(ids(found)).toEqual(['gone']);
    expect(found.spared).toEqual({ pinned: 1, open: 1, archived: 1 });
  });

  test('a lineage has the numbers of all its segments, the title an earlier one lends, and its sub-agents with theirs', () => {
    const connection = open((add) => {
      add('a', { end_reason: 'compression', title: 'The plan', input_tokens: 5, estimated_cost_usd: 1 });
      add('b', { parent_session_id: 'a', message_count: 4, output_tokens: 7, actual_cost_usd: 2, estimated_cost_usd: 9 });
      add('helper', { parent_session_id: 'a', source: 'subagent', model_config: '{"_delegate_from":"a"}', end_reason: 'compression' });
      add('helper2', { parent_session_id: 'helper', source: 'subagent' });
      add('below', { parent_session_id: 'helper2', source: 'subagent', model_config: '{"_delegate_from":"helper2"}' });
      add('branch', { parent_session_id: 'b', model_config: '{"_branched_from":"b"}', started_at: seconds - 300 * day });
    });
    const found = prune(connection);
    expect(ids(found)).toEqual(['b', 'branch']);
    expect(found.lineages[0]).toMatchObject({ rootId: 'a', ids: ['a', 'b'], title: 'The plan', messages: 5, tokens: 12, cost: 3 });
    expect([...found.lineages[0]!.delegates].sort()).toEqual(['below', 'helper', 'helper2']);
    expect(found.lineages[1]!.delegates).toEqual([]);
  });

  test('a sub-agent of a conversation that stays is selected by its source alone, and never below a pinned one', () => {
    const connection = open((add) => {
      add('used', { at: seconds - day });
      add('helper', { parent_session_id: 'used', source: 'subagent', model_config: '{"_delegate_from":"used"}' });
      add('kept', { pinned: 1 });
      add('its', { parent_session_id: 'kept', source: 'subagent', model_config: '{"_delegate_from":"kept"}' });
      add('orphan', { source: 'subagent', model_config: '{"_delegate_from":"nobody"}' });
    });
    expect(ids(prune(connection))).toEqual(['orphan']);
    const named = prune(connection, { type: 'test', test: { field: 'source', is: 'subagent' } });
    expect(ids(named).sort()).toEqual(['helper', 'orphan']);
    expect(named.spared.pinned).toBe(1);
  });

  test('a question nobody can answer selects nothing', () => {
    const connection = open((add) => add('a', {}));
    expect(ids(prune(connection, { type: 'text', text: 'a', isPhrase: false, isPrefix: false }))).toEqual([]);
    expect(ids(prune(connection, { type: 'not', node: { type: 'test', test: { field: 'is', value: 'live' } } }))).toEqual([]);
  });

  test('newest first', () => {
    const { lineages } = selectLineages(openAt(subjects[1]!), all);
    expect(lineages.map((each) => each.id)).toEqual([...lineages].sort((a, b) => compareSessions(a, b, now)).map((each) => each.id));
  });
});
