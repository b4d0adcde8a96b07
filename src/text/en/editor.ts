import { grouped } from '../grouped.ts';

/** What stands in a text field for a long paste. */
export const editorText = {
  pastedLines: (lines: number) => `[pasted ${grouped(lines)} lines]`,
  pastedCharacters: (characters: number) => `[pasted ${grouped(characters)} characters]`,
};
