import { grouped } from '../grouped.ts';

const plural = (count: number, one: string, many = `${one}s`): string => `${grouped(count)} ${count === 1 ? one : many}`;

/** Sentences of the session picker. */
export const pickerText = {
  title: 'Sessions',
  shownOf: (shown: number, of: number) => `${grouped(shown)} of ${grouped(of)}`,
  loading: 'loading …',
  searching: 'searching …',
  workspaceScope: 'this workspace',
  directoryScope: 'this directory',
  everywhereScope: 'everywhere',
  elsewhere: (count: number) => `${grouped(count)} elsewhere`,
  filteredOut: (count: number) => `${grouped(count)} filtered out`,
  kinds: { machine: 'machine-made', archived: 'archived', empty: 'empty' },
  kindCount: (count: number, kind: string) => `${grouped(count)} ${kind}`,
  hidden: (kinds: string) => `${kinds} hidden`,
  hiddenShort: (count: number) => `${grouped(count)} hidden`,
  showing: (kinds: string) => `showing ${kinds}`,
  showingAll: 'showing all kinds',

  untitled: 'untitled',
  working: 'working',
  here: 'here',
  thisPane: 'this pane',
  segment: (n: number, of: number) => `segment ${n} of ${of}`,
  branch: 'branch',
  delegate: 'sub-agent',

  scopeSkipped: (workspace: string) => `No session of ${workspace} yet, so all are shown`,
  scopeEmpty: (workspace: string) => `No session of ${workspace}`,
  nothingToUnfold: 'Only this one: no other segments, no branches',
  foundById: (id: string) => `Found by its id: ${id}`,
  foundByIdBecause: (reasons: string) => `Found by its id; ${reasons}`,
  reasons: { machine: 'machine-made', archived: 'archived', empty: 'empty', elsewhere: 'of another workspace' },

  noMatch: (query: string) => `No session matches ${query}`,
  looksAt: 'Titles, first messages, directories, branches, sources and ids are looked at, not all that was said.',
  searchesEverywhere: 'searches everywhere',
  showsHidden: 'shows hidden kinds',
  noneAtAll: 'No sessions yet',
  noneAtAllHint: 'Every conversation is kept here from its first message on.',
  noneToShow: 'Nothing to show',
  startHint: (key: string) => `${key} goes back: write a message, and it is the first.`,
  loadingRows: 'Reading the sessions …',

  messages: (count: number) => plural(count, 'message'),
  tokens: (text: string) => `${text} tokens`,
  cost: (dollars: number) => `$${dollars.toFixed(2)}`,
  openIn: (where: string, pid: number, since: string) => `open in ${where} · pid ${pid} · since ${since}`,
  lineage: (segments: number, branches: number, delegates: number) =>
    [
      ...(segments > 1 ? [plural(segments, 'segment')] : []),
      ...(branches > 0 ? [plural(branches, 'branch', 'branches')] : []),
      ...(delegates > 0 ? [plural(delegates, 'sub-agent')] : []),
    ].join(', '),
  unfolds: 'unfolds',
  folds: 'folds',

  noRow: 'no session is selected',
  notAMember: 'only for the whole session, not for a part of it',
  nothingHidden: 'no session is hidden',
  onlyOne: 'it has one segment and no branches',
  notUnfolded: 'nothing is unfolded here',
  notHere: 'not in the list of sessions',
  isHere: 'this is the list',
  copiedId: (id: string) => `id copied: ${id}`,
  allActions: 'all actions',
  resume: 'resume',
};
