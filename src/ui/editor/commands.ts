import type { CommandId } from '../../commands/table.ts';
import { chipShape } from './chips.ts';
import { clusterEnd, clusterStart } from './clusters.ts';
import { kill, replaceRange, selection, undo, yank } from './model.ts';
import type { Editor } from './model.ts';
import { lineText } from './text.ts';
import type { Position } from './text.ts';
import { wordEnd, wordStart } from './words.ts';
import { columnOf, offsetAt, rowEnd, rowOf, rowStart, wrapLine } from './wrap.ts';
import type { ChipWidth } from './wrap.ts';

/** Rows of the command table that a text field answers itself. */
export type EditCommand = Extract<CommandId, `edit.${string}`>;

export const chipWidthOf =
  (editor: Editor): ChipWidth =>
  (unit) =>
    chipShape(editor.chips, unit).width;

const moveTo = (editor: Editor, caret: Position, isSelecting = false): Editor => ({
  ...editor,
  caret,
  anchor: isSelecting ? (editor.anchor ?? editor.caret) : undefined,
  goal: undefined,
  last: 'other',
});

function leftOf(editor: Editor, { line, offset }: Position): Position {
  if (offset > 0) return { line, offset: clusterStart(lineText(editor.lines, line), offset) };
  return line > 0 ? { line: line - 1, offset: lineText(editor.lines, line - 1).length } : { line, offset };
}

function rightOf(editor: Editor, { line, offset }: Position): Position {
  const text = lineText(editor.lines, line);
  if (offset < text.length) return { line, offset: clusterEnd(text, offset) };
  return line < editor.lines.length - 1 ? { line: line + 1, offset: 0 } : { line, offset };
}

function wordLeft(editor: Editor, from: Position): Position {
  if (from.offset === 0) return leftOf(editor, from);
  return { line: from.line, offset: wordStart(lineText(editor.lines, from.line), from.offset) };
}

function wordRight(editor: Editor, from: Position): Position {
  const text = lineText(editor.lines, from.line);
  if (from.offset === text.length) return rightOf(editor, from);
  return { line: from.line, offset: wordEnd(text, from.offset) };
}

const removeSelection = (editor: Editor): Editor | undefined => {
  const range = selection(editor);
  return range === undefined ? undefined : replaceRange(editor, range.from, range.to, '');
};

/** Every `edit.*` row of the table does what readline means by its key. */
const commands: Record<EditCommand, (editor: Editor) => Editor> = {
  'edit.line-start': (editor) => moveTo(editor, { line: editor.caret.line, offset: 0 }),
  'edit.line-end': (editor) => moveTo(editor, { line: editor.caret.line, offset: lineText(editor.lines, editor.caret.line).length }),
  'edit.left': (editor) => moveTo(editor, selection(editor)?.from ?? leftOf(editor, editor.caret)),
  'edit.right': (editor) => moveTo(editor, selection(editor)?.to ?? rightOf(editor, editor.caret)),
  'edit.word-left': (editor) => moveTo(editor, wordLeft(editor, editor.caret)),
  'edit.word-right': (editor) => moveTo(editor, wordRight(editor, editor.caret)),
  'edit.select-left': (editor) => moveTo(editor, leftOf(editor, editor.caret), true),
  'edit.select-right': (editor) => moveTo(editor, rightOf(editor, editor.caret), true),
  'edit.select-word-left': (editor) => moveTo(editor, wordLeft(editor, editor.caret), true),
  'edit.select-word-right': (editor) => moveTo(editor, wordRight(editor, editor.caret), true),
  'edit.backspace': (editor) => removeSelection(editor) ?? replaceRange(editor, leftOf(editor, editor.caret), editor.caret, ''),
  'edit.delete': (editor) => removeSelection(editor) ?? replaceRange(editor, editor.caret, rightOf(editor, editor.caret), ''),
  'edit.delete-word-left': (editor) => removeSelection(editor) ?? kill(editor, wordLeft(editor, editor.caret), editor.caret, 'left'),
  'edit.delete-word-right': (editor) => removeSelection(editor) ?? kill(editor, editor.caret, wordRight(editor, editor.caret), 'right'),
  'edit.kill-to-start': (editor) => {
    const start = editor.caret.offset === 0 ? leftOf(editor, editor.caret) : { line: editor.caret.line, offset: 0 };
    return kill(editor, start, editor.caret, 'left');
  },
  'edit.kill-to-end': (editor) => {
    const { line, offset } = editor.caret;
    const end = lineText(editor.lines, line).length;
    return kill(editor, editor.caret, offset === end ? rightOf(editor, editor.caret) : { line, offset: end }, 'right');
  },
  'edit.yank': yank,
  'edit.undo': undo,
};

export const isEditCommand = (id: string): id is EditCommand => Object.hasOwn(commands, id);

/** Applies one editing command; never throws. */
export const applyEdit = (editor: Editor, id: EditCommand): Editor => commands[id](editor);

/** One screen row up or down; undefined on the first or last row (there the caller goes through the history). */
export function moveVertically(editor: Editor, direction: 'up' | 'down'): Editor | undefined {
  const chipWidth = chipWidthOf(editor);
  const { line, offset } = editor.caret;
  const text = lineText(editor.lines, line);
  const own = editor.lines[line];
  if (own === undefined || editor.isSingleLine) return undefined;
  const wrap = wrapLine(own, editor.width, chipWidth);
  const row = rowOf(wrap, offset);
  const goal = editor.goal ?? columnOf(text, rowStart(wrap, row), offset, chipWidth);
  const step = direction === 'up' ? -1 : 1;
  let target = { line, row: row + step };
  if (target.row < 0 || target.row >= wrap.starts.length) {
    const next = editor.lines[line + step];
    if (next === undefined) return undefined;
    target = { line: line + step, row: direction === 'up' ? wrapLine(next, editor.width, chipWidth).starts.length - 1 : 0 };
  }
  const targetLine = editor.lines[target.line] ?? own;
  const rows = wrapLine(targetLine, editor.width, chipWidth);
  const from = rowStart(rows, target.row);
  const to = rowEnd(rows, target.row, targetLine.text);
  const at = offsetAt(targetLine.text, from, to, goal, target.row === rows.starts.length - 1, chipWidth);
  return { ...moveTo(editor, { line: target.line, offset: at }), goal };
}
