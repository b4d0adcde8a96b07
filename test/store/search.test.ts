import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { you, agent, calls, result, writeConversations, type Conversation } from '../../fixtures/stores/conversation.ts';
import { generateStore } from '../../fixtures/stores/generate.ts';
import { parseQuery } from '../../src/session/query-parse.ts';
import type { Store } from '../../src/store/api.ts';
import { openStore } from '../../src/store/client.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import type { Reads } from '../../src/store/reads/index.ts';
import { UsageError } from '../../src/errors.ts';
import { mostLeaves } from '../../src/store/search/plan.ts';
import { contextAround, hitsIn, search, type SearchChunk, type SearchRequest } from '../../src/store/search/index.ts';
import type { Writes } from '../../src/store/writes/index.ts';
import { bundleStoreWorkers, type StoreWorkers } from '../support/store-worker.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const now = 1_790_000_000_000;
const queryOf = (text: string) => parseQuery(text, { now, times: 'said' });

function storeOf(conversations: readonly Conversation[], change: (connection: OpenConnection) => void = () => undefined) {
  const path = join(temporaryFolder(), 'state.db');
  const writer = openForWriting(path, { now: () => now });
  const ids = writeConversations(writer.db, conversations, now);
  change(writer);
  writer.close();
  const connection = openForReading(path, { now: () => now });
  onTestFinished(() => connection.close());
  return { connection, ids, path };
}

function ask(connection: OpenConnection, text: string, more: Partial<SearchRequest> = {}) {
  const chunks = [...search(connection, { query: queryOf(text), sort: 'best', limit: 50, ...more })];
  const last = chunks.findLast((chunk): chunk is Extract<SearchChunk, { type: 'results' }> => chunk.type === 'results');
  return { chunks, results: last?.results ?? [], states: chunks.flatMap((chunk) => (chunk.type === 'index' ? [chunk.index.state] : [])) };
}

const titlesOf = (connection: OpenConnection, text: string, more: Partial<SearchRequest> = {}): (string | undefined)[] =>
  ask(connection, text, more).results.map((found) => found.row.title);

const say = (title: string, age: number, ...messages: Conversation['messages']): Conversation => ({ title, source: 'cli', age, messages });

describe('what the guide promises of the search syntax', () => {
  const talks = [
    say('one', 5, you('docker deployment on the server')),
    say('two', 4, you('deployment of docker images')),
    say('three', 3, you('python or rust')),
    say('four', 2, you('rust only')),
    say('five', 1, you('deploys and deployed')),
  ];
  test.each<[syntax: string, query: string, found: string[]]>([
    ['simple words: all of them', 'docker deployment', ['one', 'two']],
    ['a phrase', '"docker deployment"', ['one']],
    ['OR', 'docker OR rust', ['four', 'one', 'three', 'two']],
    ['NOT', 'rust NOT python', ['four']],
    ['a prefix', 'deploy*', ['five', 'one', 'two']],
    ['a minus', 'deployment -images', ['one']],
    ['AND, written', 'docker AND deployment', ['one', 'two']],
    ['NEAR is a word', 'NEAR(docker deployment)', []],
    ['a column filter is a word', 'content:docker', []],
    ['a bracket is text', '(docker', []],
    ['a lone operator is text', 'OR', ['three']],
    ['a quote that is never closed', '"rust only', ['four']],
  ])('%s: %s', (_, query, found) => {
    const { connection } = storeOf(talks);
    expect(titlesOf(connection, query).sort()).toEqual(found);
  });
});

describe('what is found', () => {
  test('short CJK words and Latin ones glued to them, as often as they stand there', () => {
    const { connection } = storeOf([
      say('a', 3, you('明日の会議は桜井さん')),
      say('b', 2, you('修复gateway重启问题')),
      say('c', 1, you('회의록정리완료')),
    ]);
    for (const [query, found] of [
      ['会議', 'a'],
      ['重启', 'b'],
      ['gateway', 'b'],
      ['회의', 'c'],
      ['桜', 'a'],
      ['완료', 'c'],
    ] as const)
      expect(titlesOf(connection, query)).toEqual([found]);
    expect(titlesOf(connection, '会議 OR 重启').sort()).toEqual(['a', 'b']);
  });

  test('tool output beyond what is indexed, arguments of calls, machine-made sessions', () => {
    const { connection } = storeOf([
      say(
        'long',
        3,
        you('run it'),
        calls('terminal', { command: 'npm run\nquokka "딱따구리"' }),
        result(`${'x '.repeat(9000)}wombat 너구리`),
      ),
      { ...say('cron', 2, you('quokka report')), source: 'cron' },
    ]);
    expect(titlesOf(connection, 'wombat')).toEqual(['long']);
    expect(titlesOf(connection, '너구리')).toEqual(['long']);
    expect(titlesOf(connection, 'quokka')).toEqual(['long', 'cron']);
    expect(titlesOf(connection, '따구')).toEqual(['long']);
    expect(titlesOf(connection, 'function')).toEqual([]);
  });

  test('archived messages and sessions; undone and hidden ones not', () => {
    const { connection } = storeOf(
      [say('a', 3, you('kept quokka')), say('b', 2, you('undone wombat')), say('c', 1, you('hidden numbat'))],
      ({ db }) => {
        db.exec(`UPDATE messages SET active = 0, compacted = 1 WHERE content LIKE 'kept%'; UPDATE sessions SET archived = 1 WHERE title = 'a';
        UPDATE messages SET active = 0 WHERE content LIKE 'undone%'; UPDATE messages SET display_kind = 'hidden' WHERE content LIKE 'hidden%'`);
      },
    );
    expect(['quokka', 'wombat', 'numbat'].map((word) => titlesOf(connection, word))).toEqual([['a'], [], []]);
  });

  test('words of the title and of a message together, and a title alone', () => {
    const { connection } = storeOf([say('Invoice export', 2, you('fails at night')), say('other', 1, you('invoice fails'))]);
    expect(ask(connection, 'export night').results).toMatchObject([{ hits: 1, isTitleMatch: false, row: { title: 'Invoice export' } }]);
    expect(ask(connection, 'invoice export').results).toMatchObject([
      {
        hits: 0,
        isTitleMatch: true,
        titleRanges: [
          { start: 0, end: 7 },
          { start: 8, end: 14 },
        ],
      },
    ]);
  });

  test('filters of sessions and of messages, and a scope', () => {
    const { connection } = storeOf([
      { ...say('a', 60 * 24 * 9, you('quokka'), agent('quokka too')), cwd: '/w/shop', gitRoot: '/w/shop' },
      { ...say('b', 1, you('quokka')), source: 'telegram', isPinned: true },
    ]);
    expect(titlesOf(connection, 'quokka source:telegram')).toEqual(['b']);
    expect(titlesOf(connection, 'quokka -source:telegram')).toEqual(['a']);
    expect(titlesOf(connection, 'quokka is:pinned OR is:pinned numbat')).toEqual(['b']);
    expect(titlesOf(connection, 'quokka before:2d')).toEqual(['a']);
    expect(ask(connection, 'role:assistant quokka').results).toMatchObject([{ hits: 1, hit: { role: 'assistant' } }]);
    expect(titlesOf(connection, 'quokka', { workspaces: ['/w/shop'] })).toEqual(['a']);
    expect(titlesOf(connection, 'quokka', { withoutSources: ['telegram'] })).toEqual(['a']);
  });
});

test('two syllables that end an old text are found at once, as soon as a scan has passed there, and in what is written later', () => {
  const path = join(temporaryFolder(), 'state.db');
  generateStore(path, { sessions: 800, messagesPerSession: 20, now });
  const writer = openForWriting(path, { now: () => now });
  onTestFinished(() => writer.close());
  writer.db.exec(`UPDATE messages SET content = '정원의작은딱새' WHERE id = 7`);
  const connection = openForReading(path, { now: () => now, role: 'reader' });
  onTestFinished(() => connection.close());
  const atOnce = (): number => {
    let hits = 0;
    for (const chunk of search(connection, { query: queryOf('딱새'), sort: 'best', limit: 5 })) {
      if (chunk.type === 'progress' && chunk.backTo !== undefined) break;
      if (chunk.type === 'results') hits = chunk.hits;
    }
    return hits;
  };
  expect(ask(connection, '딱새').results).toMatchObject([{ hits: 1, hit: { messageId: 7 } }]);
  expect(atOnce()).toBe(1);
  writer.db.exec(
    `INSERT INTO messages (session_id, role, content, timestamp) SELECT session_id, 'user', '또작은딱새', 5 FROM messages WHERE id = 7`,
  );
  expect(atOnce()).toBe(2);
  writer.db.exec(`UPDATE messages SET content = '이제작은딱새' WHERE id = 9; UPDATE messages SET content = '없다' WHERE id = 7`);
  expect(ask(connection, '딱새').chunks.at(-1)).toMatchObject({ type: 'done', hits: 2 });
});

describe('in which order', () => {
  test('a person’s chat before 500 nightly ones and before tool output; one row for a conversation of five segments', () => {
    const nightly = Array.from({ length: 500 }, (_, index): Conversation => ({
      ...say(`nightly report ${index}`, index, you('nightly report')),
      source: 'cron',
    }));
    const chain = Array.from({ length: 5 }, (_, index): Conversation => ({
      ...say(`chain ${index}`, 3000 - index, you(`the nightly report, part ${index}`)),
      ...(index < 4 ? { endReason: 'compression' } : {}),
      ...(index === 0 ? {} : { parent: { index: index - 1, kind: 'compression' as const } }),
    }));
    const noisy = say('tools', 1, you('go on'), calls('terminal', { command: 'x' }), result('nightly report '.repeat(40)));
    const { connection } = storeOf([...chain, noisy, say('chat', 4000, you('where is the nightly report?')), ...nightly]);
    const { results } = ask(connection, 'nightly report', { limit: 600 });
    expect(results.slice(0, 3).map((found) => [found.row.title, found.hits])).toEqual([
      ['chain 4', 5],
      ['chat', 1],
      ['tools', 1],
    ]);
    expect(results).toHaveLength(503);
  });

  test('newest over all matches, however many old ones there are', () => {
    const old = Array.from({ length: 2000 }, (_, index) => say(`old ${index}`, 100_000 + index, you('quokka quokka quokka')));
    const today = Array.from({ length: 5 }, (_, index) =>
      say(`today ${index}`, 5 - index, you('a quokka among many other words of today')),
    );
    // Row ids say nothing about times.
    const { connection } = storeOf([...today, ...old]);
    expect(titlesOf(connection, 'quokka', { sort: 'newest', limit: 6 })).toEqual([
      'today 4',
      'today 3',
      'today 2',
      'today 1',
      'today 0',
      'old 0',
    ]);
    expect(titlesOf(connection, 'quokka', { sort: 'oldest', limit: 1 })).toEqual(['old 1999']);
    expect(ask(connection, 'quokka', { limit: 3 }).chunks.at(-1)).toMatchObject({
      type: 'done',
      lineages: 2005,
      hits: 2005,
      isComplete: true,
    });
  });

  test('a title that is what was typed, then one that has it, then the better text', () => {
    const { connection } = storeOf([
      say('other', 1, you('quokka and very much else that was said on this day, in one long line')),
      say('better', 2, you('quokka quokka')),
      say('about the quokka', 3, you('hm')),
      say('Quokka', 4, you('hm')),
    ]);
    expect(titlesOf(connection, 'quokka')).toEqual(['Quokka', 'about the quokka', 'better', 'other']);
  });

  test('a page is enough where only a page is asked for', () => {
    const path = join(temporaryFolder(), 'state.db');
    generateStore(path, { sessions: 800, messagesPerSession: 20, now });
    const connection = openForReading(path, { now: () => now });
    onTestFinished(() => connection.close());
    const last = ask(connection, 'tests', { limit: 10, until: 'page' }).chunks.at(-1);
    expect(last).toMatchObject({ type: 'done', isComplete: false });
  });
});

describe('what is said of the index', () => {
  const talk = [say('a', 2, you('quokka')), say('b', 1, you('회의록'))];
  test.each<[string, (connection: OpenConnection) => void]>([
    ['ready', () => undefined],
    [
      'none',
      ({ db }) =>
        void db.exec(
          'DROP TRIGGER messages_fts_insert; DROP TRIGGER messages_fts_update; DROP TRIGGER messages_fts_delete; DROP TABLE messages_fts',
        ),
    ],
    ['stale', ({ db }) => void db.exec(`INSERT INTO state_meta VALUES ('fts_stale', '1')`)],
    [
      'rebuilding',
      ({ db }) =>
        void db.exec(
          `INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '2'), ('fts_rebuild_progress', '1'); INSERT INTO messages_fts (messages_fts) VALUES ('delete-all')`,
        ),
    ],
    [
      'behind',
      ({ db }) =>
        void db.exec(
          `DROP TRIGGER messages_fts_insert; INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', 'numbat', 1 FROM sessions LIMIT 1`,
        ),
    ],
  ])('%s, and everything is found', (state, change) => {
    const { connection } = storeOf(talk, change);
    expect(ask(connection, 'quokka').states).toEqual([state]);
    expect(titlesOf(connection, 'quokka')).toEqual(['a']);
    expect(titlesOf(connection, '회의')).toEqual(['b']);
    if (state === 'behind') expect(ask(connection, 'numbat').results).toHaveLength(1);
  });

  test('damaged, as soon as it shows', () => {
    const { connection } = storeOf(talk, ({ db }) => {
      db.unsafeMode();
      db.exec("UPDATE messages_fts_data SET block = CAST(replace(hex(zeroblob(length(block) / 4)), '00', 'zzzz') AS BLOB) WHERE id > 10");
    });
    expect(ask(connection, 'quokka').states).toEqual(['ready', 'damaged']);
    expect(titlesOf(connection, 'quokka')).toEqual(['a']);
  });
});

describe('one conversation', () => {
  const chain = [
    { ...say('a', 30, you('quokka one'), agent('yes'), you('quokka two')), endReason: 'compression' },
    { ...say('a #2', 10, you('go on'), agent('quokka three')), parent: { index: 0, kind: 'compression' as const } },
  ];

  test('has its hits in reading order, compressed segments included', () => {
    const { connection, ids } = storeOf(chain);
    const hits = hitsIn(connection, ids[1]!, queryOf('quokka'));
    expect(hits.map((hit) => hit.sessionId)).toEqual([ids[0], ids[0], ids[1]]);
    expect(hits).toHaveLength(ask(connection, 'quokka').results[0]!.hits);
  });

  test('is read around a hit, with the words marked', () => {
    const { connection, ids } = storeOf(chain);
    const [, second] = hitsIn(connection, ids[0]!, queryOf('quokka'));
    const context = contextAround(connection, second!.messageId, 1, queryOf('quokka'));
    expect(context?.messages.map((message) => message.text)).toEqual(['yes', 'quokka two', 'go on']);
    expect([...context!.ranges]).toEqual([[second!.messageId, [{ start: 0, end: 6 }]]]);
    expect(contextAround(connection, 999_999, 1)).toBeUndefined();
  });
});

describe('in the reading thread', () => {
  let workers: StoreWorkers;
  let writers: StoreWorkers;
  beforeAll(async () => {
    workers = await bundleStoreWorkers();
    const support = (name: string) => new URL(`../support/${name}`, import.meta.url);
    writers = await bundleStoreWorkers({ methods: support('store-methods.ts'), extra: support('store-process.ts') });
  });
  afterAll(() => {
    workers.dispose();
    writers.dispose();
  });
  const open = (path: string): Store<Reads, Writes> => {
    const store = openStore({ path, workers });
    onTestFinished(() => store.close());
    return store;
  };

  test('results come as a stream, a given-up search ends at once, and others are answered meanwhile', async () => {
    const path = join(temporaryFolder(), 'state.db');
    generateStore(path, { sessions: 3000, messagesPerSession: 20, now, hasSearchIndex: false });
    const store = open(path);
    const controller = new AbortController();
    const request = { query: queryOf('nowhere-to-be-found'), sort: 'best' as const, limit: 20 };
    const kinds: string[] = [];
    await expect(async () => {
      for await (const chunk of store.reading(controller.signal).search(request)) {
        kinds.push(chunk.type);
        if (kinds.length === 1) controller.abort(new Error('another key'));
      }
    }).rejects.toThrow('another key');
    expect(kinds).toEqual(['index']);
    const whole: string[] = [];
    for await (const chunk of store.read.search(request)) {
      whole.push(chunk.type);
      if (whole.length === 2) expect(await store.read.stats()).toMatchObject({ sessions: 3000 });
    }
    expect(whole.at(-1)).toBe('done');
    expect(whole.filter((type) => type === 'progress').length).toBeGreaterThan(1);
  });

  test('a hundred writers in ten processes are in nobody’s way, and every message of theirs is found', { timeout: 120_000 }, async () => {
    const [processes, writersEach, messagesEach] = [10, 10, 5];
    const path = join(temporaryFolder(), 'state.db');
    openForWriting(path, { now: Date.now }).close();
    const script = fileURLToPath(writers.extra!);
    const sessions = Array.from({ length: processes * writersEach }, (_, index) => `s${index}`);
    const ended = Array.from({ length: processes }, (_, index) => {
      const own = sessions.slice(index * writersEach, (index + 1) * writersEach);
      const child = spawn(
        process.execPath,
        [script, 'append-as', path, writers.reader.href, writers.writer.href, String(messagesEach), ...own],
        { stdio: ['ignore', 'ignore', 'pipe'] },
      );
      onTestFinished(() => void child.kill('SIGKILL'));
      let complaints = '';
      child.stderr.on('data', (data: Buffer) => (complaints += data.toString()));
      return new Promise((resolve) => child.on('close', (code) => resolve({ code, complaints })));
    });
    const store = open(path);
    const states = new Set<string>();
    /** Hits by session. */
    const find = async (text: string): Promise<Map<string, number>> => {
      let found = new Map<string, number>();
      for await (const chunk of store.read.search({ query: queryOf(text), sort: 'newest', limit: sessions.length + 1 })) {
        if (chunk.type === 'index') states.add(chunk.index.state);
        if (chunk.type === 'results') found = new Map(chunk.results.map((result) => [result.row.id, result.hits]));
      }
      return found;
    };
    const inEach = (count: number) => new Map(sessions.map((session) => [session, count]));
    let isOver = false;
    const all = Promise.all(ended).finally(() => (isOver = true));
    const seen: number[] = [0];
    while (!isOver) {
      const hits = [...(await find('message')).values()].reduce((sum, count) => sum + count, 0);
      expect(hits).toBeGreaterThanOrEqual(seen.at(-1)!);
      seen.push(hits);
      await find('하세');
    }
    expect(await all).toEqual(Array(processes).fill({ code: 0, complaints: '' }));
    // Searches saw the store grow: they ran while others wrote.
    expect(new Set(seen).size).toBeGreaterThan(2);
    for (const text of ['message', '하세', '세요']) expect(await find(text)).toEqual(inEach(messagesEach));
    for (let index = 0; index < messagesEach; index += 1) expect(await find(`"message ${index}"`)).toEqual(inEach(1));
    expect([...states]).toEqual(['ready']);
  });
});

describe('a query of very many words', () => {
  const many = (count: number, join: string, first = ''): string =>
    [...(first === '' ? [] : [first]), ...Array.from({ length: count }, (_, index) => `word${index}`)].join(join);
  const pasted = say('pasted', 1, you(many(990, ' ')));
  const other = say('other', 2, you('word7 alone'));

  test.each<[string, string, string[]]>([
    ['all of them', many(990, ' '), ['pasted']],
    ['one of them', many(990, ' OR '), ['other', 'pasted']],
    ['beginnings', many(990, '* OR '), ['other', 'pasted']],
    ['all but them', many(990, ' -', 'alone'), []],
    ['quoted, of any length', `"${many(990, ' ')}"`, ['pasted']],
    ['in Korean', Array.from({ length: 990 }, (_, index) => String.fromCharCode(0xac00 + index, 0xb000 + index)).join(' '), []],
    ['fields', many(900, ' OR title:'), ['pasted']],
  ])('is answered right, and not blamed on the index: %s', (_what, query, found) => {
    const { connection } = storeOf([pasted, other]);
    const { results, states } = ask(connection, query);
    expect(results.map((each) => each.row.title).toSorted()).toEqual(found);
    expect(states).toEqual(['ready']);
  });

  test('is refused in a sentence where there are too many', () => {
    const { connection } = storeOf([pasted]);
    expect(() => ask(connection, many(mostLeaves + 1, ' '))).toThrow(UsageError);
    expect(() => hitsIn(connection, 'any', queryOf(many(mostLeaves + 1, ' ')))).toThrow(UsageError);
  });
});
