import type { Editor } from '../../editor/index.ts';

export interface Choice<Id extends string = string> {
  readonly id: Id;
  readonly label: string;
  /** Shortcut; underlined where the label has it. */
  readonly letter?: string;
  /** The answer's text, in place of what stands in the field. */
  readonly fills?: string;
}

export interface Question<Id extends string = string> {
  /** Which question it is; comes back with the answer. */
  readonly id: string;
  /** What it is about: a session id, a path. Comes back with the answer. */
  readonly subject?: string;
  readonly title: string;
  /** Paragraphs; wrapped. */
  readonly text: readonly string[];
  /** Lines shown as they are: what would be written. */
  readonly code?: readonly string[];
  readonly choices: readonly Choice<Id>[];
  /** The answer of Esc, and the one Enter gives unless another is chosen. */
  readonly safe: Id;
  /** Chosen at first; `safe` where absent. */
  readonly first?: Id;
  /** A line of text to fill in. */
  readonly field?: { readonly text: string };
}

export interface DialogState {
  readonly question: Question;
  readonly selected: number;
  readonly field: Editor | undefined;
  /** Why the last answer was not taken. */
  readonly error: string | undefined;
  readonly screen: { readonly width: number; readonly height: number };
}

export type DialogAction =
  /** The answer can't be taken: it is said, what was typed stays. `offer` is an answer that could be; it stands first. */
  | { type: 'refused'; message: string; offer?: Choice }
  /** The window got the focus. */
  | { type: 'focused' };

export type DialogEffect = { type: 'answer'; question: string; choice: string; subject?: string; text?: string };
