import type { Context } from './context.ts';
import type { OpenChat } from './desk.ts';

/** A session that another pane holds is looked at that often. Milliseconds. */
const followMs = 1000;
const windowSize = 60;

/** Shows what another pane adds to the session that is read along here. Costs one `PRAGMA data_version` a second, and only then. */
export function followAlong(context: Context): () => void {
  const { desk, store, register } = context;
  /** Version of the store, and whether the holder's turn ran, at the last look. */
  const seen = new WeakMap<OpenChat, string>();
  let isBusy = false;

  async function look(): Promise<void> {
    const chat = desk.current();
    const id = chat.seat.id();
    if (!chat.isForeign || id === undefined || isBusy) return;
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

  const timer = setInterval(() => void look(), followMs).unref();
  return () => clearInterval(timer);
}
