import type { CommandId } from '../../../commands/table.ts';
import { pickerText } from '../../../text/en/picker.ts';
import { itemAt, type Item } from './items.ts';
import { countRows, type Entry } from './rows.ts';
import type { LiveHolder, SessionsState } from './types.ts';

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
