import { isEverything } from '../../../session/query.ts';
import { editorValue } from '../../editor/index.ts';
import type { Update } from '../../screen.ts';
import { cursorLine, hitById, hitCount, hitIds, listLines, type ListLine } from './items.ts';
import { layOutSearch } from './layout.ts';
import { queryOf } from './typed.ts';
import type { Cursor, Found, SearchEffect, SearchState } from './types.ts';

/** What every step ends with: the cursor on a row that is there, in sight, and what it needs asked for. */

export type Result = Update<SearchState, SearchEffect>;
/** Milliseconds since the epoch. */
export type Now = () => number;

/** The cursor rests when it stood so long. */
const restMs = 40;
/** Lineages of the first page; more are asked for when the cursor comes near its end. */
export const firstLimit = 60;
const nearEnd = 15;
const growth = 4;
/** Snippets read at once beside those on screen. */
const snippetsAhead = 20;

/** The list with nothing in it, and no key that waits for something in it. */
export const noResults = {
  results: [],
  lineages: 0,
  hits: 0,
  groups: new Map(),
  context: undefined,
  cursor: { index: 0 },
  top: 0,
  pending: [],
} satisfies Partial<SearchState>;

export const unchanged = (state: SearchState): Result => ({ state, effects: [] });

/** The lines of the list as it stands. */
export function linesOf(state: SearchState): ListLine[] {
  const { mostHits, hasGaps } = layOutSearch(state.width, state.height);
  return listLines({ results: state.results, groups: state.groups, cursor: state.cursor, most: mostHits, hasGaps });
}

export const foundAt = (state: SearchState): Found | undefined => state.results[state.cursor.index];

/** The caret stands where the last word ends. */
export const caretOf = (state: SearchState): number => state.field.caret.offset;

/** Asks anew when what is looked for is another thing now. */
export function ask(state: SearchState, now: Now): Result {
  const query = queryOf(editorValue(state.field), caretOf(state), { plainAt: state.plainAt, values: state.values, now: now() });
  const asked = JSON.stringify([query, state.sort, state.scope, state.scope === 'workspace' ? state.place.keys : []]);
  if (asked === state.asked) return finish(state);
  return startSearch({ ...state, query, asked }, { isQuiet: false, limit: firstLimit });
}

export function startSearch(state: SearchState, { isQuiet, limit }: { isQuiet: boolean; limit: number }): Result {
  const token = state.searching.token + 1;
  const next: SearchState = { ...state, notice: undefined, armed: undefined };
  if (isEverything(state.query)) {
    return finish({ ...next, ...noResults, index: undefined, searching: { token, state: 'idle', limit, isQuiet: false } }, [
      { type: 'stop' },
    ]);
  }
  const { query, sort, scope, place } = state;
  return finish({ ...next, searching: { token, state: isQuiet ? 'running' : 'waiting', limit, isQuiet } }, [
    { type: 'search', token, query, sort, limit, scope, place },
  ]);
}

/** Where the cursor stands in other results: on the same lineage and hit where they are there. */
export function keepCursor(state: SearchState, results: readonly Found[]): Cursor {
  const { cursor } = state;
  const index = cursor.rootId === undefined ? -1 : results.findIndex(({ row }) => row.rootId === cursor.rootId);
  return index === -1 ? { index: cursor.index } : { ...cursor, index };
}

export function finish(before: SearchState, effects: readonly SearchEffect[] = []): Result {
  const state = settleCursor(before);
  const asked: SearchEffect[] = [...effects];
  // What answers an earlier query is not read any further.
  if (state.searching.state === 'waiting' || foundAt(state) === undefined) return { state, effects: asked };
  return askMore(askContext(askHits({ state, effects: asked })));
}

function settleCursor(state: SearchState): SearchState {
  const last = Math.max(0, state.results.length - 1);
  const index = Math.max(0, Math.min(state.cursor.index, last));
  const found = state.results[index];
  if (found === undefined) return { ...state, cursor: { index: 0 }, top: 0 };
  const ids = hitIds(found, state.groups);
  const kept = state.cursor.rootId === found.row.rootId ? state.cursor.messageId : undefined;
  const messageId = kept !== undefined && ids.includes(kept) ? kept : ids[0];
  const cursor: Cursor = { index, rootId: found.row.rootId, ...(messageId === undefined ? {} : { messageId }) };
  const next = { ...state, cursor };
  const { listHeight } = layOutSearch(state.width, state.height);
  const lines = linesOf(next);
  const at = Math.max(0, cursorLine(lines, cursor));
  const first = lines.findIndex((line) => line.kind === 'title' && line.index === index);
  let end = at;
  while (end + 1 < lines.length && lines[end + 1]!.kind === 'hit') end++;
  // All of the lineage where it fits, and the line of the cursor in any case.
  const most = Math.max(0, lines.length - listHeight);
  let top = Math.min(Math.max(0, state.top), most);
  if (end - top >= listHeight) top = end - listHeight + 1;
  if (first < top) top = first;
  if (at - top >= listHeight) top = at - listHeight + 1;
  return { ...next, top };
}

/** All hits of the lineage under the cursor, and what those on screen say. */
function askHits({ state, effects }: Result): Result {
  const found = foundAt(state)!;
  const { rootId, id } = found.row;
  const group = state.groups.get(rootId);
  const isStale = group === undefined ? found.hits > 1 : found.hits > group.ids.length && group.counted !== found.hits;
  const { wantedHits, query } = state;
  if (isStale && (wantedHits.rootId !== rootId || wantedHits.counted !== found.hits)) {
    const token = wantedHits.token + 1;
    const next = { ...state, wantedHits: { token, rootId, counted: found.hits } };
    return { state: next, effects: [...effects, { type: 'load-hits', token, rootId, id, query, restMs }] };
  }
  if (group === undefined) return { state, effects };
  const missing = linesOf(state).filter((line) => line.kind === 'hit' && line.index === state.cursor.index && line.hit === undefined);
  if (missing.length === 0) return { state, effects };
  const at = state.cursor.messageId === undefined ? 0 : Math.max(0, group.ids.indexOf(state.cursor.messageId));
  const near = group.ids.slice(Math.max(0, at - snippetsAhead), at + snippetsAhead);
  const ids = near.filter((each) => !group.known.has(each) && !group.asked.has(each));
  if (ids.length === 0) return { state, effects };
  const groups = new Map(state.groups).set(rootId, { ...group, asked: new Set([...group.asked, ...ids]) });
  return { state: { ...state, groups }, effects: [...effects, { type: 'load-snippets', rootId, ids, query }] };
}

function askContext({ state, effects }: Result): Result {
  const { messageId } = state.cursor;
  if (layOutSearch(state.width, state.height).contextWidth === 0 || messageId === undefined) return { state, effects };
  if (state.wantedContext.messageId === messageId) return { state, effects };
  const token = state.wantedContext.token + 1;
  const next = { ...state, wantedContext: { token, messageId } };
  return { state: next, effects: [...effects, { type: 'load-context', token, messageId, query: state.query, restMs }] };
}

/** More lineages when the cursor comes near the last one that is here. */
function askMore({ state, effects }: Result): Result {
  const { searching, results, lineages, cursor } = state;
  const isNear = cursor.index >= results.length - nearEnd && lineages > results.length && results.length >= searching.limit;
  if (!isNear || searching.state !== 'done') return { state, effects };
  const token = searching.token + 1;
  const limit = searching.limit * growth;
  const { query, sort, scope, place } = state;
  const next: SearchState = { ...state, searching: { token, state: 'running', limit, isQuiet: true } };
  return { state: next, effects: [...effects, { type: 'search', token, query, sort, limit, scope, place }] };
}

/** What the line of the cursor says, for the context pane before it is read. */
export const hitUnder = (state: SearchState) => {
  const found = foundAt(state);
  return found === undefined ? undefined : hitById(found, state.groups, state.cursor.messageId);
};

/** Whether hits of this lineage are counted that were not read yet. */
export const isGroupOpen = (state: SearchState, found: Found): boolean =>
  state.groups.get(found.row.rootId) === undefined && hitCount(found, state.groups) > 1;
