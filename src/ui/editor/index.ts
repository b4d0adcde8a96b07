/** The text field of every screen: composer, filter, query, rename. */
export {
  clearEditor,
  createEditor,
  editorValue,
  expandChip,
  insertNewline,
  insertText,
  isEmpty,
  newlineAtBackslash,
  pasteText,
  replaceRange,
  resizeEditor,
  selectAll,
  selection,
  setText,
  undo,
} from './model.ts';
export type { Editor } from './model.ts';
export { applyEdit, isEditCommand, moveVertically } from './commands.ts';
export type { EditCommand } from './commands.ts';
export { dragTo, pressAt, scrollToCaret, viewEditor } from './view.ts';
export type { EditorView } from './view.ts';
export type { Position } from './text.ts';
