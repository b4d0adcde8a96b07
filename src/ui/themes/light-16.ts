import type { Theme } from './theme-type.ts';

/** Yellow is unreadable on white, so the accent is magenta; white as a ground marks the selection softly. */
export const light16: Theme = {
  name: 'light-16',
  hasTrueColours: false,
  words: {
    text: {},
    soft: { dim: true },
    faint: { dim: true },
    accent: { fg: 5 },
    agent: { fg: 2 },
    error: { fg: 1 },
    link: { fg: 4 },
    code: { fg: 4 },
    keyword: { fg: 4 },
    'code-text': {},
    rule: { fg: 7 },
    'on-select': { bg: 7, dim: false },
    'on-code': {},
  },
};
