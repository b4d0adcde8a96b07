import { expandTabs, stringWidth, takeStart, wrapRanges } from '../../terminal/width.ts';
import type { Line, Span, Style } from '../frame.ts';
import { span } from '../frame.ts';
import { pushSpan } from '../compose.ts';

/** One row of laid-out text, with what is needed to copy it without the layout. */
export interface Row {
  readonly line: Line;
  /** Cells at the left that the layout added: gutters, hanging indents. */
  readonly skip: number;
  /** Set where the row goes on with the line above: what the wrap took out between them (a space, or nothing). */
  readonly joined?: string;
  /** Nothing of the row is text: rules and borders. */
  readonly isChrome?: boolean;
}

export const blankRow: Row = { line: [], skip: 0 };

const printableAscii = /^[\x20-\x7e]*$/u;
const textOf = (spans: Line): string => (spans.length === 1 ? (spans[0]?.text ?? '') : spans.map((each) => each.text).join(''));

/** Cuts a range of UTF-16 units out of styled text. */
function sliceSpans(spans: Line, from: number, to: number): Line {
  const out: Span[] = [];
  let at = 0;
  for (const each of spans) {
    const end = at + each.text.length;
    if (end > from && at < to) pushSpan(out, each.text.slice(Math.max(0, from - at), to - at), each.style);
    if (end >= to) break;
    at = end;
  }
  return out;
}

/** Styled text as rows of at most `width` cells, broken at LF and between words. */
export function wrapSpans(spans: Line, width: number): Row[] {
  const text = textOf(spans);
  if (text.length <= width && printableAscii.test(text)) return [{ line: spans, skip: 0 }];
  const rows: Row[] = [];
  let end = 0;
  for (const range of wrapRanges(text, width)) {
    const between = text.slice(end, range.start);
    const line = sliceSpans(spans, range.start, range.end);
    rows.push(rows.length === 0 || between.includes('\n') ? { line, skip: 0 } : { line, skip: 0, joined: between });
    end = range.end;
  }
  return rows;
}

/** Styled text of one line cut anywhere into rows of at most `width` cells: code, whose spaces have a meaning. */
export function chopSpans(spans: Line, width: number): Row[] {
  const text = textOf(spans);
  if (text.length <= width && printableAscii.test(text)) return [{ line: spans, skip: 0 }];
  const rows: Row[] = [];
  for (let from = 0; from < text.length || rows.length === 0;) {
    // A row of `width` cells has no more units than this, stacked marks aside; so a long line is not measured again for every row.
    const piece = takeStart(text.slice(from, from + width * 4 + 64), Math.max(2, width));
    const to = Math.max(from + 1, from + piece.length);
    const line = sliceSpans(spans, from, to);
    rows.push(rows.length === 0 ? { line, skip: 0 } : { line, skip: 0, joined: '' });
    from = to;
  }
  return rows;
}

/** Sets text before rows: `first` before the first, `rest` before the others. Chrome is never copied; an indent is, on lines of its own. */
export function prefixRows(rows: readonly Row[], first: Span, rest: Span, kind: 'chrome' | 'content'): Row[] {
  return rows.map((row, index) => {
    const prefix = index === 0 ? first : rest;
    const isCopied = kind === 'content' && row.skip === 0 && row.joined === undefined;
    return { ...row, line: [prefix, ...row.line], skip: isCopied ? 0 : row.skip + stringWidth(prefix.text) };
  });
}

/** Lines over this many cells are wrapped as far as here, the rest when it is asked for. */
export const longLine = 4000;
/** As far as a long line is wrapped once its message was unfolded. */
export const longestLine = 100_000;

/** Plain text as rows: tabs are columns, CR before LF is not shown, words whole where they fit. */
export function plainRows(text: string, width: number, style?: Style): Row[] {
  const rows: Row[] = [];
  for (const line of text.split('\n')) {
    const shown = expandTabs(line.endsWith('\r') ? line.slice(0, -1) : line);
    rows.push(...wrapSpans(shown === '' ? [] : [span(shown, style)], width));
  }
  return rows;
}

/** Shortens lines that are too long to wrap at once; `mark` says what is missing. */
export function limitLines(text: string, most: number, mark: (characters: number) => string): string {
  if (text.length <= most) return text;
  return text
    .split('\n')
    .map((line) => {
      if (line.length <= most) return line;
      const code = line.charCodeAt(most - 1);
      const end = code >= 0xd800 && code <= 0xdbff ? most - 1 : most;
      return `${line.slice(0, end)} ${mark(line.length - end)}`;
    })
    .join('\n');
}
