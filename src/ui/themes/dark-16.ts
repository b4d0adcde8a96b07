import type { Theme } from './theme-type.ts';

/**
 * Sixteen colours of the user's own choosing. Bright black is the ground itself in some palettes (Solarized), so secondary text is dim
 * rather than grey, and blue, unreadable on black in most, gives way to cyan.
 */
export const dark16: Theme = {
  name: 'dark-16',
  hasTrueColours: false,
  words: {
    text: {},
    soft: { fg: 7 },
    faint: { dim: true },
    accent: { fg: 3 },
    agent: { fg: 2 },
    error: { fg: 1, bold: true },
    link: { fg: 6 },
    code: { fg: 6 },
    keyword: { fg: 6 },
    'code-text': {},
    rule: { dim: true },
    'on-select': { fg: 15, bg: 8, dim: false },
    'on-code': {},
  },
};
