import type { Message, SessionId } from '../session/types.ts';
import type { SessionStore } from './recorder.ts';

/** A session that somebody else holds is looked at that often. Milliseconds. */
const followMs = 1000;
const windowSize = 60;

/**
 * Hands out what others add to a session, message by message, until stopped. One `PRAGMA data_version` a second; a look that fails is told
 * and tried again.
 */
export function followSession(
  store: SessionStore,
  id: SessionId,
  /** The newest message that is shown already; absent: what is there now is. */
  seenUpTo: number | undefined,
  onMessages: (messages: readonly Message[]) => void,
  onTrouble: (error: unknown) => void,
): () => void {
  let version: number | undefined;
  let newest = seenUpTo;
  let isBusy = false;
  let isStopped = false;

  async function look(): Promise<void> {
    const next = await store.dataVersion();
    if (next === version) return;
    const { messages } = await store.read.messagesBefore(id, undefined, windowSize);
    version = next;
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
