import type { Context } from './context.ts';
import type { OpenChat } from './desk.ts';

/** A session that another pane holds is looked at that often. Milliseconds. */
const followMs = 1000;
const windowSize = 60;

/** Shows what another pane adds to the session that is read along here. Costs one `PRAGMA data_version` a second, and only then. */
export function followAlong(context: Context): () => void {
  const { desk, store } = context;
  const seen = new WeakMap<OpenChat, { version: number; newest: number }>();
  let isBusy = false;

  async function look(): Promise<void> {
    const chat = desk.current();
    const id = chat.seat.id();
    if (!chat.isForeign || id === undefined || isBusy) return;
    isBusy = true;
    try {
      const version = await store.dataVersion();
      const before = seen.get(chat);
      if (before?.version === version) return;
      const { messages } = await store.read.messagesBefore(id, undefined, windowSize);
      const newest = messages.at(-1)?.id ?? 0;
      seen.set(chat, { version, newest: before?.newest ?? newest });
      if (before !== undefined) desk.tell(chat, { type: 'followed', messages: messages.filter((message) => message.id > before.newest) });
    } catch (error) {
      context.log.error('read-along', error);
    } finally {
      isBusy = false;
    }
  }

  const timer = setInterval(() => void look(), followMs).unref();
  return () => clearInterval(timer);
}
