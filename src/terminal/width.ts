import { clusterWidth, glyphsOf } from './glyphs.ts';
import { codePointWidth } from './code-point.ts';
import { graphemes, isOneUnitEach } from './graphemes.ts';

/**
 * Cell widths of text as it is drawn. No width function is right in all terminals (48 strings measured in tmux, xterm, kitty and
 * alacritty: the best agrees on 44); widths here are by grapheme, and the drawer places the cursor anew after the risky ones.
 */
export { ambiguousWidth, codePointWidth, setAmbiguousWidth } from './code-point.ts';
export type { AmbiguousWidth } from './code-point.ts';
export { clusterWidth } from './glyphs.ts';
export type { Glyph } from './glyphs.ts';
export { graphemes } from './graphemes.ts';
export type { Clusters } from './graphemes.ts';
export { wrapRanges, wrapText } from './wrap.ts';
export type { TextRange } from './wrap.ts';

/** Looked for instead of its opposite: `/^[\x20-\x7e]*$/` remembers every unit to step back, and overflows with millions of them. */
const notPrintableAscii = /[^\x20-\x7e]/u;

/** Cells of a text as it is drawn; control characters count as the symbol that stands for them. */
export function stringWidth(text: string): number {
  if (!notPrintableAscii.test(text)) return text.length;
  let width = 0;
  if (isOneUnitEach(text)) {
    for (let i = 0; i < text.length; i++) width += codePointWidth(text.charCodeAt(i));
    return width;
  }
  for (const cluster of graphemes(text)) width += clusterWidth(cluster);
  return width;
}

/** The text as it is sent: NFC, with symbols in place of control characters, escape bytes, bidi controls and invisible characters. */
export function drawable(text: string): string {
  if (isOneUnitEach(text)) return text;
  let drawn = '';
  for (const cluster of graphemes(text)) for (const glyph of glyphsOf(cluster)) drawn += glyph.text;
  return drawn;
}

/** Tabs as spaces up to the next multiple of `size` columns, counted from the beginning of the line. */
export function expandTabs(text: string, size = 4): string {
  if (!text.includes('\t')) return text;
  let expanded = '';
  let column = 0;
  for (const part of text.split(/([\t\n])/u)) {
    if (part === '\t') {
      const spaces = size - (column % size);
      expanded += ' '.repeat(spaces);
      column += spaces;
    } else {
      expanded += part;
      column = part === '\n' ? 0 : column + stringWidth(part);
    }
  }
  return expanded;
}

/** The longest beginning of a text that fits `width` cells, cut at a character edge. */
export function takeStart(text: string, width: number): string {
  if (text.length <= width && !notPrintableAscii.test(text)) return text;
  let room = width;
  let length = 0;
  for (const cluster of graphemes(text)) {
    room -= clusterWidth(cluster);
    if (room < 0) break;
    length += cluster.length;
  }
  return text.slice(0, length);
}

/** The longest end of a text that fits `width` cells, cut at a character edge. */
export function takeEnd(text: string, width: number): string {
  const clusters = graphemes(text);
  let room = width;
  let start = text.length;
  for (let i = clusters.length - 1; i >= 0; i--) {
    const cluster = clusters[i] as string;
    room -= clusterWidth(cluster);
    if (room < 0) break;
    start -= cluster.length;
  }
  return text.slice(start);
}

/** Titles: cut at the end, the mark included in `width`. */
export function truncateEnd(text: string, width: number, ellipsis = '…'): string {
  if (stringWidth(text) <= width) return text;
  const mark = stringWidth(ellipsis);
  return width < mark ? '' : takeStart(text, width - mark).trimEnd() + ellipsis;
}

/** Paths: cut in the middle, the end (which tells directories apart) keeps two thirds of the room. */
export function truncateMiddle(text: string, width: number, ellipsis = '…'): string {
  if (stringWidth(text) <= width) return text;
  const room = width - stringWidth(ellipsis);
  if (room < 1) return truncateEnd(text, width, ellipsis);
  const start = takeStart(text, Math.floor(room / 3));
  return start + ellipsis + takeEnd(text, room - stringWidth(start));
}

/** Fills up with spaces to `width` cells; longer text is returned as it is. */
export function padEnd(text: string, width: number): string {
  const missing = width - stringWidth(text);
  return missing > 0 ? text + ' '.repeat(missing) : text;
}
