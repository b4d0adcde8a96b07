import { parseQuery } from '../../../session/query-parse.ts';
import { chatText } from '../../../text/en/chat.ts';
import { editorValue, type Editor } from '../../editor/index.ts';
import type { Update } from '../../screen.ts';
import { findMatch, goToMessage, placeOfReading, setQuery, wrapMatch } from '../../transcript/index.ts';
import { lookAt } from './looking.ts';
import { flashMs, type ChatAction, type ChatEffect, type ChatState, type FoundHits } from './state.ts';
import { hasMore, requestWindow } from './windows.ts';

type Result = Update<ChatState, ChatEffect>;
type Direction = 'next' | 'previous';
const same = (state: ChatState): Result => ({ state, effects: [] });
const flashed = (state: ChatState, text: string, now: number): ChatState => ({
  ...state,
  flash: { text, isError: false, until: now + flashMs },
});

/**
 * Other words in the line of `/`: they are marked at once, and looked for in the whole conversation by the engine of the search. The last word is
 * the beginning of one, since it may still be typed.
 */
export function refind(state: ChatState, find: Editor, now: number): Result {
  const text = editorValue(find);
  if (text === state.transcript.query) return same({ ...state, find });
  const isOpen = /[^\s*"]$/u.test(text);
  const query = parseQuery(isOpen ? `${text}*` : text, { now, times: 'said' });
  const transcript = setQuery(state.transcript, text.trim(), query);
  if (transcript.finder === undefined) return same({ ...state, find, found: undefined, transcript });
  const token = state.serial;
  const found: FoundHits = { token, ids: undefined, at: undefined, then: undefined, target: undefined };
  return { state: { ...state, find, found, transcript, serial: token + 1 }, effects: [{ type: 'find', token, query }] };
}

export function receiveHits(state: ChatState, action: Extract<ChatAction, { what: 'hits'; type: 'loaded' }>, now: number): Result {
  const { found } = state;
  if (found === undefined || found.token !== action.token) return same(state);
  const next = { ...state, found: { ...found, ids: action.ids, then: undefined } };
  return found.then === undefined ? same(next) : findNext(next, found.then, now);
}

/** The next message that matches, in the whole conversation; at the last one it begins again at the other end, and says so. */
export function findNext(state: ChatState, direction: Direction, now: number): Result {
  const { found } = state;
  const { query, finder } = state.transcript;
  if (finder === undefined || found === undefined) return same(flashed(state, chatText.noQuery, now));
  if (found.ids === undefined) return same({ ...state, found: { ...found, then: direction } });
  if (found.ids === 'loaded') return findLoaded(state, direction, now);
  if (found.ids.length === 0) return same(flashed(state, chatText.notFound(query), now));
  const { index, isWrapped } = nextIndex(state, found.ids, found.at, direction);
  const went = goTo(state, found.ids[index]!, now);
  return isWrapped ? { ...went, state: flashed(went.state, chatText.wrapped[direction], now) } : went;
}

function nextIndex(
  state: ChatState,
  ids: readonly number[],
  at: number | undefined,
  direction: Direction,
): { index: number; isWrapped: boolean } {
  const by = direction === 'next' ? 1 : -1;
  const place = at === undefined ? -1 : ids.indexOf(at);
  const index = place === -1 ? firstIndex(state, ids, direction) : place + by;
  if (index >= 0 && index < ids.length) return { index, isWrapped: false };
  return { index: direction === 'next' ? 0 : ids.length - 1, isWrapped: true };
}

/** Nothing was gone to yet: the nearest hit from the message that is read. */
function firstIndex({ transcript }: ChatState, ids: readonly number[], direction: Direction): number {
  const places = new Map(ids.map((id, index) => [id, index]));
  const { blocks } = transcript;
  const placeOf = (index: number): number | undefined => {
    const block = blocks[index];
    if (block === undefined) return undefined;
    const own = block.messageId === undefined ? undefined : places.get(block.messageId);
    return own ?? (block.kind === 'tool' && block.resultId !== undefined ? places.get(block.resultId) : undefined);
  };
  const from = placeOfReading(transcript);
  const by = direction === 'next' ? 1 : -1;
  for (let index = direction === 'next' ? from : from - 1; index >= 0 && index < blocks.length; index += by) {
    const found = placeOf(index);
    if (found !== undefined) return found;
  }
  // Beyond what is loaded: the hit next to those that are.
  const loaded = blocks.flatMap((_, index) => placeOf(index) ?? []);
  if (loaded.length === 0) return direction === 'next' ? ids.length : ids.length - 1;
  return direction === 'next' ? Math.max(...loaded) + 1 : Math.min(...loaded) - 1;
}

/** Shows a message that was found, and reads what is missing on the way to it. */
function goTo(state: ChatState, id: number, now: number): Result {
  const found = state.found === undefined ? undefined : { ...state.found, at: id, target: undefined };
  const transcript = goToMessage(state.transcript, id);
  if (transcript !== undefined) return same({ ...state, transcript, found });
  const waiting = { ...state, found: found === undefined ? undefined : { ...found, target: id } };
  if (state.look !== undefined) return lookAt(waiting, id);
  return hasMore(state) ? requestWindow(waiting, 'find') : same(flashed({ ...state, found }, chatText.notShown, now));
}

/** A window came that was asked for on the way to a match. */
export function goOn(state: ChatState, now: number): Result {
  const target = state.found?.target;
  if (target !== undefined) return goTo(state, target, now);
  return state.found?.ids === 'loaded' ? findLoaded(state, 'previous', now) : same(state);
}

/** Nothing is stored yet: what is on the screen is all there is. */
function findLoaded(state: ChatState, direction: Direction, now: number): Result {
  const { transcript, found } = findMatch(state.transcript, direction);
  if (found) return same({ ...state, transcript });
  if (hasMore(state)) return requestWindow(state, 'find');
  const around = wrapMatch(state.transcript, direction);
  if (around.found) return same(flashed({ ...state, transcript: around.transcript }, chatText.wrapped[direction], now));
  return same(flashed({ ...state, transcript }, chatText.notFound(state.transcript.query), now));
}
