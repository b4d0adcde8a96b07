import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { HermesError, StoreError } from '../../src/errors.ts';
import { openStore } from '../../src/store/client.ts';
import { checkStore, explainFailure } from '../../src/store/damage.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { hasWalResetFault, journalModeForNewFile } from '../../src/store/pragmas.ts';
import { copyRealStore, hasRealStores } from '../support/real-stores.ts';
import type { reads, writes } from '../support/store-methods.ts';
import { bundleStoreWorkers, type StoreWorkers } from '../support/store-worker.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const now = Date.now;
const isRoot = process.getuid?.() === 0;
/** "nobody": rules about modes bind it, while they don't bind root. */
const NOBODY = 65_534;

let workers: StoreWorkers;
beforeAll(async () => {
  const support = (name: string) => new URL(`../support/${name}`, import.meta.url);
  workers = await bundleStoreWorkers({ methods: support('store-methods.ts'), extra: support('store-process.ts') });
  chmodSync(dirname(fileURLToPath(workers.reader)), 0o755);
});
afterAll(() => workers.dispose());

/** A closed store with a few sessions and enough messages that its tables have several pages. */
function makeStore(path = join(temporaryFolder(), 'state.db')): string {
  const connection = openForWriting(path, { now });
  const { db } = connection;
  db.transaction(() => {
    for (let session = 0; session < 5; session += 1) {
      db.prepare(`INSERT INTO sessions (id, source, started_at, title) VALUES (?, 'tui', ?, ?)`).run(
        `s${session}`,
        session,
        `title ${session}`,
      );
      for (let index = 0; index < 100; index += 1) {
        db.prepare(`INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)`).run(
          `s${session}`,
          `message ${index} ${'filler '.repeat(30)}`,
          index,
        );
      }
    }
  })();
  connection.close();
  return path;
}

function failure(run: () => unknown): HermesError {
  try {
    run();
  } catch (error) {
    if (error instanceof HermesError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Runs in a process that file modes bind. @returns what it printed */
function runUnprivileged(command: 'read' | 'write', path: string, ownFolder = tmpdir()): Record<string, unknown> {
  const result = spawnSync(process.execPath, [fileURLToPath(workers.extra as URL), command, path], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], TMPDIR: ownFolder },
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  expect(result.stderr).toBe('');
  return JSON.parse(result.stdout) as Record<string, unknown>;
}

/** Gives everything in the folder to the user of `runUnprivileged`. */
function handOver(folder: string): void {
  if (!isRoot) return;
  for (const name of ['', ...readdirSync(folder)]) chownSync(join(folder, name), NOBODY, NOBODY);
}

describe('a file that can not be used says why, in one sentence, and is left alone', () => {
  test.each<[string, (path: string) => void, string, RegExp]>([
    ['no file', () => undefined, 'store-missing', /no session store/],
    ['an empty file', (path) => (writeFileSync(path, ''), utimesSync(path, 1, 1)), 'store-corrupt', /empty file \(0 bytes\)/],
    ['an empty file that was just made', (path) => writeFileSync(path, ''), 'store-busy', /being made/],
    [
      'a text file',
      (path) => writeFileSync(path, 'Dear diary, today I was not a database. '.repeat(50)),
      'store-corrupt',
      /not an SQLite database/,
    ],
    ['a few bytes', (path) => writeFileSync(path, 'SQLite'), 'store-corrupt', /not an SQLite database/],
    ['a folder', (path) => mkdirSync(path), 'store-unreadable', /it is a folder/],
    ['a FIFO', (path) => void execFileSync('mkfifo', [path]), 'store-unreadable', /it is no file/],
    ['a link to itself', (path) => symlinkSync(path, path), 'store-unreadable', /it is no file/],
    ['a device', (path) => symlinkSync('/dev/null', path), 'store-unreadable', /it is no file/],
    ['a link to nowhere', (path) => symlinkSync(`${path}.gone`, path), 'store-missing', /no session store/],
    [
      'a database of something else',
      (path) => void new Database(path).exec('CREATE TABLE cookies (a)').close(),
      'store-corrupt',
      /holds no sessions table/,
    ],
    ['a store cut short', (path) => truncateSync(makeStore(path), 40_960), 'store-corrupt', /is damaged/],
    ['a store with a broken header', (path) => overwrite(makeStore(path), 0, 'nonsense'), 'store-corrupt', /not an SQLite database/],
    ['a store whose schema page is broken', (path) => overwrite(makeStore(path), 100, 'x'.repeat(3000)), 'store-corrupt', /is damaged/],
  ])('%s', (_, prepare, code, message) => {
    const path = join(temporaryFolder(), 'state.db');
    prepare(path);
    const before = existsSync(path) && statSync(path).isFile() ? readFileSync(path) : undefined;
    const error = failure(() => openForReading(path, { now }));
    expect(error).toBeInstanceOf(StoreError);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.message).not.toMatch(/\n|SQLITE_|at .*:\d+/);
    expect(error.hint).toBeTruthy();
    if (code !== 'store-missing') {
      expect(failure(() => openForWriting(path, { now })).code).toBe(code);
      if (before !== undefined) expect(readFileSync(path).equals(before)).toBe(true);
    }
  });

  test.each(['home/state.db', 'home/below/state.db'])('a home that is a file is named: %s', (name) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'home'), 'a file');
    for (const open of [openForReading, openForWriting]) {
      const error = failure(() => open(join(folder, name), { now }));
      expect(error.code).toBe('store-unreadable');
      expect(error.message).toMatch(/should be the home of hermes, but it is no folder/);
    }
  });

  test('a missing folder is named', () => {
    const path = join(temporaryFolder(), 'nowhere', 'state.db');
    expect(failure(() => openForReading(path, { now })).message).toContain(dirname(path));
  });

  test('a damaged page stops the reading of that page, never as an empty answer', () => {
    const path = makeStore();
    damagePage(path, 'messages');
    const connection = openForReading(path, { now });
    const error = failure(() => {
      try {
        connection.db.prepare('SELECT sum(length(content)) FROM messages').get();
      } catch (thrown) {
        throw explainFailure(thrown, path);
      }
    });
    expect(error.code).toBe('store-corrupt');
    expect(checkStore(connection).kind).toBe('pages');
    connection.close();
  });

  function overwrite(path: string, at: number, bytes: string): void {
    const file = openSync(path, 'r+');
    writeSync(file, bytes, at);
    closeSync(file);
  }
});

/** Fills the first leaf of a table with noise. */
function damagePage(path: string, table: string): void {
  const db = new Database(path);
  const page = db
    .prepare<[string], number>(`SELECT min(pageno) FROM dbstat WHERE name = ? AND pagetype = 'leaf'`)
    .pluck()
    .get(table) as number;
  db.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, (page - 1) * 4096);
  closeSync(file);
}

describe('modes and owners', () => {
  test('a store that may not be read is said to be so', () => {
    const folder = temporaryFolder();
    const path = makeStore(join(folder, 'state.db'));
    chmodSync(folder, 0o755);
    handOver(folder);
    chmodSync(path, 0o000);
    expect(runUnprivileged('read', path)).toMatchObject({
      code: 'store-unreadable',
      message: expect.stringContaining('may not be read') as string,
    });
    expect(runUnprivileged('write', path)).toMatchObject({ code: 'store-unreadable' });
  });

  test('a WAL store in a folder that can not be written is read from a copy, and the copy is gone afterwards', () => {
    const folder = temporaryFolder();
    const copies = temporaryFolder();
    const path = makeStore(join(folder, 'state.db'));
    handOver(folder);
    handOver(copies);
    chmodSync(path, 0o400);
    chmodSync(folder, 0o500);
    onTestFinished(() => chmodSync(folder, 0o700));
    expect(runUnprivileged('read', path, copies)).toEqual({ sessions: 5, listed: 5, copied: true });
    expect(readdirSync(copies)).toEqual([]);
    expect(readdirSync(folder)).toEqual(['state.db']);
    expect(runUnprivileged('write', path)).toMatchObject({
      code: 'store-readonly',
      message: expect.stringContaining("can't be written") as string,
    });
  });

  test('rows that are still in the WAL are part of the copy', () => {
    const folder = temporaryFolder();
    const copies = temporaryFolder();
    const source = makeStore();
    const db = new Database(source);
    db.exec(`INSERT INTO sessions (id, source, started_at) VALUES ('in the wal', 'tui', 1)`);
    for (const suffix of ['', '-wal']) copyFileSync(source + suffix, join(folder, `state.db${suffix}`));
    db.close();
    handOver(folder);
    handOver(copies);
    chmodSync(folder, 0o500);
    onTestFinished(() => chmodSync(folder, 0o700));
    expect(runUnprivileged('read', join(folder, 'state.db'), copies)).toEqual({ sessions: 6, listed: 6, copied: true });
  });

  test('a store in rollback mode needs no copy', () => {
    const folder = temporaryFolder();
    const path = makeStore(join(folder, 'state.db'));
    void new Database(path).pragma('journal_mode = DELETE');
    handOver(folder);
    chmodSync(folder, 0o500);
    onTestFinished(() => chmodSync(folder, 0o700));
    expect(runUnprivileged('read', path)).toEqual({ sessions: 5, listed: 5, copied: false });
  });

  test.runIf(isRoot)('a home of another user is read, and written only by force', () => {
    const folder = temporaryFolder();
    const path = makeStore(join(folder, 'state.db'));
    chownSync(folder, NOBODY, NOBODY);
    openForReading(path, { now }).close();
    expect(failure(() => openForWriting(path, { now }))).toMatchObject({
      code: 'store-readonly',
      message: expect.stringContaining('belongs to another user') as string,
    });
    openForWriting(path, { now, force: true }).close();
  });

  test('modes that are too open are closed by writing, a linked store keeps its own', () => {
    const folder = temporaryFolder();
    const path = makeStore(join(folder, 'real.db'));
    chmodSync(path, 0o644);
    symlinkSync(path, join(folder, 'state.db'));
    openForWriting(join(folder, 'state.db'), { now }).close();
    expect(statSync(path).mode & 0o777).toBe(0o644);
    openForWriting(path, { now }).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('a store that was write-protected stays so', () => {
    const path = makeStore(join(temporaryFolder(), 'state.db'));
    chmodSync(path, 0o444);
    try {
      openForWriting(path, { now }).close();
    } catch (error) {
      // Root opens it all the same.
      expect(error).toMatchObject({ code: 'store-readonly' });
    }
    expect(statSync(path).mode & 0o222).toBe(0);
  });
});

describe('damage of the search index', () => {
  type Damage = 'lost its structure' | 'is full of noise';

  function breakIndex(path: string, damage: Damage): void {
    const db = new Database(path);
    // Shadow tables are protected otherwise.
    db.unsafeMode();
    // Row 10 says which segments there are; higher ones hold them.
    if (damage === 'lost its structure') db.exec('UPDATE messages_fts_data SET block = zeroblob(40) WHERE id = 10');
    else
      db.exec("UPDATE messages_fts_data SET block = CAST(replace(hex(zeroblob(length(block) / 4)), '00', 'zzzz') AS BLOB) WHERE id > 10");
    db.close();
  }

  test('is told apart from damage of the file', () => {
    const path = makeStore();
    breakIndex(path, 'is full of noise');
    const connection = openForReading(path, { now });
    expect(connection.db.prepare('SELECT count(*) FROM messages').pluck().get()).toBe(500);
    const error = failure(() => {
      try {
        connection.db.prepare(`SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'filler'`).all();
      } catch (thrown) {
        throw explainFailure(thrown, path);
      }
    });
    expect(error).toMatchObject({ code: 'store-index', hint: expect.stringContaining('rebuild') as string });
    expect(checkStore(connection).kind).toBe('index');
    connection.close();
  });

  test.runIf(hasRealStores)('is not what a trigram table of an older SQLite has', () => {
    const connection = openForReading(copyRealStore('hermes-v17-10.db', temporaryFolder()), { now });
    expect(checkStore(connection)).toMatchObject({ kind: 'ok', isOlderIndex: true });
    connection.close();
  });

  function start(path: string) {
    const store = openStore<typeof reads, typeof writes>({ path, workers });
    onTestFinished(() => store.close(0));
    const troubles: string[] = [];
    store.on('trouble', (error) => troubles.push(error.code));
    return { store, troubles };
  }

  test('does not cost a message: the index is made anew first, and that is told', async () => {
    const path = makeStore();
    breakIndex(path, 'lost its structure');
    const { store, troubles } = start(path);
    await store.write.addMessage('s1', 'zebrafinch');
    expect(troubles).toEqual(['store-index']);
    expect(await store.check()).toMatchObject({ kind: 'ok' });
    const connection = openForReading(path, { now });
    expect(connection.db.prepare(`SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'zebrafinch OR filler'`).pluck().get()).toBe(
      501,
    );
    connection.close();
  });

  test.each<Damage>(['lost its structure', 'is full of noise'])('an index that %s can be made anew on request', async (damage) => {
    const path = makeStore();
    breakIndex(path, damage);
    const { store } = start(path);
    await store.rebuildIndex();
    expect(await store.check()).toMatchObject({ kind: 'ok' });
  });

  test("is left to the other program while that program's own rebuild is unfinished", async () => {
    const path = makeStore();
    new Database(path).exec(`INSERT INTO state_meta (key, value) VALUES ('fts_rebuild_high_water', '7')`).close();
    const { store } = start(path);
    await expect(store.rebuildIndex()).rejects.toMatchObject({ code: 'store-index', hint: expect.stringContaining('finish') as string });
  });

  test('damage of the file itself ends all writing, and the file keeps every byte', async () => {
    const path = makeStore();
    damagePage(path, 'messages');
    const { store, troubles } = start(path);
    await expect(store.rebuildIndex()).rejects.toMatchObject({ code: 'store-corrupt' });
    const before = readFileSync(path);
    await expect(store.write.addMessage('s1', 'x')).rejects.toMatchObject({ code: 'store-corrupt' });
    await expect(store.write.addSession('more')).rejects.toMatchObject({ code: 'store-corrupt' });
    expect(troubles).toEqual(['store-corrupt']);
    await store.close();
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});

describe('a store of a newer program', () => {
  test('works and keeps its number', () => {
    const path = makeStore();
    new Database(path).exec('UPDATE schema_version SET version = 99').close();
    const connection = openForWriting(path, { now });
    connection.db.exec(`INSERT INTO sessions (id, source, started_at) VALUES ('new', 'tui', 1)`);
    expect(connection.shape.version).toBe(99);
    connection.close();
  });

  test('says that it is newer when it refuses a row', () => {
    const path = makeStore();
    new Database(path)
      .exec(
        `UPDATE schema_version SET version = 99;
      CREATE TRIGGER guard BEFORE INSERT ON sessions BEGIN SELECT RAISE(ABORT, 'not from you'); END`,
      )
      .close();
    const connection = openForWriting(path, { now });
    const error = failure(() => {
      try {
        connection.db.exec(`INSERT INTO sessions (id, source, started_at) VALUES ('new', 'tui', 1)`);
      } catch (thrown) {
        throw explainFailure(thrown, path, connection.shape.version);
      }
    });
    expect(error.code).toBe('store-newer');
    connection.close();
  });
});

describe('what the system answers', () => {
  test.each([
    ['SQLITE_BUSY', 'store-busy'],
    ['SQLITE_BUSY_SNAPSHOT', 'store-busy'],
    ['SQLITE_LOCKED', 'store-busy'],
    ['SQLITE_FULL', 'store-full'],
    ['ENOSPC', 'store-full'],
    ['SQLITE_IOERR_WRITE', 'store-unreadable'],
    ['SQLITE_READONLY', 'store-readonly'],
    ['SQLITE_READONLY_DBMOVED', 'store-missing'],
    ['EROFS', 'store-readonly'],
    ['SQLITE_CORRUPT_INDEX', 'store-corrupt'],
    ['SQLITE_CORRUPT_VTAB', 'store-index'],
    ['SQLITE_NOTADB', 'store-corrupt'],
    ['SQLITE_CONSTRAINT_FOREIGNKEY', 'store-refused'],
    ['SQLITE_CONSTRAINT_UNIQUE', 'store-refused'],
    ['SQLITE_TOOBIG', 'store-refused'],
  ])('%s is %s', (code, expected) => {
    const path = makeStore();
    expect(explainFailure(Object.assign(new Error('raw'), { code }), path)).toMatchObject({
      code: expected,
      hint: expected === 'store-refused' ? undefined : (expect.any(String) as string),
    });
  });

  test('a fault of this program stays one', () => {
    const fault = new TypeError('x is not a function');
    expect(explainFailure(fault, '/nowhere')).toBe(fault);
  });
});

describe('the journal of a new store', () => {
  test.each([
    ['3.7.0', true],
    ['3.40.1', true],
    ['3.44.5', true],
    ['3.44.6', false],
    ['3.50.6', true],
    ['3.50.7', false],
    ['3.51.2', true],
    ['3.51.3', false],
    ['3.53.2', false],
  ])('SQLite %s can lose a WAL reset: %s', (version, expected) => {
    expect(hasWalResetFault(version)).toBe(expected);
  });

  test('is a rollback journal where WAL would be unsafe or is not wanted', () => {
    const path = join(temporaryFolder(), 'state.db');
    expect(journalModeForNewFile(path, 'wal', '3.53.2')).toBe('wal');
    expect(journalModeForNewFile(path, 'wal', '3.40.1')).toBe('delete');
    expect(journalModeForNewFile(path, 'delete', '3.53.2')).toBe('delete');
  });
});
