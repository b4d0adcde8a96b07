import { StoreError } from '../errors.ts';
import { binText } from '../text/en/bin.ts';
import type { SessionStore } from './recorder.ts';

/**
 * Takes the traces of what was erased out of the store's files. What was erased is gone, whatever comes of this.
 * @returns what is said where they stay: another program keeps them there, or the disk is full
 */
export async function scrubErased(store: SessionStore): Promise<string | undefined> {
  try {
    const { notVacuumed } = await store.housekeep('scrub');
    return notVacuumed?.kind === 'held' ? binText.tracesHeld(notVacuumed.by) : undefined;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return binText.tracesStay(error.message);
  }
}
