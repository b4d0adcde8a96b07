import type { EditorLine } from './wrap.ts';

/** A place in the text: line and UTF-16 offset in it, always at the edge of a visible character. */
export interface Position {
  readonly line: number;
  readonly offset: number;
}

export const comparePositions = (a: Position, b: Position): number => a.line - b.line || a.offset - b.offset;
export const isSamePosition = (a: Position, b: Position): boolean => a.line === b.line && a.offset === b.offset;

export type EditorLines = readonly EditorLine[];

/** Splits at LF alone: CR is a character like any other, so that text stays as it came. */
export const toLines = (text: string): EditorLine[] => text.split('\n').map((line) => ({ text: line }));

export const lineText = (lines: EditorLines, line: number): string => lines[line]?.text ?? '';

/** The text between two places, lines joined by LF. */
export function textBetween(lines: EditorLines, from: Position, to: Position): string {
  if (from.line === to.line) return lineText(lines, from.line).slice(from.offset, to.offset);
  const parts = [lineText(lines, from.line).slice(from.offset)];
  for (let line = from.line + 1; line < to.line; line++) parts.push(lineText(lines, line));
  parts.push(lineText(lines, to.line).slice(0, to.offset));
  return parts.join('\n');
}

/** Where a text ends that begins at `from`. */
export function endOf(from: Position, text: string): Position {
  const lastBreak = text.lastIndexOf('\n');
  if (lastBreak === -1) return { line: from.line, offset: from.offset + text.length };
  let line = from.line;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) line++;
  return { line, offset: text.length - lastBreak - 1 };
}

/**
 * Lines with the text between two places replaced. Lines that did not change are the same objects (their wraps stay); a changed
 * single line remembers what it was, so that only the touched rows are wrapped again.
 */
export function replaceBetween(lines: EditorLines, from: Position, to: Position, text: string): EditorLines {
  const before = lineText(lines, from.line).slice(0, from.offset);
  const after = lineText(lines, to.line).slice(to.offset);
  if (from.line === to.line && !text.includes('\n')) {
    const old = lines[from.line] ?? { text: '' };
    const delta = text.length - (to.offset - from.offset);
    const line: EditorLine = { text: before + text + after };
    if (old.wrap !== undefined) line.origin = { line: old, at: from.offset, inserted: text.length, delta };
    return lines.with(from.line, line);
  }
  const inserted = text.split('\n');
  const last = inserted.length - 1;
  inserted[0] = before + (inserted[0] ?? '');
  inserted[last] = (inserted[last] ?? '') + after;
  // Not `toSpliced(…spread)`: 100,000 arguments overflow the stack.
  return [...lines.slice(0, from.line), ...inserted.map((line) => ({ text: line })), ...lines.slice(to.line + 1)];
}
