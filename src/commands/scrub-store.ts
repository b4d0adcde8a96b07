import { scrub } from '../store/bin/scrub.ts';
import { isBusy } from '../store/damage.ts';
import { openForWriting } from '../store/open.ts';
import { binText as text } from '../text/en/bin.ts';
import type { ShellContext } from './context.ts';

/** The file is written anew while nobody else writes; a lock of somebody's is waited for that long, with the thread blocked. */
const lockWaitMs = 5_000;

/** Takes the traces of what was erased out of the store's files, and says so where somebody keeps them there. */
export function scrubStore(context: ShellContext): void {
  const connection = openForWriting(context.home.storePath, { now: context.now, timeoutMs: lockWaitMs });
  try {
    const { heldBy } = scrub(connection);
    if (heldBy.length > 0) sayRemains(context, heldBy.map(({ pid, command }) => `${command} (pid ${pid})`).join(', '));
  } catch (error) {
    if (!isBusy(error)) throw error;
    sayRemains(context, text.anotherProgram);
  } finally {
    connection.close();
  }
}

function sayRemains(context: ShellContext, holders: string): void {
  context.err.write(`${text.walRemains(holders)}\n`);
}
