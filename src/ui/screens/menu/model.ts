import type { CommandId, Scope } from '../../../commands/table.ts';
import { menuText } from '../../../text/en/menu.ts';
import {
  applyEdit,
  createEditor,
  editorValue,
  insertText,
  isEditCommand,
  pasteText,
  resizeEditor,
  type Editor,
} from '../../editor/index.ts';
import { createList, idAtRow, moveList, resetIds, resizeList, scrollList, selectId, type ListMove, type ListState } from '../../list.ts';
import type { InputAction, Update } from '../../screen.ts';
import { matchRows } from './match.ts';
import type { CommandRow } from './rows.ts';

/** A list of commands to choose one from: the F1 menu and the palette. */
export interface MenuState {
  readonly title: string;
  /** As they stood when the menu was opened. */
  readonly rows: readonly CommandRow[];
  readonly field: Editor;
  readonly list: ListState<CommandId>;
  /** Said once: why the row just chosen can't run. */
  readonly notice: string | undefined;
  readonly armed: CommandId | undefined;
}

export type MenuAction = { type: 'focused' };

/** `close` comes before `run`: the command is for the screen below. */
export type MenuEffect = { type: 'close' } | { type: 'run'; id: CommandId };

/** Header, info line, filter, rule; rule, footer. */
const listTop = 4;
const linesBelow = 2;
const wheelRows = 3;

const moves: Readonly<Partial<Record<CommandId, ListMove>>> = {
  'list.up': 'up',
  'list.down': 'down',
  'list.page-up': 'page-up',
  'list.page-down': 'page-down',
  'list.first': 'first',
  'list.last': 'last',
};

/** Commands of the program that do not end the choosing. */
const keepsOpen: ReadonlySet<CommandId> = new Set<CommandId>(['app.redraw', 'app.suspend']);

/** The cursor begins on the first row that can run. */
export function createMenu(title: string, rows: readonly CommandRow[]): MenuState {
  const list = createList(rows.map(({ id }) => id));
  const first = rows.find(({ reason }) => reason === undefined);
  return {
    title,
    rows,
    field: createEditor({ singleLine: true }),
    list: first === undefined ? list : selectId(list, first.id),
    notice: undefined,
    armed: undefined,
  };
}

export const menuScopes = (): readonly Scope[] => ['list', 'field', 'global'];

export const rowOf = (state: MenuState, id: CommandId | undefined): CommandRow | undefined => state.rows.find((row) => row.id === id);

export function updateMenu(state: MenuState, action: MenuAction | InputAction): Update<MenuState, MenuEffect> {
  switch (action.type) {
    case 'resize': {
      const height = Math.max(1, action.height - listTop - linesBelow);
      return same({ ...state, field: resizeEditor(state.field, Math.max(1, action.width - 4)), list: resizeList(state.list, height) });
    }
    case 'text':
      return edit(state, insertText(state.field, action.text));
    case 'paste':
      return edit(state, pasteText(state.field, action.text));
    case 'focused':
      return same({ ...state, armed: undefined });
    case 'mouse':
      return handleMouse(state, action.event);
    case 'command':
      return runCommand(state, action.id);
  }
}

const same = (state: MenuState): Update<MenuState, MenuEffect> => ({ state, effects: [] });

function edit(state: MenuState, field: Editor): Update<MenuState, MenuEffect> {
  const next = { ...state, field, notice: undefined, armed: undefined };
  const query = editorValue(field);
  return same(query === editorValue(state.field) ? next : { ...next, list: resetIds(state.list, matchRows(state.rows, query)) });
}

function runCommand(state: MenuState, id: CommandId): Update<MenuState, MenuEffect> {
  const move = moves[id];
  if (move !== undefined) return same({ ...state, list: moveList(state.list, move), notice: undefined, armed: undefined });
  if (isEditCommand(id)) return edit(state, applyEdit(state.field, id));
  switch (id) {
    case 'list.take':
      return take(state);
    case 'list.scope':
      return same(state);
    case 'app.back':
    case 'app.cancel':
    case 'app.help':
      return { state, effects: [{ type: 'close' }] };
    default:
      return { state, effects: keepsOpen.has(id) ? [{ type: 'run', id }] : [{ type: 'close' }, { type: 'run', id }] };
  }
}

function take(state: MenuState): Update<MenuState, MenuEffect> {
  const row = rowOf(state, state.list.selected);
  if (row === undefined) return same(state);
  if (row.reason !== undefined) return same({ ...state, notice: menuText.disabled(row.reason) });
  return { state, effects: [{ type: 'close' }, { type: 'run', id: row.id }] };
}

function handleMouse(state: MenuState, event: (InputAction & { type: 'mouse' })['event']): Update<MenuState, MenuEffect> {
  if (event.action === 'wheel-up' || event.action === 'wheel-down') {
    return same({ ...state, list: scrollList(state.list, event.action === 'wheel-up' ? -wheelRows : wheelRows), armed: undefined });
  }
  if (event.action !== 'press' || event.button !== 'left') return same(state);
  const id = idAtRow(state.list, event.y - listTop);
  if (id === undefined) return same(state);
  if (state.armed === id) return take(state);
  return same({ ...state, list: selectId(state.list, id), armed: id, notice: undefined });
}

export function menuDisabledReason(): string | undefined {
  return undefined;
}
