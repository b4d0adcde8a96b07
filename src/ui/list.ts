/**
 * A list of any length of which only the rows on screen are touched. The selection is an id, not a place: rows may come and go around
 * it. Pure; every function returns a new state.
 */
export interface ListState<Id> {
  readonly ids: readonly Id[];
  readonly selected: Id | undefined;
  /** Index of the first row on screen. */
  readonly top: number;
  /** Rows on screen. */
  readonly height: number;
  /** Where the selected row stands, kept so that no key searches through all rows. */
  readonly index: number;
}

export type ListMove = 'up' | 'down' | 'page-up' | 'page-down' | 'first' | 'last';

export const createList = <Id>(ids: readonly Id[] = [], height = 10): ListState<Id> => ({
  ids,
  selected: ids[0],
  top: 0,
  height: Math.max(1, height),
  index: ids.length > 0 ? 0 : -1,
});

/** Scrolls by no more than is needed to show the selected row, and never leaves rows of the screen empty while there are some above. */
function settle<Id>(list: ListState<Id>): ListState<Id> {
  const last = Math.max(0, list.ids.length - list.height);
  let top = Math.min(Math.max(0, list.top), last);
  if (list.index >= 0) top = Math.min(Math.max(top, list.index - list.height + 1), list.index);
  return top === list.top ? list : { ...list, top };
}

const at = <Id>(list: ListState<Id>, index: number): ListState<Id> => {
  const count = list.ids.length;
  if (count === 0) return { ...list, selected: undefined, index: -1, top: 0 };
  const valid = Math.min(Math.max(0, index), count - 1);
  return settle({ ...list, index: valid, selected: list.ids[valid] });
};

/**
 * Other rows. The selected id stays selected and, where it can, at the same height on screen; when it is gone, the nearest row that
 * stood below it is taken, else the one above; a list that had no selection takes its first row.
 */
export function setIds<Id>(list: ListState<Id>, ids: readonly Id[]): ListState<Id> {
  if (ids === list.ids) return list;
  const next = { ...list, ids };
  if (list.selected === undefined) return at({ ...next, top: 0 }, 0);
  let index = ids[list.index] === list.selected ? list.index : ids.indexOf(list.selected);
  if (index === -1) {
    const places = new Map(ids.map((id, place) => [id, place]));
    const found = [...list.ids.slice(list.index + 1), ...list.ids.slice(0, list.index).reverse()].find((id) => places.has(id));
    index = found === undefined ? 0 : (places.get(found) ?? 0);
  }
  return at({ ...next, top: index - (list.index - list.top) }, index);
}

/** For a changed filter: the best match is selected and shown at the top. */
export const resetIds = <Id>(list: ListState<Id>, ids: readonly Id[]): ListState<Id> => at({ ...list, ids, top: 0 }, 0);

export const resizeList = <Id>(list: ListState<Id>, height: number): ListState<Id> =>
  height === list.height ? list : settle({ ...list, height: Math.max(1, height) });

export function moveList<Id>(list: ListState<Id>, move: ListMove): ListState<Id> {
  const page = Math.max(1, list.height - 1);
  switch (move) {
    case 'up':
      return at(list, list.index - 1);
    case 'down':
      return at(list, list.index + 1);
    case 'page-up':
      return at({ ...list, top: list.top - page }, list.index - page);
    case 'page-down':
      return at({ ...list, top: list.top + page }, list.index + page);
    case 'first':
      return at(list, 0);
    case 'last':
      return at(list, list.ids.length - 1);
  }
}

/** Selects a row by its id; unknown ids change nothing. */
export function selectId<Id>(list: ListState<Id>, id: Id): ListState<Id> {
  const index = list.ids.indexOf(id);
  return index === -1 ? list : at(list, index);
}

/** The wheel moves the rows; the selected one is taken along when it would leave the screen. */
export function scrollList<Id>(list: ListState<Id>, rows: number): ListState<Id> {
  const last = Math.max(0, list.ids.length - list.height);
  const top = Math.min(Math.max(0, list.top + rows), last);
  const index = Math.min(Math.max(list.index, top), top + list.height - 1);
  return at({ ...list, top }, index);
}

/** The rows on screen, in order. */
export const visibleIds = <Id>(list: ListState<Id>): readonly Id[] => list.ids.slice(list.top, list.top + list.height);

/** The id under a row of the screen, counted from 0; undefined below the last one. */
export const idAtRow = <Id>(list: ListState<Id>, row: number): Id | undefined =>
  row < 0 || row >= list.height ? undefined : list.ids[list.top + row];
