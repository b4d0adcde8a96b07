import { closeSync, fsyncSync, openSync, readSync, rmSync } from 'node:fs';
import DatabaseConstructor from 'better-sqlite3';
import { StoreError } from '../../errors.ts';
import { housekeepingText as text } from '../../text/en/housekeeping.ts';
import type { Database } from '../connection.ts';
import { openPrivateCopy } from '../copy.ts';
import { copyRows, countByIndex, isDamage } from './copy-rows.ts';
import { finishSchema, readSchema, tablesToCopy, type SchemaObject } from './fresh-schema.ts';
import { lengthen } from './lengthen.ts';
import { mendRows } from './mend.ts';

/** What became of one table. */
export interface SalvagedTable {
  readonly table: string;
  readonly saved: number;
  /** Absent: neither the table nor an index of it says how many there were. */
  readonly lost?: number;
}

export interface Salvage {
  readonly tables: readonly SalvagedTable[];
  /** Sessions whose own row is lost, put back around their messages (source `recovered`, state-db.md 2.2). */
  readonly recovered: readonly string[];
  /** Sessions of which only the id is left, in an index. */
  readonly lostSessions: readonly string[];
}

/** Where in the header SQLite keeps the journal mode of readers; 2 is WAL (file format, 1.3.3). */
const READ_VERSION_AT = 19;

/**
 * Reads everything that can be read of a damaged store into a fresh one at `target`: table by table, around the pages that are wrong, byte
 * for byte; then indexes, search index and triggers are made anew from the statements the store itself holds, so that it stays a store of its era.
 * The damaged file is read from a private copy and keeps every byte. 4 s per 100,000 messages, most of them for the search index.
 *
 * @param target an empty file of mode 0600 that is filled; removed again when this throws
 * @param onRows called while a table is read, with the rows saved so far
 * @throws StoreError `corrupt` when nothing can be read, `full`
 */
export function salvage(path: string, target: string, onRows: (table: string, rows: number) => void = () => undefined): Salvage {
  const isWal = readByte(path, READ_VERSION_AT) === 2;
  let source: Database | undefined;
  try {
    source = openPrivateCopy(path, 'copy-from', lengthen);
    const objects = readSchema(source);
    const tables = tablesToCopy(objects);
    const applicationId = Number(source.pragma('application_id', { simple: true }));
    makeTables(target, tables);
    const copied = copyTables(source, target, tables, onRows);
    source.close();
    const recovered = complete(target, objects, applicationId, isWal);
    return { ...copied, recovered, lostSessions: copied.lostSessions.filter((id) => !recovered.includes(id)) };
  } catch (error) {
    source?.close();
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(target + suffix, { force: true });
    if (isDamage(error))
      throw new StoreError('corrupt', text.nothingReadable(path), { hint: text.nothingReadableHint(path), cause: error });
    throw error;
  }
}

function makeTables(target: string, tables: readonly SchemaObject[]): void {
  const db = openFresh(target);
  try {
    for (const one of tables) db.exec(one.sql);
  } finally {
    db.close();
  }
}

/** A store that nobody knows of yet needs no protection against a power cut before it is whole. */
function openFresh(target: string): Database {
  const db = new DatabaseConstructor(target, { fileMustExist: true });
  db.pragma('foreign_keys = OFF');
  db.pragma('recursive_triggers = OFF');
  db.pragma('synchronous = OFF');
  return db;
}

type CopiedTables = Pick<Salvage, 'tables' | 'lostSessions'>;

function copyTables(
  source: Database,
  target: string,
  tables: readonly SchemaObject[],
  onRows: (table: string, rows: number) => void,
): CopiedTables {
  source.pragma('foreign_keys = OFF');
  source.pragma('cell_size_check = ON');
  source.prepare('ATTACH DATABASE ? AS fresh').run(target);
  source.pragma('fresh.synchronous = OFF');
  source.pragma('fresh.journal_mode = MEMORY');
  const report = tables.map(({ name }): SalvagedTable => {
    const { saved, isDamaged } = copyRows(source, name, (rows) => onRows(name, rows));
    const before = countByIndex(source, name);
    if (before !== undefined) return { table: name, saved, lost: Math.max(0, before - saved) };
    return isDamaged ? { table: name, saved } : { table: name, saved, lost: 0 };
  });
  if (report.every((one) => one.saved === 0)) throw new DatabaseConstructor.SqliteError(text.nothingReadable(target), 'SQLITE_CORRUPT');
  return { tables: report, lostSessions: readLostSessions(source) };
}

/** The index of the ids may know of sessions whose rows are gone. */
function readLostSessions(source: Database): readonly string[] {
  try {
    return source
      .prepare<[], string>(
        `SELECT id FROM main.sessions INDEXED BY sqlite_autoindex_sessions_1 WHERE id NOT IN (SELECT id FROM fresh.sessions) ORDER BY id`,
      )
      .pluck()
      .all();
  } catch (error) {
    // That index is damaged too: nobody knows what is missing.
    if (isDamage(error)) return [];
    throw error;
  }
}

/** @returns sessions that were put back around their messages */
function complete(target: string, objects: readonly SchemaObject[], applicationId: number, isWal: boolean): readonly string[] {
  const db = openFresh(target);
  try {
    const recovered = db.transaction(() => {
      const ids = mendRows(db);
      finishSchema(db, objects);
      return ids;
    })();
    db.pragma(`application_id = ${applicationId}`);
    if (isWal) db.pragma('journal_mode = WAL');
    return recovered;
  } finally {
    db.close();
    sync(target);
  }
}

function readByte(path: string, at: number): number {
  const file = openSync(path, 'r');
  try {
    const byte = Buffer.alloc(1);
    readSync(file, byte, 0, 1, at);
    return byte[0] ?? 0;
  } finally {
    closeSync(file);
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
