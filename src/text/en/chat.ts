/** Sentences of the conversation screen. */
export const chatText = {
  newConversation: 'new conversation',
  placeholder: 'Say something, or / for commands',
  /** The empty conversation says what to do. */
  isNew: 'A new conversation. It is kept from its first message on.',
  earlierOnes: (key: string): string => `${key} lists the earlier ones: Enter goes on with one.`,
  noModel: 'No model is set up yet, so nothing can answer.',
  chooseModel: '/model lists the keys and servers found on this machine, and sets one up after asking.',
  placeholderReadOnly: (key: string): string => `read only: Enter asks for it, ${key} picks another`,
  rowOf: (row: number, of: number): string => `${row} of ${of}`,
  working: 'working',
  waitingForStore: 'waiting for the store',
  /** `key` brings them back into the empty line. */
  queued: (count: number, key: string | undefined): string => `${count} queued${key === undefined ? '' : `, ${key} takes back`}`,
  leaveAgain: (key: string): string => `${key} again leaves`,
  retry: 'Enter asks again',
  reading: 'reading',
  looking: 'looking',
  matchOf: (at: number, of: number): string => `${at} of ${of}`,
  matches: (of: number): string => (of === 0 ? 'no match' : of === 1 ? '1 match' : `${of} matches`),
  notShown: 'this message has no words to show',
  find: 'find',
  noQuery: 'no words to find yet: / takes them',
  notFound: (query: string): string => `no match for ${query}`,
  wrapped: { next: 'after the last match: from the beginning', previous: 'before the first match: from the end' },
  readingBack: 'reading back …',
  searchMine: 'my messages',
  noneOfMine: 'no message of yours has these words',
  unknownCommand: (word: string, nearest: readonly string[]): string =>
    nearest.length === 0
      ? `no command /${word}; Enter again sends it as text`
      : `no command /${word}; ${nearest.map((name) => `/${name}`).join(' ')}? Enter again sends it as text`,
  copied: (lines: number): string => (lines === 1 ? 'copied 1 line' : `copied ${lines} lines`),
  nothingToCopy: 'nothing to copy yet',
  copyOf: (time: string): string => `copy of ${time}`,
  tokens: (used: string): string => `${used} tokens`,
  contextOf: (used: string, limit: string): string => `${used} of ${limit}`,
  cleared: 'cleared; ↑ brings it back',
  unsent: 'back in the line, unsent',
  turnRuns: 'a turn is running: Esc interrupts it, /quit asks',
  emptyLineOnly: 'the line is not empty',
  nothingSaid: 'nothing was said yet',
} as const;
