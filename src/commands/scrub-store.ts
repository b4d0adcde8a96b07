import { StoreError } from '../errors.ts';
import { scrub } from '../store/bin/scrub.ts';
import { explainFailure, isBusy } from '../store/damage.ts';
import { openForWriting } from '../store/open.ts';
import { binText as text } from '../text/en/bin.ts';
import { printable } from '../text/printable.ts';
import type { ShellContext } from './context.ts';

/** The file is written anew while nobody else writes; a lock of somebody's is waited for that long, with the thread blocked. */
const lockWaitMs = 5_000;

/**
 * Takes the traces of what was erased out of the store's files, and says so where they stay: somebody keeps them there, or the disk has no room to
 * write the file anew. What was erased is gone either way.
 */
export function scrubStore(context: ShellContext): void {
  const said = (line: string): unknown => context.err.write(`${printable(line)}\n`);
  try {
    const connection = openForWriting(context.home.storePath, { now: context.now, timeoutMs: lockWaitMs });
    try {
      const { heldBy } = scrub(connection);
      if (heldBy.length > 0) said(text.tracesHeld(heldBy));
    } finally {
      connection.close();
    }
  } catch (error) {
    const known = explainFailure(error, context.home.storePath);
    if (!(known instanceof StoreError)) throw error;
    said(isBusy(error) ? text.tracesHeld([]) : text.tracesStay(known.message));
  }
}
