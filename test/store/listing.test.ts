import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRandom } from '../../fixtures/random.ts';
import type { Query } from '../../src/session/query.ts';
import type { SessionRow } from '../../src/session/types.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { reads } from '../../src/store/reads/index.ts';
import { newestLineages } from '../../src/store/reads/newest.ts';
import { insertRow } from '../../src/store/writes/rows.ts';
import { fillRandomStore } from '../support/random-store.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const now = 1_790_000_000_000;
const ofSource = (is: string): Query => ({ type: 'test', test: { field: 'source', is } });
const machine = new Set(['tool', 'kanban', 'subagent', 'cron', 'batch']);
const local = new Set(['cli', 'tui', 'oneshot']);

function makeStore(fill: (connection: OpenConnection) => void): { connection: OpenConnection; path: string } {
  const path = join(temporaryFolder(), 'state.db');
  const writer = openForWriting(path, { now: () => now });
  fill(writer);
  writer.close();
  const connection = openForReading(path, { now: () => now });
  onTestFinished(() => connection.close());
  return { connection, path };
}

function listAll(connection: OpenConnection): SessionRow[] {
  return [...reads.listRows(connection)].flatMap((chunk) => (chunk.type === 'rows' ? chunk.rows : []));
}

interface Raw {
  id: string;
  source: string;
  parent_session_id: string | null;
  started_at: number;
  ended_at: number | null;
  end_reason: string | null;
  session_key: string | null;
  model_config: string;
  last_activity_at: number | null;
  archived: number;
  hidden: number;
  pinned: number;
  cwd: string | null;
  git_repo_root: string | null;
  times: string | null;
  visible: number;
}

/** The rules of product.md 3 and state-db.md 2.4 to 2.6 once more, in the plainest form: everything in memory, nothing clever. */
function bruteForce(connection: OpenConnection) {
  const rows = connection.db
    .prepare(
      `SELECT s.*, (SELECT group_concat(timestamp) FROM messages WHERE session_id = s.id) AS times,
        (SELECT count(*) FROM messages WHERE session_id = s.id AND (active = 1 OR compacted = 1)) AS visible FROM sessions s`,
    )
    .all() as Raw[];
  const byId = new Map(rows.map((row) => [row.id, row]));
  const sane = (value: number | null): number => (value !== null && value > 0 && value <= 4_200_000_000 ? value : 0);
  const active = (row: Raw): number => {
    const times = (row.times ?? '').split(',').map(Number);
    return Math.max(sane(row.last_activity_at), ...times.map((time) => sane(time))) || sane(row.started_at);
  };
  const config = (row: Raw): Record<string, unknown> => {
    try {
      return JSON.parse(row.model_config) as Record<string, unknown>;
    } catch {
      return {};
    }
  };
  const kind = (row: Raw): string => {
    const parent = row.parent_session_id === null ? undefined : byId.get(row.parent_session_id);
    if (parent === undefined) return 'root';
    const marks = config(row);
    if (marks['_branched_from'] === parent.id) return 'branch';
    if (marks['_delegate_from'] === parent.id) return 'delegate';
    if (marks['_reset_from'] === parent.id) return 'reset';
    if (parent.end_reason === 'compression') return row.source === 'tool' ? 'delegate' : 'continuation';
    if (parent.end_reason === 'branched' && sane(row.started_at) >= (parent.ended_at ?? Infinity)) return 'branch';
    if (parent.end_reason === 'session_reset' && row.session_key !== null && row.session_key === parent.session_key) return 'reset';
    if ('_branched_from' in marks) return 'branch';
    return 'delegate';
  };
  const next = (row: Raw): Raw | undefined => {
    if (row.end_reason !== 'compression') return undefined;
    const rank = (one: Raw): number => (one.end_reason === 'compression' ? 0 : one.ended_at === null ? 1 : 2);
    return rows
      .filter((child) => child.parent_session_id === row.id && kind(child) === 'continuation')
      .sort((a, b) => rank(a) - rank(b) || active(b) - active(a) || sane(b.started_at) - sane(a.started_at) || (a.id < b.id ? 1 : -1))[0];
  };
  const lineages = [];
  for (const row of rows) {
    const parent = row.parent_session_id === null ? undefined : byId.get(row.parent_session_id);
    const how = kind(row);
    if (how === 'continuation' && parent !== undefined && next(parent) === row) continue;
    const chain = [row];
    for (let step = next(row); step !== undefined; step = next(step)) chain.push(step);
    const tip = chain[chain.length - 1] ?? row;
    const isStray = how === 'continuation' && sane(row.started_at) < sane(parent?.ended_at ?? 0) - 1;
    const last = Math.max(...chain.map(active)) * 1000;
    const isDelegate = how === 'delegate' || isStray || (parent === undefined && '_delegate_from' in config(row));
    const kindOfRow = chain.every((one) => one.visible === 0)
      ? 'empty'
      : isDelegate || machine.has(tip.source)
        ? 'machine'
        : tip.archived === 1 || tip.hidden === 1
          ? 'archived'
          : 'shown';
    const clamp = (time: number): number => (time > now + 86_400_000 ? now : time);
    lineages.push({
      id: tip.id,
      tip,
      class: kindOfRow,
      pinned: tip.pinned === 1,
      key: clamp(last),
      start: clamp(sane(row.started_at) * 1000),
      last,
    });
  }
  lineages.sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.key - a.key || b.start - a.start || (a.id < b.id ? 1 : -1));
  return lineages;
}

const inWorkspace = (row: { cwd: string | null; git_repo_root: string | null }, key: string): boolean =>
  row.git_repo_root !== null && row.git_repo_root !== ''
    ? row.git_repo_root === key
    : row.cwd === key || (row.cwd ?? '').startsWith(`${key}/`);

describe.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])('a store of several programs, seed %i', (seed) => {
  test('every listing is the beginning of the one found by brute force', () => {
    const { connection } = makeStore((writer) => fillRandomStore(writer, createRandom(seed), 300, now));
    const expected = bruteForce(connection);
    const rows = listAll(connection);
    expect(rows.map((row) => [row.id, row.class, row.lastActive])).toEqual(expected.map((row) => [row.id, row.class, row.last]));
    expect(rows.flatMap((row) => row.ids).length).toBe(301);
    const shown = expected.filter((row) => row.class === 'shown');
    const pinned = shown.filter((row) => row.pinned);
    for (const limit of [1, 2, 7, 50, 500]) {
      const ids = [...pinned, ...shown.filter((row) => !row.pinned).slice(0, limit)].map((row) => row.id);
      const first = reads.firstRows(connection, { limit });
      expect(first.rows.map((row) => row.id)).toEqual(ids);
      expect(first.isProven).toBe(true);
      expect(first.hasMore).toBe(ids.length < shown.length);
      const list = reads.listForShell(connection, { limit });
      expect(list.rows.map((row) => row.id)).toEqual(ids);
      expect(list.more).toBe(shown.length - ids.length);
    }
    for (const workspace of [undefined, '/w/a', '/w/b', '/w']) {
      const candidates = shown
        .filter((row) => local.has(row.tip.source) && (workspace === undefined || inWorkspace(row.tip, workspace)))
        .sort((a, b) => b.key - a.key || b.start - a.start || (a.id < b.id ? 1 : -1));
      const found = reads.latest(connection, workspace === undefined ? {} : { workspaces: [workspace] });
      expect(found?.id).toBe(candidates[0]?.id);
    }
    const named = expected.filter(
      (row) => row.tip.source === 'cron' && row.tip.archived === 0 && row.tip.hidden === 0 && row.class === 'machine',
    );
    expect(
      reads.listForShell(connection, { limit: 3, query: ofSource('cron') }).rows.length +
        reads.listForShell(connection, { limit: 3, query: ofSource('cron') }).more,
    ).toBe(named.length);
  });

  test('the proof makes the streams exact whatever the order of insertion', () => {
    const { connection } = makeStore((writer) => fillRandomStore(writer, createRandom(seed + 100), 400, now));
    const shown = bruteForce(connection)
      .filter((row) => row.class === 'shown')
      .sort((a, b) => b.key - a.key || b.start - a.start || (a.id < b.id ? 1 : -1));
    const newest = newestLineages(connection, { limit: 5, accepts: (lineage) => lineage.class === 'shown', prove: true });
    expect(newest.lineages.map((lineage) => lineage.id)).toEqual(shown.slice(0, 5).map((row) => row.id));
  });
});

test('an old session with a new message leads a large store at once, without a heartbeat and without the proof', () => {
  const second = now / 1000;
  const { connection } = makeStore((writer) => {
    writer.db.transaction(() => {
      for (let index = 0; index < 5_000; index++) {
        const started = second - 40 * 86_400 + index * 600;
        insertRow(writer, 'sessions', { id: `s${String(index).padStart(5, '0')}`, source: 'cli', started_at: started, message_count: 1 });
        insertRow(writer, 'messages', {
          session_id: `s${String(index).padStart(5, '0')}`,
          role: 'user',
          content: 'x',
          timestamp: started + 1,
        });
      }
      insertRow(writer, 'messages', { session_id: 's00000', role: 'user', content: 'again', timestamp: second - 60 });
      insertRow(writer, 'sessions', { id: 'empty', source: 'cli', started_at: second - 10 });
    })();
  });
  const first = reads.firstRows(connection, { limit: 20 });
  expect(first.isProven).toBe(false);
  expect(first.rows[0]?.id).toBe('s00000');
  expect(first.rows.map((row) => row.id)).toEqual(
    listAll(connection)
      .filter((row) => row.class === 'shown')
      .slice(0, 20)
      .map((row) => row.id),
  );
  expect(reads.latest(connection)?.id).toBe('s00000');
  expect(reads.listForShell(connection, { limit: 1 }).rows[0]?.id).toBe('s00000');
});

test.each([
  ['a huge first message', 'zebrafinch ' + 'x'.repeat(3_000_000), 'zebrafinch x'],
  ['a first message on several lines', '\n\n  fix\tthe\n build  ', 'fix the build'],
  ['a long one is cut at sixty characters', '가'.repeat(80), `${'가'.repeat(60)}...`],
])('preview of %s', (_, content, expected) => {
  const { connection } = makeStore((writer) => {
    insertRow(writer, 'sessions', { id: 'a', source: 'cli', started_at: 1000 });
    for (let index = 0; index < 499; index++) {
      insertRow(writer, 'messages', {
        session_id: 'a',
        role: index % 2 ? 'tool' : 'assistant',
        content: 'earlier',
        timestamp: 1001 + index,
      });
    }
    insertRow(writer, 'messages', { session_id: 'a', role: 'user', content, timestamp: 2000 });
  });
  expect(reads.previewOf(connection, ['a']).get('a')?.startsWith(expected)).toBe(true);
  expect(listAll(connection)[0]?.preview?.startsWith(expected)).toBe(true);
});

test('pinned sessions of a store of 10,000 lead the very first frame, however old they are', () => {
  const second = now / 1000;
  const { connection } = makeStore((writer) => {
    writer.db.transaction(() => {
      for (let index = 0; index < 10_000; index++) {
        const id = `s${String(index).padStart(5, '0')}`;
        const started_at = second - 200 * 86_400 + index * 600;
        insertRow(writer, 'sessions', { id, source: 'cli', started_at, message_count: 1, pinned: index === 3 || index === 7 ? 1 : 0 });
      }
      for (const id of ['s00003', 's00007', 's09999']) {
        insertRow(writer, 'messages', { session_id: id, role: 'user', content: 'x', timestamp: second - 100 * 86_400 });
      }
    })();
  });
  const first = reads.firstRows(connection, { limit: 20 });
  expect(first.hasPinned).toBe(true);
  expect(first.rows.slice(0, 3).map((row) => row.id)).toEqual(['s00007', 's00003', 's09999']);
});
