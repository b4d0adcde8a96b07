import type { Theme } from './theme-type.ts';

/** Text keeps the terminal's own colour: it is the one thing that must be legible on whatever ground is there. */
export const dark: Theme = {
  name: 'dark',
  hasTrueColours: true,
  words: {
    text: {},
    soft: { fg: '#9a9aa2' },
    faint: { fg: '#72727c' },
    accent: { fg: '#e3b45a' },
    agent: { fg: '#8fbf8f' },
    error: { fg: '#e0707a' },
    link: { fg: '#8ab4d8' },
    code: { fg: '#8ab4d8' },
    keyword: { fg: '#8ab4d8' },
    'code-text': {},
    rule: { fg: '#3a3a42' },
    'on-select': { bg: '#26262e' },
    'on-code': { bg: '#1e1e24' },
  },
};
