import type { Query } from '../../../session/query.ts';
import type { Update } from '../../screen.ts';
import {
  appendBlocks,
  enterReading,
  goToMessage,
  messageBlocks,
  pinTop,
  placeCursor,
  scrollToEnd,
  scrollToStart,
  setBlocks,
  setQuery,
  viewTranscript,
} from '../../transcript/index.ts';
import { chatText } from '../../../text/en/chat.ts';
import { flashMs, type ChatAction, type ChatEffect, type ChatState, type LookAt } from './state.ts';

type Result = Update<ChatState, ChatEffect>;
const same = (state: ChatState): Result => ({ state, effects: [] });

/** A conversation screen turned into a look at `at`; the answer to `around` fills it, the one to `found` says where else the words are. */
export function createLook(chat: ChatState, at: LookAt, wanted: { readonly text: string; readonly query: Query }): ChatState {
  const token = chat.serial;
  const messageId = typeof at === 'number' ? at : undefined;
  return {
    ...chat,
    focus: 'reading',
    serial: token + 2,
    look: { end: undefined, later: undefined, around: { token, at } },
    found: { token: token + 1, ids: undefined, at: messageId, then: undefined, target: messageId },
    transcript: setQuery(chat.transcript, wanted.text, wanted.query),
  };
}

/** Another window in place of the one that is loaded. */
export function lookAt(state: ChatState, at: LookAt): Result {
  if (state.look === undefined) return same(state);
  const token = state.serial;
  const look = { ...state.look, around: { token, at }, later: undefined };
  const backlog = { ...state.backlog, pending: undefined };
  return { state: { ...state, serial: token + 1, look, backlog }, effects: [{ type: 'load-around', token, at }] };
}

export function receiveAround(state: ChatState, action: Extract<ChatAction, { what: 'around'; type: 'loaded' }>, now: number): Result {
  const { look } = state;
  if (look?.around === undefined || look.around.token !== action.token) return same(state);
  const { at } = look.around;
  const more = { hasEarlier: action.hasBefore, hasLater: action.hasAfter };
  const filled = enterReading(setBlocks(state.transcript, messageBlocks(action.messages), more));
  const here: ChatState = {
    ...state,
    transcript: filled,
    look: { end: action.end, later: undefined, around: undefined },
    backlog: { isRecap: false, cursor: action.start, pending: undefined, then: 'stay' },
  };
  if (at === 'first') return same({ ...here, transcript: placeCursor(scrollToStart(filled), 'first') });
  if (at === 'last') return same({ ...here, transcript: placeCursor(scrollToEnd(filled), 'last') });
  const found = here.found === undefined ? undefined : { ...here.found, target: undefined };
  const transcript = goToMessage(filled, at);
  if (transcript !== undefined) return same({ ...here, found, transcript });
  return same({ ...here, found, flash: { text: chatText.notShown, isError: false, until: now + flashMs } });
}

/** What follows the window, when its end is near. */
export function askLater(state: ChatState): Result | undefined {
  const { look } = state;
  if (look === undefined || look.later !== undefined || look.around !== undefined) return undefined;
  if (!viewTranscript(state.transcript).needsLater) return undefined;
  const token = state.serial;
  return {
    state: { ...state, serial: token + 1, look: { ...look, later: token } },
    effects: [{ type: 'load-later', token, after: look.end }],
  };
}

export function receiveLater(state: ChatState, action: Extract<ChatAction, { what: 'later'; type: 'loaded' }>): ChatState {
  const { look } = state;
  if (look === undefined || look.later !== action.token) return state;
  const transcript = appendBlocks(pinTop(state.transcript), messageBlocks(action.messages), action.hasAfter);
  return { ...state, transcript, look: { ...look, later: undefined, end: action.end ?? look.end } };
}

/** What was asked for can't be read: it is said, and asked for again when it is wanted again. */
export function failLook(state: ChatState, { token, message }: ChatAction & { type: 'failed' }, now: number): ChatState {
  const { look, backlog } = state;
  if (look === undefined) return state;
  return {
    ...state,
    look: {
      end: look.end,
      later: look.later === token ? undefined : look.later,
      around: look.around?.token === token ? undefined : look.around,
    },
    backlog: { ...backlog, pending: backlog.pending === token ? undefined : backlog.pending },
    flash: { text: message, isError: true, until: now + flashMs },
  };
}
