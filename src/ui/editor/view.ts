import { drawable } from '../../terminal/width.ts';
import type { Line, Span, Style } from '../frame.ts';
import { chipShape } from './chips.ts';
import { scanClusters } from './clusters.ts';
import { chipWidthOf } from './commands.ts';
import { selection } from './model.ts';
import type { Editor } from './model.ts';
import { lineText } from './text.ts';
import type { Position } from './text.ts';
import { columnOf, offsetAt, rowEnd, rowOf, rowStart, wrapLine } from './wrap.ts';

export interface EditorView {
  /** At least one, at most `maxRows`. */
  readonly lines: readonly Line[];
  /** The cell of the caret, relative to the field. */
  readonly cursor: { readonly x: number; readonly y: number };
  /** Rows exist above or below those drawn. */
  readonly hasAbove: boolean;
  readonly hasBelow: boolean;
}

interface Row {
  readonly line: number;
  readonly row: number;
}

const rowsOf = (editor: Editor, line: number) => wrapLine(editor.lines[line] ?? { text: '' }, editor.width, chipWidthOf(editor));

function rowAbove(editor: Editor, at: Row): Row | undefined {
  if (at.row > 0) return { line: at.line, row: at.row - 1 };
  return at.line > 0 ? { line: at.line - 1, row: rowsOf(editor, at.line - 1).starts.length - 1 } : undefined;
}

function rowBelow(editor: Editor, at: Row): Row | undefined {
  if (at.row < rowsOf(editor, at.line).starts.length - 1) return { line: at.line, row: at.row + 1 };
  return at.line < editor.lines.length - 1 ? { line: at.line + 1, row: 0 } : undefined;
}

const isBefore = (a: Row, b: Row): boolean => a.line < b.line || (a.line === b.line && a.row < b.row);

const caretRow = (editor: Editor): Row => ({
  line: editor.caret.line,
  row: rowOf(rowsOf(editor, editor.caret.line), editor.caret.offset),
});

/** First row to draw so that the caret shows and no row stays empty below the text. Looks only at the rows around the caret. */
function topRow(editor: Editor, maxRows: number): Row {
  const caret = caretRow(editor);
  const lastLine = editor.lines.length - 1;
  let highest: Row = caret;
  for (let rows = 1; rows < maxRows; rows++) {
    const above = rowAbove(editor, highest);
    if (above === undefined) break;
    highest = above;
  }
  const line = Math.min(editor.top.line, lastLine);
  const kept: Row = { line, row: Math.min(editor.top.row, rowsOf(editor, line).starts.length - 1) };
  let top = isBefore(kept, highest) ? highest : isBefore(caret, kept) ? caret : kept;
  let below: Row | undefined = top;
  let drawn = 0;
  while (below !== undefined && drawn < maxRows) {
    drawn++;
    below = rowBelow(editor, below);
  }
  for (; drawn < maxRows; drawn++) {
    const above = rowAbove(editor, top);
    if (above === undefined) break;
    top = above;
  }
  return top;
}

/** Keeps the scroll that `viewEditor` would choose; call it after every change, with the rows the field may take. */
export function scrollToCaret(editor: Editor, maxRows: number): Editor {
  const top = topRow(editor, maxRows);
  return top.line === editor.top.line && top.row === editor.top.row ? editor : { ...editor, top };
}

/** Adds text to a list of spans, joining it to the last one where the style is the same. */
function pushSpan(spans: Span[], text: string, style: Style | undefined): void {
  const last = spans.at(-1);
  if (last !== undefined && last.style === style)
    spans[spans.length - 1] = style === undefined ? { text: last.text + text } : { text: last.text + text, style };
  else spans.push(style === undefined ? { text } : { text, style });
}

function drawRow(editor: Editor, line: number, from: number, to: number): Line {
  const text = lineText(editor.lines, line);
  const range = selection(editor);
  const startsAt = range === undefined || range.from.line > line ? Infinity : range.from.line < line ? 0 : range.from.offset;
  const endsAt = range === undefined || range.to.line < line ? -1 : range.to.line > line ? Infinity : range.to.offset;
  const spans: Span[] = [];
  let pending = from;
  const flush = (until: number) => {
    if (until > pending) {
      const isTouched = startsAt < endsAt;
      const selectFrom = isTouched ? Math.min(Math.max(startsAt, pending), until) : until;
      const selectTo = isTouched ? Math.min(Math.max(endsAt, pending), until) : until;
      const cuts = [pending, selectFrom, selectTo, until];
      for (let index = 0; index < 3; index++) {
        const part = text.slice(cuts[index], cuts[index + 1]);
        if (part !== '') pushSpan(spans, drawable(part), index === 1 ? 'on-select' : undefined);
      }
    }
    pending = until;
  };
  if (editor.chips.size === 0) flush(to);
  else {
    scanClusters(
      text,
      from,
      () => 1,
      (start) => {
        if (start >= to) return true;
        const unit = text.charAt(start);
        if (editor.chips.has(unit)) {
          flush(start);
          pushSpan(spans, chipShape(editor.chips, unit).label, start >= startsAt && start < endsAt ? 'accent on-select' : 'accent');
          pending = start + 1;
        }
        return false;
      },
    );
    flush(to);
  }
  // A selected line end shows as one selected cell.
  if (to === text.length && startsAt <= to && endsAt === Infinity) pushSpan(spans, ' ', 'on-select');
  return spans;
}

/** The rows of the field on screen and the cell of the caret. Pure; costs as much as the rows drawn, however long the text. */
export function viewEditor(editor: Editor, maxRows: number): EditorView {
  const chipWidth = chipWidthOf(editor);
  if (editor.isSingleLine) return viewField(editor);
  const top = topRow(editor, Math.max(1, maxRows));
  const caret = caretRow(editor);
  const lines: Line[] = [];
  let cursor = { x: 0, y: 0 };
  let at: Row | undefined = top;
  while (at !== undefined && lines.length < Math.max(1, maxRows)) {
    const wrap = rowsOf(editor, at.line);
    const text = lineText(editor.lines, at.line);
    const from = rowStart(wrap, at.row);
    if (at.line === caret.line && at.row === caret.row) {
      cursor = { x: Math.min(columnOf(text, from, editor.caret.offset, chipWidth), editor.width - 1), y: lines.length };
    }
    lines.push(drawRow(editor, at.line, from, rowEnd(wrap, at.row, text)));
    at = rowBelow(editor, at);
  }
  return { lines, cursor, hasAbove: top.line > 0 || top.row > 0, hasBelow: at !== undefined };
}

/** First offset shown of a one-line field: everything left of the caret that fits, a whole character at a time. */
function fieldStart(editor: Editor): number {
  const text = lineText(editor.lines, 0);
  const chipWidth = chipWidthOf(editor);
  const room = editor.width - 1;
  let column = columnOf(text, 0, editor.caret.offset, chipWidth);
  let start = 0;
  scanClusters(
    text,
    0,
    () => 1,
    (_from, end, cells) => {
      if (column <= room) return true;
      column -= cells;
      start = end;
      return false;
    },
  );
  return start;
}

function viewField(editor: Editor): EditorView {
  const text = lineText(editor.lines, 0);
  const chipWidth = chipWidthOf(editor);
  const start = fieldStart(editor);
  const end = offsetAt(text, start, text.length, editor.width - 1, true, chipWidth);
  const x = columnOf(text, start, editor.caret.offset, chipWidth);
  return { lines: [drawRow(editor, 0, start, end)], cursor: { x, y: 0 }, hasAbove: start > 0, hasBelow: end < text.length };
}

/** The place in the text under a cell of the field (0-based, relative to it); beyond the text, its end. */
function positionAt(editor: Editor, maxRows: number, x: number, y: number): Position {
  const chipWidth = chipWidthOf(editor);
  if (editor.isSingleLine) {
    const text = lineText(editor.lines, 0);
    return { line: 0, offset: offsetAt(text, fieldStart(editor), text.length, Math.max(0, x), true, chipWidth) };
  }
  let at = topRow(editor, Math.max(1, maxRows));
  for (let row = 0; row < y; row++) {
    const below = rowBelow(editor, at);
    if (below === undefined) break;
    at = below;
  }
  const wrap = rowsOf(editor, at.line);
  const text = lineText(editor.lines, at.line);
  const isLast = at.row === wrap.starts.length - 1;
  return { line: at.line, offset: offsetAt(text, rowStart(wrap, at.row), rowEnd(wrap, at.row, text), Math.max(0, x), isLast, chipWidth) };
}

/** Mouse: a press sets the caret, a drag selects from there, a double click selects the word. */
export function pressAt(editor: Editor, maxRows: number, x: number, y: number): Editor {
  const caret = positionAt(editor, maxRows, x, y);
  return { ...editor, caret, anchor: caret, goal: undefined, last: 'other' };
}

export function dragTo(editor: Editor, maxRows: number, x: number, y: number): Editor {
  return { ...editor, caret: positionAt(editor, maxRows, x, y), anchor: editor.anchor ?? editor.caret, goal: undefined, last: 'other' };
}
