import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const draftName = /^\.hermes-export-(\d+)-[0-9a-f]{12}$/;
/** A draft nobody wrote to for so long belongs to a process that was killed, on this machine or another one; milliseconds. */
const longestPause = 3_600_000;

/** Where a file is written before it has its name: a name nobody looks for, beside it. */
export function draftPath(folder: string): string {
  return join(folder, `.hermes-export-${process.pid}-${randomBytes(6).toString('hex')}`);
}

/**
 * Takes away what exports that were killed left half written in a folder. Nothing that goes wrong here is in the way of the export.
 * @param now milliseconds since the epoch, by the clock that dates the files of that disk
 */
export function sweepDrafts(folder: string, now: number): void {
  try {
    for (const name of readdirSync(folder)) {
      const pid = Number(draftName.exec(name)?.[1]);
      if (Number.isNaN(pid) || isAlive(pid)) continue;
      const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
      if (found?.isFile() === true && now - found.mtimeMs > longestPause) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // A folder that can't be listed, a draft of somebody else: whoever may do it will.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
