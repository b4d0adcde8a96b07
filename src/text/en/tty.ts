/** Sentences about the terminal itself. */
export const ttyText = {
  stdinNoTerminal: 'The full screen needs a terminal, and standard input is none.',
  stdoutNoTerminal: 'The full screen needs a terminal, and standard output is none.',
  noTerminalHint: 'Use `hermes -q "…"` for one answer on standard output.',
  dumb: (term: string) => `A terminal of the kind TERM=${term} has no full screen.`,
  dumbHint: 'Use `hermes --cli`.',
} as const;
