import { closeSync, fsyncSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import DatabaseConstructor from 'better-sqlite3';
import { StoreError } from '../../errors.ts';
import { binText } from '../../text/en/bin.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import type { Connection, Database } from '../connection.ts';
import { failureCode } from '../damage.ts';
import { makePrivateFolder } from '../file-modes.ts';
import { explainBinFailure } from './trouble.ts';

/** The layout of the bin this program knows. */
const BIN_VERSION = 1;

/** How long a statement on the bin waits for somebody who is reading it; writers of the bin hold the lock of the store first. */
const PATIENCE_MS = 5000;

/** Kilobytes; 110,000 messages go through it. */
const CACHE_KILOBYTES = 16_000;

export const binFolder = (storePath: string): string => join(dirname(storePath), 'trash');
const binPath = (storePath: string): string => join(binFolder(storePath), 'bin.db');

/** Where in the bin's connection the store is; nothing is ever written through this name. */
export const STORE = 'state';

const TABLES = `
  CREATE TABLE bin (v INTEGER NOT NULL);
  INSERT INTO bin (v) VALUES (${BIN_VERSION});
  CREATE TABLE entries (
    entry INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, ids TEXT NOT NULL, delegates TEXT NOT NULL, title TEXT, preview TEXT,
    source TEXT NOT NULL, messages INTEGER NOT NULL, last_active INTEGER NOT NULL, pinned INTEGER NOT NULL, deleted_at INTEGER NOT NULL,
    detached TEXT NOT NULL, columns TEXT NOT NULL);
  CREATE INDEX entries_id ON entries (id);`;

/**
 * Runs `work` on the bin, with the store beside it as last committed. Everything that changes the bin for a session that is still stored
 * holds the write lock of the store meanwhile, so that no two of them meet.
 *
 * A rollback journal, not a WAL: nobody reads the bin while it is written, and one file is easier to take away. `synchronous = EXTRA`, since
 * rows leave the store on the word of this file: its commit must not be undone by a journal that comes back after a power cut.
 *
 * @param make whether to make the bin where there is none; without, `work` does not run then
 * @throws StoreError, never one that calls the store damaged
 */
export function withBin<Result>(connection: Connection, make: 'make' | 'existing', work: (bin: Database) => Result): Result | undefined {
  const path = binPath(connection.path);
  let db: Database | undefined;
  try {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) {
      if (make === 'existing') return undefined;
      makeFile(path);
    }
    db = new DatabaseConstructor(path, { fileMustExist: true, timeout: PATIENCE_MS });
    setUp(db, connection);
    return work(db);
  } catch (error) {
    throw explainBinFailure(error, path);
  } finally {
    db?.close();
  }
}

/**
 * Asks the bin something, and writes nothing: also where the home can't be written.
 * @returns undefined where there is no bin
 * @throws StoreError
 */
export function askBin<Answer>(connection: Connection, ask: (bin: Database) => Answer): Answer | undefined {
  const path = binPath(connection.path);
  const look = (readonly: boolean): Answer | undefined => {
    const db = new DatabaseConstructor(path, { fileMustExist: true, readonly, timeout: PATIENCE_MS });
    try {
      // Whoever made it was killed before there were tables.
      if (isNew(db)) return undefined;
      demandVersion(db);
      return ask(db);
    } finally {
      db.close();
    }
  };
  try {
    // Whoever is just making it has nothing in it yet.
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined;
    try {
      return look(true);
    } catch (error) {
      // A writer was killed, and what it left half done can only be undone by somebody who may write.
      if (failureCode(error)?.startsWith('SQLITE_READONLY') !== true) throw error;
      return look(false);
    }
  } catch (error) {
    throw explainBinFailure(error, path);
  }
}

/**
 * Runs `work` in one transaction of the bin's. It begins by writing: `BEGIN IMMEDIATE` would ask for the lock of the store too, which the caller
 * or somebody else holds, and to read first and write later fails where two do so at once.
 */
export function changeBin<Result>(bin: Database, work: () => Result): Result {
  return bin.transaction(() => {
    bin.exec('UPDATE main.bin SET v = v');
    return work();
  })();
}

function makeFile(path: string): void {
  makePrivateFolder(dirname(path));
  closeSync(openSync(path, 'a', 0o600));
  // The folder of the file is synced with its first journal, the home not.
  syncFolder(dirname(dirname(path)));
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } catch {
    // Some disks can't sync a folder; the bin is no worse off than the store there.
  } finally {
    closeSync(handle);
  }
}

function setUp(db: Database, connection: Connection): void {
  // Before anything is set: a file that is not ours keeps every byte.
  if (!isNew(db)) demandVersion(db);
  // A database takes rows as they are only from one with its own encoding; it has one from its first table on.
  db.pragma(`encoding = '${String(connection.db.pragma('encoding', { simple: true }))}'`);
  db.pragma('journal_mode = DELETE');
  db.pragma('synchronous = EXTRA');
  db.pragma('secure_delete = ON');
  db.pragma('temp_store = MEMORY');
  db.pragma(`cache_size = -${CACHE_KILOBYTES}`);
  if (process.platform === 'darwin') db.pragma('fullfsync = 1');
  if (isNew(db)) {
    db.transaction(() => {
      if (isNew(db)) db.exec(TABLES);
    }).immediate();
  }
  demandVersion(db);
  db.prepare(`ATTACH ? AS ${STORE}`).run(connection.path);
}

const isNew = (db: Database): boolean => db.prepare('SELECT count(*) FROM sqlite_master').pluck().get() === 0;

/** @throws StoreError `newer`; `unreadable` for a database that is no bin of ours */
function demandVersion(db: Database): void {
  const has = (table: string, column: string): boolean =>
    db.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined;
  const version = has('bin', 'v') ? db.prepare('SELECT v FROM bin').pluck().get() : undefined;
  if (version === BIN_VERSION && has('entries', 'detached')) return;
  if (typeof version === 'number' && version > BIN_VERSION)
    throw new StoreError('newer', binText.newer(db.name), { hint: binText.newerHint });
  throw new StoreError('unreadable', binText.foreign(db.name), { hint: binText.moveAway(shellQuote(db.name)) });
}
