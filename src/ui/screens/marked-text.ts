import type { Range } from '../../session/match-text.ts';
import { clusterWidth, graphemes, stringWidth, wrapRanges } from '../../terminal/width.ts';
import { pushSpan } from '../compose.ts';
import type { Line, Span, Style } from '../frame.ts';

/** How words that were looked for are drawn, everywhere. */
const markStyle: Style = 'accent bold';

/** Text with the words at `ranges` marked; ranges in order, not overlapping. */
export function markText(text: string, ranges: readonly Range[], style: Style, mark: Style = markStyle): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const { start, end } of ranges) {
    if (end <= at || start >= text.length) continue;
    pushSpan(spans, text.slice(at, Math.max(at, start)), style);
    pushSpan(spans, text.slice(Math.max(at, start), end), mark);
    at = end;
  }
  pushSpan(spans, text.slice(at), style);
  return spans;
}

interface Piece {
  readonly text: string;
  readonly ranges: readonly Range[];
  readonly isCutBefore: boolean;
  readonly isCutAfter: boolean;
}

/** One line of at most `width` cells in which the first marked word shows, cut at character edges. */
export function markLine(piece: Piece, width: number, ellipsis: string, style: Style = 'soft'): Line {
  const { text, ranges } = piece;
  const mark = stringWidth(ellipsis);
  const first = ranges[0];
  let start = 0;
  let isCutBefore = piece.isCutBefore;
  if (first !== undefined) {
    const upTo = stringWidth(text.slice(0, first.start));
    const word = stringWidth(text.slice(first.start, first.end));
    if (upTo + word + 2 * mark > width) {
      // The word stands a third into the line, or as far left as a long one needs.
      const before = Math.max(0, Math.min(Math.floor(width / 3), width - word - 2 * mark));
      start = startFor(text, first.start, before);
      isCutBefore = isCutBefore || start > 0;
    }
  }
  let room = width - (isCutBefore ? mark : 0);
  const rest = text.slice(start);
  const isWhole = stringWidth(rest) <= room - (piece.isCutAfter ? mark : 0);
  if (!isWhole || piece.isCutAfter) room -= mark;
  let length = rest.length;
  if (!isWhole) {
    length = 0;
    for (const cluster of graphemes(rest)) {
      room -= clusterWidth(cluster);
      if (room < 0) break;
      length += cluster.length;
    }
  }
  const shown = rest.slice(0, length);
  const moved = ranges.map((range) => ({ start: Math.max(0, range.start - start), end: Math.min(length, range.end - start) }));
  const spans: Span[] = [];
  if (isCutBefore) pushSpan(spans, ellipsis, style);
  for (const each of markText(
    shown,
    moved.filter((range) => range.start < length),
    style,
  ))
    pushSpan(spans, each.text, each.style);
  if (!isWhole || piece.isCutAfter) pushSpan(spans, ellipsis, style);
  return spans;
}

/** Where a line begins that has `cells` cells before `end`. */
function startFor(text: string, end: number, cells: number): number {
  const clusters = [...graphemes(text.slice(0, end))];
  let start = end;
  let room = cells;
  for (let at = clusters.length - 1; at >= 0; at--) {
    room -= clusterWidth(clusters[at]!);
    if (room < 0) break;
    start -= clusters[at]!.length;
  }
  return start;
}

/** Wrapped text with its marks; `row` of the first one. Empty lines are left out. */
export function markRows(text: string, ranges: readonly Range[], width: number, style: Style): { rows: Line[]; first: number } {
  const rows: Line[] = [];
  let first = -1;
  for (const { start, end } of wrapRanges(text, width)) {
    const row = text.slice(start, end);
    if (row.trim() === '') continue;
    const inside = ranges
      .filter((range) => range.start < end && range.end > start)
      .map((range) => ({ start: Math.max(0, range.start - start), end: Math.min(end, range.end) - start }));
    if (inside.length > 0 && first === -1) first = rows.length;
    rows.push(markText(row, inside, style));
  }
  return { rows, first };
}
