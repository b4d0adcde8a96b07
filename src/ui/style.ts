import type { ColourDepth } from '../terminal/capabilities.ts';
import { defaultColour, flag, nearest256, packAttr, parseHex, plainAttr, trueColour } from './attr.ts';
import type { Style } from './frame.ts';
import type { Colour, Paint, Theme, ThemeWord } from './themes/theme-type.ts';

/** Style words → the number a cell carries. Unknown words throw: styles are written in the program, never read from data. */
export type Styler = (style: Style | undefined) => number;

const flagWords: Readonly<Record<string, number>> = {
  bold: flag.bold,
  dim: flag.dim,
  italic: flag.italic,
  underline: flag.underline,
  strike: flag.strike,
  inverse: flag.inverse,
};

const flagsOfPaint = (paint: Paint): number =>
  (paint.bold === true ? flag.bold : 0) |
  (paint.dim === true ? flag.dim : 0) |
  (paint.italic === true ? flag.italic : 0) |
  (paint.underline === true ? flag.underline : 0) |
  (paint.inverse === true ? flag.inverse : 0);

/** A styler for a theme on a terminal of that colour depth; every style is worked out once. */
export function createStyler(theme: Theme, depth: ColourDepth): Styler {
  const known = new Map<Style, number>();

  const colour = (value: Colour | undefined): number => {
    if (value === undefined || depth === 'none') return defaultColour;
    if (typeof value === 'number') return value;
    const rgb = parseHex(value);
    if (depth === '16') return defaultColour;
    return depth === 'truecolor' ? trueColour(rgb) : nearest256(rgb);
  };

  const work = (style: Style): number => {
    let foreground = defaultColour;
    let background = defaultColour;
    let flags = 0;
    for (const word of style.split(' ')) {
      if (word === '') continue;
      const bit = flagWords[word];
      if (bit !== undefined) {
        flags |= bit;
        continue;
      }
      if (word.startsWith('#')) {
        if (theme.hasTrueColours) foreground = colour(word);
        continue;
      }
      const paint = theme.words[word as ThemeWord] as Paint | undefined;
      if (paint === undefined) throw new Error(`no style word '${word}' in '${style}'`);
      if (paint.fg !== undefined) foreground = colour(paint.fg);
      if (paint.bg !== undefined) background = colour(paint.bg);
      if (paint.dim === false) flags &= ~flag.dim;
      flags |= flagsOfPaint(paint);
    }
    return packAttr(foreground, background, flags);
  };

  return (style) => {
    if (style === undefined || style === '') return plainAttr;
    let attr = known.get(style);
    if (attr === undefined) known.set(style, (attr = work(style)));
    return attr;
  };
}
