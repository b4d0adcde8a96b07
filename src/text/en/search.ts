import { grouped } from '../grouped.ts';

const plural = (count: number, one: string, many = `${one}s`): string => `${grouped(count)} ${count === 1 ? one : many}`;
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

/** Sentences of the search panel, and of a conversation that is looked at from it. */
export const searchText = {
  title: 'Search',
  /** Sessions that only their title was found in have no hits. */
  counts: (sessions: number, hits: number, dot: string) =>
    sessions === 0 ? 'nothing found' : `${plural(sessions, 'session')}${hits === 0 ? '' : ` ${dot} ${plural(hits, 'hit')}`}`,
  searching: 'searching …',
  /** `time`: everything said since then was looked at. */
  searchingBack: (time: number) => `searching back to ${months[new Date(time).getMonth()]} ${new Date(time).getFullYear()} …`,
  order: { best: 'best first', newest: 'newest first', oldest: 'oldest first' },
  index: {
    none: 'no search index yet: looking through the messages themselves',
    behind: (missing: number | undefined) =>
      missing === undefined ? 'the index is behind: the rest is read' : `index is ${plural(missing, 'message')} behind: they are read`,
    rebuilding: (missing: number | undefined) =>
      missing === undefined
        ? 'the index is being rebuilt: the rest is read'
        : `the index is being rebuilt, ${plural(missing, 'message')} to go: they are read`,
    stale: 'the index is marked as out of date: looking through the messages themselves',
    damaged: 'index is damaged: `hermes sessions repair`; looking through the messages themselves',
  },
  completes: (key: string) => `${key} completes`,

  untitled: 'untitled',
  inTitle: 'in the title',
  hits: (count: number) => plural(count, 'hit'),
  hitOf: (hit: number, of: number) => `hit ${grouped(hit)} of ${grouped(of)}`,
  noText: 'no text',

  placeholder: 'words, "a phrase", source:telegram …',
  emptyTitle: 'Everything that was ever said, in every session',
  /** What can be typed, and what it means. */
  syntax: [
    ['token expiry', 'both in a message'],
    ['"token expiry"', 'in this order'],
    ['token OR expiry', 'one or the other'],
    ['token -test', 'without test'],
    ['auth*', 'begins with auth'],
    ['role:user', 'what you said'],
    ['after:7d', 'in the last week'],
  ] as readonly (readonly [string, string])[],
  fields: 'source: role: workspace: branch: model: title: tool: before: after: is:',
  recent: 'searched before',
  none: (query: string) => `Nothing was found for ${query}`,
  noneHints: {
    prefix: 'Words match as a whole: auth* finds authentication too.',
    fewer: 'Fewer words, or OR between them, find more.',
    filters: 'The filters in the line leave out the rest.',
  },
  searchesEverywhere: 'searches everywhere',

  nothingFound: 'nothing is found',
  nothingTyped: 'nothing is typed yet',
  nothingToComplete: 'there is nothing to complete here',
  isHere: 'this is the search',
  notHere: 'not in the search',
  open: 'open',
  allActions: 'all actions',
  all: 'all',

  messageGone: 'This message is gone from the store since it was found',
} as const;
