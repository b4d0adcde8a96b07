import type { CommandId } from '../../../commands/table.ts';
import { extendMarks, targetsOf, toggleMark } from './marks.ts';
import { disabledReason } from './disabled.ts';
import { selectedItem } from './selected.ts';
import { finish, type Result } from './settle.ts';
import type { SessionsEffect, SessionsState } from './types.ts';

/**
 * Commands that do something with sessions: with the marked ones, else with the one under the cursor. What is to be done is handed on with
 * ids, so that rows may come and go while somebody is asked. Undefined for another command.
 */
export function runAction(state: SessionsState, id: CommandId): Result | undefined {
  const item = selectedItem(state);
  const reason = disabledReason(state, id);
  if (!isAction(id)) return undefined;
  // A key that can't do anything says why.
  if (reason !== undefined) return { state: { ...state, notice: reason }, effects: [] };
  const targets = targetsOf(state);
  const does = (...effects: SessionsEffect[]): Result => ({ state: { ...state, armed: undefined }, effects });
  switch (id) {
    case 'picker.mark':
      return item === undefined ? finish(state) : toggleMark(state, item);
    case 'picker.mark-up':
    case 'picker.mark-down':
      return item === undefined ? finish(state) : extendMarks(state, item, id === 'picker.mark-up' ? -1 : 1);
    case 'picker.rename':
      return does(...targets.map((target) => ({ type: 'rename', id: target.id, title: target.title ?? '' }) as const));
    case 'picker.pin':
      return does({ type: 'pin', targets, isPinned: targets.some((target) => !target.pinned) });
    case 'picker.archive':
      return does({ type: 'archive', targets, isArchived: targets.some((target) => !target.archived) });
    case 'picker.delete':
      return does({ type: 'delete', targets });
    case 'picker.export':
      return does({ type: 'export', targets });
    case 'picker.copy-id':
      return does({ type: 'copy', text: copiedIds(state) });
    case 'picker.undo':
    case 'edit.undo':
      return does({ type: 'undo' });
  }
}

type ActionId =
  | `picker.${'mark' | 'mark-up' | 'mark-down' | 'rename' | 'pin' | 'archive' | 'delete' | 'export' | 'copy-id' | 'undo'}`
  /** The filter has no undo of its own: its key means the list wherever the caret stands. */
  | 'edit.undo';

const actions: ReadonlySet<CommandId> = new Set<ActionId>([
  ...(['picker.mark', 'picker.mark-up', 'picker.mark-down', 'picker.rename', 'picker.pin', 'picker.archive'] as const),
  ...(['picker.delete', 'picker.export', 'picker.copy-id', 'picker.undo', 'edit.undo'] as const),
]);

const isAction = (id: CommandId): id is ActionId => actions.has(id);

/** A segment's own id where the cursor stands on one; else those of the lineages, a line each. */
function copiedIds(state: SessionsState): string {
  const item = selectedItem(state);
  if (state.marks.size === 0 && item?.kind === 'member') return item.member.id;
  return targetsOf(state)
    .map((target) => target.id)
    .join('\n');
}
