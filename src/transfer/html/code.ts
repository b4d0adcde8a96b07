import { grammars, languageName } from '../../text/code-language.ts';
import { escapeText } from './escape.ts';

/**
 * UTF-16 units; a longer block stays plain. A grammar may take time with the square of what it is given (90 KB of `a a a …` keep the one
 * of C++ busy for 38 s), so it gets pieces, cut where a line begins at the margin, and no lines that nobody wrote.
 */
const mostUnits = 100_000;
const enough = 4000;
const tooMuch = 8000;
const longestLine = 1000;

/** Classes of highlight.js → the classes of the page's style. */
const classes: Readonly<Record<string, string>> = {
  'hljs-keyword': 'k', 'hljs-built_in': 'k', 'hljs-type': 'k', 'hljs-title': 'k', 'hljs-tag': 'k', 'hljs-name': 'k', 'hljs-selector-tag': 'k', 'hljs-section': 'k',
  'hljs-attr': 'k', 'hljs-attribute': 'k', 'hljs-number': 'n', 'hljs-literal': 'n', 'hljs-symbol': 'n', 'hljs-string': 's', 'hljs-regexp': 's', 'hljs-addition': 'ins',
  'hljs-deletion': 'del', 'hljs-comment': 'o', 'hljs-quote': 'o', 'hljs-meta': 'o',
}; // prettier-ignore

interface HastNode {
  type: string;
  value?: string;
  properties?: { className?: unknown };
  children?: HastNode[];
}

type Lowlight = ReturnType<(typeof import('lowlight'))['createLowlight']>;

/** Code as markup, coloured in the languages that were loaded. */
export class Highlighter {
  #lowlight: Lowlight | undefined;

  /** Loads the grammars of these languages, as they stand behind fences; unknown ones are passed over. */
  async load(languages: Iterable<string>): Promise<void> {
    for (const language of languages) {
      const name = languageName(language);
      const grammar = name === undefined ? undefined : grammars[name];
      if (name === undefined || grammar === undefined || this.#lowlight?.registered(name) === true) continue;
      this.#lowlight ??= (await import('lowlight')).createLowlight();
      this.#lowlight.register(name, (await grammar()).default);
    }
  }

  /** The inside of a code block. */
  colour(code: string, language: string): string {
    const name = languageName(language);
    if (name === undefined || code.length > mostUnits || this.#lowlight?.registered(name) !== true) return escapeText(code);
    return cutCode(code)
      .map((piece) => this.#colourPiece(piece, name))
      .join('');
  }

  #colourPiece(code: string, name: string): string {
    if (this.#lowlight === undefined || code.split('\n').some((line) => line.length > longestLine)) return escapeText(code);
    try {
      return markup(this.#lowlight.highlight(name, code) as HastNode);
    } catch (error) {
      // A grammar can overflow the stack on hostile code; the piece stays plain.
      if (!(error instanceof RangeError)) throw error;
      return escapeText(code);
    }
  }

  /** A whole block with the name of its language. */
  block(code: string, language: string): string {
    const name = language === '' ? '' : ` data-language="${escapePlainName(language)}"`;
    // The first line feed after <pre> belongs to the markup.
    return `<pre dir="ltr" tabindex="0"${name}>\n${this.colour(code, language)}</pre>\n`;
  }
}

const escapePlainName = (language: string): string => language.slice(0, 40).replace(/[^\p{L}\p{N}+#.\-_ ]/gu, '');

function cutCode(code: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (let at = code.indexOf('\n') + 1; at > 0; at = code.indexOf('\n', at) + 1) {
    const size = at - start;
    if (size < tooMuch && !(size >= enough && /[^\s)}\]*]/.test(code[at] ?? ''))) continue;
    pieces.push(code.slice(start, at));
    start = at;
  }
  return [...pieces, code.slice(start)];
}

function markup(node: HastNode): string {
  if (node.type === 'text') return escapeText(node.value ?? '');
  const inner = (node.children ?? []).map(markup).join('');
  const names = Array.isArray(node.properties?.className) ? node.properties.className.map(String) : [];
  const own = names.map((name) => classes[name]).find((each) => each !== undefined);
  return own === undefined ? inner : `<span class="${own}">${inner}</span>`;
}
