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
  selectAll,
  selection as editorSelection,
} from '../../editor/index.ts';
import type { Editor } from '../../editor/index.ts';
import type { InputAction } from '../../screen.ts';
import { sliceMs, startFilter } from './filter.ts';
import { runAction } from './actions.ts';
import { idOf, itemAt, itemCount, type Item } from './items.ts';
import { layOutPicker } from './layout.ts';
import { takeChanges, takeLoaded } from './loaded.ts';
import { countRows, createBook, type Entry } from './rows.ts';
import { disabledReason } from './disabled.ts';
import { holderOf, offersSearch, selectedItem } from './selected.ts';
import { askedOf, chooseScope, finish, keySliceMs, rebuild, unchanged, work, type Clock, type Result } from './settle.ts';
import { wantedKinds } from './typed-query.ts';
import type { PickerWorkspace, SessionsAction, SessionsState } from './types.ts';
import { isInWorkspace, isKindShown, nextRevealed } from './visible.ts';

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
    wanted: wantedKinds(options.query ?? ''),
    now: 0,
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
    marks: new Set(),
    undoable: undefined,
    top: 0,
    loading: { state: 'loading', token: 0 },
    live: new Map(),
    previews: new Map(),
    wantedPreview: { token: 0 },
    notice: undefined,
    isStoreWaiting: false,
    prepared: 0,
    work: { token: 0, isPending: false },
    match: undefined,
    isFuzzyAsked: false,
    armed: undefined,
  };
}

function isCaretAtEnd(field: Editor): boolean {
  return field.caret.offset === (field.lines[0]?.text.length ?? 0) && editorSelection(field) === undefined;
}

/**
 * Innermost first. The list comes before the field, since Home and End move in lists; → and ← unfold and fold only while the caret
 * stands at the end of the filter, and fall back to the field where there is nothing to fold.
 */
export function scopesOf(state: SessionsState): readonly Scope[] {
  if (isEmpty(state.field)) return ['picker', 'empty-filter', 'list', 'field', 'empty-line', 'global'];
  return isCaretAtEnd(state.field) ? ['picker', 'list', 'field', 'global'] : ['list', 'field', 'picker', 'global'];
}

/** One step of the picker. Does no input or output; the book and the filter inside the state are changed in place. */
export function updateSessions(state: SessionsState, action: SessionsAction | InputAction, clock: Clock): Result {
  switch (action.type) {
    case 'shown':
      // Words of last time stay, marked: Enter still acts on what they found, typing replaces them.
      return reload({ ...state, notice: undefined, ...(isEmpty(state.field) ? {} : { field: selectAll(state.field) }) });
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
      return isSameWorkspace(state.workspace, action.workspace)
        ? unchanged(state)
        : chooseScope({ ...state, workspace: action.workspace, isScopeSettled: false }, 'workspace', clock);
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
    case 'reload':
      return reload(state);
    case 'rows-changed':
      return takeChanges(state, action, clock);
    case 'undoable':
      return { state: { ...state, undoable: action.what }, effects: [] };
    case 'unmark':
      return finish({ ...state, marks: new Set() });
    case 'live-changed':
      return finish({ ...state, live: new Map(action.holders.map((holder) => [holder.id, holder])) });
    case 'continue-filter':
      return action.token === state.work.token && state.work.isPending ? work(state, { clock, budgetMs: sliceMs }) : unchanged(state);
    case 'store-waiting':
      return { state: { ...state, isStoreWaiting: action.isWaiting }, effects: [] };
    case 'notice':
      return { state: { ...state, notice: action.text }, effects: [] };
  }
}

/** Reads the rows anew; those that are not met again are gone. What was said stands: nobody asked for this. */
function reload(state: SessionsState): Result {
  const token = state.loading.token + 1;
  const isFirst = state.book.entries.length === 0;
  const loading = { state: 'loading', token, ...(isFirst ? {} : { seen: new Set<string>() }) } as const;
  return finish({ ...state, loading, armed: undefined }, [{ type: 'load-rows', token }]);
}

function edit(state: SessionsState, field: Editor, clock: Clock): Result {
  if (field === state.field) return unchanged(state);
  const query = editorValue(field);
  const next = { ...state, field, notice: undefined, armed: undefined };
  if (query.trim() === state.filter.query) return finish(next);
  const wanted = wantedKinds(query);
  if (wanted.archived !== state.wanted.archived || wanted.machine !== state.wanted.machine)
    return rebuild({ ...next, wanted, selection: { index: 0 }, top: 0 }, clock);
  const filter = startFilter(query, state.book, state.visible, { previous: state.filter, asked: askedOf(state) });
  // The best row is the first one; a filter that is empty again leaves the cursor on the row it stood on.
  const selection = filter.isAll ? state.selection : { index: 0 };
  return work({ ...next, filter, selection, top: 0 }, { clock, budgetMs: keySliceMs });
}

function runCommand(state: SessionsState, id: CommandId, clock: Clock): Result {
  if (isEditCommand(id) && id !== 'edit.undo') return edit(state, applyEdit(state.field, id), clock);
  const action = runAction(state, id);
  if (action !== undefined) return action;
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
      if (item !== undefined) return take(state, item);
      // Nothing has these words in its title or first message: what was said may.
      return offersSearch(state) ? { state, effects: [{ type: 'run', id: 'app.search' }] } : refused(state, id);
    case 'list.scope':
      return toggleScope(state, clock);
    case 'picker.hidden':
      return rebuild({ ...state, revealed: nextRevealed(countRows(state.book), state.revealed), notice: undefined }, clock);
    case 'picker.unfold':
      return unfold(state, item);
    case 'picker.fold':
      return fold(state, item, clock);
    case 'app.back':
      if (state.marks.size > 0) return finish({ ...state, marks: new Set(), notice: undefined });
      return { state: { ...state, armed: undefined }, effects: [{ type: 'close' }] };
    case 'app.cancel':
      return { state: { ...state, armed: undefined }, effects: [{ type: 'close' }] };
    default:
      return disabledReason(state, id) === undefined ? { state, effects: [{ type: 'run', id }] } : unchanged(state);
  }
}

/** A key that can't do anything says why. */
const refused = (state: SessionsState, id: CommandId): Result => ({ state: { ...state, notice: disabledReason(state, id) }, effects: [] });

const isSameWorkspace = (a: SessionsState['workspace'], b: SessionsState['workspace']): boolean =>
  a.isRepository === b.isRepository && a.keys.length === b.keys.length && a.keys.every((key, index) => key === b.keys[index]);

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
  const hasAny = state.book.entries.some(({ row }) => isKindShown(row, state) && isInWorkspace(row, state.workspace));
  if (hasAny || state.loading.state === 'loading') return chooseScope({ ...state, isScopeSettled: true }, 'workspace', clock);
  return { state: { ...state, notice: pickerText.scopeEmpty(state.workspace.keys[0] ?? '') }, effects: [] };
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
