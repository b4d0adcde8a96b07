import type { Message, SessionId } from '../session/types.ts';
import type { SessionStore } from './recorder.ts';

/** A session that somebody else holds is looked at that often. Milliseconds. */
const followMs = 1000;
const windowSize = 60;

/**
 * Hands out what others add to a session, message by message, until stopped; an answer that `isOngoing` says is being written comes when it
 * is whole. One `PRAGMA data_version` a second; a look that fails is told and tried again.
 */
export function followSession(
  store: SessionStore,
  id: SessionId,
  /** The newest message that is shown already; absent: what is there now is. */
  seenUpTo: number | undefined,
  isOngoing: () => boolean,
  onMessages: (messages: readonly Message[]) => void,
  onTrouble: (error: unknown) => void,
): () => void {
  /** Version of the store, and whether the holder's turn ran, at the last look. */
  let version: string | undefined;
  let newest = seenUpTo;
  let isBusy = false;
  let isStopped = false;

  async function look(): Promise<void> {
    const isWriting = isOngoing();
    const next = `${await store.dataVersion()} ${isWriting}`;
    if (next === version) return;
    const { messages: stored } = await store.read.messagesBefore(id, undefined, windowSize);
    version = next;
    const messages = isWriting && stored.at(-1)?.finishReason === 'interrupted' ? stored.slice(0, -1) : stored;
    const before = newest;
    newest = messages.at(-1)?.id ?? 0;
    const added = before === undefined ? [] : messages.filter((message) => message.id > before);
    if (added.length > 0 && !isStopped) onMessages(added);
  }

  const turn = (): void => {
    if (isBusy) return;
    isBusy = true;
    look()
      .catch(onTrouble)
      .finally(() => {
        isBusy = false;
      });
  };
  turn();
  const timer = setInterval(turn, followMs).unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}
