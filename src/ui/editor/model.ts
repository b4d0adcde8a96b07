import { addChip, expandChips, isLong, toWellFormed } from './chips.ts';
import type { Chips } from './chips.ts';
import { clusterEnd, snapToCluster } from './clusters.ts';
import { comparePositions, endOf, isSamePosition, lineText, replaceBetween, textBetween, toLines } from './text.ts';
import type { EditorLines, Position } from './text.ts';

/** How to take one change back: the text between two places becomes `removed` again. */
interface Change {
  readonly from: Position;
  readonly to: Position;
  readonly removed: string;
  readonly caret: Position;
  readonly anchor: Position | undefined;
}

/**
 * A text field. Every operation returns a new one; lines that did not change are shared, so that the same keystroke costs the same in
 * a message of one line and of ten thousand. The text is kept as it came: nothing is normalised or trimmed.
 */
export interface Editor {
  readonly lines: EditorLines;
  readonly caret: Position;
  /** Other end of the selection. */
  readonly anchor: Position | undefined;
  /** Column in cells that up and down try to keep. */
  readonly goal: number | undefined;
  /** First row on screen. */
  readonly top: { readonly line: number; readonly row: number };
  /** Cells of the field; the last one is for the caret. */
  readonly width: number;
  /** One line: newlines become spaces. */
  readonly isSingleLine: boolean;
  readonly chips: Chips;
  readonly undo: readonly Change[];
  /** What was cut, newest last. */
  readonly kills: readonly string[];
  /** The last operation, for joining typed letters into one undo step and cuts into one cut. */
  readonly last: 'type' | 'kill' | 'other';
}

/** Steps kept; a step holds only what changed. */
const undoSteps = 500;
const killsKept = 20;

export function createEditor(options: { width?: number; singleLine?: boolean; text?: string } = {}): Editor {
  const editor: Editor = {
    lines: toLines(''),
    caret: { line: 0, offset: 0 },
    anchor: undefined,
    goal: undefined,
    top: { line: 0, row: 0 },
    width: options.width ?? 80,
    isSingleLine: options.singleLine ?? false,
    chips: new Map(),
    undo: [],
    kills: [],
    last: 'other',
  };
  return options.text === undefined ? editor : { ...insertText(editor, options.text), undo: [], last: 'other' };
}

/** The whole text as it will be sent: folded pastes in full, byte for byte. */
export function editorValue(editor: Editor): string {
  const only = editor.lines[0];
  const text = editor.lines.length === 1 && only !== undefined ? only.text : editor.lines.map((line) => line.text).join('\n');
  return expandChips(text, editor.chips);
}

export const isEmpty = (editor: Editor): boolean => editor.lines.length === 1 && lineText(editor.lines, 0) === '';

export const resizeEditor = (editor: Editor, width: number): Editor =>
  width === editor.width ? editor : { ...editor, width, goal: undefined };

/** Both ends of the selection in order; undefined when nothing is selected. */
export function selection(editor: Editor): { from: Position; to: Position } | undefined {
  if (editor.anchor === undefined || isSamePosition(editor.anchor, editor.caret)) return undefined;
  return comparePositions(editor.anchor, editor.caret) < 0
    ? { from: editor.anchor, to: editor.caret }
    : { from: editor.caret, to: editor.anchor };
}

/** Puts `text` in place of what stands between two places; the caret goes behind it. The ground of every change. */
export function replaceRange(editor: Editor, from: Position, to: Position, text: string, kind: Editor['last'] = 'other'): Editor {
  const removed = textBetween(editor.lines, from, to);
  if (removed === '' && text === '') return editor;
  const lines = replaceBetween(editor.lines, from, to, text);
  const end = endOf(from, text);
  const previous = editor.undo.at(-1);
  // Letters typed one after the other are one step, a space begins the next.
  const joins =
    kind === 'type' &&
    editor.last === 'type' &&
    removed === '' &&
    previous !== undefined &&
    isSamePosition(previous.to, from) &&
    !/\s$/u.test(text);
  const change: Change = joins ? { ...previous, to: end } : { from, to: end, removed, caret: editor.caret, anchor: editor.anchor };
  const kept = joins ? editor.undo.slice(0, -1) : editor.undo.slice(-(undoSteps - 1));
  const endText = lineText(lines, end.line);
  const edge = snapToCluster(endText, end.offset);
  // Text that joined the character behind it: the caret goes behind both.
  const caret = { line: end.line, offset: edge < end.offset ? clusterEnd(endText, edge) : edge };
  return { ...editor, lines, caret, anchor: undefined, goal: undefined, undo: [...kept, change], last: kind };
}

const range = (editor: Editor): { from: Position; to: Position } => selection(editor) ?? { from: editor.caret, to: editor.caret };

const asOneLine = (text: string): string => text.replace(/[\r\n]+$/u, '').replace(/\r\n|\r|\n/gu, ' ');

/** Typed text; replaces the selection. In a field of one line newlines become spaces. */
export function insertText(editor: Editor, text: string): Editor {
  const { from, to } = range(editor);
  const clean = toWellFormed(editor.isSingleLine ? asOneLine(text) : text);
  return replaceRange(editor, from, to, clean, clean.length <= 16 && !clean.includes('\n') ? 'type' : 'other');
}

/** A paste of any size: one undo step; a long one stands folded in the text and is sent in full. */
export function pasteText(editor: Editor, text: string): Editor {
  if (text === '') return editor;
  const { from, to } = range(editor);
  const clean = toWellFormed(editor.isSingleLine ? asOneLine(text) : text);
  const chip = !editor.isSingleLine && isLong(clean) ? addChip(editor.chips, clean) : undefined;
  if (chip === undefined) return replaceRange(editor, from, to, clean);
  return replaceRange({ ...editor, chips: chip.chips }, from, to, chip.unit);
}

export const insertNewline = (editor: Editor): Editor => {
  if (editor.isSingleLine) return editor;
  const { from, to } = range(editor);
  return replaceRange(editor, from, to, '\n');
};

/** `\` + Enter: the backslash before the caret becomes a newline; undefined where there is none. */
export function newlineAtBackslash(editor: Editor): Editor | undefined {
  const { line, offset } = editor.caret;
  if (editor.isSingleLine || selection(editor) !== undefined || lineText(editor.lines, line).charAt(offset - 1) !== '\\') return undefined;
  return replaceRange(editor, { line, offset: offset - 1 }, editor.caret, '\n');
}

/** Replaces the whole text (history, a draft, $EDITOR) as one undo step, the caret at its end. */
export function setText(editor: Editor, text: string): Editor {
  const lastLine = editor.lines.length - 1;
  const end = { line: lastLine, offset: lineText(editor.lines, lastLine).length };
  const clean = toWellFormed(editor.isSingleLine ? asOneLine(text) : text);
  return { ...replaceRange(editor, { line: 0, offset: 0 }, end, clean), top: { line: 0, row: 0 } };
}

/** An empty field that remembers only what was cut, in full: after sending. */
export const clearEditor = (editor: Editor): Editor => ({
  ...createEditor({ width: editor.width, singleLine: editor.isSingleLine }),
  kills: editor.kills.map((text) => expandChips(text, editor.chips)),
});

/** Takes the last change back; the same field when there is none. */
export function undo(editor: Editor): Editor {
  const change = editor.undo.at(-1);
  if (change === undefined) return editor;
  return {
    ...editor,
    lines: replaceBetween(editor.lines, change.from, change.to, change.removed),
    caret: change.caret,
    anchor: change.anchor,
    goal: undefined,
    undo: editor.undo.slice(0, -1),
    last: 'other',
  };
}

/** Cuts what stands between two places; cuts in a row become one. */
export function kill(editor: Editor, from: Position, to: Position, direction: 'left' | 'right'): Editor {
  const text = textBetween(editor.lines, from, to);
  if (text === '') return { ...editor, anchor: undefined };
  const previous = editor.last === 'kill' ? editor.kills.at(-1) : undefined;
  const joined = previous === undefined ? text : direction === 'left' ? text + previous : previous + text;
  const kills = [...(previous === undefined ? editor.kills : editor.kills.slice(0, -1)), joined].slice(-killsKept);
  return { ...replaceRange(editor, from, to, '', 'kill'), kills };
}

/** Puts back what was cut last. */
export function yank(editor: Editor): Editor {
  const text = editor.kills.at(-1);
  const { from, to } = range(editor);
  return text === undefined ? editor : replaceRange(editor, from, to, text);
}

/** Unfolds the paste beside the caret, or the one given; the same field when there is none. */
export function expandChip(editor: Editor, at?: Position): Editor {
  const { line, offset } = at ?? editor.caret;
  const text = lineText(editor.lines, line);
  for (const start of at === undefined ? [offset - 1, offset] : [offset]) {
    const full = editor.chips.get(text.charAt(start));
    if (full !== undefined) return replaceRange(editor, { line, offset: start }, { line, offset: start + 1 }, full);
  }
  return editor;
}

/** Marks the whole text, the caret at its end: what is typed next replaces it. */
export function selectAll(editor: Editor): Editor {
  const line = editor.lines.length - 1;
  const caret = { line, offset: editor.lines[line]?.text.length ?? 0 };
  return { ...editor, anchor: { line: 0, offset: 0 }, caret, goal: undefined };
}
