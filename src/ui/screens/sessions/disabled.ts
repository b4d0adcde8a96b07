import type { CommandId } from '../../../commands/table.ts';
import { pickerText } from '../../../text/en/picker.ts';
import type { Item } from './items.ts';
import { entryOf, targetsOf } from './marks.ts';
import { countRows } from './rows.ts';
import { holderOf, offersSearch, selectedItem } from './selected.ts';
import type { SessionsState } from './types.ts';

const whyNoEntry = (state: SessionsState, item: Item): string | undefined =>
  entryOf(state, item) === undefined ? pickerText.notAMember : undefined;

function whyNoTarget(state: SessionsState, item: Item | undefined): string | undefined {
  if (state.marks.size > 0) return undefined;
  return item === undefined ? pickerText.noRow : whyNoEntry(state, item);
}

/** A session somebody has open stays; among several it is passed over, and that is said afterwards. */
function whyNotDeleted(state: SessionsState): string | undefined {
  const [target, ...others] = targetsOf(state);
  const entry = target === undefined || others.length > 0 ? undefined : state.book.byId.get(target.rootId);
  const holder = entry === undefined ? undefined : holderOf(state, entry);
  if (holder === undefined) return undefined;
  return holder.isOurs ? pickerText.openHere : pickerText.openElsewhere(holder.where, holder.pid);
}

/** Why a command can't run now. */
export function disabledReason(state: SessionsState, id: CommandId): string | undefined {
  const item = selectedItem(state);
  switch (id) {
    case 'list.take':
      return item === undefined && !offersSearch(state) ? pickerText.noRow : undefined;
    case 'picker.mark':
    case 'picker.mark-up':
    case 'picker.mark-down':
      return item === undefined ? pickerText.noRow : whyNoEntry(state, item);
    case 'picker.rename':
      return state.marks.size > 1 ? pickerText.renamesOne : whyNoTarget(state, item);
    case 'picker.pin':
    case 'picker.archive':
    case 'picker.export':
      return whyNoTarget(state, item);
    case 'picker.copy-id':
      return item === undefined && state.marks.size === 0 ? pickerText.noRow : undefined;
    case 'picker.delete':
      return whyNoTarget(state, item) ?? whyNotDeleted(state);
    case 'picker.undo':
    case 'edit.undo':
      return state.undoable === undefined ? pickerText.nothingToUndo : undefined;
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
    case 'app.sessions':
      return pickerText.isHere;
    case 'app.leave':
    case 'transcript.top':
    case 'transcript.bottom':
      return pickerText.notHere;
    default:
      return undefined;
  }
}
