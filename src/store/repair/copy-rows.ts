import type { Database } from '../connection.ts';
import { failureCode } from '../damage.ts';

/** Rows that are copied at once while nothing is wrong. */
const ROWS_PER_RANGE = 4096n;

/** How far behind the last readable row is looked for more where nothing says which row id was the last; row ids. */
const BLIND_REACH = 20_000n;

export interface Copied {
  readonly saved: number;
  /** Whether a part of the table could not be read. */
  readonly isDamaged: boolean;
}

/**
 * Copies a table of `main` into the one of the same name in `fresh`, around whatever is damaged: a range of rows that fails is halved until the
 * rows that can't be read stand alone. Rows that the fresh table refuses (a key twice, a required value that is gone) count as lost.
 * SQLite copies the values itself, so that types, broken text and unknown columns arrive as they were.
 *
 * @param onRows called now and then with the number of rows saved so far
 */
export function copyRows(db: Database, table: string, onRows: (rows: number) => void): Copied {
  const name = quote(table);
  // Every range commits by itself: a transaction in which damage was met can't be committed. OR IGNORE leaves out what breaks a rule of the table.
  const insert = `INSERT OR IGNORE INTO fresh.${name} SELECT * FROM main.${name} WHERE rowid`;
  const copyMany = db.prepare(`${insert} BETWEEN ? AND ? ORDER BY rowid`);
  // A range looks at the row behind it to see its end, which may be on a bad page; a single row is gone for and no further.
  const copyOne = db.prepare(`${insert} = ?`);
  let saved = 0;
  let isDamaged = false;

  function copyRange(from: bigint, to: bigint): void {
    try {
      saved += (from === to ? copyOne.run(from) : copyMany.run(from, to)).changes;
      return;
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    isDamaged = true;
    if (from === to) return;
    const middle = from + (to - from) / 2n;
    copyRange(from, middle);
    copyRange(middle + 1n, to);
  }

  const { first, last, isCertain } = rowIdBounds(db, table);
  for (let at = first; at <= last; at += ROWS_PER_RANGE) {
    const end = at + ROWS_PER_RANGE - 1n;
    copyRange(at, end < last ? end : last);
    onRows(saved);
  }
  return { saved, isDamaged: isDamaged || !isCertain };
}

interface Bounds {
  readonly first: bigint;
  readonly last: bigint;
  readonly isCertain: boolean;
}

/** From the table itself, else from its indexes, which hold the row ids too, else from the counter of AUTOINCREMENT. */
function rowIdBounds(db: Database, table: string): Bounds {
  const name = quote(table);
  const ask = (sql: string): bigint | undefined => askNumber(db, sql);
  const smallest = ask(`SELECT min(rowid) FROM main.${name}`);
  const largest = ask(`SELECT max(rowid) FROM main.${name}`);
  if (isEmpty(db, table)) return { first: 1n, last: 0n, isCertain: true };
  if (smallest !== undefined && largest !== undefined) return { first: smallest, last: largest, isCertain: true };
  const hints = usableIndexes(db, table).flatMap((index) => {
    const least = ask(`SELECT min(rowid) FROM main.${name} INDEXED BY ${quote(index)}`);
    const most = ask(`SELECT max(rowid) FROM main.${name} INDEXED BY ${quote(index)}`);
    return [least, most].filter((value) => value !== undefined);
  });
  const counter = hasSequence(db) ? askNumber(db, 'SELECT seq FROM main.sqlite_sequence WHERE name = ?', table) : undefined;
  const known = [smallest, largest, counter, ...hints].filter((value) => value !== undefined);
  const first = smallest ?? known.reduce((a, b) => (a < b ? a : b), 1n);
  const last =
    largest ?? (counter === undefined && hints.length === 0 ? first + BLIND_REACH : known.reduce((a, b) => (a > b ? a : b), first));
  return { first, last, isCertain: largest !== undefined || hints.length > 0 || counter !== undefined };
}

function isEmpty(db: Database, table: string): boolean {
  try {
    return db.prepare(`SELECT 1 FROM main.${quote(table)} LIMIT 1`).get() === undefined;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return false;
  }
}

/** How many rows an index knows of; absent: none of them can be read to its end. The largest, since damage only takes rows away. */
export function countByIndex(db: Database, table: string): number | undefined {
  const counts = usableIndexes(db, table).flatMap(
    (index) => askNumber(db, `SELECT count(rowid) FROM main.${quote(table)} INDEXED BY ${quote(index)}`) ?? [],
  );
  return counts.length === 0 ? undefined : Number(counts.reduce((a, b) => (a > b ? a : b)));
}

/** Indexes of all rows, the automatic one of a key among them. */
function usableIndexes(db: Database, table: string): readonly string[] {
  return db.prepare<[string], string>(`SELECT name FROM pragma_index_list(?, 'main') WHERE partial = 0`).pluck().all(table);
}

function hasSequence(db: Database): boolean {
  return db.prepare(`SELECT 1 FROM main.sqlite_master WHERE name = 'sqlite_sequence'`).get() !== undefined;
}

/** undefined: NULL, or it can't be read. */
function askNumber(db: Database, sql: string, ...values: readonly unknown[]): bigint | undefined {
  try {
    const value = db
      .prepare(sql)
      .pluck()
      .safeIntegers()
      .get(...values);
    return typeof value === 'bigint' ? value : undefined;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}

/** Pages that are wrong, cells that lead nowhere, and values longer than anything can be. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB|TOOBIG|IOERR_SHORT_READ)/.test(failureCode(error) ?? '');
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
