import { chmodSync, constants, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import DatabaseConstructor from 'better-sqlite3';
import { StoreError } from '../errors.ts';
import { storeText } from '../text/en/store.ts';
import type { Database } from './connection.ts';
import { failureCode } from './damage.ts';

/** A writer that changes the file this often in a row is left to finish. */
const ATTEMPTS = 5;

const COMPANIONS = ['', '-wal', '-journal'] as const;

/**
 * Opens a private copy of a store whose folder can't be written: SQLite needs to write there even to read a WAL file, or to undo a
 * half-written transaction. The copy is in a folder of mode 0700 that is removed before this returns: the open file is all that is left
 * of it, and it goes with the process, however that ends.
 *
 * @param use `copy-from`: a file that is written can be attached to it
 * @param prepare done to the copy at that path before SQLite sees it
 * @throws StoreError when there is no room, or the original is written all the time; SqliteError when it is damaged
 */
export function openPrivateCopy(
  path: string,
  use: 'read' | 'copy-from' = 'read',
  prepare: (copy: string) => void = () => undefined,
): Database {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-copy-'));
  let db: Database | undefined;
  try {
    const copy = join(folder, 'state.db');
    copyConsistently(path, copy);
    prepare(copy);
    db = new DatabaseConstructor(copy, { fileMustExist: true });
    // Takes the pages of the WAL into the file itself; without companions the file can be unlinked while it is read.
    db.pragma('journal_mode = DELETE');
    if (use === 'read') {
      db.close();
      // Not `query_only`, which refuses temporary tables too: a listing remembers in one what it handed out.
      db = new DatabaseConstructor(copy, { readonly: true, fileMustExist: true });
    }
    db.prepare('SELECT count(*) FROM sqlite_master').get();
    return db;
  } catch (error) {
    db?.close();
    const code = failureCode(error);
    if (code === 'ENOSPC' || code === 'SQLITE_FULL') {
      throw new StoreError('full', storeText.cannotCopy(tmpdir()), { hint: storeText.cannotCopyHint, cause: error });
    }
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies the store and its companions as they were at one moment: again, if one of them changed meanwhile. */
function copyConsistently(path: string, copy: string): void {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = fingerprint(path);
    for (const suffix of COMPANIONS) {
      rmSync(copy + suffix, { force: true });
      if (statSync(path + suffix, { throwIfNoEntry: false }) === undefined) continue;
      copyFileSync(path + suffix, copy + suffix, constants.COPYFILE_FICLONE);
      // The mode is copied too, and the original may well be read-only.
      chmodSync(copy + suffix, 0o600);
    }
    if (fingerprint(path) === before) return;
  }
  throw new StoreError('busy', storeText.busy(path), { hint: storeText.busyHint });
}

function fingerprint(path: string): string {
  return COMPANIONS.map((suffix) => {
    const found = statSync(path + suffix, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? '-' : `${found.ino}:${found.size}:${found.mtimeNs}`;
  }).join(' ');
}
