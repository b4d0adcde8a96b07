import { accessSync, closeSync, constants, openSync, readSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { HermesError, StoreError } from '../errors.ts';
import { storeText } from '../text/en/store.ts';
import type { Connection, Database } from './connection.ts';
import { LAYOUT_VERSION } from './schema/create.ts';

/** First bytes of every SQLite file. */
const HEADER = 'SQLite format 3\u0000';

/** An empty file younger than this may be one that another program has just begun; milliseconds. */
const NEWBORN_MS = 2000;

/** `SQLITE_…` of better-sqlite3, or `E…` of the file system; undefined for anything else. */
export function failureCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as Error & { code?: unknown }).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Somebody else holds a lock; trying again later may succeed. */
export function isBusy(error: unknown): boolean {
  if (error instanceof StoreError) return error.trouble === 'busy';
  const code = failureCode(error);
  return code !== undefined && /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(code);
}

/**
 * The full-text tables contradict themselves; the tables they index may be sound. An index that lost its structure shows itself as a key that is
 * there already, in one of its shadow tables: SQLite names table and column of every such clash, except of one inside a virtual table.
 */
export function isIndexDamage(error: unknown): boolean {
  const code = failureCode(error);
  if (code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || code === 'SQLITE_CONSTRAINT_UNIQUE')
    return (error as Error).message === 'constraint failed';
  return code === 'SQLITE_CORRUPT_VTAB';
}

/** Pages of the file are wrong: writing on would make it worse. */
export function isPageDamage(error: unknown): boolean {
  const code = failureCode(error);
  return code === 'SQLITE_NOTADB' || (code !== undefined && code.startsWith('SQLITE_CORRUPT') && !isIndexDamage(error));
}

/**
 * Turns what SQLite or the file system threw into one sentence and a hint. Errors of ours come back as they are, and so does anything that
 * is neither (a fault of this program, which must stay visible as one).
 *
 * @param version the number in schema_version, when it is known
 */
export function explainFailure(error: unknown, path: string, version = 0): unknown {
  if (error instanceof HermesError) return error;
  const code = failureCode(error);
  // better-sqlite3 reports a missing folder without a code.
  if (code === undefined) return error instanceof TypeError && !isFolderThere(dirname(path)) ? inspectFile(path) : error;
  const trouble = (kind: StoreError['trouble'], message: string, hint: string) => new StoreError(kind, message, { hint, cause: error });

  if (isBusy(error)) return trouble('busy', storeText.busy(path), storeText.busyHint);
  if (isIndexDamage(error)) return trouble('index', storeText.indexDamaged, storeText.indexDamagedHint);
  if (code === 'SQLITE_NOTADB')
    return inspectFile(path) ?? trouble('corrupt', storeText.notDatabase(path), storeText.notDatabaseHint(path));
  if (isPageDamage(error)) return trouble('corrupt', storeText.damaged(path), storeText.damagedHint);
  if (code === 'SQLITE_READONLY_DBMOVED') return trouble('missing', storeText.gone(path), storeText.goneHint);
  if (/^(SQLITE_READONLY|EROFS)/.test(code)) return trouble('readonly', storeText.notWritable(path), storeText.notWritableHint);
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) return trouble('full', storeText.full(path), storeText.fullHint);
  if (/^(SQLITE_CANTOPEN|SQLITE_PERM|SQLITE_AUTH|ENOENT|ENOTDIR|EACCES|EPERM|EISDIR|ELOOP|ENAMETOOLONG|ENXIO)/.test(code)) {
    return inspectFile(path) ?? trouble('readonly', storeText.notWritable(path), storeText.notWritableHint);
  }
  // SQLite says of a shared-memory file that it could not lengthen only that the disk failed.
  if (code.startsWith('SQLITE_IOERR') && isFull(dirname(path))) return trouble('full', storeText.full(path), storeText.fullHint);
  if (/^(SQLITE_IOERR|EIO)/.test(code))
    return inspectFile(path) ?? trouble('unreadable', storeText.diskFailed(path), storeText.diskFailedHint);
  if (/^(SQLITE_CONSTRAINT|SQLITE_TOOBIG|SQLITE_MISMATCH)/.test(code)) return explainRefusal(error, code, path, version);
  if (code === 'SQLITE_ERROR' && version > LAYOUT_VERSION) {
    // A statement of ours does not fit a file laid out by a newer program: its tables, or a trigger of its own, are not what we know.
    return trouble('newer', storeText.newer(path, version), storeText.newerHint);
  }
  // Somebody took a table or a column away while the file was open: what was a session store is none any more.
  if (code === 'SQLITE_ERROR' && /^no such (table|column)/.test((error as Error).message))
    return trouble('corrupt', storeText.changed(path), storeText.notDatabaseHint(path));
  return error;
}

function explainRefusal(error: unknown, code: string, path: string, version: number): StoreError {
  const options = { cause: error };
  if (code === 'SQLITE_CONSTRAINT_FOREIGNKEY') return new StoreError('refused', storeText.refusedReference, options);
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    return new StoreError('refused', storeText.refusedTwice, options);
  }
  if (code === 'SQLITE_TOOBIG') return new StoreError('refused', storeText.refusedSize, options);
  // A required column we do not know, or a guard that a newer program put in place.
  if (version > LAYOUT_VERSION) return new StoreError('newer', storeText.newer(path, version), { hint: storeText.newerHint, ...options });
  return new StoreError('refused', storeText.refused, options);
}

/**
 * Looks at the file itself for the reason why SQLite can't use it. Reads 100 bytes, writes nothing.
 *
 * @param now the clock of the file system, which dates its files
 * @returns undefined when the file looks like a database that this user may read
 */
export function inspectFile(path: string, now: () => number = Date.now): StoreError | undefined {
  const folder = dirname(path);
  const missing = (message: string) => new StoreError('missing', message, { hint: storeText.missingHint });
  let size: number;
  let ageMs: number;
  try {
    const found = statSync(path);
    if (found.isDirectory()) return new StoreError('unreadable', storeText.isFolder(path), { hint: storeText.isFolderHint });
    // A FIFO would be waited for without end.
    if (!found.isFile()) return new StoreError('unreadable', storeText.isNoFile(path), { hint: storeText.isFolderHint });
    size = found.size;
    // A file "from the future" counts as old.
    ageMs = Math.abs(now() - found.mtimeMs);
  } catch (error) {
    const code = failureCode(error);
    if (code === 'ENOENT') return missing(isFolderThere(folder) ? storeText.missing(path) : storeText.folderMissing(folder));
    if (code === 'ENOTDIR') return new StoreError('unreadable', storeText.isNoFolder(folder), { hint: storeText.isNoFolderHint });
    if (code === 'ELOOP') return new StoreError('unreadable', storeText.isNoFile(path), { hint: storeText.isFolderHint });
    return new StoreError('unreadable', storeText.notReadable(path), { hint: storeText.notReadableHint(path), cause: error });
  }
  if (size === 0) {
    if (ageMs < NEWBORN_MS) return new StoreError('busy', storeText.beingMade(path), { hint: storeText.busyHint });
    return new StoreError('corrupt', storeText.empty(path), { hint: storeText.emptyHint(path) });
  }
  let head: string;
  try {
    accessSync(path, constants.R_OK);
    head = readHead(path);
  } catch (error) {
    return new StoreError('unreadable', storeText.notReadable(path), { hint: storeText.notReadableHint(path), cause: error });
  }
  if (!head.startsWith(HEADER)) return new StoreError('corrupt', storeText.notDatabase(path), { hint: storeText.notDatabaseHint(path) });
  return undefined;
}

function isFull(folder: string): boolean {
  try {
    return statfsSync(folder).bavail === 0;
  } catch {
    // What can't be asked is not called full.
    return false;
  }
}

function isFolderThere(folder: string): boolean {
  try {
    return statSync(folder).isDirectory();
  } catch {
    // Gone, below a file, behind a closed door: no folder to use either way.
    return false;
  }
}

function readHead(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(100);
    return bytes.toString('latin1', 0, readSync(file, bytes, 0, 100, 0));
  } finally {
    closeSync(file);
  }
}

/** A database without sessions and messages is never shown as an empty list. @throws StoreError */
export function demandStore(connection: Pick<Connection, 'shape' | 'path'>): void {
  const { columns } = connection.shape;
  if (columns.has('sessions') && columns.has('messages')) return;
  throw (
    inspectFile(connection.path) ??
    new StoreError('corrupt', storeText.notStore(connection.path), { hint: storeText.notDatabaseHint(connection.path) })
  );
}

export interface StoreHealth {
  /** `index`: only full-text tables are wrong and can be made anew; `pages`: the rest of the file is. */
  readonly kind: 'ok' | 'index' | 'pages';
  /** What SQLite said, at most 100 lines. */
  readonly findings: readonly string[];
  /**
   * The trigram table was filled by an older SQLite, whose tokenizer stops at a NUL, while this one goes on: the check reports a difference, search
   * works, and making the index anew would only turn the difference around.
   */
  readonly isOlderIndex?: true;
}

/** Checks every page and index. Seconds per gigabyte: for `hermes doctor`, never before a frame. */
export function checkStore(connection: Connection): StoreHealth {
  const findings = checkPages(connection.db, 'integrity_check');
  if (findings.length === 0) return { kind: 'ok', findings };
  const damaged = [...connection.shape.columns.keys()].filter((table) => checkPages(connection.db, 'integrity_check', table).length > 0);
  if (damaged.length === 0 || !damaged.every(isIndexTable)) return { kind: 'pages', findings };
  if (damaged.every((table) => table === 'messages_fts_trigram') && hasTextWithNul(connection)) {
    return { kind: 'ok', findings, isOlderIndex: true };
  }
  return { kind: 'index', findings };
}

/** Messages of several parts begin with a NUL (state-db.md 2.8). */
export function hasTextWithNul(connection: Connection): boolean {
  return connection.db.prepare('SELECT 1 FROM messages WHERE instr(content, char(0)) > 0 LIMIT 1').get() !== undefined;
}

/** Whether the conversations themselves can be trusted, the search index aside. */
export function areTablesSound(connection: Connection): boolean {
  return ['sessions', 'messages'].every((table) => checkPages(connection.db, 'quick_check', table).length === 0);
}

/** Full-text tables and their shadow tables. */
function isIndexTable(name: string): boolean {
  return /^messages_fts/.test(name);
}

function checkPages(db: Database, pragma: 'integrity_check' | 'quick_check', table?: string): string[] {
  const argument = table === undefined ? '100' : `'${table.replaceAll("'", "''")}'`;
  try {
    const lines = db.prepare<[], string>(`PRAGMA ${pragma}(${argument})`).pluck().all();
    return lines.length === 1 && lines[0] === 'ok' ? [] : lines;
  } catch (error) {
    if (failureCode(error)?.startsWith('SQLITE_CORRUPT') === true) return [String((error as Error).message)];
    throw error;
  }
}
