export const frontText = {
  nothingToAsk: 'Standard output is no terminal, and there is no prompt.',
  nothingToAskHint: 'Add -q "…", or pipe the prompt in.',
} as const;
