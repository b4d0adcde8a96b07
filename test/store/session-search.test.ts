import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { buildEra } from '../../fixtures/eras/build.ts';
import { ERAS } from '../../fixtures/eras/eras.ts';
import { createRandom } from '../../fixtures/random.ts';
import { createSessionSearch } from '../../src/agent/tools/session-search.ts';
import type { Summarise } from '../../src/agent/tools/index.ts';
import { createMemory } from '../../src/app/session-memory.ts';
import type { Run } from '../../src/app/run.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { insertRow } from '../../src/store/writes/rows.ts';
import { directStore } from '../support/direct-store.ts';
import { hasRealStores, copyRealStore } from '../support/real-stores.ts';
import { searchSchemas } from '../support/session-search-schema.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const now = 1_790_000_000_000;

interface Bench {
  connection: OpenConnection;
  session(id: string, more?: Record<string, unknown>): string;
  say(id: string, role: string, content: unknown, more?: Record<string, unknown>): number;
  ask(args: Record<string, unknown>, current?: string): Promise<Answer>;
}

interface Body {
  id: number;
  role: string;
  content: string;
  anchor?: true;
  tool_calls?: unknown;
  tool_name?: string;
}
interface Found {
  session_id: string;
  matched_role: string;
  match_message_id: number;
  snippet: string;
  detail: string;
  messages: Body[];
  bookend_start: Body[];
  bookend_end: Body[];
  messages_before: number;
  messages_after: number;
  link: string;
  parent_session_id?: string;
  when: string;
  title: string | null;
}
interface Answer {
  success: boolean;
  mode: keyof typeof searchSchemas;
  error?: string;
  message?: string;
  warning?: string;
  results: Found[];
  count: number;
  sessions_searched: number;
  session_id: string;
  messages: Body[];
  messages_before: number;
  messages_after: number;
  message_count: number;
  truncated: boolean;
  index_rebuild?: { percent: number };
}

/** Every answer is held against its schema. */
async function askOf(connection: OpenConnection, args: Record<string, unknown>, current?: string, summarise?: Summarise): Promise<Answer> {
  const run = {
    home: { path: '/home/ann/.hermes', storePath: connection.path },
    now: () => now,
    env: {},
    userHome: '/home/ann',
    startedIn: '/',
  } as Run;
  const tool = createSessionSearch({ open: createMemory(run, directStore(connection), () => current), summarise });
  const text = await tool.run(args, { cwd: '/', signal: new AbortController().signal });
  const answer = JSON.parse(text) as Answer;
  const schema = !answer.success ? 'failure' : answer.mode === 'discover' && summarise !== undefined ? 'summaries' : answer.mode;
  const checked = z.fromJSONSchema(searchSchemas[schema] as Parameters<typeof z.fromJSONSchema>[0]).safeParse(answer);
  expect(checked.error?.issues, text).toBeUndefined();
  return answer;
}

function bench(): Bench {
  const connection = openForWriting(join(temporaryFolder(), 'state.db'), { now: () => now });
  onTestFinished(() => connection.close());
  let time = now / 1000 - 100_000;
  return {
    connection,
    session(id, more = {}) {
      time += 100;
      insertRow(connection, 'sessions', { id, source: 'cli', started_at: time, model_config: '{}', message_count: 1, model: 'm', ...more });
      return id;
    },
    say(id, role, content, more = {}) {
      time += 1;
      return insertRow(connection, 'messages', { session_id: id, role, content, timestamp: time, ...more });
    },
    ask: (args, current) => askOf(connection, args, current),
  };
}

/** A session of `count` messages, user and assistant in turn. */
function talk({ say, session }: Bench, id: string, count: number, more: Record<string, unknown> = {}): number[] {
  session(id, more);
  return Array.from({ length: count }, (_, index) => say(id, index % 2 === 0 ? 'user' : 'assistant', `turn ${index} of ${id}`));
}

describe('discover', () => {
  test('the best hit of each session; the first with what stands around it, the others alone unless all of it is wanted', async () => {
    const b = bench();
    for (const id of ['one', 'two', 'three', 'four']) {
      const ids = talk(b, id, 40);
      b.connection.db.prepare('UPDATE messages SET content = ? WHERE id = ?').run('the walrus sings', ids[20]);
    }
    const { results, count, mode, sessions_searched } = await b.ask({ query: 'walrus' });
    expect([mode, count, results.length, sessions_searched]).toEqual(['discover', 3, 3, expect.any(Number)]);
    expect(results.map((result) => result.detail)).toEqual(['full', 'compact', 'compact']);
    const [first, second] = results as [Found, Found, Found];
    expect(first.messages).toHaveLength(11);
    expect(first.messages.filter((message) => message.anchor)).toEqual([expect.objectContaining({ id: first.match_message_id })]);
    expect(first.bookend_start.map((message) => message.content)).toEqual([0, 1, 2].map((at) => `turn ${at} of ${first.session_id}`));
    expect(first.bookend_end.map((message) => message.content)).toEqual([37, 38, 39].map((at) => `turn ${at} of ${first.session_id}`));
    expect([first.messages_before, first.messages_after]).toEqual([15, 14]);
    expect(first.snippet).toBe('the >>>walrus<<< sings');
    expect(first.link).toBe(`@session:default/${first.session_id}`);
    expect(first.when).toMatch(/^[A-Z][a-z]+ \d\d, 20\d\d at [01]\d:\d\d [AP]M$/);
    expect(second).toMatchObject({ bookend_start: [], bookend_end: [], messages_before: 20, messages_after: 19 });
    expect(second.messages).toHaveLength(1);
    const full = await b.ask({ query: 'walrus', detail: 'full', limit: 10, window: 2 });
    expect(full.results.map((result) => [result.detail, result.messages.length, result.bookend_end.length])).toEqual(
      Array(4).fill(['full', 5, 3]),
    );
  });

  test('nothing found is a success that says so', async () => {
    const b = bench();
    talk(b, 's', 2);
    expect(await b.ask({ query: 'nowhere' })).toMatchObject({
      success: true,
      count: 0,
      results: [],
      message: 'No matching sessions found.',
    });
    expect(await b.ask({ query: '"' })).toMatchObject({ success: true, count: 0 });
  });

  test('kanban, subagent and tool sessions never come, cron ones come last', async () => {
    const b = bench();
    for (const source of ['kanban', 'subagent', 'tool', 'cron', 'telegram']) {
      b.session(source, { source });
      for (let at = 0; at < 5; at++) b.say(source, 'user', 'walrus '.repeat(source === 'cron' ? 6 : 1));
    }
    const { results } = await b.ask({ query: 'walrus', limit: 10 });
    expect(results.map((result) => result.session_id)).toEqual(['telegram', 'cron']);
  });

  test('roles are user and assistant unless others are named, in the filter or in the query', async () => {
    const b = bench();
    b.session('s');
    b.say('s', 'user', 'look it up');
    b.say('s', 'tool', 'walrus', { tool_name: 'terminal', tool_call_id: 'c1' });
    expect((await b.ask({ query: 'walrus' })).count).toBe(0);
    expect((await b.ask({ query: 'walrus', role_filter: 'tool' })).results[0]).toMatchObject({ matched_role: 'tool' });
    expect((await b.ask({ query: 'walrus role:tool' })).results[0]?.messages.at(-1)).toMatchObject({
      tool_name: 'terminal',
      tool_call_id: 'c1',
    });
  });

  test('a session whose title is the query is first, also where no message has the words', async () => {
    const b = bench();
    talk(b, 'named', 3, { title: 'Walrus Plan' });
    b.session('said');
    b.say('said', 'user', 'the walrus plan '.repeat(3));
    const { results } = await b.ask({ query: 'Walrus Plan' });
    expect(results.map((result) => result.session_id)).toEqual(['named', 'said']);
    expect(results[0]).toMatchObject({ title: 'Walrus Plan', matched_role: 'user' });
  });

  test('a lineage comes once, with the session of its hit and its root', async () => {
    const b = bench();
    b.session('root', { end_reason: 'compression', ended_at: now / 1000 });
    b.say('root', 'user', 'walrus one');
    b.session('tip', { parent_session_id: 'root' });
    b.say('tip', 'user', 'walrus two');
    const { results } = await b.ask({ query: 'walrus', sort: 'newest' });
    expect(results).toHaveLength(1);
    expect(results[0]).toMatchObject({ session_id: 'tip', parent_session_id: 'root' });
    expect((await b.ask({ query: 'walrus', sort: 'oldest' })).results[0]).toMatchObject({ session_id: 'root' });
    expect((await b.ask({ query: 'walrus', sort: 'oldest' })).results[0]).not.toHaveProperty('parent_session_id');
  });

  test('of the conversation that asks only what has left its context: earlier segments and compacted rows', async () => {
    const b = bench();
    b.session('root', { end_reason: 'compression', ended_at: now / 1000 });
    const early = b.say('root', 'user', 'walrus in the first segment');
    b.session('tip', { parent_session_id: 'root' });
    const compacted = b.say('tip', 'user', 'pelican compacted away', { active: 0, compacted: 1 });
    b.say('tip', 'user', 'walrus and pelican and ostrich, live');
    expect((await b.ask({ query: 'walrus' }, 'tip')).results.map((result) => result.match_message_id)).toEqual([early]);
    expect((await b.ask({ query: 'pelican' }, 'tip')).results.map((result) => result.match_message_id)).toEqual([compacted]);
    expect((await b.ask({ query: 'ostrich' }, 'tip')).count).toBe(0);
    expect((await b.ask({ query: 'ostrich' })).count).toBe(1);
  });

  test('undone messages are never found, compacted ones are', async () => {
    const b = bench();
    b.session('s');
    b.say('s', 'user', 'walrus undone', { active: 0 });
    b.say('s', 'user', 'pelican', { active: 0, compacted: 1 });
    expect((await b.ask({ query: 'walrus' })).count).toBe(0);
    expect((await b.ask({ query: 'pelican' })).count).toBe(1);
  });

  test('a rebuild of the index is told, and takes nothing away', async () => {
    const b = bench();
    talk(b, 's', 4);
    b.connection.db.exec(
      "INSERT OR REPLACE INTO state_meta (key, value) VALUES ('fts_rebuild_high_water', '4'), ('fts_rebuild_progress', '1')",
    );
    expect(await b.ask({ query: 'turn' })).toMatchObject({ count: 1, index_rebuild: { percent: 25 } });
  });

  test('Korean, two syllables, at the very end of a text', async () => {
    const b = bench();
    b.session('s');
    b.say('s', 'assistant', '지난주에 한 회의');
    expect((await b.ask({ query: '회의' })).results[0]?.snippet).toBe('지난주에 한 >>>회의<<<');
  });

  test('summaries of compactions are no bookends', async () => {
    const b = bench();
    b.session('s');
    b.say('s', 'user', '[summary]', { _compressed_summary: 1 });
    for (let at = 0; at < 30; at++) b.say('s', 'user', at === 20 ? 'walrus' : `turn ${at}`);
    expect((await b.ask({ query: 'walrus' })).results[0]?.bookend_start.map((message) => message.content)).toEqual([
      'turn 0',
      'turn 1',
      'turn 2',
    ]);
  });

  test('a message longer than a context loses its middle, never the match', async () => {
    const b = bench();
    b.session('s');
    b.say('s', 'user', `${'x '.repeat(40_000)}walrus ${'y '.repeat(40_000)}`);
    const content = (await b.ask({ query: 'walrus' })).results[0]?.messages[0]?.content ?? '';
    expect(content.length).toBeLessThan(21_000);
    expect(content).toContain('walrus');
    expect(content).toMatch(/characters left out/);
  });
});

test('however long the messages are, an answer has an end', async () => {
  const b = bench();
  b.session('s');
  const ids = Array.from({ length: 60 }, (_, index) => b.say('s', 'user', `${'long '.repeat(20_000)}${index}`));
  for (const args of [
    { session_id: 's' },
    { session_id: 's', around_message_id: ids[30], window: 20 },
    { query: 'long', detail: 'full', window: 20 },
  ]) {
    const size = JSON.stringify(await b.ask(args)).length;
    expect(size, JSON.stringify(args)).toBeLessThan(200_000);
  }
  const near = await b.ask({ session_id: 's', around_message_id: ids[30], window: 1 });
  for (const { content } of near.messages) expect(content.length).toBeGreaterThan(19_000);
});

describe('scroll', () => {
  test('forward and backward over a whole session, without gap or overlap', async () => {
    const seed = Number(process.env['SEED'] ?? Date.now() % 100_000);
    const random = createRandom(seed);
    for (let round = 0; round < 40; round++) {
      const b = bench();
      b.session('s');
      const expected: number[] = [];
      const roles = random.pick(['user,assistant', 'user', 'user,assistant,tool']);
      for (let at = 0, count = random.between(1, 70); at < count; at++) {
        const role = random.pick(['user', 'assistant', 'tool', 'session_meta']);
        const flags = random.pick([{}, {}, {}, { active: 0, compacted: 1 }, { active: 0 }, { display_kind: 'hidden' }]);
        const id = b.say('s', role, `message ${at}`, flags);
        const isShown = role !== 'session_meta' && !('display_kind' in flags) && !('active' in flags && !('compacted' in flags));
        if (isShown && roles.split(',').includes(role)) expected.push(id);
      }
      if (expected.length === 0) continue;
      const window = random.between(1, 20);
      const anchor = random.pick(expected);
      const seen = new Set([anchor]);
      for (const direction of ['after', 'before'] as const) {
        let at = anchor;
        for (let calls = 0; calls < 200; calls++) {
          const page = await b.ask({ session_id: 's', around_message_id: at, window, role_filter: roles });
          const ids = page.messages.map((message) => message.id);
          const split = ids.indexOf(at);
          expect(page.messages[split]?.anchor, `seed ${seed} round ${round}`).toBe(true);
          const next = direction === 'after' ? ids.slice(split + 1) : ids.slice(0, split);
          for (const id of next) {
            expect(seen.has(id), `seed ${seed} round ${round}: ${id} came twice`).toBe(false);
            seen.add(id);
          }
          const left = direction === 'after' ? page.messages_after : page.messages_before;
          const edge = direction === 'after' ? ids.at(-1)! : ids[0]!;
          expect(left, `seed ${seed} round ${round}`).toBe(
            direction === 'after' ? expected.filter((id) => id > edge).length : expected.filter((id) => id < edge).length,
          );
          if (left === 0) break;
          at = edge;
        }
      }
      expect(
        [...seen].sort((a, b) => a - b),
        `seed ${seed} round ${round}`,
      ).toEqual(expected);
    }
  });

  test('a message of another session of the lineage is read there, and that is said', async () => {
    const b = bench();
    b.session('root', { end_reason: 'compression', ended_at: now / 1000 });
    const early = b.say('root', 'user', 'early');
    b.session('tip', { parent_session_id: 'root' });
    b.say('tip', 'user', 'late');
    expect(await b.ask({ session_id: 'tip', around_message_id: early })).toMatchObject({
      session_id: 'root',
      warning: expect.stringContaining('root'),
    });
    // From inside: the segment has left the context, the tip is in it.
    expect(await b.ask({ session_id: 'tip', around_message_id: early }, 'tip')).toMatchObject({ session_id: 'root' });
  });

  test('what is in the context is refused, what was compacted away is not', async () => {
    const b = bench();
    b.session('s');
    const gone = b.say('s', 'user', 'gone', { active: 0, compacted: 1 });
    const live = b.say('s', 'user', 'live');
    expect((await b.ask({ session_id: 's', around_message_id: live }, 's')).error).toMatch(/in your context already/);
    expect((await b.ask({ session_id: 's', around_message_id: gone }, 's')).success).toBe(true);
  });

  test('what can not be read is an error in words', async () => {
    const b = bench();
    const [id] = talk(b, 's', 2);
    const undone = b.say('s', 'user', 'undone', { active: 0 });
    talk(b, 'other', 2);
    for (const args of [
      { around_message_id: id },
      { session_id: 's', around_message_id: 999_999 },
      { session_id: 's', around_message_id: undone },
      { session_id: 'other', around_message_id: id },
      { session_id: 'nowhere', around_message_id: id },
      { session_id: 's', around_message_id: 'x' },
    ])
      expect(await b.ask(args), JSON.stringify(args)).toMatchObject({ success: false, error: expect.stringMatching(/\w/) });
  });

  test('links and numbers in quotes are understood, limits are limits', async () => {
    const b = bench();
    const ids = talk(b, 's', 60);
    const page = await b.ask({ session_id: '@session:default/s', around_message_id: String(ids[30]), window: 500 });
    expect(page.messages).toHaveLength(41);
    expect((await b.ask({ session_id: 's', around_message_id: ids[30], window: 0 })).messages).toHaveLength(3);
  });
});

describe('read and browse', () => {
  test('a session as a whole up to 30 messages, else its first 20 and its last 10', async () => {
    const b = bench();
    talk(b, 'short', 30);
    talk(b, 'long', 31);
    const short = await b.ask({ session_id: 'short' });
    expect([short.truncated, short.message_count, short.messages.length]).toEqual([false, 30, 30]);
    const long = await b.ask({ session_id: 'long' });
    expect([long.truncated, long.message_count, long.messages.length]).toEqual([true, 31, 30]);
    expect(long.messages.map((message) => message.content)).not.toContain('turn 20 of long');
    expect((await b.ask({ session_id: 'nowhere' })).success).toBe(false);
  });

  test('calls and results of tools are there when they are asked for, in the shape they are stored in', async () => {
    const b = bench();
    b.session('s');
    b.say('s', 'user', 'list it');
    const call = { id: 'c1', type: 'function', function: { name: 'terminal', arguments: '{"command":"ls"}' } };
    b.say('s', 'assistant', '', { tool_calls: JSON.stringify([call]) });
    b.say('s', 'tool', 'a b c', { tool_call_id: 'c1', tool_name: 'terminal' });
    const { messages } = await b.ask({ session_id: 's', role_filter: 'user, assistant, tool' });
    expect(messages.map((message) => [message.role, message.tool_calls ?? message.tool_name ?? null])).toEqual([
      ['user', null],
      ['assistant', [call]],
      ['tool', 'terminal'],
    ]);
  });

  test('the newest sessions, without the one that asks and without the machine-made', async () => {
    const b = bench();
    for (const [id, source] of [
      ['a', 'cli'],
      ['b', 'telegram'],
      ['c', 'cron'],
      ['d', 'tui'],
      ['e', 'tui'],
    ] as const)
      talk(b, id, 2, { source, pinned: id === 'a' ? 1 : 0 });
    const { results } = await b.ask({}, 'e');
    expect(results.map((result) => result.session_id)).toEqual(['d', 'b', 'a']);
    expect((await b.ask({ limit: 1 })).results.map((result) => result.session_id)).toEqual(['e']);
    expect((await bench().ask({})).message).toBe('No matching sessions found.');
  });
});

describe('other profiles', () => {
  test('are errors in words where there are none, or names no profile can have', async () => {
    const b = bench();
    for (const profile of ['nobody', '../..', 'Root', 'tmp'])
      expect(await b.ask({ query: 'x', profile }), profile).toMatchObject({ success: false, error: expect.stringMatching(/\w/) });
    expect(await b.ask({ query: 'x', profile: 'default' })).toMatchObject({ success: true });
  });
});

describe('every era', () => {
  test.each(ERAS)('version %i', async (era) => {
    const path = join(temporaryFolder(), 'state.db');
    buildEra(path, era);
    const connection = openForReading(path, { now: () => now });
    onTestFinished(() => connection.close());
    const browsed = await askOf(connection, {});
    for (const { session_id } of browsed.results) {
      const read = await askOf(connection, { session_id });
      const word = /[\p{L}\p{N}]{3,}/u.exec(read.messages.map((message) => message.content).join(' '))?.[0];
      if (word === undefined) continue;
      const found = await askOf(connection, { query: `"${word}"`, limit: 10, detail: 'full' });
      expect(found.count, `${era} ${word}`).toBeGreaterThan(0);
      await askOf(connection, { session_id, around_message_id: read.messages[0]!.id });
    }
  });
});

describe.skipIf(!hasRealStores)('real files', () => {
  test.each(['hermes-v31-40.db', 'hermes-v17-1000.db'] as const)('%s: whatever is asked, the answer keeps its shape', async (name) => {
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    const connection = openForReading(copyRealStore(name, folder), { now: () => now });
    onTestFinished(() => connection.close());
    const { results } = await askOf(connection, { limit: 10 });
    for (const { session_id } of results) {
      const { messages } = await askOf(connection, { session_id, role_filter: 'user,assistant,tool,system' });
      if (messages.length > 0)
        await askOf(connection, { session_id, around_message_id: messages[0]!.id, role_filter: 'user,assistant,tool' });
    }
    for (const query of ['the', '회의', '会議', 'C++', 'a OR b', 'deploy*', '"', 'NOT', 'tool:terminal', 'before:2026-01-01 the'])
      for (const sort of ['newest', 'oldest', undefined])
        await askOf(connection, { query, detail: 'full', limit: 5, ...(sort === undefined ? {} : { sort }) });
  });
});

describe('what a model asks for by mistake', () => {
  const odd = [
    null,
    [],
    ['x'],
    {},
    -1,
    0,
    1e300,
    NaN,
    '',
    ' ',
    '5',
    '-5',
    'x',
    '1e999',
    true,
    '\u0000',
    '../..',
    'a'.repeat(100_000),
    '{"a":1}',
  ];
  const names = ['query', 'limit', 'sort', 'detail', 'session_id', 'around_message_id', 'window', 'role_filter', 'scope'];

  test.each(names)('any value of %s has an answer', async (name) => {
    const b = bench();
    talk(b, 's', 12);
    for (const value of odd) {
      await b.ask({ [name]: value });
      await b.ask({ query: 'turn', [name]: value });
      await b.ask({ session_id: 's', around_message_id: 3, [name]: value });
    }
  });

  test.each(['nobody', '..', '../x', '/etc', 'a/b', 'A', 'root', 'a\u0000b', '~', 'x'.repeat(300), '.', '%2e%2e'])(
    'a profile called %j is told to be none',
    async (profile) => {
      const b = bench();
      talk(b, 's', 2);
      for (const args of [{ query: 'turn', profile }, { profile }, { session_id: `@session:${profile}/s` }])
        expect((await b.ask(args)).success).toBe(false);
    },
  );

  test('roles in an array are roles', async () => {
    const b = bench();
    talk(b, 's', 4);
    const { messages } = await b.ask({ session_id: 's', role_filter: ['Assistant', ' ', { toString: 1 }] });
    expect(messages.map((message) => message.role)).toEqual(['assistant', 'assistant']);
  });

  test('arguments that are no object list what there is', async () => {
    const b = bench();
    talk(b, 's', 2);
    for (const args of [null, undefined, 'x', 5, [], [1]])
      expect(await b.ask(args as unknown as Record<string, unknown>)).toMatchObject({ success: true, mode: 'browse' });
  });
});

test('an answer has a bound, whatever is stored', async () => {
  const b = bench();
  const call = JSON.stringify([
    { id: 'c', type: 'function', function: { name: 'write', arguments: JSON.stringify({ text: 'y'.repeat(50_000) }) } },
  ]);
  for (let index = 0; index < 10; index++) {
    const ids = talk(b, `s${index}`, 60, { title: `t${index}` });
    b.connection.db
      .prepare('UPDATE messages SET content = ?, tool_calls = ? WHERE session_id = ?')
      .run('x'.repeat(50_000), call, `s${index}`);
    b.connection.db
      .prepare('UPDATE messages SET content = ? WHERE id = ?')
      .run(`${'x '.repeat(20_000)}walrus ${'x '.repeat(20_000)}`, ids[30]);
  }
  const most = 600_000;
  const found = await b.ask({ query: 'walrus', detail: 'full', limit: 10, window: 20 });
  expect(found.results).toHaveLength(10);
  for (const result of found.results) expect(result.messages.find((each) => each.anchor)?.content).toContain('walrus');
  const anchor = found.results[0]!;
  const others = [
    await b.ask({ session_id: anchor.session_id, around_message_id: anchor.match_message_id, window: 20 }),
    await b.ask({ session_id: 's3' }),
    await b.ask({ limit: 10 }),
  ];
  for (const answer of [found, ...others]) expect(JSON.stringify(answer).length).toBeLessThan(most);
});
