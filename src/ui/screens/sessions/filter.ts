import { allowedMistakes, fuzzyDistance, type FuzzyMatch } from './fuzzy.ts';
import { nobodyAsked, readTyped, type Asked } from './typed-query.ts';
import { compareEntries, haystackOf, insertSorted, removeSorted, type Entry, type RowBook } from './rows.ts';

/**
 * One query at work (product.md 3): all words as substrings, then the row an id names, then fuzzy matches. The work is cut into slices by
 * the clock handed in, so that a key is always answered by the frame after it; `exact` grows in THE order, so the first page stands as
 * soon as it is found. A filter belongs to one picker and is changed in place by its `update`.
 */
export interface Filter {
  /** As typed, trimmed. */
  readonly query: string;
  /** Folded texts that a match has, all of them. */
  readonly words: readonly string[];
  /** What a match is besides, where more than words was typed. */
  readonly accepts: ((entry: Entry) => boolean) | undefined;
  /** Nothing was typed: everything shows. */
  readonly isAll: boolean;
  /** Rows of the kinds and the scope shown, in THE order. Owned by the picker. */
  readonly visible: readonly Entry[];
  /** Matches by substring. */
  readonly exact: Entry[];
  /** The row whose id, or unique beginning of it, was typed. */
  hit: IdHit | undefined;
  /** Near matches, best first. */
  fuzzy: Entry[];
  phase: Phase;
  readonly segments: Segment[];
  readonly idScan: { position: number; first: Entry | undefined; isAmbiguous: boolean };
  readonly fuzzyScan: { candidates: readonly Entry[]; position: number; found: Ranked[] };
}

export interface IdHit {
  readonly entry: Entry;
  /** The whole id was typed: the row comes first. */
  readonly isWhole: boolean;
  /** Kind or scope would have kept the row out of sight. */
  readonly isOutside: boolean;
}

/** `waiting` = fuzzy matching is wanted, but its library is not there yet. */
export type Phase = 'exact' | 'id' | 'waiting' | 'fuzzy' | 'done';

interface Segment {
  readonly list: readonly Entry[];
  position: number;
  readonly end: number;
  /** Rows whose texts changed: they may be among the matches already, and stand anywhere. */
  readonly isRecheck: boolean;
}

interface Ranked {
  readonly entry: Entry;
  readonly distance: number;
}

export interface Slice {
  /** Milliseconds of a monotonic clock; injected. */
  readonly clock: () => number;
  readonly budgetMs: number;
}

/** Budget of one slice; half a frame at 60 per second. */
export const sliceMs = 8;
/** Fuzzy matches are looked for in at most so many rows while there are exact ones. */
export const fuzzyCandidates = 500;
/** With so many exact matches near ones would only be noise. */
const exactIsEnough = 200;
const fuzzyShown = 100;
/** Rows between two looks at the clock. */
const stride = 128;

/** A longer query can only lose rows of a shorter one: every old word is part of a new one. */
export function isNarrowing(before: readonly string[], after: readonly string[]): boolean {
  return before.every((old) => after.some((word) => word.includes(old)));
}

/** A filter that has done nothing yet. `previous` over the same `visible` lets a grown query read only what was found before. */
export function startFilter(
  query: string,
  book: RowBook,
  visible: readonly Entry[],
  { previous, asked = nobodyAsked }: { readonly previous?: Filter | undefined; readonly asked?: Asked } = {},
): Filter {
  const { words, accepts } = readTyped(query, asked);
  const isAll = words.length === 0 && accepts === undefined;
  const trimmed = query.trim();
  const filter: Filter = {
    query: trimmed,
    words,
    accepts,
    isAll,
    visible,
    exact: isAll ? (visible as Entry[]) : [],
    hit: undefined,
    fuzzy: [],
    phase: isAll ? 'done' : 'exact',
    segments: [],
    idScan: { position: 0, first: undefined, isAmbiguous: false },
    fuzzyScan: { candidates: [], position: 0, found: [] },
  };
  if (isAll) return filter;
  const named = book.byId.get(trimmed);
  if (named !== undefined) filter.hit = { entry: named, isWhole: true, isOutside: !contains(visible, named) };
  const isNarrower =
    previous !== undefined &&
    !previous.isAll &&
    previous.accepts === undefined &&
    accepts === undefined &&
    isNarrowing(previous.words, words);
  if (isNarrower && previous.visible === visible) {
    filter.segments.push(segment(previous.exact), ...previous.segments.map((rest) => ({ ...rest })));
    // The row named by the shorter query as a whole id is kept apart from its matches.
    if (previous.hit?.isWhole === true && !previous.hit.isOutside) filter.segments.push(segment([previous.hit.entry], true));
  } else filter.segments.push(segment(visible));
  return filter;
}

/** Rows came at the end of `visible` (already there) or changed their texts. */
export function extendFilter(filter: Filter, appended: readonly Entry[], touched: readonly Entry[]): void {
  if (filter.isAll) return;
  if (appended.length === 0 && touched.length === 0) return;
  if (appended.length > 0) filter.segments.push(segment(appended));
  const rechecked = touched.filter((entry) => contains(filter.visible, entry));
  if (rechecked.length > 0) filter.segments.push(segment(rechecked, true));
  restart(filter);
}

/** Works for one slice; true when nothing is left to do, or nothing can be done before the fuzzy matcher is there. */
export function continueFilter(filter: Filter, book: RowBook, slice: Slice, match?: FuzzyMatch): boolean {
  const until = slice.clock() + slice.budgetMs;
  for (;;) {
    if (filter.phase === 'exact' && !scanExact(filter, slice.clock, until)) return false;
    else if (filter.phase === 'id' && !scanIds(filter, book, slice.clock, until)) return false;
    else if (filter.phase === 'waiting') {
      if (match === undefined) return true;
      filter.phase = 'fuzzy';
    } else if (filter.phase === 'fuzzy') {
      if (match === undefined) filter.phase = 'waiting';
      else if (!scanFuzzy(filter, match, slice.clock, until)) return false;
    } else if (filter.phase === 'done') return true;
  }
}

/** Prepares haystacks from `from` on, so that the first key finds them ready; returns where it stopped. */
export function prepareHaystacks(book: RowBook, from: number, slice: Slice): number {
  const until = slice.clock() + slice.budgetMs;
  let position = from;
  while (position < book.entries.length) {
    haystackOf(book.entries[position]!);
    position++;
    if (position % stride === 0 && slice.clock() >= until) break;
  }
  return position;
}

/** Rows found, hits by id and near ones included. */
export function foundCount(filter: Filter): number {
  return filter.exact.length + filter.fuzzy.length + (filter.hit === undefined ? 0 : 1);
}

/** The row at a place of the result: a whole id first, matches in THE order, a beginning of an id, near matches. */
export function foundAt(filter: Filter, index: number): Entry | undefined {
  const { hit, exact, fuzzy } = filter;
  if (hit?.isWhole === true) {
    if (index === 0) return hit.entry;
    return exact[index - 1] ?? fuzzy[index - 1 - exact.length];
  }
  if (index < exact.length) return exact[index];
  const rest = index - exact.length;
  if (hit === undefined) return fuzzy[rest];
  return rest === 0 ? hit.entry : fuzzy[rest - 1];
}

/** Place of a row in the result; undefined when it is not in it. O(log n). */
export function foundIndex(filter: Filter, entry: Entry): number | undefined {
  const { hit, exact, fuzzy } = filter;
  const shift = hit?.isWhole === true ? 1 : 0;
  if (hit?.entry === entry) return shift === 1 ? 0 : exact.length;
  const place = placeIn(exact, entry);
  if (place !== undefined) return place + shift;
  const near = fuzzy.indexOf(entry);
  return near === -1 ? undefined : near + exact.length + (hit === undefined ? 0 : 1);
}

function segment(list: readonly Entry[], isRecheck = false): Segment {
  return { list, position: 0, end: list.length, isRecheck };
}

function restart(filter: Filter): void {
  filter.phase = 'exact';
  filter.fuzzy = [];
  filter.idScan.position = 0;
  filter.idScan.first = undefined;
  filter.idScan.isAmbiguous = false;
  if (filter.hit?.isWhole === false) filter.hit = undefined;
}

function matchesAll(words: readonly string[], haystack: string): boolean {
  for (const word of words) if (!haystack.includes(word)) return false;
  return true;
}

/** True when the phase is over. */
function scanExact(filter: Filter, clock: () => number, until: number): boolean {
  const { words, accepts, exact } = filter;
  const named = filter.hit?.isWhole === true ? filter.hit.entry : undefined;
  let steps = 0;
  while (filter.segments.length > 0) {
    const part = filter.segments[0]!;
    while (part.position < part.end) {
      const entry = part.list[part.position]!;
      part.position++;
      if (matchesAll(words, haystackOf(entry)) && (accepts === undefined || accepts(entry))) {
        if (entry === named) continue;
        if (part.isRecheck) insertSorted(exact, entry);
        else exact.push(entry);
      } else if (part.isRecheck) removeSorted(exact, entry);
      steps++;
      if (steps % stride === 0 && clock() >= until) return false;
    }
    filter.segments.shift();
  }
  filter.phase = 'id';
  return true;
}

/** Looks for the one lineage with an id that starts with the query; two are none. */
function scanIds(filter: Filter, book: RowBook, clock: () => number, until: number): boolean {
  const { idScan, query } = filter;
  if (filter.hit === undefined && filter.words.length === 1) {
    while (idScan.position < book.entries.length && !idScan.isAmbiguous) {
      const entry = book.entries[idScan.position]!;
      idScan.position++;
      if (startsAnId(entry, query)) {
        if (idScan.first === undefined) idScan.first = entry;
        else idScan.isAmbiguous = true;
      }
      if (idScan.position % (stride * 4) === 0 && clock() >= until) return false;
    }
    if (idScan.first !== undefined && !idScan.isAmbiguous && !contains(filter.visible, idScan.first)) {
      filter.hit = { entry: idScan.first, isWhole: false, isOutside: true };
    }
  }
  beginFuzzy(filter);
  return true;
}

function startsAnId(entry: Entry, query: string): boolean {
  const { ids, id, rootId } = entry.row;
  if (id.startsWith(query) || rootId.startsWith(query)) return true;
  for (const member of ids) if (member.startsWith(query)) return true;
  return false;
}

function beginFuzzy(filter: Filter): void {
  const { words, exact, visible } = filter;
  filter.phase = 'done';
  if (
    filter.hit !== undefined ||
    filter.accepts !== undefined ||
    exact.length >= exactIsEnough ||
    words.every((word) => allowedMistakes(word) === 0)
  )
    return;
  const candidates: Entry[] = [];
  if (exact.length > 0) {
    // Both lists have the same order: the newest rows that are not among the matches.
    let next = 0;
    for (const entry of visible) {
      if (exact[next] === entry) next++;
      else if (candidates.push(entry) === fuzzyCandidates) break;
    }
  }
  filter.fuzzyScan.candidates = exact.length > 0 ? candidates : visible;
  filter.fuzzyScan.position = 0;
  filter.fuzzyScan.found = [];
  if (filter.fuzzyScan.candidates.length > 0) filter.phase = 'waiting';
}

function scanFuzzy(filter: Filter, match: FuzzyMatch, clock: () => number, until: number): boolean {
  const { words, fuzzyScan } = filter;
  while (fuzzyScan.position < fuzzyScan.candidates.length) {
    const entry = fuzzyScan.candidates[fuzzyScan.position]!;
    fuzzyScan.position++;
    const distance = distanceOf(words, entry, match);
    if (distance !== undefined) fuzzyScan.found.push({ entry, distance });
    // fuse.js takes about 5 µs a row: the clock is looked at more often than in the other phases.
    if (fuzzyScan.position % 16 === 0 && clock() >= until) return false;
  }
  fuzzyScan.found.sort((a, b) => a.distance - b.distance || compareEntries(a.entry, b.entry));
  filter.fuzzy = fuzzyScan.found.slice(0, fuzzyShown).map(({ entry }) => entry);
  fuzzyScan.found = [];
  filter.phase = 'done';
  return true;
}

/** Sum of the mistakes of all words in title and preview; undefined when a word is not there. */
function distanceOf(words: readonly string[], entry: Entry, match: FuzzyMatch): number | undefined {
  const haystack = haystackOf(entry);
  const text = haystack.slice(0, haystack.indexOf('\n', haystack.indexOf('\n') + 1));
  let sum = 0;
  for (const word of words) {
    if (haystack.includes(word)) continue;
    const allowed = allowedMistakes(word);
    if (allowed === 0 || !match(word, text)) return undefined;
    const distance = fuzzyDistance(word, text);
    if (distance > allowed + 0.5) return undefined;
    sum += distance;
  }
  return sum;
}

function placeIn(list: readonly Entry[], entry: Entry): number | undefined {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareEntries(list[middle]!, entry) < 0) low = middle + 1;
    else high = middle;
  }
  return list[low] === entry ? low : undefined;
}

function contains(list: readonly Entry[], entry: Entry): boolean {
  return placeIn(list, entry) !== undefined;
}
