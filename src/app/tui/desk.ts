import type { ConversationEvent } from '../../agent/events.ts';
import type { SessionId } from '../../session/types.ts';
import type { LiveHolder, LiveRegister } from '../../terminal/live-register.ts';
import type { TerminalWindow } from '../../terminal/tmux.ts';
import { writeBreadcrumb } from '../../terminal/breadcrumbs.ts';
import { composerText, type ChatAction, type ChatEffect, type ChatState } from '../../ui/screens/chat/index.ts';
import type { Definitions } from '../../ui/root/model.ts';
import { draftKeyOf, type Drafts } from '../drafts.ts';
import { followDirectory } from '../follow-directory.ts';
import type { Log } from '../log.ts';
import { seatFor } from '../opened-seat.ts';
import type { GoneDirectory, Opening } from '../opening.ts';
import type { SessionStore } from '../recorder.ts';
import type { Run } from '../run.ts';
import type { Seat } from '../seat.ts';
import { chatFor } from './chat-start.ts';
import type { Stage } from './stage.ts';
import type { Loop } from './loop.ts';

/** One conversation of this process, shown or going on behind the one that is. */
export interface OpenChat {
  readonly seat: Seat;
  /** The state while it is not shown; the screen has the newest one otherwise. */
  parked: ChatState;
  /** Sent and not stored yet: still a draft. */
  inFlight: string | undefined;
  /** Every id of its lineage. */
  ids: readonly SessionId[];
  /** Open elsewhere, taken over or handed away: never stamped, never written. */
  isForeign: boolean;
  readonly source: string;
  /** Newest stored message that is shown; what is newer is added when it is read along. */
  seenUpTo: number;
  /** Words are being looked for in it; other words end that. */
  finding: AbortController | undefined;
  /** Its recorded directory does not exist; tools are off. */
  gone: GoneDirectory | undefined;
}

export interface DeskOptions {
  readonly run: Run;
  readonly stage: Stage;
  readonly store: SessionStore;
  readonly register: LiveRegister;
  readonly drafts: Drafts;
  readonly log: Log;
  readonly definitions: Definitions;
  readonly loop: () => Loop;
  /** Effects of a conversation that is not shown; only drafts matter there. */
  readonly onTrouble: (error: unknown) => void;
}

/** What a pane holds: the conversation shown, and those whose turn goes on behind it. */
export interface Desk {
  current(): OpenChat;
  all(): readonly OpenChat[];
  stateOf(chat: OpenChat): ChatState;
  tell(chat: OpenChat, action: ChatAction): void;
  /**
   * A conversation for what was opened; it is not shown yet. Its draft comes back, but for `isTakenOver`: there the one who had the session
   * keeps it.
   */
  open(opening: Opening, source: string, options?: { state?: ChatState; isTakenOver?: boolean }): OpenChat;
  /** Shows it in place of the current one, which goes on behind it while its turn runs, and else is left with that reason. */
  show(chat: OpenChat, leaving: string): void;
  /** A conversation that goes on behind. */
  find(id: SessionId): OpenChat | undefined;
  /** Claims the session for this process. @returns who has it otherwise */
  claim(chat: OpenChat): LiveHolder | undefined;
  /** This pane was left at that session. */
  remember(chat: OpenChat): void;
  saveDraft(chat: OpenChat): void;
  setWindow(window: TerminalWindow | undefined): void;
  /** Ends everything with that reason. */
  endAll(reason: string): Promise<void>;
}

export function createDesk(options: DeskOptions): Desk {
  const { run, stage, store, register, drafts, definitions } = options;
  let shown: OpenChat | undefined;
  const behind = new Set<OpenChat>();
  let window: TerminalWindow | undefined;

  const stateOf = (chat: OpenChat): ChatState => {
    if (chat !== shown) return chat.parked;
    const screen = options
      .loop()
      .state()
      .stack.find((each) => each.name === 'chat');
    return screen?.name === 'chat' ? screen.state : chat.parked;
  };

  const isDelta = (event: ConversationEvent): boolean =>
    event.type === 'turn' && (event.event.type === 'text' || event.event.type === 'reasoning');

  function tell(chat: OpenChat, action: ChatAction): void {
    if (chat === shown) {
      const isStreamed = action.type === 'conversation' && isDelta(action.event);
      const told = { type: 'to', name: 'chat', action } as const;
      if (isStreamed) options.loop().dispatchStreamed(told);
      else options.loop().dispatch(told);
      return;
    }
    const updated = definitions.chat.update(chat.parked, action);
    chat.parked = updated.state;
    if (updated.effects.some((effect: ChatEffect) => effect.type === 'draft')) saveDraft(chat);
  }

  const draftKey = (chat: OpenChat): string => draftKeyOf(run, chat.seat.id());

  function saveDraft(chat: OpenChat): void {
    if (chat.isForeign) return;
    drafts.save(draftKey(chat), () => {
      const state = stateOf(chat);
      const text = [chat.inFlight ?? '', composerText(state.composer)].filter((part) => part !== '').join('\n\n');
      return { text, queue: state.queue };
    });
  }

  function receive(chat: OpenChat, event: ConversationEvent): void {
    if (event.type === 'user' || event.type === 'message') chat.seenUpTo = Math.max(chat.seenUpTo, event.message.id);
    if (event.type === 'user') {
      if (event.created) {
        // The draft moves from the pane to the session it became.
        drafts.save(draftKeyOf(run, undefined), () => ({ text: '', queue: [] }));
        drafts.flush();
        chat.ids = [event.sessionId];
        claim(chat);
      }
      chat.inFlight = undefined;
      remember(chat);
    }
    if (event.type === 'turn-started' || event.type === 'turn-ended') {
      const id = chat.seat.id();
      if (id !== undefined) register.setState(id, event.type === 'turn-started' ? 'working' : 'idle');
    }
    tell(chat, { type: 'conversation', event, now: run.now() });
    if (event.type === 'user') tell(chat, { type: 'session', session: sessionOf(chat) });
    if (event.type === 'turn-ended' && behind.has(chat) && !chat.seat.conversation.isBusy) void leave(chat, 'tui_close');
  }

  function sessionOf(chat: OpenChat): { id?: SessionId; title?: string; model?: string } {
    const id = chat.seat.id();
    const title = chat.seat.title();
    const model = chat.seat.modelName();
    return {
      ...(id === undefined ? {} : { id }),
      ...(title === undefined ? {} : { title }),
      ...(model === undefined ? {} : { model }),
    };
  }

  function claim(chat: OpenChat): LiveHolder | undefined {
    const id = chat.seat.id();
    return id === undefined ? undefined : register.claim(id, chat.seat.conversation.isBusy ? 'working' : 'idle', chat.ids);
  }

  function remember(chat: OpenChat): void {
    const sessionId = chat.seat.id();
    if (sessionId === undefined) return;
    const outcome = writeBreadcrumb(run.home.path, run.terminal(), { sessionId, cwd: chat.seat.workspace().cwd, window }, run.now());
    if (outcome.failed !== undefined) options.log.write('breadcrumb-failed', { code: outcome.failed });
  }

  async function leave(chat: OpenChat, reason: string): Promise<void> {
    behind.delete(chat);
    try {
      if (chat.isForeign) await chat.seat.hand();
      else await chat.seat.end(reason);
    } catch (error) {
      options.onTrouble(error);
    } finally {
      const id = chat.seat.id();
      if (id !== undefined) register.release(id);
    }
  }

  return {
    current: () => shown!,
    all: () => [...(shown === undefined ? [] : [shown]), ...behind],
    stateOf,
    tell,
    find: (id) => [...behind].find((chat) => chat.ids.includes(id)),
    open(opening, source, { state, isTakenOver = false } = {}) {
      const { session } = opening.plan;
      const seat = seatFor(opening, { run, store, source, onTrouble: options.onTrouble });
      const chat: OpenChat = {
        seat,
        parked: state ?? chatFor(run, stage, opening),
        inFlight: undefined,
        ids: session === undefined ? [] : [session.id],
        isForeign: opening.copiedAt !== undefined,
        source,
        seenUpTo: opening.recap?.newestId ?? 0,
        finding: undefined,
        gone: undefined,
      };
      seat.subscribe((event) => receive(chat, event));
      // Who holds a session keeps its draft; a second pane that looks at it types nothing there.
      if (isTakenOver || register.ownerOf(chat.ids) !== undefined) return chat;
      const draft = drafts.load(draftKey(chat));
      const texts = [draft.text, ...draft.queue].filter((text) => text !== '');
      if (texts.length > 0) chat.parked = definitions.chat.update(chat.parked, { type: 'fill', text: texts.join('\n\n') }).state;
      return chat;
    },
    show(chat, leaving) {
      const before = shown;
      if (before === chat) return;
      if (before !== undefined) {
        before.parked = stateOf(before);
        if (before.seat.conversation.isBusy) behind.add(before);
        else void leave(before, leaving);
      }
      behind.delete(chat);
      shown = chat;
      followDirectory(chat.seat.workspace().realCwd, options.log);
      options.loop().dispatch({ type: 'replace', screen: { name: 'chat', state: chat.parked } });
      tell(chat, { type: 'session', session: sessionOf(chat) });
    },
    claim,
    remember,
    saveDraft,
    setWindow(next) {
      window = next;
    },
    async endAll(reason) {
      drafts.flush();
      await Promise.all([...(shown === undefined ? [] : [leave(shown, reason)]), ...[...behind].map((chat) => leave(chat, reason))]);
    },
  };
}
