/** What doctor says of each way to copy. */
export const clipboardText = {
  ways: {
    tmux: '`tmux load-buffer -w -`',
    system: 'system clipboard',
    osc52: 'OSC 52, if the terminal allows it',
  },
} as const;
