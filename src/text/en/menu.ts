/** Sentences of the F1 menu. */
export const menuText = {
  title: 'Help',
  count: (shown: number, of: number) => (shown === of ? `${of} actions` : `${shown} of ${of} actions`),
  runs: 'run',
  noMatch: (query: string) => `No action is called ${query}`,
  noMatchHint: (key: string) => `${key} clears the words`,
  disabled: (reason: string) => `not now: ${reason}`,
};
