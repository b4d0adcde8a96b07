/** Sentences of the shell command line. Those marked are fixed: other programs and scripts read them (state-db.md 6). */
export const shellText = {
  // ── the command line itself
  unknownCommand: (name: string) => `Unknown command '${name}'.`,
  didYouMean: (names: readonly string[]) => `Did you mean ${names.join(' or ')}?`,
  askIt: (words: string) => `To ask that: hermes -q ${words}`,
  seeHelp: (command: string) => `\`${command} --help\` shows what there is.`,
  otherHermes: (path: string, args: string) => `There is another hermes at ${path}; to ask that one: ${path} ${args}`,
  searchWord: (command: string, word: string) => `To leave a word out: \`${command} 'WORDS ${word}'\`, in quotes.`,
  unknownOption: (name: string) => `Unknown option ${name}.`,
  foreignOption: (name: string, command: string) => `${name} does not go with \`${command}\`.`,
  missingValue: (name: string, value: string) => `${name} needs a value: ${name} ${value}.`,
  noValue: (name: string) => `${name} takes no value.`,
  missingArgument: (command: string, name: string) => `\`${command}\` needs ${name.toUpperCase()}.`,
  unexpectedArgument: (command: string, word: string) => `\`${command}\` does not take '${word}'.`,
  wrongChoice: (name: string, word: string) => `'${word}' is no ${name}.`,
  choices: (names: readonly string[]) => `One of: ${names.join(', ')}.`,
  notTogether: (one: string, other: string) => `${one} and ${other} don't go together.`,
  chooseOne: 'Give one of them.',
  wrongNumber: (flag: string, text: string) => `${flag} needs a whole number from 1 up, not '${text}'.`,
  emptyArgument: (command: string, name: string) => `\`${command}\` got an empty ${name}.`,
  givenTwice: (name: string, one: string, other: string) => `${name} was given twice, as '${one}' and '${other}'.`,
  outputFailed: (code: string | undefined) =>
    code === 'ENOSPC' || code === 'EDQUOT'
      ? 'No room left on the disk that standard output goes to.'
      : `Standard output can't be written (${code ?? 'unknown'}).`,

  // ── help
  usage: 'Usage:',
  commands: 'Commands:',
  options: 'Options:',
  arguments: 'Arguments:',
  more: '`hermes COMMAND --help` says more. In the program, F1 shows every key and action.',
  tagline: 'Conversations with an AI agent, continued in the terminal pane where they were left.',
  help: 'show this and leave',
  version: 'show the version and leave',
  groupSummary: (group: string) => `Commands about ${group}`,

  // ── questions, long work
  /** Fixed. */
  cancelled: 'Cancelled.',
  stopped: 'Stopped; nothing is half done.',

  // ── sessions list
  /** Fixed. */
  noSessions: 'No sessions found.',
  /** Fixed in its end. */
  moreNotShown: (count: number, isAtLeast: boolean, limit: number) =>
    `… ${isAtLeast ? 'at least ' : ''}${count} more not shown (use --limit ${limit} to see more)`,
  /** Fixed. */
  columns: { title: 'Title', workspace: 'Workspace', preview: 'Preview', lastActive: 'Last Active', source: 'Src', id: 'ID' },
  missing: '—',
  begins: (preview: string | undefined) => (preview === undefined ? '—' : `— ${preview}`),
  pinMark: '★ ',
  archivedId: (id: string) => `${id}  archived`,
  /** Before a title, where the word has no room behind the id; a sign of its own would have to be explained. */
  archivedMark: 'arch. ',

  // ── sessions rename
  waitingForStore: 'waiting for the store …',
  /** Fixed. */
  renamed: (id: string, title: string) => `Session '${id}' renamed to: ${title}`,
  /** Fixed. */
  noSession: (id: string) => `No session '${id}'.`,
  /** Fixed. */
  findId: 'Run: hermes sessions list to find the id.',
  isTitle: (title: string, id: string) => `'${title}' is the title of session ${id}; rename wants the id.`,
  emptyTitle: 'The title is empty.',
  emptyTitleHint: 'Give at least one visible character.',
  titleOneLine: 'A title is one line.',

  // ── sessions stats
  /** Fixed. */
  totalSessions: (count: number) => `Total sessions: ${count}`,
  /** Fixed. */
  totalMessages: (count: number) => `Total messages: ${count}`,
  /** Fixed. */
  sessionsOfSource: (source: string, count: number) => `  ${source}: ${count} sessions`,
  /** Fixed. */
  databaseSize: (megabytes: string) => `Database size: ${megabytes} MB`,
} as const;
