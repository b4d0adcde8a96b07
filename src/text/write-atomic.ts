import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

let sequence = 0;

/**
 * Writes a whole text file so that a reader sees the old text or the new one, never half: a temporary file beside it, then rename.
 * The file is 0600; missing folders are made 0700. Not synced to disk: what is written this way can be lost, never torn.
 * Throws what `node:fs` throws.
 */
export function writeAtomic(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = temporaryBeside(path);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A name beside `path` that no other process and no other call of this one uses; readers of the folder skip `.tmp-…`. */
export function temporaryBeside(path: string): string {
  const cut = path.lastIndexOf('/') + 1;
  sequence += 1;
  return `${path.slice(0, cut)}.tmp-${process.pid}-${sequence}-${path.slice(cut)}`;
}
