import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildEra, ERA_CLOCK } from '../../fixtures/eras/build.ts';
import { ERAS } from '../../fixtures/eras/eras.ts';
import { createRandom } from '../../fixtures/random.ts';
import { generateStore } from '../../fixtures/stores/generate.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { insights } from '../../src/store/reads/insights.ts';
import { insertRow } from '../../src/store/writes/rows.ts';
import { fillRandomStore } from '../support/random-store.ts';
import { copyRealStore, hasRealStores, type RealStore } from '../support/real-stores.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const now = 1_790_000_000_000;
type Row = Record<string, unknown>;

function read(path: string, at: number): OpenConnection {
  const connection = openForReading(path, { now: () => at });
  onTestFinished(() => connection.close());
  return connection;
}

const number = (value: unknown): number => (typeof value === 'number' ? Math.max(0, value) : 0);

/** The same report from whole rows, in the plainest way there is. */
function naive(connection: OpenConnection, days: number, source: string | undefined, at: number) {
  const { db } = connection;
  const rows = db.prepare('SELECT * FROM sessions').all() as Row[];
  const messages = db.prepare('SELECT * FROM messages').all() as Row[];
  const ofSource = rows.filter((row) => source === undefined || row['source'] === source);
  const isDated = (row: Row): boolean => Number(row['started_at']) > 0 && Number(row['started_at']) <= at / 1000 + 86_400;
  const wanted = ofSource.filter((row) => isDated(row) && Number(row['started_at']) >= at / 1000 - days * 86_400);
  const ids = new Set(wanted.map((row) => row['id']));
  const live = messages.filter(
    (row) => ids.has(row['session_id']) && (row['active'] === undefined || row['active'] === null || row['active'] === 1),
  );
  const sum = (column: string): number => wanted.reduce((total, row) => total + number(row[column]), 0);
  const tools = new Map<string, number>();
  const count = (name: unknown): void => {
    if (typeof name === 'string' && name !== '') tools.set(name, (tools.get(name) ?? 0) + 1);
  };
  for (const row of live.filter(({ role }) => role === 'assistant')) for (const call of callsIn(row['tool_calls'])) count(call);
  if (tools.size === 0) for (const row of live.filter(({ role }) => role === 'tool')) count(row['tool_name']);
  const lastOf = (row: Row): number => {
    const sane = (value: unknown): number | undefined => (typeof value === 'number' && value > 0 && value <= 4.2e9 ? value : undefined);
    const newest = messages.filter(({ session_id: id }) => id === row['id']).flatMap(({ timestamp }) => sane(timestamp) ?? []);
    return (
      sane(row['last_activity_at']) ?? (newest.length > 0 ? Math.max(...newest) : (sane(row['ended_at']) ?? Number(row['started_at'])))
    );
  };
  const durations = wanted.map((row) => Math.max(0, Math.min(lastOf(row), at / 1000) - Number(row['started_at'])) * 1000);
  return {
    sessions: wanted.length,
    messages: sum('message_count'),
    toolCalls: sum('tool_call_count'),
    totalTokens: sum('input_tokens') + sum('output_tokens'),
    userMessages: live.filter(({ role }) => role === 'user').length,
    activeMs: Math.round(durations.reduce((total, each) => total + each, 0)),
    longest: Math.round(Math.max(0, ...durations)),
    mostMessages: Math.max(0, ...wanted.map((row) => number(row['message_count']))),
    tools: [...tools].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 15),
    undated: ofSource.filter((row) => !isDated(row)).length,
  };
}

/** Names of the calls in a cell; an array, or one wrapped into a JSON string; anything else calls nothing. */
function callsIn(cell: unknown): unknown[] {
  if (typeof cell !== 'string') return [];
  try {
    const parsed: unknown = JSON.parse(cell);
    const list: unknown = typeof parsed === 'string' ? JSON.parse(parsed) : parsed;
    return Array.isArray(list)
      ? list.map((call: { function?: { name?: unknown }; name?: unknown } | null) => call?.function?.name ?? call?.name)
      : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function asked(connection: OpenConnection, days: number, source?: string) {
  const report = insights(connection, { days, ...(source === undefined ? {} : { source }) });
  const value = (kind: string): number => Math.round(report.notable.find((each) => each.kind === kind)?.value ?? 0);
  const { sessions, messages, toolCalls, totalTokens, userMessages, activeMs } = report.overview;
  expect(report.models.reduce((total, model) => total + model.sessions, 0)).toBeGreaterThanOrEqual(sessions);
  expect(report.activity.weekdays.reduce((total, count) => total + count, 0)).toBe(sessions);
  return {
    ...{ sessions, messages, toolCalls, totalTokens, userMessages, activeMs: Math.round(activeMs) },
    longest: value('longest'),
    mostMessages: value('messages'),
    tools: report.tools.map(({ name, calls }) => [name, calls]),
    undated: report.undated,
  };
}

function makeRandom(seed: number): string {
  const path = join(temporaryFolder(), 'state.db');
  const connection = openForWriting(path, { now: () => now });
  const random = createRandom(seed);
  fillRandomStore(connection, random, 250, now);
  const ids = connection.db.prepare('SELECT id FROM sessions').pluck().all() as string[];
  const call = (name: string) => ({ id: 'c', type: 'function', function: { name, arguments: '{}' } });
  for (let index = 0; index < 200; index++) {
    const calls = Array.from({ length: random.between(1, 3) }, () => call(random.pick(['terminal', 'patch', '도구', 'read_file'])));
    const isBroken = seed % 2 === 0 && random.chance(0.1);
    const text = isBroken
      ? random.pick(['{broken', '"text"', '5', '[1, null]', '{}', JSON.stringify(JSON.stringify(calls))])
      : JSON.stringify(calls);
    insertRow(connection, 'messages', {
      ...{ session_id: random.pick(ids), role: 'assistant', content: '', tool_calls: text, timestamp: now / 1000 - index },
      active: random.chance(0.1) ? 0 : 1,
    });
  }
  connection.close();
  return path;
}

const real = (name: RealStore, at: number): [string, number, () => string] => [name, at, () => copyRealStore(name, temporaryFolder())];

describe('the report is what whole rows say', () => {
  test.each<[string, number, () => string]>([
    ...[1, 2, 3, 4].map((seed): [string, number, () => string] => [
      `a store of several programs, seed ${seed}`,
      now,
      () => makeRandom(seed),
    ]),
    [
      'a store of believable conversations',
      now,
      () => {
        const path = join(temporaryFolder(), 'state.db');
        generateStore(path, { sessions: 300, messagesPerSession: 6, hasSearchIndex: false, now });
        return path;
      },
    ],
    ...ERAS.map((era): [string, number, () => string] => [
      `version ${era}`,
      ERA_CLOCK * 1000,
      () => {
        const path = join(temporaryFolder(), 'state.db');
        buildEra(path, era);
        return path;
      },
    ]),
    ...(hasRealStores
      ? [real('hermes-v31-40.db', 1_790_140_000_000), real('hermes-v17-10.db', 1_790_140_000_000), real('hermes-v31-empty.db', now)]
      : []),
  ])('%s', (_name, at, make) => {
    const connection = read(make(), at);
    for (const days of [1, 7, 30, 200, 3650])
      for (const source of [undefined, 'cli', 'telegram', 'nowhere'])
        expect(asked(connection, days, source)).toEqual(naive(connection, days, source, at));
  });
});

describe('models and what they cost', () => {
  function store(fill: (connection: OpenConnection) => void): OpenConnection {
    const path = join(temporaryFolder(), 'state.db');
    const connection = openForWriting(path, { now: () => now });
    fill(connection);
    connection.close();
    return read(path, now);
  }
  const session = (connection: OpenConnection, id: string, more: Row = {}): void => {
    insertRow(connection, 'sessions', { id, source: 'cli', started_at: now / 1000 - 60, model: 'gpt-5-mini', ...more });
  };

  test('what was billed goes before the estimate, and both before the table', () => {
    const connection = store((writing) => {
      session(writing, 'a', { input_tokens: 10, actual_cost_usd: 2, estimated_cost_usd: 7 });
      session(writing, 'b', { input_tokens: 10, estimated_cost_usd: 3 });
      session(writing, 'c', { input_tokens: 1_000_000 });
      session(writing, 'd', { input_tokens: 1_000_000, cost_status: 'included' });
    });
    const { cost, models } = insights(connection, { days: 1 });
    expect(cost.usd).toBeCloseTo(2 + 3 + 0.25);
    expect(cost).toMatchObject({ isEstimate: true, usesTable: true, unknownTokens: 0 });
    expect(models).toMatchObject([{ model: 'gpt-5-mini', sessions: 4 }]);
  });

  test('accounts kept model by model stand for the session, whose own columns would say it twice', () => {
    const connection = store((writing) => {
      session(writing, 'a', { input_tokens: 500, estimated_cost_usd: 50 });
      const row = { session_id: 'a', billing_provider: 'x', billing_base_url: '', billing_mode: '' };
      insertRow(writing, 'session_model_usage', { ...row, model: 'm1', task: '', input_tokens: 300, estimated_cost_usd: 1 });
      insertRow(writing, 'session_model_usage', { ...row, model: 'm1', task: 'compression', input_tokens: 100 });
      insertRow(writing, 'session_model_usage', { ...row, model: 'm2', task: '', input_tokens: 200, actual_cost_usd: 4 });
      session(writing, 'b', { input_tokens: 7, model: undefined });
    });
    const { cost, models } = insights(connection, { days: 1 });
    expect(models.map(({ model, sessions, tokens }) => [model, sessions, tokens])).toEqual([
      ['m1', 1, 400],
      ['m2', 1, 200],
      ['', 1, 7],
    ]);
    expect(cost).toEqual({ usd: 5, isEstimate: true, usesTable: false, unknownTokens: 107 });
  });

  test('starts in milliseconds, in the future and at 0 are said, not counted', () => {
    const connection = store((writing) => {
      session(writing, 'fine');
      session(writing, 'ms', { started_at: now, message_count: 1e6 });
      session(writing, 'ahead', { started_at: now / 1000 + 5 * 86_400 });
      session(writing, 'zero', { started_at: 0 });
    });
    const report = insights(connection, { days: 3650 });
    expect(report.undated).toBe(3);
    expect(report.overview).toMatchObject({ sessions: 1, messages: 0 });
  });

  test('skills that were read and written', () => {
    const connection = store((writing) => {
      session(writing, 'a');
      const call = (name: string, skill: string) => ({
        id: 'c',
        function: { name, arguments: JSON.stringify({ name: skill, action: 'edit' }) },
      });
      const say = (calls: unknown, at: number) =>
        insertRow(writing, 'messages', { session_id: 'a', role: 'assistant', tool_calls: JSON.stringify(calls), timestamp: at, active: 1 });
      say([call('skill_view', '배포'), call('skill_view', 'review')], now / 1000 - 50);
      say([call('skill_manage', '배포')], now / 1000 - 10);
    });
    expect(insights(connection, { days: 1 }).skills).toEqual([
      { name: '배포', loads: 1, edits: 1, lastUsed: now - 10_000 },
      { name: 'review', loads: 1, edits: 0, lastUsed: now - 50_000 },
    ]);
  });
});
