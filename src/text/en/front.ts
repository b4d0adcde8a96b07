export const frontText = {
  nothingToAsk: 'Standard output is no terminal, and there is no prompt.',
  nothingToAskHint: 'Add -q "…", or pipe the prompt in.',
  wrongAt: (typed: string): string => `--at needs the id of a message, not '${typed}'.`,
  atNeedsSession: '--at goes with -r or -c.',
  atHint: "hermes -r SESSION --at MESSAGE, or hermes -r 'SESSION#MESSAGE', as `hermes sessions search` prints them.",
} as const;
