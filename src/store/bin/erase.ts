import type { SessionId } from '../../session/types.ts';
import { afterCommit } from '../after-commit.ts';
import type { Connection, Database } from '../connection.ts';
import { describe, dropEntries, readEntries, staleEntries } from './entries.ts';
import { changeBin, withBin } from './file.ts';
import { planDeletion } from './plan.ts';
import { removeLineages, type Removal } from './remove.ts';
import { columnsOf, ENTRY, PROMPTS, promptColumns } from './rows.ts';
import { demandErasable, eraseFiles } from './session-files.ts';
import { settle } from './settle.ts';
import { inStore } from './trouble.ts';
import type { BinResult, DeleteRequest } from './types.ts';

/**
 * Deletes lineages for good, past the bin, inside a transaction that holds the store's write lock; refused like `moveToBin`. `scrub` has to
 * follow the commit: only then do the words leave the WAL and the pages that once held them.
 *
 * @returns in `moved` what was erased
 * @throws StoreError `readonly` when a file of theirs can't be taken away: nothing is erased then
 */
export function eraseForever(connection: Connection, request: DeleteRequest): BinResult {
  const plan = planDeletion(connection, request);
  if (plan.going.length === 0) return { moved: [], refused: plan.refused };
  demandErasable(
    connection.path,
    plan.going.flatMap((one) => one.all),
  );
  const facts = describe(connection, plan.going, connection.now());
  // A deletion that was cut off may have left a copy, which would count once its session is gone.
  withBin(connection, 'existing', (bin) => {
    changeBin(bin, () => dropEntries(bin, staleEntries(bin), { isStoredAgain: true }));
  });
  const hashes = promptsOf(
    connection,
    plan.going.flatMap((one) => one.all),
  );
  const removal = eraseFrom(connection, () => {
    const done = removeLineages(connection, plan.going);
    erasePrompts(connection, hashes);
    return done;
  });
  afterCommit(connection.db, () => forget(connection, removal));
  const gone = new Set(removal.removed);
  return { moved: facts.filter((_, index) => gone.has(plan.going[index]!)), refused: [...plan.refused, ...removal.refused] };
}

function forget(connection: Connection, { removed }: Removal): void {
  eraseFiles(
    connection.path,
    removed.flatMap((one) => one.all),
  );
  settle(connection, { isErasure: true });
}

export interface EmptyOptions {
  /** Milliseconds since the epoch: only what was deleted before. */
  readonly olderThan?: number;
}

/**
 * Erases what is in the bin for good, inside a transaction that holds the store's write lock, since the store still has the words in its
 * full-text segments. `scrub` has to follow the commit when something was erased.
 *
 * @throws StoreError for a bin of a newer version: nothing is erased then
 */
export function emptyBin(connection: Connection, { olderThan = Infinity }: EmptyOptions = {}): { erased: number } {
  const erased = withBin(connection, 'existing', (bin) => {
    const stale = new Set(staleEntries(bin));
    const entries = readEntries(bin).filter(({ entry, facts }) => !stale.has(entry) && facts.deletedAt < olderThan);
    const numbers = entries.map(({ entry }) => entry);
    if (numbers.length === 0) return 0;
    const hashes = promptsInBin(bin, numbers);
    demandErasable(
      connection.path,
      entries.flatMap(({ facts }) => [...facts.ids, ...facts.delegates]),
    );
    inStore(() => eraseFrom(connection, () => erasePrompts(connection, hashes)));
    changeBin(bin, () => {
      dropEntries(bin, [...stale], { isStoredAgain: true });
      dropEntries(bin, numbers, { isStoredAgain: false });
    });
    return numbers.length;
  });
  if (erased !== undefined && erased > 0) afterCommit(connection.db, () => settle(connection, { isErasure: true }));
  return { erased: erased ?? 0 };
}

/** Rows that go are overwritten, and full-text segments are merged into one, since a segment keeps the words of rows deleted after it was written. */
function eraseFrom<Result>(connection: Connection, work: () => Result): Result {
  const { db } = connection;
  const before = Number(db.pragma('secure_delete', { simple: true }));
  db.pragma('secure_delete = ON');
  try {
    const result = work();
    for (const table of ['messages_fts', 'messages_fts_trigram']) {
      if (connection.has(table)) db.prepare(`INSERT INTO ${table} (${table}) VALUES ('optimize')`).run();
    }
    return result;
  } finally {
    db.pragma(`secure_delete = ${before}`);
  }
}

function promptsOf(connection: Connection, ids: readonly SessionId[]): string[] {
  const columns = promptColumns(connection);
  if (columns.length === 0) return [];
  const sql = columns.map((column) => `SELECT ${column} FROM sessions WHERE id IN (SELECT value FROM json_each(?1))`).join(' UNION ');
  return connection
    .statement(sql)
    .pluck(true)
    .all({ 1: JSON.stringify(ids) })
    .filter(isHash);
}

function promptsInBin(bin: Database, numbers: readonly number[]): string[] {
  const present = columnsOf(bin, 'main', 'sessions');
  const columns = ['system_prompt_hash', 'tool_names'].filter((column) => present.includes(column));
  if (columns.length === 0) return [];
  const sql = columns.map((column) => `SELECT ${column} FROM main.sessions WHERE ${ENTRY} IN (SELECT value FROM json_each(?1))`);
  return bin
    .prepare(sql.join(' UNION '))
    .pluck(true)
    .all({ 1: JSON.stringify(numbers) })
    .filter(isHash);
}

const isHash = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Those that no session refers to any more. */
function erasePrompts(connection: Connection, hashes: readonly string[]): void {
  const columns = promptColumns(connection);
  if (hashes.length === 0 || columns.length === 0) return;
  const used = columns.map((column) => `SELECT ${column} FROM sessions WHERE ${column} IS NOT NULL`).join(' UNION ');
  const sql = `DELETE FROM ${PROMPTS} WHERE hash IN (SELECT value FROM json_each(?)) AND hash NOT IN (${used})`;
  connection.statement(sql).run(JSON.stringify(hashes));
}
