import type { CommandId, Scope } from '../../../commands/table.ts';
import { everything, isEverything } from '../../../session/query.ts';
import { searchText } from '../../../text/en/search.ts';
import {
  applyEdit,
  createEditor,
  editorValue,
  insertText,
  isEditCommand,
  isEmpty,
  pasteText,
  replaceRange,
  resizeEditor,
  selectAll,
  selection,
  setText,
  type Editor,
} from '../../editor/index.ts';
import type { InputAction } from '../../screen.ts';
import { layOutSearch } from './layout.ts';
import { takeLoaded, withoutHits } from './loaded.ts';
import { isMove, isStale, move, toLine, wait } from './moves.ts';
import { ask, caretOf, finish, firstLimit, foundAt, linesOf, noResults, startSearch, unchanged, type Now, type Result } from './settle.ts';
import { chipBefore, chipsOf, completionOf, fieldAt, type Completion } from './typed.ts';
import type { Pending, SearchAction, SearchPlace, SearchState, Sort } from './types.ts';

const wheelRows = 3;
const sorts: readonly Sort[] = ['best', 'newest', 'oldest'];

/** The panel before anything was typed. It looks everywhere until told otherwise. */
export const createSearch = (place: SearchPlace): SearchState => ({
  width: 80,
  height: 24,
  field: createEditor({ singleLine: true }),
  plainAt: undefined,
  values: {},
  recent: [],
  recentAt: -1,
  place,
  scope: 'everywhere',
  sort: 'best',
  query: everything,
  asked: '',
  searching: { token: 0, state: 'idle', limit: firstLimit, isQuiet: false },
  index: undefined,
  ...noResults,
  wantedHits: { token: 0 },
  wantedContext: { token: 0 },
  notice: undefined,
  armed: undefined,
});

/** Innermost first; lists come before the field, since Home and End move in lists. */
export const searchScopes = (state: SearchState): readonly Scope[] =>
  isEmpty(state.field) ? ['search', 'list', 'field', 'empty-line', 'global'] : ['search', 'list', 'field', 'global'];

/** One step of the panel. Does no input or output. */
export function updateSearch(state: SearchState, action: SearchAction | InputAction, now: Now): Result {
  switch (action.type) {
    case 'shown':
      return show({ ...state, recent: action.recent, recentAt: -1 }, action.text, now);
    case 'place':
      return ask({ ...state, place: action.place }, now);
    case 'resize': {
      const field = resizeEditor(state.field, Math.max(1, action.width - 4));
      return finish({ ...state, field, width: action.width, height: action.height });
    }
    case 'text':
      return edit(state, insertText(state.field, action.text), now);
    case 'paste':
      return edit(state, pasteText(state.field, action.text), now);
    case 'command':
      return runCommand(state, action.id, now);
    case 'mouse':
      return point(state, action.event.action, action.event.button, action.event.x, action.event.y);
    case 'focused':
      return unchanged({ ...state, armed: undefined });
    case 'loaded':
      return replay(takeLoaded(state, action));
    case 'failed':
      return failed(state, action);
    case 'store-changed':
      if (state.searching.state !== 'done' && state.searching.state !== 'failed') return unchanged(state);
      return startSearch(state, { isQuiet: state.searching.state === 'done', limit: state.searching.limit });
    case 'notice':
      return unchanged({ ...state, notice: action.text });
  }
}

function show(state: SearchState, text: string | undefined, now: Now): Result {
  if (text !== undefined && text !== editorValue(state.field)) return edit(state, setText(state.field, text), now);
  // Words of last time stay, marked: Enter still opens what they found, typing replaces them.
  const kept: SearchState = { ...state, field: isEmpty(state.field) ? state.field : selectAll(state.field), notice: undefined };
  if (isEverything(kept.query)) return finish(kept);
  // A page that was on its way when the panel was left is what there is until the new one comes.
  const isQuiet = kept.results.length > 0 && kept.searching.state !== 'waiting';
  return startSearch(kept, { isQuiet, limit: kept.searching.limit });
}

function failed(state: SearchState, action: SearchAction & { type: 'failed' }): Result {
  switch (action.what) {
    case 'search': {
      const { token, limit } = state.searching;
      if (action.token !== token) return unchanged(state);
      const trouble = { message: action.message, ...(action.hint === undefined ? {} : { hint: action.hint }) };
      return unchanged({ ...state, ...noResults, searching: { token, limit, state: 'failed', isQuiet: false, trouble } });
    }
    case 'hits':
      return action.token === state.wantedHits.token ? withoutHits(state, action.message) : unchanged(state);
    case 'context':
      return action.token === state.wantedContext.token ? unchanged({ ...state, notice: action.message }) : unchanged(state);
  }
}

/** Keys that waited, one after the other, as far as what they are about is there now. */
function replay(result: Result): Result {
  if (result.state.pending.length === 0 || isStale(result.state)) return result;
  let current: Result = { state: { ...result.state, pending: [] }, effects: result.effects };
  for (const [index, id] of result.state.pending.entries()) {
    const step = id === 'list.take' ? take(current.state) : (move(current.state, id) ?? unchanged(current.state));
    current = { state: step.state, effects: [...current.effects, ...step.effects] };
    if (step.state.pending.length > 0) {
      // It waits again, and those behind it with it.
      const pending = [...step.state.pending, ...result.state.pending.slice(index + 1)];
      return { ...current, state: { ...current.state, pending } };
    }
  }
  return current;
}

function edit(state: SearchState, field: Editor, now: Now): Result {
  if (field === state.field) return unchanged(state);
  const text = editorValue(field);
  const open = fieldAt(text, field.caret.offset);
  const isTyped = text !== editorValue(state.field);
  // What stood behind it was deleted: a chip stays one.
  const wasChip = chipsOf(editorValue(state.field), caretOf(state), state.plainAt, now()).some(
    (chip) => chip.start === open && chip.end === field.caret.offset,
  );
  const plainAt = (isTyped && !wasChip) || open === state.plainAt ? open : undefined;
  return ask({ ...state, field, plainAt, notice: undefined, armed: undefined, pending: [], recentAt: -1 }, now);
}

/** Offered at the end of a word, while nothing is selected. */
export function completionNow(state: SearchState): Completion | undefined {
  if (selection(state.field) !== undefined) return undefined;
  return completionOf(editorValue(state.field), caretOf(state), state.values);
}

function complete(state: SearchState, now: Now): Result {
  const completion = completionNow(state);
  if (completion === undefined) return edit(state, applyEdit(state.field, 'edit.right'), now);
  const item = completion.items[0]!;
  const isName = item.endsWith(':');
  const from = { line: 0, offset: completion.start };
  const to = { line: 0, offset: completion.end };
  return edit(state, replaceRange(state.field, from, to, isName ? item : `${item} `), now);
}

/** A chip is taken as text again before anything of it is deleted. */
function backspace(state: SearchState, id: 'edit.backspace' | 'edit.delete-word-left', now: Now): Result {
  const caret = caretOf(state);
  const chip = chipBefore(chipsOf(editorValue(state.field), caret, state.plainAt, now()), caret);
  if (chip === undefined || selection(state.field) !== undefined || id !== 'edit.backspace')
    return edit(state, applyEdit(state.field, id), now);
  return ask({ ...state, plainAt: chip.start, notice: undefined }, now);
}

function runCommand(state: SearchState, id: CommandId, now: Now): Result {
  if (id === 'edit.backspace' || id === 'edit.delete-word-left') return backspace(state, id, now);
  if (isEditCommand(id)) return edit(state, applyEdit(state.field, id), now);
  if (state.searching.state === 'idle' && (isMove(id) || id === 'list.take')) return chooseRecent(state, id, now);
  if (isMove(id)) return isStale(state) ? wait(state, id) : (move(state, id) ?? unchanged(state));
  switch (id) {
    case 'list.take':
      return isStale(state) ? wait(state, id) : take(state);
    case 'list.scope':
      return ask({ ...state, scope: state.scope === 'workspace' ? 'everywhere' : 'workspace' }, now);
    case 'search.sort':
      return ask({ ...state, sort: sorts[(sorts.indexOf(state.sort) + 1) % sorts.length]! }, now);
    case 'search.complete':
      return complete(state, now);
    case 'app.back':
    case 'app.cancel':
      return { state: { ...state, armed: undefined }, effects: [{ type: 'close' }] };
    default:
      return searchDisabledReason(state, id) === undefined ? { state, effects: [{ type: 'run', id }] } : unchanged(state);
  }
}

/** While nothing is typed the list holds earlier searches. */
function chooseRecent(state: SearchState, id: Pending, now: Now): Result {
  if (id === 'list.take') {
    const text = state.recent[state.recentAt];
    return text === undefined ? unchanged(state) : edit(state, setText(state.field, text), now);
  }
  const last = state.recent.length - 1;
  const by = id === 'list.down' ? 1 : id === 'list.up' ? -1 : 0;
  return unchanged({ ...state, recentAt: Math.max(-1, Math.min(last, state.recentAt + by)) });
}

function take(state: SearchState): Result {
  const found = foundAt(state);
  if (found === undefined) return unchanged({ ...state, notice: searchDisabledReason(state, 'list.take') });
  const { messageId } = state.cursor;
  const text = editorValue(state.field);
  return {
    state: { ...state, armed: undefined },
    effects: [{ type: 'open', found, query: state.query, text, ...(messageId === undefined ? {} : { messageId }) }],
  };
}

/** The wheel scrolls, the cursor goes along; a click selects, a second one on the same line opens. */
function point(state: SearchState, action: string, button: string, x: number, y: number): Result {
  const { listTop, listHeight, listWidth } = layOutSearch(state.width, state.height);
  if (isStale(state) || state.results.length === 0) return unchanged(state);
  if (action === 'wheel-up' || action === 'wheel-down') return scroll(state, action === 'wheel-up' ? -wheelRows : wheelRows);
  if (action !== 'press' || button !== 'left' || x >= listWidth || y < listTop || y >= listTop + listHeight) return unchanged(state);
  const moved = toLine(state, state.top + y - listTop, 1);
  if (moved === undefined) return unchanged(state);
  const { cursor } = moved.state;
  const key = `${cursor.rootId} ${cursor.messageId}`;
  if (state.armed === key) return take(moved.state);
  return { ...moved, state: { ...moved.state, armed: key } };
}

function scroll(state: SearchState, by: number): Result {
  const { listHeight } = layOutSearch(state.width, state.height);
  const lines = linesOf(state);
  const top = Math.max(0, Math.min(state.top + by, lines.length - listHeight));
  if (top === state.top) return unchanged(state);
  const scrolled = { ...state, top };
  return toLine(scrolled, by > 0 ? top + 1 : Math.min(lines.length - 1, top + listHeight - 2), by > 0 ? 1 : -1) ?? unchanged(state);
}

/** Why a command can't run now; undefined = it can. */
export function searchDisabledReason(state: SearchState, id: CommandId): string | undefined {
  switch (id) {
    case 'list.take':
    case 'search.next-session':
    case 'search.previous-session':
      if (state.results.length > 0) return undefined;
      return isEverything(state.query) ? searchText.nothingTyped : searchText.nothingFound;
    case 'search.complete':
      return completionNow(state) === undefined ? searchText.nothingToComplete : undefined;
    case 'app.search':
      return searchText.isHere;
    case 'app.leave':
    case 'transcript.top':
    case 'transcript.bottom':
      return searchText.notHere;
    default:
      return undefined;
  }
}
