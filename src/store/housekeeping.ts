import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { StoreError } from '../errors.ts';
import { storeText } from '../text/en/store.ts';
import type { Connection } from './connection.ts';
import { areTablesSound } from './damage.ts';
import { findHolders, type Holder } from './holders.ts';
import { openForWriting } from './open.ts';
import { stampRun } from './retention/stamps.ts';

/** Full-text tables this program can load; the third one needs a tokenizer that only Hermes Agent has (state-db.md 1.6). */
const INDEX_TABLES = ['messages_fts', 'messages_fts_trigram'] as const;

/** Pages written by one step of a merge: 4 MB, some 30 ms, in a transaction of its own. */
const PAGES_PER_STEP = 1000;

/** `optimize` merges the full-text index; `vacuum` gives free pages back to the disk; `scrub` takes the traces of erased rows out of the files. */
export type HousekeepingTask = 'optimize' | 'vacuum' | 'scrub';

/** Why the file was not made smaller. */
export type NotVacuumed =
  | { readonly kind: 'held'; readonly by: readonly Holder[] }
  | { readonly kind: 'unsure' }
  /** Bytes that are missing in `folder`. */
  | { readonly kind: 'no-room'; readonly folder: string; readonly missing: number };

export interface HousekeepingReport {
  /** Of the file with its WAL. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** Absent: the file was made anew, or nobody asked for that. */
  readonly notVacuumed?: NotVacuumed;
}

/** Bytes of the store with its WAL; 0 for one that isn't there. */
export function storeBytes(path: string): number {
  const size = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return size(path) + size(`${path}-wal`);
}

/** Pages of the full-text index: how much there is to merge, at most. */
export function indexPages(connection: Connection): number {
  return tablesOf(connection).reduce((sum, table) => sum + pagesOf(connection, table), 0);
}

/**
 * Merges the segments of each full-text table into one, a step at a time: what FTS5's own 'optimize' does in one long statement. Every
 * step is a transaction of its own, so that whoever stops in between, or is killed, leaves an index that is whole and only less merged.
 * An index of one segment is left alone.
 *
 * @yields pages done with, of `indexPages`
 * @throws SqliteError; `SQLITE_BUSY` leaves the step undone
 */
export function* mergeIndexes(connection: Connection): Generator<number, void, undefined> {
  let done = 0;
  for (const table of tablesOf(connection)) {
    const pages = pagesOf(connection, table);
    let written = 0;
    // A negative number begins a merge of everything, as 'optimize' would; positive ones go on with it.
    for (let step = -PAGES_PER_STEP; segmentsOf(connection, table) > 1 || step > 0; step = PAGES_PER_STEP) {
      if (mergeStep(connection, table, step) < 2) break;
      written += PAGES_PER_STEP;
      yield done + Math.min(written, pages);
    }
    done += pages;
    yield done;
  }
}

function tablesOf(connection: Connection): readonly string[] {
  return INDEX_TABLES.filter((table) => connection.has(table));
}

function pagesOf(connection: Connection, table: string): number {
  return Number(connection.statement(`SELECT count(*) FROM ${table}_data`).pluck().get());
}

function segmentsOf(connection: Connection, table: string): number {
  return Number(connection.statement(`SELECT count(DISTINCT segid) FROM ${table}_idx`).pluck().get());
}

/** @returns rows changed; fewer than 2: there was nothing left to do (FTS5, "The merge command") */
function mergeStep(connection: Connection, table: string, pages: number): number {
  const changes = (): number => Number(connection.statement('SELECT total_changes()').pluck().get());
  const before = changes();
  connection.statement(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`).run(pages);
  return changes() - before;
}

export interface VacuumOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Somebody vouches that nobody has the store open where that can't be seen. */
  readonly acceptUnsure?: boolean;
  /** Wait for a lock that long with the thread blocked, milliseconds; 0. */
  readonly timeoutMs?: number;
  /** A home that belongs to somebody else. */
  readonly force?: boolean;
}

/**
 * Writes the file anew without its free pages, unless another process has it open (product.md 9) or there is no room for the copy. This
 * process must have no connection on it. The tables are checked first, about a second per gigabyte. Killed at any moment, the file is the old
 * one or the new one: SQLite's transaction. `last_vacuum` is stamped (store-v31.md, part A).
 *
 * @throws StoreError, `corrupt` for a damaged file, which is left as it is; SqliteError
 */
export function vacuum(path: string, options: VacuumOptions): HousekeepingReport {
  const bytesBefore = storeBytes(path);
  const obstacle = findObstacle(path, options.acceptUnsure === true);
  if (obstacle !== undefined) return { bytesBefore, bytesAfter: bytesBefore, notVacuumed: obstacle };
  const connection = openForWriting(path, { now: options.now, timeoutMs: options.timeoutMs ?? 0, force: options.force ?? false });
  try {
    // What is read of a damaged file would be all that is left of it.
    if (!areTablesSound(connection)) throw new StoreError('corrupt', storeText.damaged(path), { hint: storeText.damagedHint });
    connection.db.exec('VACUUM');
    stampRun(connection, 'vacuum');
    // The whole file has gone through the WAL; with nobody else there it can be taken in and cut.
    connection.db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    connection.close();
  }
  return { bytesBefore, bytesAfter: storeBytes(path) };
}

function findObstacle(path: string, acceptUnsure: boolean): NotVacuumed | undefined {
  const holders = findHolders(path);
  if (holders.kind === 'held' || (holders.kind === 'unsure' && !acceptUnsure)) return holders;
  return findLackOfRoom(path);
}

/** VACUUM writes the new file into a temporary one, then through the WAL or the rollback journal: twice the size while it lasts. */
function findLackOfRoom(path: string): NotVacuumed | undefined {
  const bytes = storeBytes(path);
  const home = dirname(path);
  const temporary = temporaryFolder();
  const isOneDisk = statSync(home).dev === statSync(temporary).dev;
  const needs: readonly [string, number][] = isOneDisk
    ? [[home, 2 * bytes]]
    : [
        [home, bytes],
        [temporary, bytes],
      ];
  for (const [folder, needed] of needs) {
    const missing = needed - freeBytes(folder);
    if (missing > 0) return { kind: 'no-room', folder, missing };
  }
  return undefined;
}

function freeBytes(folder: string): number {
  try {
    const disk = statfsSync(folder);
    return disk.bavail * disk.bsize;
  } catch {
    // A disk that doesn't say how full it is: SQLite undoes everything when it turns out to be.
    return Infinity;
  }
}

/** Where SQLite puts its temporary files: TMPDIR, else the first of these it may write in. */
function temporaryFolder(): string {
  const named = tmpdir();
  const candidates = named === '/tmp' ? ['/var/tmp', '/usr/tmp', '/tmp'] : [named, '/var/tmp', '/usr/tmp', '/tmp'];
  return candidates.find(isWritableFolder) ?? '.';
}

function isWritableFolder(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return statSync(path).isDirectory();
  } catch {
    // Missing or closed: the next one.
    return false;
  }
}
