import type { Token, Tokens } from 'marked';
import { chrome, escapeText } from './escape.ts';
import { htmlExportText } from '../../text/en/html-export.ts';
import type { Highlighter } from './code.ts';
import { inlineMarkup, typedMarkup } from './inline.ts';
import { cutPieces } from './pieces.ts';
import type { Piece } from './pieces.ts';
import { withoutLastBreaks } from '../../text/line-ends.ts';

/** UTF-16 units of one run without a blank line; a longer one is no prose and shows as it was written. */
const mostRun = 40_000;
/** Units of a message that are shown at once; the rest is folded behind them, whole. */
const mostShown = 40_000;

/** Turns Markdown into markup in which everything that was text is text. */
export class Markdown {
  readonly #highlighter: Highlighter;
  readonly #lex: (text: string) => Token[];

  constructor(highlighter: Highlighter, lex: (text: string) => Token[]) {
    this.#highlighter = highlighter;
    this.#lex = lex;
  }

  /** What the agent wrote. */
  async render(text: string): Promise<string> {
    const languages = text.matchAll(/^[ \t>*+\-.\d]*(?:`{3,}|~{3,})[ \t]*([^\s`{]+)/gm);
    await this.#highlighter.load(new Set(Array.from(languages, (match) => match[1] ?? '')));
    return this.#pieces(text, (run) => this.#run(run));
  }

  /** What a person typed: as typed, but for code in fences and addresses. */
  async renderTyped(text: string): Promise<string> {
    const pieces = cutPieces(text);
    await this.#highlighter.load(pieces.map((piece) => (piece.kind === 'code' ? piece.language : '')));
    return this.#fold(pieces, (run) => `<div class="typed">${typedMarkup(run.replace(/^\n+/, '').trimEnd())}</div>\n`);
  }

  #pieces(text: string, run: (text: string) => string): string {
    return this.#fold(cutPieces(text), run);
  }

  /** All pieces; those behind `mostShown` in a fold, since a page can't be read past half a megabyte of one message. */
  #fold(pieces: readonly Piece[], run: (text: string) => string): string {
    let shown = '';
    let folded = '';
    let units = 0;
    let foldedUnits = 0;
    for (const piece of pieces) {
      const markup = piece.kind === 'code' ? this.#highlighter.block(piece.text, piece.language) : run(piece.text);
      if (units === 0 || units + piece.text.length <= mostShown) shown += markup;
      else {
        folded += markup;
        foldedUnits += piece.text.length;
      }
      units += piece.text.length;
    }
    if (folded === '') return shown;
    const label = htmlExportText.more(`${Math.max(1, Math.round(foldedUnits / 1024))} KB`);
    return `${shown}<details class="more"><summary>${chrome(label)}</summary>\n${folded}</details>\n`;
  }

  #run(text: string): string {
    const asWritten = (): string => `<div class="typed">${typedMarkup(text)}</div>\n`;
    if (text.length > mostRun) return asWritten();
    try {
      return this.#blocks(this.#lex(text));
    } catch (error) {
      // Thousands of nested quotes or lists overflow the stack of any recursive parser: such a text shows as it was written.
      if (!(error instanceof RangeError)) throw error;
      return asWritten();
    }
  }

  #blocks(tokens: readonly Token[]): string {
    return tokens.map((token) => this.#block(token)).join('');
  }

  #block(token: Token): string {
    switch (token.type) {
      case 'space':
      case 'def':
        return '';
      case 'heading':
        // The page's own headings are the titles of the sessions: those of a message stand below them.
        return `<h${headingLevel(token)}>${inlineMarkup(token.tokens ?? [])}</h${headingLevel(token)}>\n`;
      case 'code':
        return this.#highlighter.block(String(token['text']), String(token['lang'] ?? '').split(/\s/)[0] ?? '');
      case 'blockquote':
        return `<blockquote>\n${this.#blocks(token.tokens ?? [])}</blockquote>\n`;
      case 'list':
        return this.#list(token as Tokens.List);
      case 'table':
        return table(token as Tokens.Table);
      case 'hr':
        return '<hr>\n';
      case 'html':
        return `<div class="typed">${escapeText(withoutLastBreaks(token.raw))}</div>\n`;
      case 'paragraph':
        return `<p>${inlineMarkup(token.tokens ?? [])}</p>\n`;
      default:
        return `${inlineMarkup([token])}\n`;
    }
  }

  #list(list: Tokens.List): string {
    const tag = list.ordered ? 'ol' : 'ul';
    const start = list.ordered && Number.isSafeInteger(list.start) && list.start !== 1 ? ` start="${list.start}"` : '';
    const items = list.items.map((item) => `<li>${this.#blocks(item.tokens)}</li>\n`);
    return `<${tag}${start}>\n${items.join('')}</${tag}>\n`;
  }
}

const headingLevel = (token: Token): number => Math.min(6, 2 + (Number((token as Tokens.Heading).depth) || 1));

function table({ header, rows }: Tokens.Table): string {
  const cell = (tag: 'th' | 'td', { tokens, align }: Tokens.TableCell): string =>
    `<${tag}${align === null ? '' : ` class="${align}"`}>${inlineMarkup(tokens)}</${tag}>\n`;
  const head = header.map((each) => cell('th', each)).join('');
  const body = rows.map((row) => `<tr>\n${row.map((each) => cell('td', each)).join('')}</tr>\n`).join('');
  // It scrolls by itself where it is wider than a phone, and can then be reached with the keyboard.
  return `<div class="wide" tabindex="0"><table>\n<thead><tr>\n${head}</tr></thead>\n<tbody>\n${body}</tbody></table></div>\n`;
}

/** Loads what turns Markdown into markup; not needed before the first page is written. */
export async function loadMarkdown(highlighter: Highlighter): Promise<Markdown> {
  const { Marked } = await import('marked');
  const marked = new Marked({ gfm: true });
  return new Markdown(highlighter, (text) => marked.lexer(text));
}
