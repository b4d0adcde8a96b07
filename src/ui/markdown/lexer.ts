import type { Token, Tokens } from 'marked';

export type { Token, Tokens };

/** marked costs 12 ms to load, so it comes after the first frame; until then messages show as plain text of the same layout. */
let lex: ((text: string) => Token[]) | undefined;
let loading: Promise<void> | undefined;

/** Loads the lexer once. Lay out again when it resolves. */
export function loadMarkdown(): Promise<void> {
  loading ??= import('marked').then(({ Marked }) => {
    const marked = new Marked({ gfm: true });
    lex = (text) => marked.lexer(text);
  });
  return loading;
}

export const isMarkdownLoaded = (): boolean => lex !== undefined;

/** Tokens of a text; undefined while the lexer is not loaded. */
export const lexMarkdown = (text: string): Token[] | undefined => lex?.(text);
