import { keptUntil } from '../session/retention.ts';
import { eraseForever, moveToBin } from '../store/bin/index.ts';
import { binText as text } from '../text/en/bin.ts';
import { localDate } from '../text/relative-time.ts';
import type { ShellContext } from './context.ts';
import { scrubStore } from './scrub-store.ts';

/** How a shell command takes sessions away: to the bin, or for good. */
export interface Removal {
  /** Day on which the bin lets go of them, as it is shown; undefined: they are erased for good. */
  readonly until: string | undefined;
  /** Where they are now, as it is said. */
  readonly where: string;
  /** Done in a transaction of `writeStore`. @throws StoreError */
  readonly remove: typeof moveToBin;
  /** Done once that has removed something: takes the traces of what is gone for good out of the files. @throws StoreError */
  finish(): void;
}

/** For good where that was asked for (`--forever`), and where the bin keeps nothing (`sessions.trash_days: 0`). */
export function chooseRemoval(context: ShellContext, wish: { isForever: boolean }): Removal {
  const until = wish.isForever ? undefined : keptUntil(context.loaded.config.sessions.trashDays, context.now());
  if (until === undefined) return { until, where: text.erased, remove: eraseForever, finish: () => scrubStore(context) };
  const day = localDate(until);
  return { until: day, where: text.inBin(day), remove: moveToBin, finish() {} };
}
