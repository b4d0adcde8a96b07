import type { CommandId } from '../../../commands/table.ts';
import type { ConversationEvent } from '../../../agent/events.ts';
import type { Query } from '../../../session/query.ts';
import type { Message, SessionId } from '../../../session/types.ts';
import type { Editor } from '../../editor/index.ts';
import type { Block, Transcript } from '../../transcript/index.ts';
import type { Composer } from './composer.ts';

/** Which conversation this is. A conversation without an id has no row in the store yet. */
export interface ChatSession {
  readonly id?: SessionId;
  readonly title?: string | undefined;
  readonly model?: string;
}

/** Where it goes on. */
export interface ChatPlace {
  /** Absolute path. */
  readonly path: string;
  readonly branch?: string;
  /** This terminal as shown: `tmux %3`. */
  readonly terminal?: string;
}

/** Where a window of the stored transcript begins; handed back as it came. */
export interface Cursor {
  readonly sessionId: SessionId;
  readonly order: number;
}

/** A turn while it runs, and which blocks its stream writes to. */
export interface Turn {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly agent: string | undefined;
  readonly reasoning: string | undefined;
  /** Tool call id → block id. */
  readonly tools: ReadonlyMap<string, string>;
}

/** How much of the stored conversation is in the transcript. */
export interface Backlog {
  /** The recap panel stands for it; nothing of it is loaded. */
  readonly isRecap: boolean;
  readonly cursor: Cursor | undefined;
  /** A window was asked for; other answers are stale. */
  readonly pending: number | undefined;
  /** What happens when the window is there. */
  readonly then: 'stay' | 'page-up' | 'read' | 'top' | 'find';
}

/** What was looked for in the conversation, and where it is: messages in reading order, those of compressed segments too. */
export interface FoundHits {
  /** Other answers are stale. */
  readonly token: number;
  /** Absent until they are there; `loaded`: nothing is stored yet, what is loaded is gone through. */
  readonly ids: readonly number[] | 'loaded' | undefined;
  /** The one gone to last. */
  readonly at: number | undefined;
  /** Where it goes when the hits are there; when the message is loaded. */
  readonly then: 'next' | 'previous' | undefined;
  readonly target: number | undefined;
}

/** A conversation that is only looked at: a window of it, its end may not be loaded. The pane's own conversation stays. */
export interface ChatLook {
  readonly end: Cursor | undefined;
  /** What was asked for; other answers are stale. */
  readonly later: number | undefined;
  readonly around: { readonly token: number; readonly at: LookAt } | undefined;
}

/** A message, or an end of the conversation. */
export type LookAt = number | 'first' | 'last';

export interface ChatState {
  readonly width: number;
  readonly height: number;
  readonly session: ChatSession;
  readonly place: ChatPlace;
  /** Tokens of the last call and of the model's window, where known. */
  readonly context: { readonly used: number; readonly limit?: number } | undefined;
  /** Time of day of the private copy that is read instead of the store: `14:02`. */
  readonly copyOf: string | undefined;
  /** Why nothing can be sent here. */
  readonly readOnly: string | undefined;
  readonly transcript: Transcript;
  readonly backlog: Backlog;
  readonly composer: Composer;
  readonly queue: readonly string[];
  readonly turn: Turn | undefined;
  /** A write waits for another program's lock. */
  readonly isStoreWaiting: boolean;
  /** What Enter on the empty line does, beside asking again: a choice that waits and holds nothing up. */
  readonly offer: { readonly command: CommandId; readonly text: string } | undefined;
  /** The last turn left its question without an answer. */
  readonly canRetry: boolean;
  readonly focus: 'composer' | 'reading' | 'find';
  readonly find: Editor;
  readonly found: FoundHits | undefined;
  readonly look: ChatLook | undefined;
  readonly drag: 'transcript' | 'composer' | undefined;
  /** Ctrl+C was pressed on an empty idle line; a second press until then leaves. Milliseconds since the epoch. */
  readonly leaveUntil: number;
  readonly flash: { readonly text: string; readonly isError: boolean; readonly until: number } | undefined;
  /** The terminal tells Shift+Enter from Enter. */
  readonly hasKittyKeys: boolean;
  /** Counts tokens and block ids. */
  readonly serial: number;
}

export type ChatAction =
  | { type: 'conversation'; event: ConversationEvent; now: number }
  | { type: 'loaded'; what: 'window'; token: number; messages: readonly Message[]; start?: Cursor; hasBefore: boolean }
  | { type: 'loaded'; what: 'hits'; token: number; ids: readonly number[] | 'loaded' }
  /** Of a look: what follows the window, or another window. */
  | { type: 'loaded'; what: 'later'; token: number; messages: readonly Message[]; end?: Cursor; hasAfter: boolean }
  | {
      type: 'loaded';
      what: 'around';
      token: number;
      messages: readonly Message[];
      start?: Cursor;
      end?: Cursor;
      hasBefore: boolean;
      hasAfter: boolean;
    }
  | { type: 'loaded'; what: 'history'; stored: readonly string[]; slash: readonly string[] }
  /** Rows another process added, in a session that is read along. */
  /** What came since the session was opened, of a session that is read along; `isOngoing`: its holder's turn runs. */
  | { type: 'followed'; messages: readonly Message[]; isOngoing: boolean }
  | { type: 'failed'; what: 'window'; token: number; message: string; hint?: string }
  | { type: 'session'; session: Partial<ChatSession> }
  | { type: 'place'; place: ChatPlace }
  | { type: 'context-limit'; limit: number }
  | { type: 'block'; block: Block }
  /** `isAsked`: somebody waits for it, so it is scrolled to. */
  | { type: 'notice'; tone: 'info' | 'error'; text: string; hint?: string; isAsked?: boolean }
  | { type: 'flash'; text: string; isError?: boolean; now: number }
  | { type: 'store-waiting'; isWaiting: boolean }
  | { type: 'offer'; offer: ChatState['offer'] }
  | { type: 'read-only'; reason: string | undefined }
  /** Text that could not be sent comes back into the line. */
  | { type: 'unsent'; texts: readonly string[] }
  /** The whole line anew: from $EDITOR, from a draft. */
  | { type: 'fill'; text: string }
  | { type: 'capabilities'; hasKittyKeys: boolean }
  | { type: 'glyphs'; glyphs: Transcript['layout']['glyphs'] }
  /** Colours or Markdown arrived for blocks that are shown. */
  | { type: 'repaint' }
  | { type: 'focused' };

export type ChatEffect =
  | { type: 'send'; text: string }
  | { type: 'retry' }
  /** Something was to be sent from a session that is only read here. */
  | { type: 'locked' }
  | { type: 'interrupt' }
  /** What waits behind the turn comes back into the line. */
  | { type: 'take-queue' }
  /** A command of the program, typed or chosen; `args` is what stood behind its name. */
  | { type: 'run'; id: CommandId; args: string }
  | { type: 'load-window'; token: number; before: Cursor | undefined }
  | { type: 'load-later'; token: number; after: Cursor | undefined }
  | { type: 'load-around'; token: number; at: LookAt }
  /** Answer with `loaded` `hits`; ends the one before. */
  | { type: 'find'; token: number; query: Query }
  /** Of a look: goes on with the conversation; leaves it. */
  | { type: 'resume-look' }
  | { type: 'close-look' }
  | { type: 'load-history' }
  | { type: 'copy'; text: string; what: 'selection' | 'message' }
  | { type: 'edit'; text: string }
  /** Line or queue changed: keep them on disk. */
  | { type: 'draft' }
  | { type: 'remember-command'; line: string }
  | { type: 'leave' };

/** Milliseconds a word in the status line stands. */
export const flashMs = 4000;
/** Milliseconds within which a second Ctrl+C leaves. */
export const leaveMs = 2000;

/** When the screen changes by itself: the clock of a running turn, a word that goes. Undefined = never. */
export function chatWakeAt(state: ChatState, now: number): number | undefined {
  const times: number[] = [];
  if (state.turn !== undefined) times.push(now + 1000 - ((now - state.turn.since) % 1000));
  if (state.flash !== undefined && state.flash.until > now) times.push(state.flash.until);
  if (state.leaveUntil > now) times.push(state.leaveUntil);
  return times.length === 0 ? undefined : Math.min(...times);
}
