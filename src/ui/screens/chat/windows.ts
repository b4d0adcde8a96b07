import type { Update } from '../../screen.ts';
import type { Backlog, ChatEffect, ChatState } from './state.ts';

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

/** Something was said before what is loaded. */
export const hasMore = (state: ChatState): boolean => state.backlog.isRecap || state.transcript.hasEarlier;
