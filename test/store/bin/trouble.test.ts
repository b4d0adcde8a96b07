import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../../src/errors.ts';
import { binEntries } from '../../../src/store/bin/entries.ts';
import { emptyBin, eraseForever, moveToBin, restoreFromBin } from '../../../src/store/bin/index.ts';
import { explainFailure } from '../../../src/store/damage.ts';
import { openForReading, openForWriting } from '../../../src/store/open.ts';
import { insertRow } from '../../../src/store/writes/rows.ts';
import { cellsOf, changing, indexChecks } from '../../support/bin.ts';
import { runShell } from '../../support/shell.ts';
import { bundleStoreWorkers } from '../../support/store-worker.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

function addSessions(path: string, ids: readonly string[], messagesEach: number, words = 'some words'): void {
  changing(path, (connection) => {
    for (const id of ids) {
      insertRow(connection, 'sessions', { id, source: 'cli', started_at: 1_790_000_000, model_config: '{}', message_count: messagesEach });
      for (let index = 0; index < messagesEach; index += 1) {
        insertRow(connection, 'messages', { session_id: id, role: 'user', content: `${words} ${index}`, timestamp: 1_790_000_000 + index });
      }
    }
  });
}

const cells = (path: string) => {
  const connection = openForWriting(path, { now: Date.now });
  try {
    return cellsOf(connection);
  } finally {
    connection.close();
  }
};

const entriesOf = (path: string) => {
  const connection = openForReading(path, { now: Date.now });
  try {
    return binEntries(connection);
  } finally {
    connection.close();
  }
};

const failureOf = (work: () => unknown): StoreError => {
  try {
    work();
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error('it did not fail');
};

/** A disk of that size, or undefined where this user may not mount one. */
function smallDisk(megabytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmdirSync(folder);
    return undefined;
  }
  onTestFinished(() => {
    execFileSync('umount', [folder]);
    rmdirSync(folder);
  });
  return folder;
}

describe('a disk without room', () => {
  test('for the copy: nothing is deleted, and one sentence says so', ({ skip }) => {
    const home = temporaryFolder();
    const path = join(home, 'state.db');
    addSessions(path, ['large', 'small'], 300, 'many words '.repeat(400));
    mkdirSync(join(home, 'trash'));
    const disk = smallDisk(1);
    if (disk === undefined) return skip('no disk may be mounted here');
    // The bin on a disk of its own that is too small for a megabyte of messages.
    execFileSync('mount', ['--bind', disk, join(home, 'trash')]);
    onTestFinished(() => void execFileSync('umount', [join(home, 'trash')]));
    const before = cells(path);
    const error = failureOf(() => changing(path, (connection) => moveToBin(connection, { ids: ['large'], held: {} })));
    expect(error.trouble).toBe('full');
    expect(error.message).toBe(`The disk that holds the bin ${join(home, 'trash/bin.db')} is full, so nothing was changed.`);
    expect(cells(path)).toEqual(before);
    expect(entriesOf(path)).toEqual([]);
    expect(statfsSync(join(home, 'trash')).bavail).toBeGreaterThan(0);
  });

  test('wherever it ends: all of it is done, or nothing', ({ skip }) => {
    const disk = smallDisk(16);
    if (disk === undefined) return skip('no disk may be mounted here');
    const made = join(temporaryFolder(), 'state.db');
    addSessions(made, ['large'], 300, 'many words '.repeat(400));
    const before = cells(made);
    const path = join(disk, 'state.db');
    const outcomes = new Set<string>();
    for (let room = 200_000; room < 4_000_000; room += 200_000) {
      for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true });
      cpSync(made, path);
      const { bavail, bsize } = statfsSync(disk);
      writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize - room));
      let outcome = 'done';
      try {
        changing(path, (connection) => moveToBin(connection, { ids: ['large'], held: {} }));
      } catch (error) {
        const explained = explainFailure(error, path);
        if (!(explained instanceof StoreError) || explained.trouble !== 'full') throw error;
        outcome = explained.message.includes('bin') ? 'no room for the copy' : 'no room to delete';
      }
      rmSync(join(disk, 'filler'));
      outcomes.add(outcome);
      expect(entriesOf(path).map(({ id }) => id)).toEqual(outcome === 'done' ? ['large'] : []);
      if (outcome !== 'done') expect(cells(path)).toEqual(before);
    }
    expect([...outcomes].sort()).toEqual(expect.arrayContaining(['done', 'no room for the copy']));
  });
});

test('an erasure that leaves traces, since the disk has no room to write the file anew, says that and is done', async ({ skip }) => {
  const disk = smallDisk(16);
  if (disk === undefined) return skip('no disk may be mounted here');
  const made = join(temporaryFolder(), 'state.db');
  addSessions(made, ['large', 'small'], 1);
  // One long word each: the index of them is small, so that the rows take the room.
  const row = { session_id: 'large', role: 'tool', content: 'x'.repeat(20_000), timestamp: 1_790_000_000 };
  changing(made, (connection) => {
    for (let index = 0; index < 100; index += 1) insertRow(connection, 'messages', row);
  });
  const path = join(disk, 'state.db');
  const seen = new Set<string>();
  for (let room = 200_000; room < 5_000_000 && !seen.has('done'); room += 200_000) {
    for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true });
    cpSync(made, path);
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize - room));
    const { code, out, err } = await runShell(['sessions', 'delete', 'small', '--forever', '--yes'], path);
    rmSync(join(disk, 'filler'));
    const isStored = cells(path)['sessions']!.some((row) => row.includes(Buffer.from('small').toString('hex').toUpperCase()));
    expect(isStored).toBe(code !== 0);
    expect(out.includes('Deleted session')).toBe(code === 0);
    if (code === 0) expect(err === '' || /^Traces of it are still in .* is full\.\n$/.test(err)).toBe(true);
    seen.add(code !== 0 ? 'no room' : err === '' ? 'done' : 'traces');
  }
  expect([...seen]).toEqual(expect.arrayContaining(['traces', 'done']));
});

test('a file that is no database in place of the bin: nothing is deleted, the store is not called damaged', () => {
  const home = temporaryFolder();
  const path = join(home, 'state.db');
  addSessions(path, ['one'], 1);
  mkdirSync(join(home, 'trash'));
  writeFileSync(join(home, 'trash/bin.db'), 'no database '.repeat(1000));
  const before = cells(path);
  const error = failureOf(() => changing(path, (connection) => moveToBin(connection, { ids: ['one'], held: {} })));
  expect(error.trouble).toBe('unreadable');
  expect(error.message).toContain('nothing was changed');
  expect(cells(path)).toEqual(before);
});

describe('what stands in place of the bin is named, and the store is not blamed', () => {
  const foreign = (statements: string) => (folder: string) => {
    mkdirSync(folder);
    const db = new BetterSqlite3(join(folder, 'bin.db'));
    db.exec(`PRAGMA journal_mode = WAL; ${statements}`);
    db.close();
  };
  test.each<[string, (folder: string) => void, string]>([
    ['another database', foreign('CREATE TABLE notes (text)'), 'is no bin of this program'],
    ['a database with a table of that name', foreign('CREATE TABLE bin (v); INSERT INTO bin VALUES (1)'), 'is no bin of this program'],
    [
      'a database with both names',
      foreign('CREATE TABLE bin (v); INSERT INTO bin VALUES (1); CREATE TABLE entries (x)'),
      'is no bin of this program',
    ],
    ['a folder', (folder) => mkdirSync(join(folder, 'bin.db'), { recursive: true }), 'nothing was changed'],
    ['a file in place of its folder', (folder) => writeFileSync(folder, ''), "can't be opened"],
  ])('%s', (_, make, says) => {
    const home = temporaryFolder();
    const path = join(home, 'state.db');
    addSessions(path, ['one'], 1);
    make(join(home, 'trash'));
    const before = cells(path);
    const file = join(home, 'trash/bin.db');
    const bytes = says.startsWith('is no bin') ? readFileSync(file) : undefined;
    const tries = [
      () => changing(path, (connection) => moveToBin(connection, { ids: ['one'], held: {} })),
      () => changing(path, (connection) => restoreFromBin(connection, ['one'])),
      () => entriesOf(path),
    ];
    for (const work of tries) {
      const error = failureOf(work);
      expect(['unreadable', 'readonly']).toContain(error.trouble);
      expect(error.message).toContain('/trash/bin.db');
      expect(error.message).toContain(says);
    }
    expect(cells(path)).toEqual(before);
    if (bytes !== undefined) expect(readFileSync(file).equals(bytes)).toBe(true);
  });
});

test('a damaged search index is told as such, and a restore waits for a new one', () => {
  const home = temporaryFolder();
  const path = join(home, 'state.db');
  addSessions(path, ['one', 'other'], 3);
  changing(path, (connection) => moveToBin(connection, { ids: ['one'], held: {} }));
  const connection = openForWriting(path, { now: Date.now });
  connection.db.unsafeMode(true);
  connection.db.exec(
    "UPDATE messages_fts_data SET block = x'00000000' WHERE id > 10; UPDATE messages_fts_data SET block = x'ff' WHERE id = 10",
  );
  connection.close();
  // `changing` makes the index anew, as the program does, where the failure says that it is the index.
  expect(changing(path, (db) => restoreFromBin(db, ['one'])).restored).toHaveLength(1);
  const after = openForWriting(path, { now: Date.now });
  expect(indexChecks(after)).toEqual({ messages_fts: 'ok', messages_fts_trigram: 'ok' });
  after.close();
});

test('damaged pages of the store, met while they are copied, are not called damage of the bin', () => {
  const home = temporaryFolder();
  const path = join(home, 'state.db');
  addSessions(path, ['one', 'other'], 200, 'many words '.repeat(40));
  changing(path, (connection) => moveToBin(connection, { ids: ['other'], held: {} }));
  const connection = openForWriting(path, { now: Date.now });
  connection.db.pragma('wal_checkpoint(TRUNCATE)');
  const page = connection.db
    .prepare<[], number>("SELECT max(pageno) FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf'")
    .pluck()
    .get()!;
  const size = Number(connection.db.pragma('page_size', { simple: true }));
  connection.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(size, 0x5a), 0, size, (page - 1) * size);
  closeSync(file);
  let failure: unknown;
  try {
    changing(path, (db) => moveToBin(db, { ids: ['one'], held: {} }));
  } catch (error) {
    failure = explainFailure(error, path);
  }
  expect(failure).toBeInstanceOf(StoreError);
  expect((failure as StoreError).trouble).toBe('corrupt');
  expect((failure as StoreError).message).not.toContain('bin');
});

test('rows that are no valid text, large integers and columns of other programs come back to the byte', () => {
  const path = join(temporaryFolder(), 'state.db');
  addSessions(path, ['odd', 'even'], 2);
  changing(path, ({ db }) => {
    db.exec(`ALTER TABLE sessions ADD COLUMN acme_note; ALTER TABLE messages ADD COLUMN "acme count";
      CREATE TABLE acme_ledger (session TEXT REFERENCES sessions(id) ON DELETE CASCADE, amount);
      INSERT INTO acme_ledger VALUES ('odd', 9007199254740993), ('even', 2);`);
    db.exec(`UPDATE sessions SET acme_note = x'00ff', title = CAST(x'c328ff00e38182' AS TEXT), model_config = '' WHERE id = 'odd'`);
    db.exec(`UPDATE messages SET "acme count" = 9007199254740993, reasoning = CAST(x'ff00fe' AS TEXT), token_count = 3.5, tool_name = ''
      WHERE session_id = 'odd'`);
    db.exec(`UPDATE messages SET display_order = NULL, message_uid = NULL WHERE session_id = 'odd'`);
  });
  const ledger = () =>
    changing(path, ({ db }) => db.prepare('SELECT session, CAST(amount AS TEXT) FROM acme_ledger ORDER BY session').raw().all());
  const before = cells(path);
  const booked = ledger();
  expect(changing(path, (connection) => moveToBin(connection, { ids: ['odd'], held: {} })).moved).toHaveLength(1);
  expect(ledger()).toHaveLength(1);
  expect(changing(path, (connection) => restoreFromBin(connection, ['odd'])).refused).toEqual([]);
  expect(cells(path)).toEqual(before);
  expect(ledger()).toEqual(booked);
});

test('a store with a rollback journal gives and takes as one with a WAL does', () => {
  const path = join(temporaryFolder(), 'state.db');
  addSessions(path, ['one', 'two'], 400, 'many words '.repeat(400));
  changing(path, () => undefined);
  const connection = openForWriting(path, { now: Date.now });
  connection.db.pragma('journal_mode = DELETE');
  connection.close();
  const before = cells(path);
  expect(changing(path, (one) => moveToBin(one, { ids: ['one'], held: {} })).moved).toHaveLength(1);
  expect(changing(path, (one) => restoreFromBin(one, ['one'])).restored).toHaveLength(1);
  expect(cells(path)).toEqual(before);
  changing(path, (one) => moveToBin(one, { ids: ['one'], held: {} }));
  expect(changing(path, (one) => emptyBin(one))).toEqual({ erased: 1 });
  expect(changing(path, (one) => eraseForever(one, { ids: ['two'], held: {} })).moved).toHaveLength(1);
  changing(path, ({ db }) => expect(db.pragma('journal_mode', { simple: true })).toBe('delete'));
});

test('what this store has no place for keeps its entry in the bin', () => {
  const home = temporaryFolder();
  const path = join(home, 'state.db');
  addSessions(path, ['odd'], 1);
  changing(path, ({ db }) => db.exec("ALTER TABLE sessions ADD COLUMN acme_note; UPDATE sessions SET acme_note = 'kept'"));
  changing(path, (connection) => moveToBin(connection, { ids: ['odd'], held: {} }));
  changing(path, ({ db }) => db.exec('ALTER TABLE sessions DROP COLUMN acme_note'));
  const { refused, restored } = changing(path, (connection) => restoreFromBin(connection, ['odd']));
  expect(restored).toEqual([]);
  expect(refused[0]?.message).toBe('Cannot restore session odd: this store has no place for its sessions.acme_note. It stays in the bin.');
  expect(entriesOf(path).map(({ id }) => id)).toEqual(['odd']);
});

test('programs that delete, restore and write at once lose nothing', { timeout: 120_000 }, async () => {
  const path = join(temporaryFolder(), 'state.db');
  const mine = Array.from({ length: 20 }, (_, index) => `mine-${index}`);
  const theirs = Array.from({ length: 20 }, (_, index) => `theirs-${index}`);
  addSessions(path, [...mine, ...theirs, 'busy'], 20);
  const before = cells(path);
  const workers = await bundleStoreWorkers({ extra: new URL('../../support/bin-shuttle.ts', import.meta.url) });
  onTestFinished(() => workers.dispose());
  const program = fileURLToPath(workers.extra!);
  const run = (kind: string, ids: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [program, kind, path, JSON.stringify(ids)], { stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
      child.on('error', reject);
      child.on('exit', (code) => (code === 0 ? resolve(said) : reject(new Error(`exit ${code}: ${said}`))));
    });
  const [, , wrote] = await Promise.all([run('shuttle', mine), run('shuttle', theirs), run('write', ['busy'])]);
  const after = cells(path);
  expect(after['sessions']!.filter((row) => !row.includes(hexOf('busy')))).toEqual(
    before['sessions']!.filter((row) => !row.includes(hexOf('busy'))),
  );
  expect(after['messages']).toHaveLength(before['messages']!.length + Number(wrote));
  expect(after['messages']).toEqual(expect.arrayContaining(before['messages']!));
  expect(entriesOf(path)).toEqual([]);
  changing(path, (connection) => expect(indexChecks(connection)).toEqual({ messages_fts: 'ok', messages_fts_trigram: 'ok' }));
});

const hexOf = (text: string): string => Buffer.from(text).toString('hex').toUpperCase();
