import type { Connection } from '../connection.ts';
import { findNamedHolders, type Holder } from '../holders.ts';

/** Who keeps the last traces of what was erased from going; empty when nothing is left. */
export interface Scrubbing {
  readonly heldBy: readonly Holder[];
}

/**
 * Takes the traces of erased rows out of the store's files, outside of any transaction: pages that are free, gaps in pages in use (another
 * program moves rows without overwriting where they were), and the WAL. The file is written anew for that, about a second per 200 MB; while
 * another process has it open that is not done (product.md 9), and the WAL can't be cut.
 *
 * @throws SqliteError `SQLITE_BUSY` when somebody writes: try again
 */
export function scrub(connection: Connection): Scrubbing {
  const { db, path } = connection;
  const heldBy = findNamedHolders(path);
  if (heldBy.length > 0) return { heldBy };
  db.exec('VACUUM');
  db.pragma('wal_checkpoint(TRUNCATE)');
  return { heldBy: [] };
}
