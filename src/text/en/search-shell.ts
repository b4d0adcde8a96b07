/** Sentences of `hermes sessions search` and of `/search` in line mode. */
export const searchShellText = {
  /** Fixed (state-db.md 10). */
  none: 'No matching sessions found.',
  emptyQuery: 'There is nothing to search for.',
  emptyQueryHint: 'Give words that were said, "a phrase", prefix*, or fields: hermes sessions search deploy source:telegram',
  hits: (count: number): string => (count === 1 ? '1 hit' : `${count.toLocaleString('en')} hits`),
  titleOnly: 'title',
  untitled: 'untitled',
  shown: (shown: number, lineages: number, hits: number): string =>
    `${shown < lineages ? `${shown} of ` : ''}${lineages.toLocaleString('en')} ${lineages === 1 ? 'session' : 'sessions'} · ${hits.toLocaleString('en')} ${hits === 1 ? 'hit' : 'hits'}`,
  openOne: "Open one there: hermes -r 'SESSION#MESSAGE'",
  emptyLine: '/search WORDS finds what was said in any session.',
  openNumber: '/resume N opens one',
  cut: '…',
  index: {
    none: 'There is no search index: every message is looked at.',
    behind: (missing: number | undefined): string =>
      `The search index is ${missing === undefined ? '' : `${missing.toLocaleString('en')} messages `}behind: those were looked at one by one.`,
    rebuilding: 'The search index is being rebuilt: what it lacks was looked at one by one.',
    stale: 'The search index is marked as out of date: every message is looked at.',
    damaged: 'The search index is damaged: every message is looked at. `hermes sessions repair` rebuilds it.',
  },
  roles: { user: 'You', assistant: 'Hermes', tool: 'Tool', system: 'System' } as Readonly<Record<string, string>>,
} as const;
