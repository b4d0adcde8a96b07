import { randomBytes } from 'node:crypto';
import { accessSync, closeSync, constants, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import DatabaseConstructor from 'better-sqlite3';
import { StoreError } from '../errors.ts';
import { storeText } from '../text/en/store.ts';
import type { Database, OpenConnection, Statement } from './connection.ts';
import { openPrivateCopy } from './copy.ts';
import { demandStore, explainFailure, failureCode, inspectFile } from './damage.ts';
import { makePrivateFolder, makeStorePrivate } from './file-modes.ts';
import { type ConnectionRole, journalModeForNewFile, setReadPragmas, setWritePragmas } from './pragmas.ts';
import { createLayout } from './schema/create.ts';
import { reconcile } from './schema/reconcile.ts';
import { readShape } from './shape.ts';

export interface ReadOptions {
  /** Milliseconds since the epoch. */
  now: () => number;
  /** How long a read may wait for a lock with the thread blocked; 50 ms. */
  timeoutMs?: number;
  role?: Exclude<ConnectionRole, 'writer'>;
  /** Asked by the SQL function `hermes_stopped()` for every row that calls it; it throws when the answer is true. */
  isStopped?: () => boolean;
}

export interface WriteOptions {
  /** Milliseconds since the epoch. */
  now: () => number;
  /** For a file that is made; an existing one keeps its mode. WAL. */
  journalMode?: 'wal' | 'delete';
  /** How long a statement may wait for a lock with the thread blocked; 0, since the writer worker waits by itself. */
  timeoutMs?: number;
  /** Write into a home that belongs to somebody else. */
  force?: boolean;
}

/**
 * Opens the store for looking: no DDL, nothing written. A WAL store in a folder that can't be written is read from a private copy
 * (`copiedAt`). Any era opens; `shape` says what is there.
 *
 * @throws StoreError `missing`, `corrupt`, `unreadable`, `busy`, `full`
 */
export function openForReading(path: string, options: ReadOptions): OpenConnection {
  let db: Database | undefined;
  try {
    demandFile(path);
    db = new DatabaseConstructor(path, { readonly: true, fileMustExist: true, timeout: options.timeoutMs ?? 50 });
    return connectForReading(db, path, options);
  } catch (error) {
    db?.close();
    if (!needsCopy(error, path)) throw explainFailure(error, path);
    return readFromCopy(path, options);
  }
}

/** SQLite opens whatever stands there, and a FIFO without a writer holds it for ever. Throws a StoreError; what is missing is SQLite's to say. */
function demandFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  const reason = inspectFile(path);
  if (reason !== undefined) throw reason;
}

/**
 * Opens the store for looking, asks it something, and closes it.
 * @throws StoreError as `openForReading`, also for what shows itself only while it is asked: damage inside the file
 */
export function askStore<Answer>(path: string, options: ReadOptions, ask: (connection: OpenConnection) => Answer): Answer {
  const connection = openForReading(path, options);
  try {
    return ask(connection);
  } catch (error) {
    throw explainFailure(error, path, connection.shape.version);
  } finally {
    connection.close();
  }
}

function connectForReading(db: Database, path: string, options: ReadOptions, copiedAt?: number): OpenConnection {
  setReadPragmas(db, options.role ?? 'first');
  registerStop(db, options.isStopped);
  const connection = connect(db, path, { isWritable: false, now: options.now, ...(copiedAt === undefined ? {} : { copiedAt }) });
  demandStore(connection);
  return connection;
}

function readFromCopy(path: string, options: ReadOptions): OpenConnection {
  let db: Database | undefined;
  try {
    const copiedAt = options.now();
    db = openPrivateCopy(path);
    return connectForReading(db, path, options, copiedAt);
  } catch (error) {
    db?.close();
    throw explainFailure(error, path);
  }
}

/** The file is fine and readable, but SQLite would have to write beside it to read it: in a folder without permission or room. */
function needsCopy(error: unknown, path: string): boolean {
  return /^SQLITE_(CANTOPEN|READONLY|FULL|IOERR_SHM)/.test(failureCode(error) ?? '') && inspectFile(path) === undefined;
}

/**
 * `hermes_stopped(x)`: 0, or an end to the statement. Give it a column of the innermost scanned table, so that SQLite asks once per row of
 * that scan. better-sqlite3 has no interrupt and is compiled without the progress callback; a call costs 0.1 µs.
 */
function registerStop(db: Database, isStopped: (() => boolean) | undefined): void {
  db.function('hermes_stopped', { varargs: true, deterministic: false, directOnly: true }, () => {
    if (isStopped?.() === true) throw new StoppedError();
    return 0;
  });
}

/** The caller of a statement gave up; it never reaches a person. */
export class StoppedError extends StoreError {
  constructor() {
    super('refused', storeText.stopped);
  }
}

/**
 * Opens the store for writing, making it when there is none (layout 31, mode 0600, in a folder of mode 0700). To a store that another program
 * made, the columns, tables and indexes this program needs are added first, and nothing else is changed (docs/session-store.md).
 *
 * @throws StoreError `readonly`, `corrupt`, `unreadable`, `busy` (nothing was changed: try again), `full`
 */
export function openForWriting(path: string, options: WriteOptions): OpenConnection {
  let db: Database | undefined;
  try {
    if (options.force !== true) refuseForeignHome(dirname(path));
    if (statSync(path, { throwIfNoEntry: false }) === undefined) makeStore(path, options);
    demandFile(path);
    db = new DatabaseConstructor(path, { fileMustExist: true, timeout: options.timeoutMs ?? 0 });
    setWritePragmas(db);
    registerStop(db, undefined);
    const connection = connect(db, path, { isWritable: true, now: options.now });
    demandStore(connection);
    makeStorePrivate(path);
    reconcile(connection);
    return connection;
  } catch (error) {
    db?.close();
    throw explainFailure(error, path);
  }
}

/** A home of another user is read, not written: as root, files of wrong ownership would lock its owner out. */
function refuseForeignHome(folder: string): void {
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid;
  const self = process.getuid?.();
  if (owner === undefined || self === undefined || owner === self) return;
  throw new StoreError('readonly', storeText.foreignOwner(folder), { hint: storeText.foreignOwnerHint });
}

/**
 * Makes a store under a name of its own and links it into place whole: no reader ever sees half a layout, a process killed here leaves
 * no empty store, and of several processes that do this at once the first one wins and the others use its file.
 */
function makeStore(path: string, options: WriteOptions): void {
  const folder = dirname(path);
  makePrivateFolder(folder);
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.new`;
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    const db = new DatabaseConstructor(draft);
    try {
      db.pragma('recursive_triggers = OFF');
      db.transaction(() => createLayout(db, options.now())).immediate();
      const mode = journalModeForNewFile(path, options.journalMode ?? 'wal', String(db.prepare('SELECT sqlite_version()').pluck().get()));
      if (mode === 'wal') switchToWal(db);
    } finally {
      db.close();
    }
    publish(draft, path);
    syncFolder(folder);
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(draft + suffix, { force: true });
  }
}

function switchToWal(db: Database): void {
  try {
    db.pragma('journal_mode = WAL');
  } catch (error) {
    // Some network and container disks refuse shared memory; the file then keeps its rollback journal, which works everywhere.
    if (!/^SQLITE_(IOERR|PROTOCOL|AUTH|CANTOPEN|READONLY)/.test(failureCode(error) ?? '')) throw error;
  }
}

function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    const code = failureCode(error);
    if (code === 'EEXIST') return;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code ?? '')) throw error;
    // A disk without hard links: claim the name, then replace the claim.
    closeSync(openSync(path, 'wx', 0o600));
    renameSync(draft, path);
  }
}

/** The name of a new file survives a power cut only once its folder is on disk. */
function syncFolder(folder: string): void {
  try {
    accessSync(folder, constants.R_OK);
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // Some disks can't sync a folder; the store is no worse off than any other file there.
  }
}

function connect(db: Database, path: string, facts: { isWritable: boolean; now: () => number; copiedAt?: number }): OpenConnection {
  const statements = new Map<string, Statement>();
  // The schema cookie and the shape are read in one transaction, so that they belong together.
  const readCookie = db.prepare('PRAGMA schema_version').pluck();
  const look = db.transaction(() => ({ shape: readShape(db), cookie: readCookie.get() }));
  let seen = look();
  const connection: OpenConnection = {
    db,
    path,
    isWritable: facts.isWritable,
    ...(facts.copiedAt === undefined ? {} : { copiedAt: facts.copiedAt }),
    get shape() {
      return seen.shape;
    },
    now: facts.now,
    statement(sql) {
      let statement = statements.get(sql);
      if (statement === undefined) {
        statement = db.prepare<unknown[]>(sql);
        statements.set(sql, statement);
      }
      return statement;
    },
    has(table, column) {
      const columns = seen.shape.columns.get(table);
      return columns !== undefined && (column === undefined || columns.has(column));
    },
    refreshShape() {
      if (readCookie.get() === seen.cookie) return false;
      seen = look();
      return true;
    },
    close() {
      statements.clear();
      if (db.open) db.close();
    },
  };
  return connection;
}
