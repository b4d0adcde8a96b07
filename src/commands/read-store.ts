import { StoreError } from '../errors.ts';
import type { Connection } from '../store/connection.ts';
import { askStore } from '../store/open.ts';
import type { ShellContext } from './context.ts';

/** A shell command may wait for a lock this long, with its thread blocked; a screen may not. */
const lockWaitMs = 5_000;

/**
 * Asks the store something without writing to it.
 * @returns the answer; undefined where there is no store yet
 * @throws StoreError
 */
export function readStore<Answer>(context: ShellContext, ask: (connection: Connection) => Answer): Answer | undefined {
  try {
    return askStore(context.home.storePath, { now: context.now, timeoutMs: lockWaitMs }, ask);
  } catch (error) {
    if (error instanceof StoreError && error.trouble === 'missing') return undefined;
    throw error;
  }
}
