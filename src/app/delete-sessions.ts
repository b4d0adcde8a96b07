import type { SessionId } from '../session/types.ts';
import type { BinResult, DeleteRequest, Refusal, RestoreResult } from '../store/bin/types.ts';
import { localDate } from '../text/relative-time.ts';
import type { Run } from './run.ts';
import type { SessionStore } from './recorder.ts';
import type { LiveRegister } from '../terminal/live-register.ts';
import { heldSessions } from './held-sessions.ts';

const oneDay = 86_400_000;

/** What became of lineages that were to be deleted. */
export interface Deletion {
  /** Tips of those that are gone from the store. */
  readonly gone: readonly SessionId[];
  readonly refused: readonly Refusal[];
  /** There is no bin: they can't be restored. */
  readonly isFinal: boolean;
  /** Day on which the bin lets go of them, as it is shown. */
  readonly until: string | undefined;
}

/** What deleting works with, in the full screen and in line mode. */
export interface DeleteContext {
  readonly run: Run;
  readonly store: SessionStore;
  readonly register: LiveRegister;
}

/** Day on which something deleted now leaves the bin, as it is shown; undefined: there is no bin (`sessions.trash_days: 0`). */
export function binUntil(run: Run): string | undefined {
  const { trashDays } = run.loaded().config.sessions;
  return trashDays === 0 ? undefined : localDate(run.now() + trashDays * oneDay);
}

/** How much goes with these lineages: messages, segments, sub-agents. @throws StoreError */
export async function countHolds(
  store: SessionStore,
  lineages: readonly { readonly id: SessionId; readonly ids: readonly SessionId[]; readonly messages: number }[],
): Promise<{ messages: number; segments: number; delegates: number }> {
  const holds = { messages: 0, segments: 0, delegates: 0 };
  for (const { id, ids, messages } of lineages) {
    holds.messages += messages;
    holds.segments += ids.length;
    holds.delegates += (await store.read.lineageTree(id))?.delegates.length ?? 0;
  }
  return lineages.length === 1 ? holds : { ...holds, segments: holds.segments === lineages.length ? 0 : holds.segments };
}

/** Moves whole lineages into the bin, or erases them where there is none; those that somebody has open are left. @throws StoreError */
export async function deleteSessions({ run, store, register }: DeleteContext, ids: readonly SessionId[]): Promise<Deletion> {
  const until = binUntil(run);
  const request = { ids, held: heldSessions(register) };
  const bin = binOf(store);
  const result = until === undefined ? await bin.eraseForever(request) : await bin.moveToBin(request);
  return { gone: result.moved.map((entry) => entry.id), refused: result.refused, isFinal: until === undefined, until };
}

/** Brings deleted lineages back, by their tips. @throws StoreError */
export const restoreSessions = ({ store }: Pick<DeleteContext, 'store'>, ids: readonly SessionId[]): Promise<RestoreResult> =>
  binOf(store).restoreFromBin(ids);

interface BinWrites {
  moveToBin(request: DeleteRequest): Promise<BinResult>;
  eraseForever(request: DeleteRequest): Promise<BinResult>;
  restoreFromBin(ids: readonly SessionId[]): Promise<RestoreResult>;
}

const binOf = (store: SessionStore): BinWrites => store.write as unknown as BinWrites;
