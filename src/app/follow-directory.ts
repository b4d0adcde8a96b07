import type { Log } from './log.ts';

/** Node starts no thread in a directory that was deleted. What is shown and stored goes on naming that one: only the process leaves it. */
export function leaveGoneDirectory(): void {
  process.chdir('/');
}

/** The program's own directory follows the conversation shown (product.md 1); one that is gone leaves it where it was. */
export function followDirectory(directory: string, log: Log): void {
  try {
    process.chdir(directory);
  } catch (error) {
    log.error('chdir', error);
  }
}
