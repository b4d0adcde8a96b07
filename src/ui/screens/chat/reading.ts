import { chatText } from '../../../text/en/chat.ts';
import type { Update } from '../../screen.ts';
import {
  enterReading,
  findMatch,
  keepCursorInSight,
  leaveReading,
  placeCursor,
  scrollPage,
  scrollToEnd,
  scrollToStart,
  setQuery,
  wrapMatch,
} from '../../transcript/index.ts';
import { flashMs, type Backlog, type ChatEffect, type ChatState } from './state.ts';

type Result = Update<ChatState, ChatEffect>;
const same = (state: ChatState): Result => ({ state, effects: [] });

/**
 * Asks for the window of the stored conversation before what is loaded; `then` says what happens when it is there. While one is under way
 * a stronger wish replaces the weaker one, no second window is asked for.
 */
export function requestWindow(state: ChatState, then: Backlog['then']): Result {
  const { backlog } = state;
  if (backlog.pending !== undefined) return same({ ...state, backlog: { ...backlog, then: then === 'stay' ? backlog.then : then } });
  const token = state.serial;
  const next: ChatState = { ...state, serial: token + 1, backlog: { ...backlog, pending: token, then } };
  return { state: next, effects: [{ type: 'load-window', token, before: backlog.cursor }] };
}

const hasMore = (state: ChatState): boolean => state.backlog.isRecap || state.transcript.hasEarlier;

/** Goes on with what a window was asked for. */
export function readFrom(state: ChatState, then: Backlog['then'], now: number): Result {
  switch (then) {
    case 'stay':
      return same(state);
    case 'page-up':
      // The panel gives way to the transcript at its end; from there the next key scrolls.
      return same({ ...state, transcript: scrollToEnd(state.transcript) });
    case 'read':
      return same({ ...state, focus: 'reading', transcript: enterReading(state.transcript) });
    case 'top':
      return toTop(state);
    case 'find':
      return findNext(state, 'previous', now);
  }
}

/** To the beginning of the conversation: every window before it is loaded first, one at a time, so that keys are answered between. */
export function toTop(state: ChatState): Result {
  if (hasMore(state)) return requestWindow(state, 'top');
  return same({ ...state, transcript: placeCursor(scrollToStart(state.transcript), 'first') });
}

export const toBottom = (state: ChatState): Result => same({ ...state, transcript: placeCursor(scrollToEnd(state.transcript), 'last') });

export function page(state: ChatState, direction: 'up' | 'down'): Result {
  if (state.backlog.isRecap) return direction === 'up' ? requestWindow(state, 'page-up') : same(state);
  return same({ ...state, transcript: keepCursorInSight(scrollPage(state.transcript, direction)) });
}

export function startReading(state: ChatState): Result {
  if (state.backlog.isRecap) return requestWindow(state, 'read');
  if (state.transcript.blocks.length === 0) return same(state);
  return same({ ...state, focus: 'reading', transcript: enterReading(state.transcript) });
}

export const stopReading = (state: ChatState): ChatState => ({
  ...state,
  focus: 'composer',
  transcript: setQuery(leaveReading(state.transcript), ''),
});

/**
 * The next match in what is loaded; backwards at its edge, the window before is loaded and searched too. At the last match it begins again
 * at the other end, and says so.
 */
export function findNext(state: ChatState, direction: 'next' | 'previous', now: number): Result {
  const { query } = state.transcript;
  if (query === '') return same({ ...state, flash: { text: chatText.noQuery, isError: false, until: now + flashMs } });
  const { transcript, found } = findMatch(state.transcript, direction);
  if (found) return same({ ...state, transcript });
  if (direction === 'previous' && hasMore(state)) return requestWindow(state, 'find');
  const around = wrapMatch(state.transcript, direction);
  const until = now + flashMs;
  if (around.found)
    return same({ ...state, transcript: around.transcript, flash: { text: chatText.wrapped[direction], isError: false, until } });
  if (hasMore(state)) return requestWindow(state, 'find');
  return same({ ...state, transcript, flash: { text: chatText.notFound(query), isError: false, until } });
}
