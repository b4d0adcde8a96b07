import { keptUntil } from '../session/retention.ts';
import type { SessionId } from '../session/types.ts';
import type { DeletionSize } from '../store/bin/preview.ts';
import type { Refusal, RestoreResult } from '../store/bin/types.ts';
import { heldSessions } from '../terminal/held-sessions.ts';
import type { LiveRegister } from '../terminal/live-register.ts';
import { localDate } from '../text/relative-time.ts';
import type { SessionStore } from './recorder.ts';
import type { Run } from './run.ts';
import { scrubErased } from './scrub-erased.ts';

/** What became of lineages that were to be deleted. */
export interface Deletion {
  /** Tips of those that are gone from the store. */
  readonly gone: readonly SessionId[];
  readonly refused: readonly Refusal[];
  /** Day on which the bin lets go of them, as it is shown; undefined: there is no bin, and they can't be restored. */
  readonly until: string | undefined;
  /** What is said where words of what was erased are still in the files. */
  readonly traces: string | undefined;
}

/** What deleting works with, in the full screen and in line mode. */
export interface DeleteContext {
  readonly run: Run;
  readonly store: SessionStore;
  readonly register: LiveRegister;
}

/** Day on which something deleted now leaves the bin, as it is shown; undefined: there is no bin (`sessions.trash_days: 0`). */
export function binUntil(run: Run): string | undefined {
  const until = keptUntil(run.loaded().config.sessions.trashDays, run.now());
  return until === undefined ? undefined : localDate(until);
}

/** What a deletion of these would take now, and what would be left. @throws StoreError */
export const sizeOfDeletion = ({ store, register }: DeleteContext, ids: readonly SessionId[]): Promise<DeletionSize> =>
  store.read.deletionSize({ ids, held: heldSessions(register.read().records) });

/** Moves whole lineages into the bin, or erases them where there is none; those that somebody has open are left. @throws StoreError */
export async function deleteSessions({ run, store }: Pick<DeleteContext, 'run' | 'store'>, ids: readonly SessionId[]): Promise<Deletion> {
  const until = binUntil(run);
  const result = until === undefined ? await store.write.eraseForever({ ids }) : await store.write.moveToBin({ ids });
  // The words stand in free pages and in the log until the file was written anew.
  const traces = until === undefined && result.moved.length > 0 ? await scrubErased(store) : undefined;
  return { gone: result.moved.map((entry) => entry.id), refused: result.refused, until, traces };
}

/** Brings deleted lineages back, by their tips. @throws StoreError */
export const restoreSessions = ({ store }: Pick<DeleteContext, 'store'>, ids: readonly SessionId[]): Promise<RestoreResult> =>
  store.write.restoreFromBin(ids);
