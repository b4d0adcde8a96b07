import { counted } from '../counted.ts';

/** Sentences of a page that `sessions export --format html` writes. */
export const htmlExportText = {
  program: 'Hermes',
  pageTitle: (count: number | undefined) => (count === undefined ? 'Hermes sessions' : counted(count, 'Hermes session')),
  untitled: 'untitled',
  ended: (reason: string) => `ended: ${reason}`,
  messages: (count: number) => counted(count, 'message'),
  exported: (when: string, version: string) => `Exported ${when} by hermes ${version}`,
  total: (sessions: number, messages: number) => `${counted(sessions, 'session')}, ${counted(messages, 'message')}`,
  nothing: 'No sessions in this export.',
  noMessages: 'No messages in this session.',

  // ── facts of a session
  from: (source: string) => `from ${source}`,
  tokens: (count: string) => `${count} tokens`,
  part: (n: number, of: number) => `part ${n} of ${of}`,
  archived: 'archived',
  pinned: 'pinned',

  // ── messages
  you: 'You',
  agent: 'Hermes',
  thinking: 'thinking',
  summary: 'summary of earlier messages, written by the program',
  system: 'system',
  interrupted: 'interrupted',
  failed: 'failed',
  done: 'done',
  noResult: 'no result',
  arguments: 'called with',
  output: 'output',
  image: (name: string) => (name === '' ? '[image]' : `[image: ${name}]`),
  embeddedImage: (size: string) => `[image: ${size} of data]`,
  more: (size: string) => `${size} more`,

  // ── controls
  skip: 'Skip to the conversation',
  sessionList: 'Sessions',
  openList: 'Open the list of sessions',
  search: 'Search',
  searchLabel: 'Search in all sessions',
  earlierHit: 'Earlier hit',
  laterHit: 'Later hit',
  conversation: 'Conversation',
  keys: '/ search · ↑ ↓ sessions · j k messages · Esc back',
};

/** Sentences the script of the page fills in; `{n}` and `{of}` are numbers. */
export const htmlPageText = {
  hitOf: '{n} of {of}',
  noHits: 'no hits',
  oneHit: '{n} hit',
  hits: '{n} hits',
  hitsHere: '{n} here, {of} in all',
  searching: 'searching …',
  darkColours: 'Dark colours',
  lightColours: 'Light colours',
  now: 'now',
};
