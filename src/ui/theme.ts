import type { ThemeName } from '../config/types.ts';
import type { ColourDepth } from '../terminal/capabilities.ts';
import { asciiGlyphs, unicodeGlyphs } from './screen.ts';
import type { Glyphs } from './screen.ts';
import { dark16 } from './themes/dark-16.ts';
import { dark } from './themes/dark.ts';
import { light16 } from './themes/light-16.ts';
import { light } from './themes/light.ts';
import { none } from './themes/none.ts';
import type { Theme } from './themes/theme-type.ts';

export type { Paint, Theme, ThemeWord } from './themes/theme-type.ts';

export const themes: Readonly<Record<Theme['name'], Theme>> = { dark, light, 'dark-16': dark16, 'light-16': light16, none };

/** In the order `/theme` walks through them. */
export const themeNames: readonly ThemeName[] = ['auto', 'dark', 'light', 'dark-16', 'light-16', 'none'];

/**
 * The theme of a terminal. A theme named by the user is taken as named; `auto` goes by the colours the terminal has and its background
 * (unknown counts as dark).
 */
export function chooseTheme(name: ThemeName, terminal: { depth: ColourDepth; background: 'dark' | 'light' | undefined }): Theme {
  if (name !== 'auto') return themes[name];
  if (terminal.depth === 'none') return none;
  const isLight = terminal.background === 'light';
  if (terminal.depth === '16') return isLight ? light16 : dark16;
  return isLight ? light : dark;
}

/** Chrome glyphs: ASCII where ambiguous characters are two cells wide, and on request. */
export const glyphsFor = (terminal: { ambiguousWide: boolean; asciiOnly?: boolean }): Glyphs =>
  terminal.ambiguousWide || terminal.asciiOnly === true ? asciiGlyphs : unicodeGlyphs;
