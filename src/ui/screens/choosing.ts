import type { CommandId } from '../../commands/table.ts';
import { applyEdit, createEditor, editorValue, insertText, isEditCommand, pasteText, resizeEditor, type Editor } from '../editor/index.ts';
import { idAtRow, moveList, resetIds, resizeList, scrollList, selectId, type ListMove, type ListState } from '../list.ts';
import type { InputAction } from '../screen.ts';

/** A list to choose one row from, narrowed by what is typed: the part that the command menus and the model chooser have in common. */
export interface Choosing<Id extends string> {
  readonly field: Editor;
  readonly list: ListState<Id>;
  /** Said once: why the row just taken can't be. */
  readonly notice: string | undefined;
  /** The row a click selected last: a second click on it takes it. */
  readonly armed: Id | undefined;
}

/** `take`: the row under the cursor was taken. `command`: not the list's business. */
export type Chosen<State> =
  { readonly state: State; readonly then?: 'take' } | { readonly state: State; readonly then: 'command'; readonly id: CommandId };

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

export const startChoosing = <Id extends string>(list: ListState<Id>): Choosing<Id> => ({
  field: createEditor({ singleLine: true }),
  list,
  notice: undefined,
  armed: undefined,
});

/** @param matching ids of the rows that a query lets through, in the order of the list */
export function updateChoosing<Id extends string, State extends Choosing<Id>>(
  state: State,
  action: InputAction | { readonly type: 'focused' },
  matching: (query: string) => readonly Id[],
): Chosen<State> {
  const edited = (field: Editor): Chosen<State> => {
    const next = { ...state, field, notice: undefined, armed: undefined };
    const query = editorValue(field);
    return { state: query === editorValue(state.field) ? next : { ...next, list: resetIds(state.list, matching(query)) } };
  };
  switch (action.type) {
    case 'resize': {
      const height = Math.max(1, action.height - listTop - linesBelow);
      const field = resizeEditor(state.field, Math.max(1, action.width - 4));
      return { state: { ...state, field, list: resizeList(state.list, height) } };
    }
    case 'text':
      return edited(insertText(state.field, action.text));
    case 'paste':
      return edited(pasteText(state.field, action.text));
    case 'focused':
      return { state: { ...state, armed: undefined } };
    case 'mouse':
      return point(state, action.event);
    case 'command': {
      const move = moves[action.id];
      if (move !== undefined) return { state: { ...state, list: moveList(state.list, move), notice: undefined, armed: undefined } };
      if (isEditCommand(action.id)) return edited(applyEdit(state.field, action.id));
      return action.id === 'list.take' ? { state, then: 'take' } : { state, then: 'command', id: action.id };
    }
  }
}

/** The wheel scrolls; a click selects a row, a second one on it takes it. */
function point<Id extends string, State extends Choosing<Id>>(
  state: State,
  event: (InputAction & { type: 'mouse' })['event'],
): Chosen<State> {
  if (event.action === 'wheel-up' || event.action === 'wheel-down')
    return { state: { ...state, list: scrollList(state.list, event.action === 'wheel-up' ? -wheelRows : wheelRows), armed: undefined } };
  if (event.action !== 'press' || event.button !== 'left') return { state };
  const id = idAtRow(state.list, event.y - listTop);
  if (id === undefined) return { state };
  if (state.armed === id) return { state, then: 'take' };
  return { state: { ...state, list: selectId(state.list, id), armed: id, notice: undefined } };
}
