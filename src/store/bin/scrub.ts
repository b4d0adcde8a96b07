import { StoreError } from '../../errors.ts';
import { storeText } from '../../text/en/store.ts';
import type { Connection } from '../connection.ts';
import { areTablesSound } from '../damage.ts';
import { findNamedHolders, type Holder } from '../holders.ts';

/** Who keeps the last traces of what was erased from going; empty when nothing is left. */
export interface Scrubbing {
  readonly heldBy: readonly Holder[];
}

/**
 * Takes the traces of erased rows out of the store's files, outside of any transaction. `secure_delete` overwrites rows that are deleted, but not
 * what stood in pages before: in a store whose answers were streamed, every word of an erased session was still in gaps of pages in use, free
 * pages and the WAL. So the file is written anew, about a second per 200 MB, and the WAL is cut. While another process has the store open
 * neither is done (product.md 9).
 *
 * @throws StoreError `corrupt`: of a damaged file only what can be read would be left; SqliteError `SQLITE_BUSY` when somebody writes: try again
 */
export function scrub(connection: Connection): Scrubbing {
  const { db, path } = connection;
  const heldBy = findNamedHolders(path);
  if (heldBy.length > 0) return { heldBy };
  if (!areTablesSound(connection)) throw new StoreError('corrupt', storeText.damaged(path), { hint: storeText.damagedHint });
  db.exec('VACUUM');
  db.pragma('wal_checkpoint(TRUNCATE)');
  return { heldBy: [] };
}
