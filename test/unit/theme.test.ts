import { describe, expect, test } from 'vitest';
import {
  flag,
  flagsOf,
  foregroundOf,
  backgroundOf,
  blankAttr,
  nearest256,
  packAttr,
  plainAttr,
  sgr,
  trueColour,
} from '../../src/ui/attr.ts';
import { asciiGlyphs, unicodeGlyphs } from '../../src/ui/screen.ts';
import { createStyler } from '../../src/ui/style.ts';
import { chooseTheme, glyphsFor, themes } from '../../src/ui/theme.ts';
import type { ThemeWord } from '../../src/ui/theme.ts';
import { stringWidth } from '../../src/terminal/width.ts';
import { createEmulator } from '../support/emulator.ts';

const words = Object.keys(themes.dark.words) as ThemeWord[];

describe('the theme of a terminal', () => {
  test.each([
    ['auto', 'truecolor', undefined, 'dark'],
    ['auto', '256', 'light', 'light'],
    ['auto', '16', 'dark', 'dark-16'],
    ['auto', '16', 'light', 'light-16'],
    ['auto', 'none', 'light', 'none'],
    ['light', 'truecolor', 'dark', 'light'],
    ['none', 'truecolor', 'dark', 'none'],
  ] as const)('%s with %s colours on %s: %s', (name, depth, background, chosen) => {
    expect(chooseTheme(name, { depth, background }).name).toBe(chosen);
  });

  test('every theme knows every word', () => {
    for (const theme of Object.values(themes)) expect(Object.keys(theme.words)).toEqual(words);
  });

  test('secondary text, accent and selection differ from text in every theme', () => {
    for (const [name, theme] of Object.entries(themes)) {
      const style = createStyler(theme, name === 'none' ? 'none' : name.endsWith('16') ? '16' : 'truecolor');
      for (const word of ['faint', 'accent', 'error', 'rule', 'on-select']) expect(style(word), `${name}: ${word}`).not.toBe(style('text'));
    }
  });

  test('without colour no colour is sent, whatever the theme', () => {
    for (const theme of Object.values(themes)) {
      const style = createStyler(theme, 'none');
      for (const word of [...words, '#ff0000']) expect(sgr(style(word)), word).toMatch(/^\x1b\[0(;[1-9])*m$/u);
    }
  });

  test('with 256 colours or 16 no true colour is sent', () => {
    for (const word of [...words, '#aabbcc']) {
      expect(sgr(createStyler(themes.dark, '256')(word))).not.toContain(';2;');
      expect(sgr(createStyler(themes.dark, '16')(word))).not.toMatch(/[34]8;/u);
      expect(sgr(createStyler(themes['dark-16'], '16')(word))).not.toMatch(/[34]8;/u);
    }
  });
});

describe('styles', () => {
  const style = createStyler(themes.dark, 'truecolor');

  test('words add up', () => {
    const attr = style('accent on-select bold dim');
    expect(foregroundOf(attr)).toBe(foregroundOf(style('accent')));
    expect(backgroundOf(attr)).toBe(backgroundOf(style('on-select')));
    expect(flagsOf(attr)).toBe(flag.bold | flag.dim);
    expect(style(undefined)).toBe(plainAttr);
  });

  test('a word nobody knows is a mistake of the program', () => {
    expect(() => style('golden')).toThrow("'golden'");
  });

  test('dim, italic, strike and true colours reach the terminal', async () => {
    const emulator = createEmulator({ cols: 10, rows: 2 });
    await emulator.write(`${sgr(style('#ff8800 on-code dim italic strike underline'))}x${sgr(plainAttr)}y`);
    expect(emulator.cell(0, 0)).toMatchObject({
      dim: true,
      italic: true,
      strike: true,
      underline: true,
      foreground: '#ff8800',
      background: '#1e1e24',
    });
    expect(emulator.cell(1, 0)).toMatchObject({ dim: false, foreground: undefined, background: undefined });
    emulator.dispose();
  });

  test('more than 255 true colours fall back to the nearest of 256', () => {
    for (let i = 0; i < 400; i++) expect(trueColour(0x010000 * (i % 256) + i)).toBeLessThan(0x1ff);
    expect(nearest256(0xffffff)).toBe(231);
    expect(nearest256(0x808080)).toBe(244);
    expect(nearest256(0xff0000)).toBe(196);
  });

  test('a blank keeps only what is seen on it', () => {
    expect(blankAttr(packAttr(3, 4, flag.bold | flag.dim))).toBe(packAttr(undefined, 4));
    expect(blankAttr(packAttr(3, 4, flag.inverse | flag.bold))).toBe(packAttr(3, 4, flag.inverse));
  });
});

test('every glyph has an ASCII twin of one cell', () => {
  expect(Object.keys(asciiGlyphs)).toEqual(Object.keys(unicodeGlyphs));
  for (const glyph of Object.values(asciiGlyphs)) expect(glyph).toMatch(/^[\x21-\x7e]$/u);
  for (const glyph of Object.values(unicodeGlyphs)) expect(stringWidth(glyph)).toBe(1);
  expect(glyphsFor({ ambiguousWide: true })).toBe(asciiGlyphs);
  expect(glyphsFor({ ambiguousWide: false })).toBe(unicodeGlyphs);
});
