import type { Context } from './context.ts';
import type { OpenChat } from './desk.ts';

/** A session that another pane holds is looked at that often. Milliseconds. */
const followMs = 1000;
const windowSize = 60;

/**
 * Shows what another pane adds to the session that is read along here: one `PRAGMA data_version` a second while such a session is shown, and
 * no timer otherwise. `afterFrame` notices that one is: showing another conversation, or turning read-only, draws a frame.
 */
export function followAlong(context: Context): { afterFrame(): void; stop(): void } {
  const { desk, store, register } = context;
  /** Version of the store, and whether the holder's turn ran, at the last look. */
  const seen = new WeakMap<OpenChat, string>();
  let isBusy = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const chat = desk.current();
    const id = chat.seat.id();
    if (!chat.isForeign) return stop();
    if (id === undefined || isBusy) return;
    isBusy = true;
    try {
      const isOngoing = register.ownerOf(chat.ids)?.session.state === 'working';
      const version = `${await store.dataVersion()} ${isOngoing}`;
      if (seen.get(chat) === version) return;
      const { messages } = await store.read.messagesBefore(id, undefined, windowSize);
      seen.set(chat, version);
      // All that came since the session was opened: an answer that is still streaming grows under its id.
      const added = messages.filter((message) => message.id > chat.seenUpTo);
      if (added.length > 0) desk.tell(chat, { type: 'followed', messages: added, isOngoing });
    } catch (error) {
      context.log.error('read-along', error);
    } finally {
      isBusy = false;
    }
  }

  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    afterFrame() {
      if (desk.current().isForeign) timer ??= setInterval(() => void look(), followMs).unref();
    },
    stop,
  };
}
