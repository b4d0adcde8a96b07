import type { Theme } from './theme-type.ts';

/** No colour at all: weight, dimness and inverse carry what the glyphs don't. */
export const none: Theme = {
  name: 'none',
  hasTrueColours: false,
  words: {
    text: {},
    soft: {},
    faint: { dim: true },
    accent: { bold: true },
    agent: {},
    error: { bold: true, underline: true },
    link: { underline: true },
    code: { bold: true },
    keyword: {},
    'code-text': {},
    rule: { dim: true },
    'on-select': { inverse: true, dim: false },
    'on-code': {},
  },
};
