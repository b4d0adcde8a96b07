import { foundCount } from './filter.ts';
import { itemAt, type Item } from './items.ts';
import type { Entry } from './rows.ts';
import type { LiveHolder, SessionsState } from './types.ts';

/** The row under the cursor; undefined while a filter that was started anew has not come to it yet: no key acts on another row. */
export function selectedItem(state: SessionsState): Item | undefined {
  const item = itemAt(state, state.selection.index);
  return item?.entry.row.rootId === state.selection.rootId ? item : undefined;
}

/** Words are typed that no row has: what was said can be searched for them. */
export const offersSearch = ({ filter, loading }: SessionsState): boolean =>
  !filter.isAll && filter.phase === 'done' && foundCount(filter) === 0 && loading.state === 'done';

/** Who holds one of the lineage's sessions, if anybody does. */
export function holderOf(state: SessionsState, entry: Entry): LiveHolder | undefined {
  if (state.live.size === 0) return undefined;
  for (const id of entry.row.ids) {
    const holder = state.live.get(id);
    if (holder !== undefined) return holder;
  }
  return state.live.get(entry.row.id);
}
