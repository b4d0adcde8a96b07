import { clusterWidth, graphemes } from '../../terminal/width.ts';
import type { Range } from '../../session/match-text.ts';
import type { Line, Span, Style } from '../frame.ts';
import { pushSpan } from '../compose.ts';

/** Visits the characters of a line with the cells they take. */
function eachCell(line: Line, visit: (cluster: string, from: number, to: number, style: Style | undefined) => void): void {
  let x = 0;
  for (const each of line) {
    for (const cluster of graphemes(each.text)) {
      const width = clusterWidth(cluster);
      visit(cluster, x, x + width, each.style);
      x += width;
    }
  }
}

const isWithin = (start: number, end: number, from: number, to: number): boolean => (start >= from || end > from) && start < to;

/** The text in cells `from` to `to` (exclusive); a wide character is in when one of its two cells is. */
export function textInCells(line: Line, from: number, to: number): string {
  let text = '';
  eachCell(line, (cluster, start, end) => {
    if (isWithin(start, end, from, to)) text += cluster;
  });
  return text;
}

/** The line with cells `from` to `to` on another ground. */
export function paintCells(line: Line, from: number, to: number, ground: Style): Line {
  if (to <= from) return line;
  const spans: Span[] = [];
  eachCell(line, (cluster, start, end, style) => {
    const isIn = isWithin(start, end, from, to);
    const words = isIn ? [...(style ?? '').split(' ').filter((word) => word !== '' && !word.startsWith('on-')), ground].join(' ') : style;
    pushSpan(spans, cluster, words);
  });
  return spans;
}

/** The ranges of the line's text drawn with another style; a line without any comes back as it is. */
export function paintRanges(line: Line, ranges: readonly Range[], style: Style): Line {
  if (ranges.length === 0) return line;
  const spans: Span[] = [];
  let at = 0;
  for (const each of line) {
    let done = 0;
    const end = at + each.text.length;
    for (const { start, end: to } of ranges) {
      if (to <= at || start >= end) continue;
      pushSpan(spans, each.text.slice(done, Math.max(0, start - at)), each.style);
      pushSpan(spans, each.text.slice(Math.max(0, start - at), to - at), style);
      done = Math.min(each.text.length, to - at);
    }
    pushSpan(spans, each.text.slice(done), each.style);
    at = end;
  }
  return spans;
}
