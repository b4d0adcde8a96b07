import type { Connection } from '../connection.ts';
import { failureCode, isIndexDamage } from '../damage.ts';

/**
 * Runs `work` inside the caller's transaction, and undoes it alone where a rule of the file's own stands against it: a guard of a newer
 * program's (store-v31.md B4.4), a constraint.
 *
 * @returns what `work` returns; `refused`: nothing was changed
 * @throws SqliteError for everything that is no refusal
 */
export function unlessRefused<Result>(connection: Connection, work: () => Result): Result | 'refused' {
  const { db } = connection;
  db.exec('SAVEPOINT attempt');
  try {
    const result = work();
    db.exec('RELEASE attempt');
    return result;
  } catch (error) {
    const isRefusal = failureCode(error)?.startsWith('SQLITE_CONSTRAINT') === true && !isIndexDamage(error);
    if (!isRefusal || !db.inTransaction) throw error;
    db.exec('ROLLBACK TO attempt; RELEASE attempt');
    return 'refused';
  }
}
