import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { temporaryBeside } from '../text/write-atomic.ts';
import { readJson } from './live-records.ts';

export type Creation = 'created' | 'exists' | 'unwritable';

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/**
 * Creates `path` with `fields` inside, or finds that it exists: of several processes one creates, and nobody ever sees half of it
 * (a hard link to a finished file). Folders are made 0700.
 */
export function createExclusive(path: string, fields: object): Creation {
  const temporary = temporaryBeside(path);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${JSON.stringify(fields)}\n`, { mode: 0o600 });
  } catch {
    // Whatever is the matter with the folder: callers go on without the file.
    return 'unwritable';
  }
  try {
    return linkOrWrite(temporary, path, fields);
  } catch (error) {
    return codeOf(error) === 'EEXIST' ? 'exists' : 'unwritable';
  } finally {
    rmSync(temporary, { force: true });
  }
}

function linkOrWrite(temporary: string, path: string, fields: object): Creation {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'exists';
    // File systems without hard links (exFAT, some network disks): exclusive all the same, finished a moment later.
    writeFileSync(path, `${JSON.stringify(fields)}\n`, { mode: 0o600, flag: 'wx' });
  }
  return 'created';
}

/**
 * Moves `path` to `target` if it holds `token`; true when this call moved it. Of several that try one succeeds; what turns out to be a
 * later file is put back.
 */
export function moveIfHolds(path: string, token: unknown, target: string): boolean {
  try {
    renameSync(path, target);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  if (readJson(target)?.['token'] === token) return true;
  try {
    linkSync(target, path);
  } catch {
    // A third file stands there already: whoever wrote the one moved sees that it is gone and asks again.
  }
  rmSync(target, { force: true });
  return false;
}

/** Removes `path` if it holds `token`; true when this call removed it. */
export function takeAway(path: string, token: unknown): boolean {
  const target = temporaryBeside(path);
  const isMoved = moveIfHolds(path, token, target);
  if (isMoved) rmSync(target, { force: true });
  return isMoved;
}
