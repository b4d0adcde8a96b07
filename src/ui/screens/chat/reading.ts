import type { Update } from '../../screen.ts';
import {
  enterReading,
  keepCursorInSight,
  leaveReading,
  placeCursor,
  scrollPage,
  scrollToEnd,
  scrollToStart,
  setQuery,
} from '../../transcript/index.ts';
import { goOn } from './finding.ts';
import { lookAt } from './looking.ts';
import { hasMore, requestWindow } from './windows.ts';
import type { Backlog, ChatEffect, ChatState } from './state.ts';

export { findNext } from './finding.ts';

type Result = Update<ChatState, ChatEffect>;
const same = (state: ChatState): Result => ({ state, effects: [] });

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
      return goOn(state, now);
  }
}

/** To the beginning of the conversation: every window before it is loaded first, one at a time, so that keys are answered between. */
export function toTop(state: ChatState): Result {
  if (state.look !== undefined && hasMore(state)) return lookAt(state, 'first');
  if (hasMore(state)) return requestWindow(state, 'top');
  return same({ ...state, transcript: placeCursor(scrollToStart(state.transcript), 'first') });
}

export const toBottom = (state: ChatState): Result =>
  state.look !== undefined && state.transcript.hasLater
    ? lookAt(state, 'last')
    : same({ ...state, transcript: placeCursor(scrollToEnd(state.transcript), 'last') });

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
  found: undefined,
  transcript: setQuery(leaveReading(state.transcript), ''),
});
