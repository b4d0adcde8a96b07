/** Sentences about filters of list, export, prune and archive. */
export const filterText = {
  wrongTime: (flag: string, value: string) => `${flag} needs a point in time, not '${value}'.`,
  wrongTimeHint: 'Days (90), a span (5h, 30m, 2d, 1w), or a date: 2026-07-05, "2026-07-05 14:30".',
  wrongCount: (flag: string, value: string) => `${flag} needs a whole number from 0 up, not '${value}'.`,
  wrongAmount: (flag: string, value: string) => `${flag} needs an amount in dollars, not '${value}'.`,
  emptyWindow: (from: string, until: string) => `No session can match: ${from} begins where ${until} has ended.`,
  emptyBounds: (least: string, most: string) => `No session can match: ${least} is more than ${most}.`,
  emptyQuery: '--query is empty.',
  queryHint: 'Give words that were said, or fields such as title: or is:pinned.',
  timeInQuery: '--query takes no before: and after: here.',
  timeInQueryHint: 'Use --older-than and --newer-than (last activity), or --before and --after (start).',
} as const;
