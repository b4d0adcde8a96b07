import { clusterWidth, graphemes } from '../../terminal/width.ts';
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

/** Every place where `needle` (lower case) stands in the line, drawn with more style; lines without it come back as they are. */
export function paintMatches(line: Line, needle: string, skip: number, style: Style): Line {
  const text = line.map((each) => each.text).join('');
  const lowered = text.toLowerCase();
  if (needle === '' || lowered.length !== text.length || !lowered.includes(needle)) return line;
  const spans: Span[] = [];
  const hits: [number, number][] = [];
  for (let at = lowered.indexOf(needle); at !== -1; at = lowered.indexOf(needle, at + needle.length))
    if (at >= skip) hits.push([at, at + needle.length]);
  let at = 0;
  for (const each of line) {
    let done = 0;
    const end = at + each.text.length;
    for (const [from, to] of hits) {
      if (to <= at || from >= end) continue;
      pushSpan(spans, each.text.slice(done, Math.max(0, from - at)), each.style);
      pushSpan(spans, each.text.slice(Math.max(0, from - at), to - at), style);
      done = Math.min(each.text.length, to - at);
    }
    pushSpan(spans, each.text.slice(done), each.style);
    at = end;
  }
  return spans;
}
