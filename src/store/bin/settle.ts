import { HermesError } from '../../errors.ts';
import type { Connection } from '../connection.ts';
import { failureCode } from '../damage.ts';
import { dropEntries } from './entries.ts';
import { changeBin, withBin } from './file.ts';
import { settleFiles } from './session-files.ts';

export interface Settling {
  /** Entries whose sessions are in the store (again). */
  readonly storedAgain?: readonly number[];
  /** Rows were erased for good: what is left of them in the pages goes too. */
  readonly isErasure?: boolean;
}

/**
 * What follows a change of the store once that is on disk: entries leave the bin, and files go where their sessions are. Entries are named by
 * number, since somebody else may have deleted the same session anew meanwhile; its copy is another entry. Whatever is missed here the
 * next one makes up for, and nothing depends on it: a stored session is not in the bin.
 */
export function settle(connection: Connection, { storedAgain = [], isErasure = false }: Settling): void {
  try {
    withBin(connection, 'existing', (bin) => {
      changeBin(bin, () => {
        dropEntries(bin, storedAgain, { isStoredAgain: true });
        // Under the lock of the bin, so that of two programs the one that changed the store last has the last word.
        settleFiles(connection, bin);
      });
      // Free pages are zeroes, but a page in use may hold a row that has moved on.
      if (isErasure) bin.exec('VACUUM main');
    });
  } catch (error) {
    // A full disk, a bin that is locked or damaged: the store is right without all of this, and the next change of the bin comes here again.
    if (!(error instanceof HermesError) && failureCode(error) === undefined) throw error;
  }
}
