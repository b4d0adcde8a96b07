import type { CommandId, Scope } from '../../../commands/table.ts';
import { menuText } from '../../../text/en/menu.ts';
import { createList, selectId } from '../../list.ts';
import type { InputAction, Update } from '../../screen.ts';
import { startChoosing, updateChoosing, type Choosing } from '../choosing.ts';
import { matchRows } from './match.ts';
import type { CommandRow } from './rows.ts';

/** A list of commands to choose one from: the F1 menu and the palette. */
export interface MenuState extends Choosing<CommandId> {
  readonly title: string;
  /** As they stood when the menu was opened. */
  readonly rows: readonly CommandRow[];
}

export type MenuAction = { type: 'focused' };

/** `close` comes before `run`: the command is for the screen below. */
export type MenuEffect = { type: 'close' } | { type: 'run'; id: CommandId };

/** Commands of the program that do not end the choosing. */
const keepsOpen: ReadonlySet<CommandId> = new Set<CommandId>(['app.redraw', 'app.suspend']);

/** The cursor begins on the first row that can run. */
export function createMenu(title: string, rows: readonly CommandRow[]): MenuState {
  const list = createList(rows.map(({ id }) => id));
  const first = rows.find(({ reason }) => reason === undefined);
  return { title, rows, ...startChoosing(first === undefined ? list : selectId(list, first.id)) };
}

export const menuScopes = (): readonly Scope[] => ['list', 'field', 'global'];

export const rowOf = (state: MenuState, id: CommandId | undefined): CommandRow | undefined => state.rows.find((row) => row.id === id);

export function updateMenu(state: MenuState, action: MenuAction | InputAction): Update<MenuState, MenuEffect> {
  const chosen = updateChoosing<CommandId, MenuState>(state, action, (query) => matchRows(state.rows, query));
  if (chosen.then === 'take') return take(chosen.state);
  return chosen.then === 'command' ? runCommand(chosen.state, chosen.id) : same(chosen.state);
}

const same = (state: MenuState): Update<MenuState, MenuEffect> => ({ state, effects: [] });

function runCommand(state: MenuState, id: CommandId): Update<MenuState, MenuEffect> {
  switch (id) {
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

export function menuDisabledReason(): string | undefined {
  return undefined;
}
