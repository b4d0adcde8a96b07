/** Sentences of the command palette. */
export const paletteText = {
  title: 'Commands',
};
