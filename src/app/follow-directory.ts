import type { Log } from './log.ts';

/** The program's own directory follows the conversation shown (product.md 1); one that is gone leaves it where it was. */
export function followDirectory(directory: string, log: Log): void {
  try {
    process.chdir(directory);
  } catch (error) {
    log.error('chdir', error);
  }
}
