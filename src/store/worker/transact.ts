import type { Database } from '../connection.ts';
import { forgetAfterCommit, runAfterCommit } from '../after-commit.ts';
import { isBusy } from '../damage.ts';

/** With a rollback journal a commit has to wait for readers to finish; this long, in steps of 10 ms. */
const COMMIT_PATIENCE_MS = 1000;
const COMMIT_STEP_MS = 10;

/**
 * Runs `work` between BEGIN IMMEDIATE and COMMIT; whatever it throws undoes all of it. What it wants done after the commit is done then.
 *
 * @throws SqliteError `SQLITE_BUSY` when somebody else holds the lock (nothing was done: try again)
 */
export function transact<Result>(db: Database, work: () => Result): Result {
  db.exec('BEGIN IMMEDIATE');
  forgetAfterCommit(db);
  let result: Result;
  try {
    result = work();
    if (result instanceof Promise) throw new TypeError('a write must be synchronous');
    commit(db);
  } catch (error) {
    forgetAfterCommit(db);
    // Some failures (a full disk, a failed disk) have undone the transaction already.
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
  runAfterCommit(db);
  return result;
}

/** A commit that found readers in its way keeps new ones out, so it is repeated rather than undone. Blocks the worker, which has nothing else to do. */
function commit(db: Database): void {
  for (let waited = 0; ; waited += COMMIT_STEP_MS) {
    try {
      db.exec('COMMIT');
      return;
    } catch (error) {
      if (!isBusy(error) || !db.inTransaction || waited >= COMMIT_PATIENCE_MS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, COMMIT_STEP_MS);
    }
  }
}
