import { completeSlash, type SlashCompletion } from '../../slash.ts';
import {
  applyEdit,
  clearEditor,
  createEditor,
  editorValue,
  insertNewline,
  insertText,
  isEditCommand,
  isEmpty,
  moveVertically,
  newlineAtBackslash,
  pasteText,
  resizeEditor,
  setText,
  type Editor,
} from '../../editor/index.ts';
import type { CommandId } from '../../../commands/table.ts';

/** Earlier lines of the person, newest first, and where Up and Down stand among them. */
export interface InputHistory {
  /** Sent or cleared in this run, newest first. */
  readonly own: readonly string[];
  /** From the store: this session's messages, then those of the workspace; newest first. */
  readonly stored: readonly string[];
  readonly isLoaded: boolean;
  /** Up was pressed before the stored messages were there, and nothing else since. */
  readonly isAwaited: boolean;
  /** Slash commands of earlier runs, newest first. */
  readonly slash: readonly string[];
  /** Place among the candidates; absent while the line is the person's own. */
  readonly at: number | undefined;
  /** What stood in the line before Up was pressed. */
  readonly kept: string;
}

export interface Composer {
  readonly editor: Editor;
  readonly completion: { readonly items: readonly SlashCompletion[]; readonly index: number } | undefined;
  readonly history: InputHistory;
  /** Ctrl+R: words typed so far and the place among the matches. */
  readonly search: { readonly field: Editor; readonly index: number } | undefined;
  /** A line refused as an unknown command; Enter again sends it as text. */
  readonly refused: string | undefined;
}

/** Rows of the completion and of the history search that are shown at most. */
export const popupRows = 8;

export function createComposer(text = ''): Composer {
  return {
    editor: createEditor({ text }),
    completion: undefined,
    history: { own: [], stored: [], isLoaded: false, isAwaited: false, slash: [], at: undefined, kept: '' },
    search: undefined,
    refused: undefined,
  };
}

export const composerText = (composer: Composer): string => editorValue(composer.editor);
export const isComposerEmpty = (composer: Composer): boolean => isEmpty(composer.editor);

/** The text changed: the completion follows it, a refused line is forgotten, the place in the history is given up. */
function withEditor(composer: Composer, editor: Editor): Composer {
  if (editor === composer.editor) return composer;
  const items = editor.lines.length === 1 ? completeSlash(editorValue(editor)) : [];
  const didMoveOnly = editor.lines === composer.editor.lines;
  if (didMoveOnly) return { ...composer, editor };
  return {
    ...composer,
    editor,
    completion: items.length === 0 ? undefined : { items, index: 0 },
    history:
      composer.history.at === undefined && !composer.history.isAwaited
        ? composer.history
        : { ...composer.history, at: undefined, isAwaited: false },
    refused: undefined,
  };
}

export const typeText = (composer: Composer, text: string): Composer => withEditor(composer, insertText(composer.editor, text));
export const paste = (composer: Composer, text: string): Composer => withEditor(composer, pasteText(composer.editor, text));
export const newline = (composer: Composer): Composer => withEditor(composer, insertNewline(composer.editor));
export const resize = (composer: Composer, width: number): Composer => ({ ...composer, editor: resizeEditor(composer.editor, width) });
export const replaceEditor = (composer: Composer, editor: Editor): Composer => withEditor(composer, editor);

/** Puts a whole text into the line, the caret at its end; no completion opens over it. */
export const fill = (composer: Composer, text: string): Composer => ({
  ...withEditor(composer, setText(composer.editor, text)),
  completion: undefined,
});

/** Runs one editing command; undefined when it is none. */
export function edit(composer: Composer, id: CommandId): Composer | undefined {
  return isEditCommand(id) ? withEditor(composer, applyEdit(composer.editor, id)) : undefined;
}

/** `\` before the caret and Enter: a new line. */
export function newlineForBackslash(composer: Composer): Composer | undefined {
  const editor = newlineAtBackslash(composer.editor);
  return editor === undefined ? undefined : withEditor(composer, editor);
}

/** Empties the line; what stood in it becomes the newest entry of the history. */
export function clear(composer: Composer): Composer {
  const text = editorValue(composer.editor);
  const own = text.trim() === '' || composer.history.own[0] === text ? composer.history.own : [text, ...composer.history.own];
  return {
    ...composer,
    editor: clearEditor(composer.editor),
    completion: undefined,
    refused: undefined,
    history: { ...composer.history, own, at: undefined, isAwaited: false, kept: '' },
  };
}

/** The lines Up goes through: commands for a line that begins with `/`, else messages; neighbours that are equal count once. */
function candidates(history: InputHistory, kept: string): readonly string[] {
  const isCommand = (line: string): boolean => line.startsWith('/') && !line.includes('\n');
  const lines = kept.startsWith('/') ? [...history.own.filter(isCommand), ...history.slash] : [...history.own, ...history.stored];
  return lines.filter((line, index) => line !== lines[index - 1]);
}

/**
 * Up or Down: moves in the completion list, else within the text, else through the history. `needsHistory` asks for the stored messages,
 * which are read on the first Up only.
 */
export function step(composer: Composer, direction: 'up' | 'down'): { composer: Composer; needsHistory: boolean } {
  const { completion, history } = composer;
  const by = direction === 'up' ? -1 : 1;
  if (completion !== undefined) {
    const count = completion.items.length;
    return {
      composer: { ...composer, completion: { ...completion, index: (completion.index + by + count) % count } },
      needsHistory: false,
    };
  }
  const moved = moveVertically(composer.editor, direction);
  if (moved !== undefined) return { composer: { ...composer, editor: moved }, needsHistory: false };
  return stepHistory(composer, history, direction);
}

function stepHistory(composer: Composer, history: InputHistory, direction: 'up' | 'down'): { composer: Composer; needsHistory: boolean } {
  const needsHistory = direction === 'up' && !history.isLoaded;
  const kept = history.at === undefined ? editorValue(composer.editor) : history.kept;
  const lines = candidates(history, kept);
  const at = (history.at ?? -1) + (direction === 'up' ? 1 : -1);
  if (at >= lines.length || (direction === 'down' && history.at === undefined)) {
    return { composer: needsHistory ? { ...composer, history: { ...history, isAwaited: true } } : composer, needsHistory };
  }
  const text = at < 0 ? kept : lines[at]!;
  const filled = fill(composer, text);
  return { composer: { ...filled, history: { ...history, at: at < 0 ? undefined : at, kept } }, needsHistory };
}

/** The stored messages arrived; an Up that still waits for them is carried out. */
export function receiveHistory(composer: Composer, stored: readonly string[], slash: readonly string[]): Composer {
  const { isAwaited } = composer.history;
  const filled: Composer = { ...composer, history: { ...composer.history, stored, slash, isLoaded: true, isAwaited: false } };
  return isAwaited && filled.search === undefined ? stepHistory(filled, filled.history, 'up').composer : filled;
}

/** Takes the chosen completion: `/name ` with the caret behind it. */
export function takeCompletion(composer: Composer): Composer {
  const chosen = composer.completion?.items[composer.completion.index];
  return chosen === undefined ? composer : fill(composer, `/${chosen.name}${chosen.args === '' ? '' : ' '}`);
}

export const closePopups = (composer: Composer): Composer => ({ ...composer, completion: undefined, search: undefined });

export const openSearch = (composer: Composer): Composer => ({
  ...composer,
  completion: undefined,
  search: { field: createEditor({ singleLine: true, width: composer.editor.width }), index: 0 },
});

/** Lines of the history that hold every word typed, newest first; each text once. */
export function searchMatches(composer: Composer): readonly string[] {
  if (composer.search === undefined) return [];
  const words = editorValue(composer.search.field)
    .normalize('NFC')
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  const lines = new Set([...composer.history.own, ...composer.history.stored, ...composer.history.slash]);
  return [...lines].filter((line) => {
    const text = line.normalize('NFC').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Changes the search: its field, or the row chosen (kept within the matches). */
export function changeSearch(composer: Composer, change: { field?: Editor; by?: number }): Composer {
  if (composer.search === undefined) return composer;
  if (change.field !== undefined) return { ...composer, search: { field: change.field, index: 0 } };
  const count = searchMatches(composer).length;
  const index = Math.max(0, Math.min(count - 1, composer.search.index + (change.by ?? 0)));
  return { ...composer, search: { ...composer.search, index } };
}

/** Puts the chosen line into the composer and closes the search. */
export function takeSearch(composer: Composer): Composer {
  const line = searchMatches(composer)[composer.search?.index ?? 0];
  const closed = closePopups(composer);
  return line === undefined ? closed : fill(closed, line);
}
