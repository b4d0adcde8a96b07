import type { Theme } from './theme-type.ts';

/** The same calm on paper: contrast to white is 6.6 for soft, 4.6 for faint, 5.2 to 5.9 for the colours. */
export const light: Theme = {
  name: 'light',
  hasTrueColours: true,
  words: {
    text: {},
    soft: { fg: '#5c5c66' },
    faint: { fg: '#74747e' },
    accent: { fg: '#946200' },
    agent: { fg: '#2f7a3f' },
    error: { fg: '#b8323e' },
    link: { fg: '#2a6ca8' },
    code: { fg: '#2a6ca8' },
    keyword: { fg: '#2a6ca8' },
    'code-text': {},
    rule: { fg: '#d2d2d9' },
    'on-select': { bg: '#e9e9ef' },
    'on-code': { bg: '#f4f4f7' },
  },
};
