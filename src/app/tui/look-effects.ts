import { HermesError, NotFoundError } from '../../errors.ts';
import { isEverything, type Query } from '../../session/query.ts';
import type { SessionId, SessionRow } from '../../session/types.ts';
import { searchText } from '../../text/en/search.ts';
import { createChat, createLook, type ChatAction, type ChatEffect, type ChatState, type LookAt } from '../../ui/screens/chat/index.ts';
import type { Context } from './context.ts';
import { copy } from './copy.ts';

/** Messages before and behind the one that is opened; then of each further window. */
const around = 60;
const windowSize = 200;

export interface LookWanted {
  /** The session that Enter resumes. */
  readonly id: SessionId;
  readonly row: Pick<SessionRow, 'id' | 'title' | 'model' | 'cwd' | 'gitBranch'>;
  readonly messageId?: number;
  readonly query: Query;
  readonly text: string;
}

export interface LookEffects {
  /** The look that stands on the screen from the first frame on, at a message that was named. */
  adoptLook(id: SessionId): void;
  /** Takes it off the screen, if one is there. */
  leaveLook(): void;
  runLook(effect: ChatEffect): void;
}

/** Conversations that are looked at: read in windows, nothing of them is written. One at a time. */
export function createLooks(
  context: Context,
  options: { readonly resume: (id: SessionId) => void },
): LookEffects & { look(wanted: LookWanted): Promise<void> } {
  const { loop, store } = context;
  let current: SessionId | undefined;
  let finding: AbortController | undefined;

  const tell = (action: ChatAction): void => loop().dispatch({ type: 'to', name: 'look', action });

  async function windowAt(id: SessionId, at: LookAt) {
    if (at === 'first') return store.read.messagesAfter(id, undefined, windowSize);
    if (at === 'last') return store.read.messagesBefore(id, undefined, windowSize);
    return store.read.messagesAround(at, around, around);
  }

  async function windowAround(id: SessionId, token: number, at: LookAt): Promise<ChatAction> {
    const window = await windowAt(id, at);
    if (window === undefined || (window.messages.length === 0 && typeof at === 'number')) throw new NotFoundError(searchText.messageGone);
    const { messages, start, end, hasBefore, hasAfter } = window;
    const edges = { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
    return { type: 'loaded', what: 'around', token, messages, hasBefore, hasAfter, ...edges };
  }

  /** A failure that is one of ours is said in the look; the wait ends. */
  async function said(token: number, work: Promise<ChatAction>): Promise<void> {
    try {
      tell(await work);
    } catch (error) {
      if (!(error instanceof HermesError)) throw error;
      tell({ type: 'failed', what: 'window', token, message: error.message });
    }
  }

  async function find(id: SessionId, token: number, query: Query): Promise<void> {
    finding?.abort();
    finding = new AbortController();
    const { signal } = finding;
    try {
      const hits = await store.reading(signal).hitsIn(id, query);
      tell({ type: 'loaded', what: 'hits', token, ids: hits.map((hit) => hit.messageId) });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof HermesError)) throw error;
      tell({ type: 'flash', text: error.message, isError: true, now: context.run.now() });
    }
  }

  async function later(id: SessionId, effect: ChatEffect & { type: 'load-later' }): Promise<ChatAction> {
    const { messages, end, hasAfter } = await store.read.messagesAfter(id, effect.after, windowSize);
    return { type: 'loaded', what: 'later', token: effect.token, messages, hasAfter, ...(end === undefined ? {} : { end }) };
  }

  async function earlier(id: SessionId, effect: ChatEffect & { type: 'load-window' }): Promise<ChatAction> {
    const { messages, start, hasBefore } = await store.read.messagesBefore(id, effect.before, windowSize);
    return { type: 'loaded', what: 'window', token: effect.token, messages, hasBefore, ...(start === undefined ? {} : { start }) };
  }

  function close(): void {
    finding?.abort();
    current = undefined;
    loop().dispatch({ type: 'close', name: 'look' });
  }

  return {
    adoptLook(id) {
      current = id;
    },
    async look({ id, row, messageId, query, text }) {
      const { stage } = context;
      const { title, model, cwd = '', gitBranch } = row;
      const chat = createChat({
        session: { id, ...(title === undefined ? {} : { title }), ...(model === undefined ? {} : { model }) },
        place: { path: cwd, ...(gitBranch === undefined ? {} : { branch: gitBranch }) },
        blocks: [],
        hasBacklog: false,
        glyphs: stage.glyphs,
        hasKittyKeys: stage.remembered?.['kittyKeys'] === true,
      });
      const at = messageId ?? 'last';
      const state: ChatState = createLook(chat, at, { text, query });
      // It opens with what it shows: no empty screen in between.
      const loaded = await windowAround(id, state.look!.around!.token, at);
      current = id;
      loop().dispatch({ type: 'open', screen: { name: 'look', state } });
      tell(loaded);
      if (!isEverything(query)) context.track(find(id, state.found!.token, query));
    },
    leaveLook: close,
    runLook(effect) {
      const id = current;
      if (id === undefined) return;
      switch (effect.type) {
        case 'load-around':
          return context.track(said(effect.token, windowAround(id, effect.token, effect.at)));
        case 'load-later':
          return context.track(said(effect.token, later(id, effect)));
        case 'load-window':
          return context.track(said(effect.token, earlier(id, effect)));
        case 'find':
          return context.track(find(id, effect.token, effect.query));
        case 'copy':
          return context.track(copy(context, effect.text, effect.what === 'message'));
        case 'close-look':
          return close();
        case 'resume-look':
          close();
          return options.resume(id);
        case 'run':
          close();
          context.search.leave();
          context.picker.leave();
          return context.runCommand(effect.id, effect.args);
        default:
          // What only a conversation that is written to asks for.
          return;
      }
    },
  };
}
