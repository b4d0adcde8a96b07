import { afterCommit } from '../after-commit.ts';
import type { Connection, Database } from '../connection.ts';
import { deletionTime } from './deletion-time.ts';
import { addEntries, describe, dropEntries, staleEntries, type Detached } from './entries.ts';
import { changeBin, STORE, withBin } from './file.ts';
import { planDeletion, type Going } from './plan.ts';
import { removeLineages } from './remove.ts';
import { columnsOf, copyRows } from './rows.ts';
import { settle } from './settle.ts';
import type { BinEntry, BinResult, DeleteRequest } from './types.ts';

/**
 * Moves lineages to the bin, inside a transaction that holds the store's write lock: they are copied, the copy is committed to disk, then they
 * are deleted. A process killed in between leaves them in both files, and a stored session is not in the bin. A lineage that is in use or
 * that the file does not let go stays whole, and is named; the others go.
 *
 * @throws StoreError, when nothing was deleted: no room for the copy, a bin of a newer version
 */
export function moveToBin(connection: Connection, request: DeleteRequest): BinResult {
  const plan = planDeletion(connection, request);
  if (plan.going.length === 0) return { moved: [], refused: plan.refused };
  const facts = describe(connection, plan.going, deletionTime(connection));
  const numbers = withBin(connection, 'make', (bin) => copyLineages(bin, connection, plan.going, facts)) ?? [];
  const removal = removeLineages(connection, plan.going);
  const gone = new Set(removal.removed);
  const stayed = numbers.filter((_, index) => !gone.has(plan.going[index]!));
  // Copies of lineages that stayed are no use.
  afterCommit(connection.db, () => settle(connection, { storedAgain: stayed }));
  return {
    moved: facts.filter((_, index) => gone.has(plan.going[index]!)),
    refused: [...plan.refused, ...removal.refused],
  };
}

/** One transaction of the bin's. @returns the numbers of the entries */
function copyLineages(bin: Database, connection: Connection, going: readonly Going[], facts: readonly BinEntry[]): number[] {
  return changeBin(bin, () => {
    dropEntries(bin, staleEntries(bin), { isStoredAgain: true });
    const numbers = addEntries(bin, facts, findDetached(bin, going));
    bin.exec('CREATE TEMP TABLE moving (id TEXT PRIMARY KEY, entry INTEGER NOT NULL) WITHOUT ROWID');
    const add = bin.prepare('INSERT OR IGNORE INTO temp.moving (id, entry) VALUES (?, ?)');
    going.forEach((one, index) => one.all.forEach((id) => add.run(id, numbers[index])));
    const columns = JSON.stringify(copyRows(bin, connection));
    bin.prepare('UPDATE main.entries SET columns = ? WHERE entry >= ?').run(columns, numbers[0]);
    return numbers;
  });
}

/** Children of each lineage that are not part of it, stored or in the bin: restoring gives them their parent back. */
function findDetached(bin: Database, going: readonly Going[]): Detached[][] {
  const lineageOf = new Map(going.flatMap((one, index) => one.all.map((id) => [id, index] as const)));
  const found: Detached[][] = going.map(() => []);
  const ids = JSON.stringify([...lineageOf.keys()]);
  for (const schema of [STORE, 'main']) {
    if (!columnsOf(bin, schema, 'sessions').includes('parent_session_id')) continue;
    const sql = `SELECT id AS child, parent_session_id AS parent FROM ${schema}.sessions WHERE parent_session_id IN (SELECT value FROM json_each(?))`;
    for (const { child, parent } of bin.prepare<[string], Detached>(sql).all(ids)) {
      const index = lineageOf.get(parent);
      if (index !== undefined && lineageOf.get(child) !== index) found[index]?.push({ child, parent });
    }
  }
  return found;
}
