import { closeSync, copyFileSync, constants, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { failureCode } from '../damage.ts';
import type { Connection } from '../connection.ts';

/**
 * Makes an empty file of mode 0600 under the first free name: `state.db.salvaged-20260601-120000`, `…-2`. Nothing that exists is ever overwritten.
 *
 * @returns its path
 */
export function claimName(path: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? path : `${path}-${number}`;
    try {
      closeSync(openSync(name, 'wx', 0o600));
      return name;
    } catch (error) {
      if (failureCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** A copy of the store as it is at one moment, whoever else writes to it. @returns where it is */
export async function keepCopy(connection: Connection, name: string): Promise<string> {
  const copy = claimName(name);
  try {
    await connection.db.backup(copy);
    return copy;
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
}

/**
 * Puts the store at `fresh` in the place of the damaged one, which stays under `name` with its WAL and journal: those of one database would
 * be played into the other. The name `path` stands for a store at every moment.
 *
 * @returns where the damaged one is now
 */
export function replaceStore(path: string, fresh: string, name: string): string {
  const kept = linkUnderFreeName(path, name);
  for (const suffix of ['-wal', '-journal']) {
    const size = statSync(path + suffix, { throwIfNoEntry: false })?.size;
    if (size === 0) rmSync(path + suffix);
    else if (size !== undefined) renameSync(path + suffix, kept + suffix);
  }
  rmSync(`${path}-shm`, { force: true });
  renameSync(fresh, path);
  return kept;
}

function linkUnderFreeName(path: string, name: string): string {
  for (let number = 1; ; number += 1) {
    const kept = number === 1 ? name : `${name}-${number}`;
    try {
      linkSync(path, kept);
      return kept;
    } catch (error) {
      const code = failureCode(error) ?? '';
      if (code === 'EEXIST') continue;
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error;
      // A disk without hard links: the bytes are copied.
      copyFileSync(path, kept, constants.COPYFILE_EXCL);
      return kept;
    }
  }
}
