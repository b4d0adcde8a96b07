import type { RetentionPolicy } from '../session/retention.ts';
import { localDate } from '../text/relative-time.ts';
import { retentionText as text } from '../text/en/retention.ts';
import { StoreError } from '../errors.ts';
import type { SessionStore } from './recorder.ts';
import type { Run } from './run.ts';
import { scrubErased } from './scrub-erased.ts';

const oneDay = 86_400_000;

export interface RetentionContext {
  readonly run: Run;
  readonly store: SessionStore;
}

/**
 * Puts away what config.yaml says is old, and lets the bin go of what was in it long enough. Reads first: where nothing is due, nothing is
 * written, and a store that isn't there is not made. Another program of the same home may do it instead; each does it at most once in its time.
 *
 * @returns what was done, a sentence each
 * @throws StoreError
 */
export async function runRetention({ run, store }: RetentionContext): Promise<readonly string[]> {
  const policy: RetentionPolicy = run.loaded().config.sessions;
  const due = await readDue(store, policy);
  const said: string[] = [];
  let erased = 0;
  if (due.eraseBefore !== undefined) {
    erased = (await store.write.purgeBin(policy)).erased;
    if (erased > 0) said.push(text.binErased(erased, policy.trashDays));
  }
  let pruned = 0;
  if (due.pruneBefore !== undefined) {
    pruned = (await store.write.pruneIdle(policy)).pruned;
    const until = localDate(run.now() + policy.trashDays * oneDay);
    const isErased = policy.trashDays === 0;
    if (pruned > 0)
      said.push(isErased ? text.prunedForGood(pruned, policy.retentionDays) : text.pruned(pruned, policy.retentionDays, until));
  }
  if (due.archiveBefore !== undefined) {
    const { archived } = await store.write.archiveIdle(policy);
    if (archived > 0) said.push(text.archived(archived, policy.autoArchiveDays));
  }
  // Without a bin, what goes is gone at once: its words in free pages too.
  if (pruned > 0 && policy.trashDays === 0) {
    const traces = await scrubErased(store);
    if (traces !== undefined) said.push(traces);
  } else if (pruned + erased > 0 && (await store.read.vacuumDue(policy, erased > 0))) await giveSpaceBack(store);
  return said;
}

async function giveSpaceBack(store: SessionStore): Promise<void> {
  try {
    await store.housekeep('vacuum');
  } catch (error) {
    // A full disk, a lock: it is tried with the next run, and what was done before is told.
    if (!(error instanceof StoreError)) throw error;
  }
}

async function readDue(store: SessionStore, policy: RetentionPolicy): ReturnType<SessionStore['read']['retentionDue']> {
  try {
    return await store.read.retentionDue(policy);
  } catch (error) {
    // No store, nothing old.
    if (error instanceof StoreError && error.trouble === 'missing') return {};
    throw error;
  }
}
