import { clusterWidth } from './glyphs.ts';
import { graphemes } from './graphemes.ts';

/** Part of a text, in UTF-16 units; `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** May not stand at the beginning of a row (closing signs of Chinese, Japanese and Korean text). */
const sticksToBefore = /^[、。，．：；！？）］｝〉》」』】〕’”…‥・ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ)\]},.!?;:%]/u;
/** May not stand at the end of a row. */
const sticksToAfter = /^[（［｛〈《「『【〔‘“([{]/u;

function wrapLine(text: string, start: number, end: number, width: number, found: TextRange[]): void {
  let rowStart = start;
  /** Where the row may end, and where the next then begins; -1 = nowhere yet. */
  let breakEnd = -1;
  let breakNext = -1;
  let column = 0;
  /** Columns up to `breakNext`. */
  let breakColumn = 0;
  let at = start;
  let before = '';
  let beforeWidth = 0;
  for (const cluster of graphemes(text.slice(start, end))) {
    const isSpace = cluster === ' ' || cluster === '\t';
    const cells = clusterWidth(cluster);
    const isBetweenWide = (cells === 2 || beforeWidth === 2) && before !== '' && before !== ' ';
    if (!isSpace && isBetweenWide && !sticksToBefore.test(cluster) && !sticksToAfter.test(before)) {
      breakEnd = breakNext = at;
      breakColumn = column;
    }
    // Spaces that no longer fit hang over the edge and are not drawn.
    if (!isSpace && column + cells > width && at > rowStart) {
      if (breakNext > rowStart) {
        found.push({ start: rowStart, end: breakEnd });
        rowStart = breakNext;
        column -= breakColumn;
      } else {
        found.push({ start: rowStart, end: at });
        rowStart = at;
        column = 0;
      }
      breakEnd = breakNext = -1;
      breakColumn = 0;
      if (column + cells > width && at > rowStart) {
        found.push({ start: rowStart, end: at });
        rowStart = at;
        column = 0;
      }
    }
    column += cells;
    if (isSpace) {
      if (before !== ' ' || breakEnd === -1) breakEnd = at;
      breakNext = at + cluster.length;
      breakColumn = column;
    }
    at += cluster.length;
    before = isSpace ? ' ' : cluster;
    beforeWidth = cells;
  }
  found.push({ start: rowStart, end });
}

/**
 * Rows of at most `width` cells: broken at LF, then after spaces and between wide characters, and inside a word only where it is longer
 * than a row. Spaces at a break belong to no row. Linear in the length of the text.
 */
export function wrapRanges(text: string, width: number): TextRange[] {
  const found: TextRange[] = [];
  const room = Math.max(1, width);
  let start = 0;
  for (;;) {
    const end = text.indexOf('\n', start);
    wrapLine(text, start, end === -1 ? text.length : end, room, found);
    if (end === -1) return found;
    start = end + 1;
  }
}

/** The rows of `wrapRanges` as text. */
export const wrapText = (text: string, width: number): string[] => wrapRanges(text, width).map(({ start, end }) => text.slice(start, end));
