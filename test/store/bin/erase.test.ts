import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRandom } from '../../../fixtures/random.ts';
import { emptyBin, eraseForever, moveToBin } from '../../../src/store/bin/index.ts';
import { scrub } from '../../../src/store/bin/scrub.ts';
import type { OpenConnection } from '../../../src/store/connection.ts';
import { openForWriting } from '../../../src/store/open.ts';
import { insertRow } from '../../../src/store/writes/rows.ts';
import { transact } from '../../../src/store/worker/transact.ts';
import { cellsOf, changing, indexChecks } from '../../support/bin.ts';
import { copyRealStore, hasRealStores } from '../../support/real-stores.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

/** Words that stand nowhere but in what is erased: whole, in a script of its own, inside of a word, in arguments, in the title. */
const secrets = [
  'zebrafinchword',
  '비밀단어열',
  '秘密の単語',
  'argumentsecret',
  'titlesecret',
  'promptsecret',
  'draftsecret',
  'resultsecret',
];

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Files that hold one of the words, as UTF-8, at least its longest run: `name: word`. */
function whereStands(home: string, words: readonly string[]): string[] {
  return filesUnder(home).flatMap((file) => {
    const bytes = readFileSync(file);
    return words.filter((word) => bytes.includes(word)).map((word) => `${file.slice(home.length + 1)}: ${word}`);
  });
}

/** A life as a store has it: many small writes between others, answers that grow, segments merged on the way. */
function live(connection: OpenConnection, seed: number): void {
  const random = createRandom(seed);
  const write = (work: () => void): void => transact(connection.db, work);
  const seconds = Date.now() / 1000;
  const session = (id: string, values: Record<string, unknown> = {}): void =>
    write(() => insertRow(connection, 'sessions', { id, source: 'cli', started_at: seconds, model_config: '{}', ...values }));
  write(() => insertRow(connection, 'system_prompts', { hash: 'h1', prompt: 'promptsecret '.repeat(300) }));
  session('secret', { title: 'the titlesecret', system_prompt_hash: 'h1' });
  for (let index = 0; index < 30; index += 1) session(`other-${index}`);
  for (let index = 0; index < 900; index += 1) {
    const isSecret = random.chance(0.3);
    const word = isSecret ? secrets[index % 3]! : 'ordinary';
    const text = (length: number): string => Array.from({ length }, () => `${word} ${random.hex(6)}`).join(' ');
    write(() => {
      const row = {
        session_id: isSecret ? 'secret' : `other-${index % 30}`,
        role: random.pick(['user', 'assistant', 'tool']),
        timestamp: seconds + index,
      };
      const calls = isSecret ? `[{"function":{"name":"x","arguments":"argumentsecret"}}]` : null;
      const id = insertRow(connection, 'messages', { ...row, content: text(3), tool_calls: calls });
      // An answer as it streams.
      for (let step = 1; step < 4; step += 1) {
        connection.db.prepare('UPDATE messages SET content = ? WHERE id = ?').run(text(random.between(3, step * 60)), id);
      }
    });
    if (random.chance(0.1))
      write(() =>
        connection.db
          .prepare('UPDATE sessions SET title = ?, message_count = ? WHERE id = ?')
          .run(`the titlesecret ${index}`, index, 'secret'),
      );
  }
  write(() => {
    const facts = {
      origin_session: 'secret',
      parent_session_id: 'secret',
      state: 'completed',
      dispatched_at: seconds,
      updated_at: seconds,
    };
    insertRow(connection, 'async_delegations', { delegation_id: 'd1', ...facts, result_json: '"resultsecret"' });
  });
}

function makeHome(seed: number): string {
  const home = temporaryFolder();
  const connection = openForWriting(join(home, 'state.db'), { now: Date.now });
  // A thousand transactions; what a power cut would do is no question here.
  connection.db.pragma('synchronous = OFF');
  live(connection, seed);
  connection.close();
  mkdirSync(join(home, 'tui/drafts'), { recursive: true });
  mkdirSync(join(home, 'sessions'));
  writeFileSync(join(home, 'tui/drafts/secret.json'), '{"v":1,"text":"draftsecret"}');
  writeFileSync(join(home, 'sessions/secret.jsonl'), 'draftsecret');
  return home;
}

function scrubbed(path: string): void {
  const connection = openForWriting(path, { now: Date.now });
  expect(scrub(connection)).toEqual({ heldBy: [] });
  connection.close();
}

const request = { ids: ['secret'], held: {} };

describe('nothing of what is erased is left in any file of the home', () => {
  test.each([1, 2, 3])('by --forever, life %i', (seed) => {
    const home = makeHome(seed);
    const path = join(home, 'state.db');
    expect(new Set(whereStands(home, secrets).map((line) => line.split(': ')[1]))).toEqual(new Set(secrets));
    expect(changing(path, (connection) => eraseForever(connection, request)).moved).toHaveLength(1);
    scrubbed(path);
    expect(whereStands(home, secrets)).toEqual([]);
    expectHealthy(path);
  });

  test.each([4, 5])('by emptying the bin, life %i', (seed) => {
    const home = makeHome(seed);
    const path = join(home, 'state.db');
    changing(path, (connection) => moveToBin(connection, request));
    expect(whereStands(join(home, 'trash'), secrets).length).toBeGreaterThan(0);
    expect(changing(path, (connection) => emptyBin(connection))).toEqual({ erased: 1 });
    scrubbed(path);
    expect(whereStands(home, secrets)).toEqual([]);
    expectHealthy(path);
  });

  test('while the store stays open, as in the program, its log is cut too', () => {
    const home = makeHome(6);
    const connection = openForWriting(join(home, 'state.db'), { now: Date.now });
    const reader = openForWriting(join(home, 'state.db'), { now: Date.now });
    reader.db.prepare('SELECT count(*) FROM messages').get();
    transact(connection.db, () => eraseForever(connection, request));
    expect(scrub(connection)).toEqual({ heldBy: [] });
    expect(whereStands(home, secrets)).toEqual([]);
    reader.close();
    connection.close();
  });

  test('a deletion that was cut off leaves no copy behind', () => {
    const home = makeHome(7);
    const path = join(home, 'state.db');
    const connection = openForWriting(path, { now: Date.now });
    expect(() =>
      transact(connection.db, () => {
        moveToBin(connection, request);
        throw new Error('killed');
      }),
    ).toThrow('killed');
    connection.close();
    expect(whereStands(join(home, 'trash'), secrets).length).toBeGreaterThan(0);
    changing(path, (connection) => eraseForever(connection, request));
    scrubbed(path);
    expect(whereStands(home, secrets)).toEqual([]);
  });
});

function expectHealthy(path: string): void {
  const connection = openForWriting(path, { now: Date.now });
  expect(connection.db.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(indexChecks(connection)).toEqual({ messages_fts: 'ok', messages_fts_trigram: 'ok' });
  expect(connection.db.pragma('journal_mode', { simple: true })).toBe('wal');
  connection.close();
}

test('a file that can not be taken away stops it before anything is erased', ({ skip }) => {
  const home = makeHome(10);
  const path = join(home, 'state.db');
  if (process.getuid?.() === 0) {
    // A right that root lacks, too.
    const bind = (...args: string[]) => execFileSync('mount', [...args, join(home, 'sessions')], { stdio: 'ignore' });
    try {
      bind('--bind', join(home, 'sessions'));
    } catch {
      return skip('no disk may be mounted here');
    }
    onTestFinished(() => void execFileSync('umount', [join(home, 'sessions')]));
    bind('-o', 'remount,ro,bind');
  } else {
    chmodSync(join(home, 'sessions'), 0o500);
    onTestFinished(() => chmodSync(join(home, 'sessions'), 0o700));
  }
  changing(path, (connection) => {
    const before = cellsOf(connection);
    expect(() => eraseForever(connection, request)).toThrow(/sessions\/secret\.jsonl can't be taken away, so nothing was erased/);
    expect(cellsOf(connection)).toEqual(before);
  });
});

test('a prompt that another session uses stays', () => {
  const home = makeHome(8);
  const path = join(home, 'state.db');
  changing(path, (connection) => connection.db.exec("UPDATE sessions SET system_prompt_hash = 'h1' WHERE id = 'other-1'"));
  changing(path, (connection) => eraseForever(connection, request));
  changing(path, (connection) => expect(connection.db.prepare('SELECT hash FROM system_prompts').pluck().all()).toEqual(['h1']));
});

test('emptying by age takes only what was deleted before', () => {
  const home = makeHome(9);
  const path = join(home, 'state.db');
  let time = Date.now();
  const clock = (): number => time;
  changing(path, (connection) => moveToBin(connection, { ids: ['other-1'], held: {} }), clock);
  time += 1000;
  changing(path, (connection) => moveToBin(connection, { ids: ['other-2'], held: {} }), clock);
  expect(changing(path, (connection) => emptyBin(connection, { olderThan: time }))).toEqual({ erased: 1 });
  expect(changing(path, (connection) => emptyBin(connection, { olderThan: time }))).toEqual({ erased: 0 });
  expect(changing(path, (connection) => emptyBin(connection))).toEqual({ erased: 1 });
});

test.runIf(hasRealStores)('what stays of a real store is as it was', () => {
  const path = copyRealStore('hermes-v31-40.db', temporaryFolder());
  changing(path, () => undefined);
  const connection = openForWriting(path, { now: Date.now });
  const before = cellsOf(connection);
  const [id] = connection.db
    .prepare<[], string>('SELECT id FROM sessions WHERE title IS NOT NULL AND parent_session_id IS NULL AND end_reason IS NULL')
    .pluck()
    .all();
  const erased = transact(connection.db, () => eraseForever(connection, { ids: [id!], held: {} }));
  expect(erased.moved).toHaveLength(1);
  scrub(connection);
  const after = cellsOf(connection);
  expect(after['sessions']!.every((row) => before['sessions']!.includes(row))).toBe(true);
  expect(after['messages']!.every((row) => before['messages']!.includes(row))).toBe(true);
  connection.close();
});
