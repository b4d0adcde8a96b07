import type { RowClass, RowCounts, SessionId, SessionRow } from '../../../session/types.ts';

/**
 * Every lineage the picker knows, in THE order: pinned first, then last activity, newest first (product.md 3). One book belongs to one
 * picker and is changed in place by its `update`: copying 100,000 entries for each chunk that streams in would cost more than the frame.
 */
export interface RowBook {
  readonly entries: Entry[];
  /** Every id of every lineage. */
  readonly byId: Map<SessionId, Entry>;
  readonly counts: Record<RowClass, number>;
}

export interface Entry {
  row: SessionRow;
  /** Last activity as it sorts, in milliseconds: more than a day in the future counts as now. */
  time: number;
  /** What the filter reads; made when first needed. */
  haystack: string | undefined;
}

const day = 86_400_000;

export function createBook(): RowBook {
  return { entries: [], byId: new Map(), counts: { empty: 0, machine: 0, archived: 0, shown: 0 } };
}

/** Order of two rows: pinned, last activity, start, id (state-db.md 2.6). */
export function compareEntries(a: Entry, b: Entry): number {
  if (a.row.pinned !== b.row.pinned) return a.row.pinned ? -1 : 1;
  if (a.time !== b.time) return b.time - a.time;
  if (a.row.startedAt !== b.row.startedAt) return b.row.startedAt - a.row.startedAt;
  return a.row.id === b.row.id ? 0 : a.row.id < b.row.id ? 1 : -1;
}

/** Place of an entry in a sorted list, or where it would stand. O(log n). */
function placeOf(list: readonly Entry[], entry: Entry): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareEntries(list[middle]!, entry) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function insertSorted(list: Entry[], entry: Entry): void {
  const place = placeOf(list, entry);
  if (list[place] !== entry) list.splice(place, 0, entry);
}

/** Takes an entry out of a sorted list; it must still have the order fields it was put in with. */
export function removeSorted(list: Entry[], entry: Entry): boolean {
  const place = placeOf(list, entry);
  if (list[place] !== entry) return false;
  list.splice(place, 1);
  return true;
}

export interface Merge {
  /** Entries put at the end, in order: the usual case while rows stream in. */
  readonly appended: readonly Entry[];
  /** Something before the end came, went or moved: lists derived from the book must be made again. */
  readonly isReordered: boolean;
  /** Entries that stayed in place with other texts or numbers. */
  readonly touched: readonly Entry[];
}

/**
 * Puts rows in by lineage: a known one is replaced, keeping its preview where the new row has none yet. Rows in THE order behind the last
 * one cost O(chunk); a few changed ones O(log n) and one move each; anything else sorts once.
 */
export function mergeRows(book: RowBook, rows: readonly SessionRow[], now: number): Merge {
  const touched: Entry[] = [];
  const arrived: Entry[] = [];
  let isReordered = false;
  for (const row of rows) {
    const time = row.lastActive > now + day ? now : row.lastActive;
    const known = book.byId.get(row.rootId) ?? book.byId.get(row.id);
    if (known === undefined) {
      const entry: Entry = { row, time, haystack: undefined };
      arrived.push(entry);
      rememberIds(book, entry);
      count(book, row, 1);
      continue;
    }
    const next = row.preview === undefined && known.row.preview !== undefined ? { ...row, preview: known.row.preview } : row;
    const isSamePlace =
      known.time === time && known.row.startedAt === row.startedAt && known.row.id === row.id && known.row.pinned === row.pinned;
    const wasInList = !isSamePlace && removeSorted(book.entries, known);
    count(book, known.row, -1);
    count(book, row, 1);
    if (known.row.class !== row.class || known.row.cwd !== row.cwd || known.row.gitRepoRoot !== row.gitRepoRoot) isReordered = true;
    forgetIds(book, known);
    known.row = next;
    known.time = time;
    known.haystack = undefined;
    rememberIds(book, known);
    if (wasInList) {
      insertSorted(book.entries, known);
      isReordered = true;
    } else touched.push(known);
  }
  if (arrived.length === 0) return { appended: [], isReordered, touched };
  arrived.sort(compareEntries);
  const last = book.entries.at(-1);
  if (last === undefined || compareEntries(last, arrived[0]!) < 0) {
    for (const entry of arrived) book.entries.push(entry);
    return { appended: arrived, isReordered, touched };
  }
  if (arrived.length <= 32) for (const entry of arrived) insertSorted(book.entries, entry);
  else {
    for (const entry of arrived) book.entries.push(entry);
    book.entries.sort(compareEntries);
  }
  return { appended: [], isReordered: true, touched };
}

/**
 * Brings the book up to what was changed: lineages as they are now, sessions that are gone. An entry whose sessions went over to another
 * lineage goes.
 */
export function changeRows(book: RowBook, changes: { rows: readonly SessionRow[]; removed: readonly SessionId[] }, now: number): Merge {
  const touched = new Set<Entry | undefined>(changes.removed.map((id) => book.byId.get(id)));
  for (const row of changes.rows) for (const id of row.ids) touched.add(book.byId.get(id));
  for (const row of changes.rows) {
    const same = book.byId.get(row.rootId);
    touched.delete(same?.row.rootId === row.rootId ? same : book.byId.get(row.id));
  }
  touched.delete(undefined);
  for (const entry of touched) takeOut(book, entry!);
  const merge = mergeRows(book, changes.rows, now);
  return touched.size === 0 ? merge : { ...merge, isReordered: true };
}

function takeOut(book: RowBook, entry: Entry): void {
  removeSorted(book.entries, entry);
  forgetIds(book, entry);
  count(book, entry.row, -1);
}

/** Takes lineages out by any of their ids; unknown ids are passed over. True when something went. */
export function removeRows(book: RowBook, ids: readonly SessionId[]): boolean {
  let isChanged = false;
  for (const id of ids) {
    const entry = book.byId.get(id);
    if (entry === undefined) continue;
    takeOut(book, entry);
    isChanged = true;
  }
  return isChanged;
}

export function countRows(book: RowBook): RowCounts {
  return { total: book.entries.length, ...book.counts };
}

/**
 * Text the filter looks into: title, preview, workspace, branch, source, every id of the lineage; NFC, lower case. Lines keep words of
 * different fields apart. `join` makes one flat string: a rope would be flattened again by every search.
 */
export function haystackOf(entry: Entry): string {
  if (entry.haystack !== undefined) return entry.haystack;
  const { row } = entry;
  const parts = [row.title ?? '', row.preview ?? '', row.gitRepoRoot ?? '', row.cwd ?? '', row.gitBranch ?? '', row.source, ...row.ids];
  if (row.cwd === row.gitRepoRoot) parts[3] = '';
  entry.haystack = foldText(parts.join('\n'));
  return entry.haystack;
}

/** The form in which texts are compared: composed (NFC), lower case. */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function count(book: RowBook, row: SessionRow, by: 1 | -1): void {
  book.counts[row.class] += by;
}

function rememberIds(book: RowBook, entry: Entry): void {
  book.byId.set(entry.row.rootId, entry);
  book.byId.set(entry.row.id, entry);
  for (const id of entry.row.ids) book.byId.set(id, entry);
}

function forgetIds(book: RowBook, entry: Entry): void {
  for (const id of [entry.row.rootId, entry.row.id, ...entry.row.ids]) if (book.byId.get(id) === entry) book.byId.delete(id);
}
