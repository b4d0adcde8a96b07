import type { CommandId, Scope } from '../../../commands/table.ts';
import { pickerText } from '../../../text/en/picker.ts';
import {
  applyEdit,
  createEditor,
  editorValue,
  insertText,
  isEditCommand,
  isEmpty,
  pasteText,
  resizeEditor,
  selection as editorSelection,
} from '../../editor/index.ts';
import type { Editor } from '../../editor/index.ts';
import type { InputAction, Update } from '../../screen.ts';
import { continueFilter, extendFilter, prepareHaystacks, sliceMs, startFilter, type Filter, type Slice } from './filter.ts';
import { indexOfSelection, itemAt, itemCount, placeBlocks, type Item } from './items.ts';
import { layOutPicker } from './layout.ts';
import { countRows, createBook, mergeRows, removeRows, type Entry } from './rows.ts';
import type { LiveHolder, PickerWorkspace, PreviewContent, SessionsAction, SessionsEffect, SessionsState } from './types.ts';
import { isInWorkspace, isKindShown, isVisible, nextRevealed } from './visible.ts';

type Result = Update<SessionsState, SessionsEffect>;
/** Milliseconds of a monotonic clock, to cut work into slices. */
export type Clock = () => number;

/** The slice of the key itself is shorter: the frame is drawn in the same tick. */
const keySliceMs = 4;
/** A refresh with a filter on is finished in one go if it can be, so that the list does not flicker: 100,000 rows take about 20 ms. */
const refreshMs = 40;
/** The cursor rests when it stood so long. */
const restMs = 60;
const previewsKept = 64;
const wheelRows = 3;

/** A picker before its first row. `workspace` is the directory it is opened in. */
export function createSessions(workspace: PickerWorkspace, options: { query?: string } = {}): SessionsState {
  const book = createBook();
  const visible: Entry[] = [];
  const field = createEditor({ singleLine: true, ...(options.query === undefined ? {} : { text: options.query }) });
  return {
    book,
    visible,
    filter: startFilter(options.query ?? '', book, visible),
    field,
    width: 80,
    height: 24,
    workspace,
    scope: 'workspace',
    isScopeSettled: false,
    revealed: 'none',
    lineages: new Map(),
    unfolded: new Set(),
    blocks: [],
    selection: { index: 0 },
    top: 0,
    loading: { state: 'loading', token: 0 },
    live: new Map(),
    previews: new Map(),
    wantedPreview: { token: 0 },
    notice: undefined,
    prepared: 0,
    work: { token: 0, isPending: false },
    match: undefined,
    isFuzzyAsked: false,
    armed: undefined,
  };
}

/** The row under the cursor; undefined while a filter that was started anew has not come to it yet: no key acts on another row. */
export function selectedItem(state: SessionsState): Item | undefined {
  const item = itemAt(state, state.selection.index);
  return item?.entry.row.rootId === state.selection.rootId ? item : undefined;
}

/** Who holds one of the lineage's sessions, if anybody does. */
export function holderOf(state: SessionsState, entry: Entry): LiveHolder | undefined {
  if (state.live.size === 0) return undefined;
  for (const id of entry.row.ids) {
    const holder = state.live.get(id);
    if (holder !== undefined) return holder;
  }
  return state.live.get(entry.row.id);
}

function isCaretAtEnd(field: Editor): boolean {
  return field.caret.offset === (field.lines[0]?.text.length ?? 0) && editorSelection(field) === undefined;
}

/**
 * Innermost first. The list comes before the field, since Home and End move in lists; → and ← unfold and fold only while the caret
 * stands at the end of the filter, and fall back to the field where there is nothing to fold.
 */
export function scopesOf(state: SessionsState): readonly Scope[] {
  const isEmptyLine: readonly Scope[] = isEmpty(state.field) ? ['empty-line'] : [];
  return isCaretAtEnd(state.field)
    ? ['picker', 'list', 'field', ...isEmptyLine, 'global']
    : ['list', 'field', 'picker', ...isEmptyLine, 'global'];
}

/** Why a command can't run now. */
export function disabledReason(state: SessionsState, id: CommandId): string | undefined {
  const item = selectedItem(state);
  switch (id) {
    case 'list.take':
    case 'picker.copy-id':
      return item === undefined ? pickerText.noRow : undefined;
    case 'picker.rename':
    case 'picker.pin':
      if (item === undefined) return pickerText.noRow;
      return item.kind === 'member' ? pickerText.notAMember : undefined;
    case 'picker.hidden': {
      const counts = countRows(state.book);
      return counts.machine + counts.archived + counts.empty === 0 ? pickerText.nothingHidden : undefined;
    }
    case 'picker.unfold':
      if (item === undefined) return pickerText.noRow;
      if (item.kind === 'member') return pickerText.notAMember;
      return state.lineages.get(item.entry.row.rootId)?.length === 0 ? pickerText.onlyOne : undefined;
    case 'picker.fold':
      return item === undefined || !state.unfolded.has(item.entry.row.rootId) ? pickerText.notUnfolded : undefined;
    case 'app.leave':
    case 'app.sessions':
    case 'transcript.top':
    case 'transcript.bottom':
      return pickerText.notHere;
    default:
      return undefined;
  }
}

/** One step of the picker. Does no input or output; the book and the filter inside the state are changed in place. */
export function updateSessions(state: SessionsState, action: SessionsAction | InputAction, clock: Clock): Result {
  switch (action.type) {
    case 'shown':
      return reload(state);
    case 'resize': {
      const field = resizeEditor(state.field, Math.max(1, action.width - 4));
      return finish({ ...state, field, width: action.width, height: action.height });
    }
    case 'text':
      return edit(state, insertText(state.field, action.text), clock);
    case 'paste':
      return edit(state, pasteText(state.field, action.text), clock);
    case 'command':
      return runCommand(state, action.id, clock);
    case 'mouse':
      return handleMouse(state, action.event.action, action.event.button, action.event.x, action.event.y);
    case 'focused':
      return { state: { ...state, armed: undefined }, effects: [] };
    case 'workspace':
      return chooseScope({ ...state, workspace: action.workspace, isScopeSettled: false }, 'workspace', clock);
    case 'loaded':
      return takeLoaded(state, action, clock);
    case 'failed':
      if (action.token !== state.loading.token) return unchanged(state);
      return finish({
        ...state,
        loading: {
          state: 'failed',
          token: action.token,
          trouble: { message: action.message, ...(action.hint === undefined ? {} : { hint: action.hint }) },
        },
      });
    case 'rows-changed': {
      const hasGone = removeRows(state.book, action.removed);
      const merge = mergeRows(state.book, action.rows, action.now);
      return takeMerge(forgetDetails(state, action.rows), { ...merge, isReordered: merge.isReordered || hasGone }, clock);
    }
    case 'live-changed':
      return finish({ ...state, live: new Map(action.holders.map((holder) => [holder.id, holder])) });
    case 'continue-filter':
      return action.token === state.work.token && state.work.isPending ? work(state, { clock, budgetMs: sliceMs }) : unchanged(state);
    case 'notice':
      return { state: { ...state, notice: action.text }, effects: [] };
  }
}

const unchanged = (state: SessionsState): Result => ({ state, effects: [] });

/** Reads the rows anew; those that are not met again are gone. */
function reload(state: SessionsState): Result {
  const token = state.loading.token + 1;
  const isFirst = state.book.entries.length === 0;
  const loading = { state: 'loading', token, ...(isFirst ? {} : { seen: new Set<string>() }) } as const;
  return finish({ ...state, loading, armed: undefined, notice: undefined }, [{ type: 'load-rows', token }]);
}

function edit(state: SessionsState, field: Editor, clock: Clock): Result {
  if (field === state.field) return unchanged(state);
  const query = editorValue(field);
  const next = { ...state, field, notice: undefined, armed: undefined };
  if (query.trim() === state.filter.query) return finish(next);
  const filter = startFilter(query, state.book, state.visible, state.filter);
  // The best row is the first one; a filter that is empty again leaves the cursor on the row it stood on.
  const selection = filter.words.length === 0 ? state.selection : { index: 0 };
  return work({ ...next, filter, selection, top: 0 }, { clock, budgetMs: keySliceMs });
}

function runCommand(state: SessionsState, id: CommandId, clock: Clock): Result {
  if (isEditCommand(id)) return edit(state, applyEdit(state.field, id), clock);
  const page = Math.max(1, layOutPicker(state.width, state.height).listHeight - 1);
  const item = selectedItem(state);
  switch (id) {
    case 'list.up':
      return move(state, state.selection.index - 1);
    case 'list.down':
      return move(state, state.selection.index + 1);
    case 'list.page-up':
      return move(state, state.selection.index - page);
    case 'list.page-down':
      return move(state, state.selection.index + page);
    case 'list.first':
      return move(state, 0);
    case 'list.last':
      return move(state, Number.MAX_SAFE_INTEGER);
    case 'list.take':
      return item === undefined ? unchanged(state) : take(state, item);
    case 'list.scope':
      return toggleScope(state, clock);
    case 'picker.hidden':
      return rebuild({ ...state, revealed: nextRevealed(countRows(state.book), state.revealed), notice: undefined }, clock);
    case 'picker.unfold':
      return unfold(state, item);
    case 'picker.fold':
      return fold(state, item, clock);
    case 'picker.rename':
      if (item?.kind !== 'lineage') return unchanged(state);
      return { state, effects: [{ type: 'rename', id: item.entry.row.id, title: item.entry.row.title ?? '' }] };
    case 'picker.pin':
      if (item?.kind !== 'lineage') return unchanged(state);
      return { state, effects: [{ type: 'pin', id: item.entry.row.id, isPinned: !item.entry.row.pinned }] };
    case 'picker.copy-id':
      return item === undefined ? unchanged(state) : { state, effects: [{ type: 'copy', text: idOf(item) }] };
    case 'app.back':
    case 'app.cancel':
      return { state: { ...state, armed: undefined }, effects: [{ type: 'close' }] };
    default:
      return disabledReason(state, id) === undefined ? { state, effects: [{ type: 'run', id }] } : unchanged(state);
  }
}

const idOf = (item: Item): string => (item.kind === 'member' ? item.member.id : item.entry.row.id);

function take(state: SessionsState, item: Item): Result {
  const holder = item.kind === 'lineage' ? holderOf(state, item.entry) : state.live.get(item.member.id);
  return {
    state: { ...state, armed: undefined },
    effects: [
      {
        type: 'resume',
        id: idOf(item),
        isArchived: item.entry.row.archived,
        ...(item.kind === 'member' ? { member: item.member.kind } : {}),
        ...(holder === undefined ? {} : { holder }),
      },
    ],
  };
}

function move(state: SessionsState, index: number): Result {
  const last = Math.max(0, itemCount(state) - 1);
  return finish({ ...state, selection: { index: Math.min(last, Math.max(0, index)) }, armed: undefined });
}

function handleMouse(state: SessionsState, action: string, button: string, x: number, y: number): Result {
  const { listTop, listHeight, listWidth } = layOutPicker(state.width, state.height);
  if (action === 'wheel-up' || action === 'wheel-down') return scroll(state, action === 'wheel-up' ? -wheelRows : wheelRows);
  if (action !== 'press' || button !== 'left' || x >= listWidth || y < listTop || y >= listTop + listHeight) return unchanged(state);
  const index = state.top + y - listTop;
  const item = itemAt(state, index);
  if (item === undefined) return unchanged(state);
  // Only a second click takes: the first one may have done no more than bring the window to the front.
  if (index === state.selection.index && state.armed === idOf(item)) return take(state, item);
  const result = finish({ ...state, selection: { index } });
  return { ...result, state: { ...result.state, armed: idOf(item) } };
}

/** The list scrolls under the cursor; the cursor goes along only where it would leave the page, since Enter must act on a row in sight. */
function scroll(state: SessionsState, by: number): Result {
  const { listHeight } = layOutPicker(state.width, state.height);
  const top = Math.min(Math.max(0, itemCount(state) - listHeight), Math.max(0, state.top + by));
  const index = Math.min(top + listHeight - 1, Math.max(top, state.selection.index));
  return finish({ ...state, top, selection: index === state.selection.index ? state.selection : { index }, armed: undefined });
}

function toggleScope(state: SessionsState, clock: Clock): Result {
  if (state.scope === 'workspace') return chooseScope({ ...state, isScopeSettled: true }, 'everywhere', clock);
  const hasAny = state.book.entries.some(({ row }) => isKindShown(row, state.revealed) && isInWorkspace(row, state.workspace));
  if (hasAny || state.loading.state === 'loading') return chooseScope({ ...state, isScopeSettled: true }, 'workspace', clock);
  return { state: { ...state, notice: pickerText.scopeEmpty(state.workspace.keys[0] ?? '') }, effects: [] };
}

function chooseScope(state: SessionsState, scope: SessionsState['scope'], clock: Clock): Result {
  return rebuild({ ...state, scope, notice: undefined }, clock);
}

/** Makes the visible rows anew: scope, kinds or order changed. */
function rebuild(state: SessionsState, clock: Clock, budgetMs = keySliceMs): Result {
  const visible = state.book.entries.filter(({ row }) => isVisible(row, state));
  const filter = startFilter(editorValue(state.field), state.book, visible);
  return work({ ...state, visible, filter }, { clock, budgetMs });
}

function unfold(state: SessionsState, item: Item | undefined): Result {
  if (item?.kind !== 'lineage') return unchanged(state);
  const { rootId } = item.entry.row;
  const known = state.lineages.get(rootId);
  if (known?.length === 0) return { state: { ...state, notice: pickerText.nothingToUnfold }, effects: [] };
  const next = { ...state, unfolded: new Set(state.unfolded).add(rootId), notice: undefined, armed: undefined };
  return finish(next, known === undefined ? [{ type: 'load-lineage', rootId }] : []);
}

function fold(state: SessionsState, item: Item | undefined, clock: Clock): Result {
  const rootId = item?.entry.row.rootId;
  if (rootId === undefined || !state.unfolded.has(rootId)) return edit(state, applyEdit(state.field, 'edit.left'), clock);
  const unfolded = new Set(state.unfolded);
  unfolded.delete(rootId);
  return finish({ ...state, unfolded, selection: { index: state.selection.index, rootId }, armed: undefined });
}

function takeLoaded(state: SessionsState, action: SessionsAction & { type: 'loaded' }, clock: Clock): Result {
  switch (action.what) {
    case 'rows':
      return action.token === state.loading.token ? takeRows(state, action, clock) : unchanged(state);
    case 'counts': {
      if (action.token !== state.loading.token || state.loading.state !== 'loading') return unchanged(state);
      const next = { ...state, loading: { ...state.loading, counts: action.counts } };
      return action.inWorkspace === 0 ? skipEmptyScope(next, clock) : finish(next);
    }
    case 'row-previews': {
      const touched: Entry[] = [];
      for (const { id, preview } of action.previews) {
        const entry = state.book.byId.get(id);
        if (entry === undefined || entry.row.preview === preview) continue;
        entry.row = { ...entry.row, preview };
        entry.haystack = undefined;
        touched.push(entry);
      }
      return takeMerge(state, { appended: [], isReordered: false, touched }, clock);
    }
    case 'preview': {
      const { token } = state.wantedPreview;
      if (action.token !== token) return unchanged(state);
      return finish({ ...state, previews: remember(state.previews, action.preview), wantedPreview: { token } });
    }
    case 'lineage': {
      const lineages = new Map(state.lineages).set(action.rootId, action.members);
      if (action.members.length > 0) return finish({ ...state, lineages });
      const unfolded = new Set(state.unfolded);
      unfolded.delete(action.rootId);
      return finish({ ...state, lineages, unfolded, notice: pickerText.nothingToUnfold });
    }
    case 'fuzzy':
      return work({ ...state, match: action.match }, { clock, budgetMs: sliceMs });
  }
}

function takeRows(state: SessionsState, action: { rows: readonly SessionRowOf[]; isLast: boolean; now: number }, clock: Clock): Result {
  const { loading, book } = state;
  for (const row of action.rows) loading.seen?.add(row.rootId);
  let merge = mergeRows(book, action.rows, action.now);
  let next = state;
  if (action.isLast) {
    if (loading.seen !== undefined) {
      const gone = book.entries.filter(({ row }) => loading.seen?.has(row.rootId) !== true).map(({ row }) => row.id);
      if (removeRows(book, gone)) merge = { ...merge, isReordered: true };
    }
    next = { ...state, loading: { state: 'done', token: loading.token } };
  }
  const taken = takeMerge(next, merge, clock);
  return action.isLast ? withEffects(skipEmptyScope(taken.state, clock), taken.effects) : taken;
}

type SessionRowOf = Entry['row'];

/** Brings visible rows and matches up to date with the book; the cursor stays on its row. */
function takeMerge(state: SessionsState, merge: ReturnType<typeof mergeRows>, clock: Clock): Result {
  if (merge.isReordered) return rebuild({ ...state, prepared: 0 }, clock, refreshMs);
  const appended = merge.appended.filter(({ row }) => isVisible(row, state));
  for (const entry of appended) state.visible.push(entry);
  extendFilter(state.filter, appended, merge.touched);
  return work(state, { clock, budgetMs: sliceMs });
}

/** An empty workspace is passed over once, and that is said. */
function skipEmptyScope(state: SessionsState, clock: Clock): Result {
  const isEmptyScope = state.scope === 'workspace' && state.visible.length === 0;
  const hasOthers = state.loading.counts === undefined ? state.book.entries.length > 0 : state.loading.counts.total > 0;
  if (state.isScopeSettled || !isEmptyScope || !hasOthers) return unchanged(state);
  const result = chooseScope({ ...state, isScopeSettled: true }, 'everywhere', clock);
  return { ...result, state: { ...result.state, notice: pickerText.scopeSkipped(state.workspace.keys[0] ?? '') } };
}

/** Previews and lineages of changed rows are asked for again when they are looked at. */
function forgetDetails(state: SessionsState, rows: readonly SessionRowOf[]): SessionsState {
  const changed = rows.filter((row) => state.previews.has(row.id) || state.lineages.has(row.rootId));
  if (changed.length === 0) return state;
  const previews = new Map(state.previews);
  const lineages = new Map(state.lineages);
  for (const row of changed) {
    previews.delete(row.id);
    if (!state.unfolded.has(row.rootId)) lineages.delete(row.rootId);
  }
  return { ...state, previews, lineages };
}

function remember(previews: ReadonlyMap<string, PreviewContent>, preview: PreviewContent): Map<string, PreviewContent> {
  const kept = new Map(previews);
  kept.delete(preview.id);
  kept.set(preview.id, preview);
  for (const id of kept.keys()) {
    if (kept.size <= previewsKept) break;
    kept.delete(id);
  }
  return kept;
}

/** One slice of filtering, then of preparing texts; asks for the next one where something is left. */
function work(state: SessionsState, slice: Slice): Result {
  const { filter, book } = state;
  const wasFound = filter.phase === 'done' || filter.phase === 'waiting';
  continueFilter(filter, book, slice, state.match);
  // Texts are prepared in slices of their own, and every slice gets on: a clock that jumps can't make the picker spin.
  let { prepared } = state;
  if (wasFound && slice.budgetMs === sliceMs) prepared = prepareHaystacks(book, prepared, slice);
  const effects: SessionsEffect[] = [];
  const isFuzzyAsked = state.isFuzzyAsked || filter.phase === 'waiting';
  if (isFuzzyAsked && !state.isFuzzyAsked) effects.push({ type: 'load-fuzzy' });
  return requestWork(
    finish({ ...state, prepared, isFuzzyAsked, work: { ...state.work, isPending: false } }, effects),
    state,
    isWorkLeft(filter, prepared, book.entries.length),
  );
}

const isWorkLeft = (filter: Filter, prepared: number, rows: number): boolean =>
  (filter.phase !== 'done' && filter.phase !== 'waiting') || prepared < rows;

function requestWork(result: Result, before: SessionsState, isLeft: boolean): Result {
  if (!isLeft) return result;
  const token = before.work.token + 1;
  return withEffects({ ...result, state: { ...result.state, work: { token, isPending: true } } }, [{ type: 'continue-filter', token }]);
}

const withEffects = (result: Result, effects: readonly SessionsEffect[]): Result =>
  effects.length === 0 ? result : { ...result, effects: [...result.effects, ...effects] };

/** Puts the cursor on its row again, keeps it in sight, asks for its preview. */
function finish(state: SessionsState, effects: readonly SessionsEffect[] = []): Result {
  const { listHeight, previewWidth } = layOutPicker(state.width, state.height);
  const blocks = state.unfolded.size === 0 ? [] : placeBlocks(state.filter, state.book, state.unfolded, state.lineages);
  const source = { filter: state.filter, blocks };
  const count = itemCount(source);
  const kept = indexOfSelection(source, state.book, state.selection);
  const index = Math.max(0, Math.min(kept ?? state.selection.index, count - 1));
  const isPending =
    kept === undefined &&
    state.filter.phase === 'exact' &&
    state.selection.rootId !== undefined &&
    state.book.byId.has(state.selection.rootId);
  const item = isPending ? undefined : itemAt(source, index);
  const selection =
    item === undefined
      ? { ...state.selection, index: isPending ? state.selection.index : index }
      : { index, rootId: item.entry.row.rootId, ...(item.kind === 'member' ? { memberId: item.member.id } : {}) };
  // Rows that came in above push the page down, so that the row under the cursor does not move; at the top the new ones show.
  const shift = kept === undefined || state.top === 0 ? 0 : kept - state.selection.index;
  const lowest = Math.max(0, count - listHeight);
  const top = Math.min(lowest, index, Math.max(0, state.top + shift, index - listHeight + 1));
  const next: SessionsState = { ...state, blocks, selection, top };
  if (item === undefined || previewWidth === 0) return { state: next, effects };
  const id = idOf(item);
  if (state.previews.has(id) || state.wantedPreview.id === id) return { state: next, effects };
  const token = state.wantedPreview.token + 1;
  return withEffects({ state: { ...next, wantedPreview: { token, id } }, effects }, [{ type: 'load-preview', token, id, restMs }]);
}
