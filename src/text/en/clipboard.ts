/** What is said after a copy, and what doctor says of each way. */
export const clipboardText = {
  copied: {
    tmux: 'Copied through tmux',
    system: 'Copied to the system clipboard',
    osc52: 'Sent to the terminal to copy (OSC 52)',
  },
  tooLong: 'Not copied: too long for the terminal, and there is no other way here',
  failed: 'Not copied',
  ways: {
    tmux: '`tmux load-buffer -w -`',
    system: 'system clipboard',
    osc52: 'OSC 52, if the terminal allows it',
  },
} as const;
