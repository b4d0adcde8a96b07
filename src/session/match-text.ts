import { foldText, foldWithOrigin } from './fold.ts';
import type { Query, Test } from './query.ts';

/**
 * THE reference for what a search matches (product.md 5): a word of Latin, Greek or Cyrillic letters and digits is found as a whole word, where a
 * change of script ends a word; everything else (CJK, punctuation, other scripts, emoji) as a part of the text. Matching is on folded text
 * (fold.ts). Whatever an index says is checked against this.
 */
export interface Term {
  /** Folded. Words of a phrase are separated by one blank. */
  readonly text: string;
  readonly kind: 'word' | 'part';
  /** The beginning of a word is enough. Says nothing of parts: they are found at any place. */
  readonly isPrefix: boolean;
}

/** Half-open, in UTF-16 units. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

type Text = Extract<Query, { type: 'text' }>;

/** What is looked at as one: a message with the title of its session, or a title alone. */
export interface Document {
  /** Content, tool name, names and arguments of calls: a term is found within one of them, never across two. */
  readonly fields: readonly string[];
  readonly title?: string;
}

export interface TextMatcher {
  /** Each once, in the order of the query. */
  readonly terms: readonly Term[];
  /** Indexes of the terms that a match can rest on: those that stand under an even number of NOTs somewhere. */
  readonly wanted: readonly number[];
  termOf(node: Text): number;
  /** Whether this node stands under an even number of NOTs: what it says is looked for. */
  isWanted(node: Text): boolean;
  /** Whether the words of the query fit. `ask` answers its tests; what it leaves open is taken for yes. */
  matches(document: Document, ask?: (test: Test) => boolean | undefined): boolean;
  /** Where the wanted terms stand, in order, overlapping ones joined: for marking. */
  findRanges(text: string): Range[];
}

export function compileText(query: Query): TextMatcher {
  const terms: Term[] = [];
  const byKey = new Map<string, number>();
  const byNode = new Map<Query, number>();
  const wanted = new Set<number>();
  const wantedNodes = new Set<Query>();
  const collect = (node: Query, isWanted: boolean): void => {
    if (node.type === 'not') collect(node.node, !isWanted);
    else if (node.type === 'text') {
      const term = termOf(node);
      const key = `${term.kind} ${term.isPrefix} ${term.text}`;
      const index = byKey.get(key) ?? terms.push(term) - 1;
      byKey.set(key, index);
      byNode.set(node, index);
      if (!isWanted) return;
      wanted.add(index);
      wantedNodes.add(node);
    } else if (node.type !== 'test') for (const each of node.nodes) collect(each, isWanted);
  };
  collect(query, true);
  const marks = [...wanted].map((index) => terms[index]!);

  return {
    terms,
    wanted: [...wanted],
    termOf: (node) => byNode.get(node) ?? -1,
    isWanted: (node) => wantedNodes.has(node),
    matches(document, ask) {
      const folded = [...document.fields, document.title ?? ''].map(foldText);
      const found = terms.map((term) => folded.some((text) => hasTerm(text, term)));
      return decide(query, { text: (node) => found[byNode.get(node)!], test: (test) => ask?.(test) }) !== false;
    },
    findRanges: (text) => findTerms(text, marks),
  };
}

/** A text node as it is looked for. */
function termOf(node: Text): Term {
  const folded = foldText(node.text);
  const words = folded.split(/\s+/u).filter((word) => word !== '');
  if (words.length > 0 && words.every((word) => wordOnly.test(word)))
    return { text: words.join(' '), kind: 'word', isPrefix: node.isPrefix };
  return { text: folded, kind: 'part', isPrefix: false };
}

const wordOnly =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}][\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Nd}\p{M}]*$/u;

/** The query with texts and tests answered from elsewhere; undefined where an open answer decides. */
export function decide(
  query: Query,
  ask: { readonly text: (node: Text) => boolean | undefined; readonly test: (test: Test) => boolean | undefined },
): boolean | undefined {
  switch (query.type) {
    case 'text':
      return ask.text(query);
    case 'test':
      return ask.test(query.test);
    case 'not': {
      const answer = decide(query.node, ask);
      return answer === undefined ? undefined : !answer;
    }
    case 'and':
    case 'or': {
      const settling = query.type === 'or';
      let result: boolean | undefined = !settling;
      for (const node of query.nodes) {
        const answer = decide(node, ask);
        if (answer === settling) return settling;
        if (answer === undefined) result = undefined;
      }
      return result;
    }
  }
}

/** Whether folded `text` has the term. */
export const hasTerm = (text: string, term: Term): boolean => findTerm(text, term, 0) !== undefined;

/** How often folded `text` has the term, at most `limit`. */
export function countTerm(text: string, term: Term, limit: number): number {
  let count = 0;
  for (let at = 0; count < limit; count++) {
    const found = findTerm(text, term, at);
    if (found === undefined) break;
    at = Math.max(found.end, found.start + 1);
  }
  return count;
}

/** Ranges of the original text. */
function findTerms(text: string, terms: readonly Term[]): Range[] {
  const folded = foldWithOrigin(text);
  const found: Range[] = [];
  for (const term of terms) {
    for (let at = 0; ;) {
      const range = findTerm(folded.text, term, at);
      if (range === undefined) break;
      const [start, end] = folded.origin(range.start, range.end);
      found.push({ start, end });
      at = Math.max(range.end, range.start + 1);
    }
  }
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const joined: { start: number; end: number }[] = [];
  for (const range of found) {
    const last = joined.at(-1);
    if (last !== undefined && range.start < last.end) last.end = Math.max(last.end, range.end);
    else joined.push({ ...range });
  }
  return joined;
}

/** The first place at or after `from`. */
function findTerm(text: string, term: Term, from: number): Range | undefined {
  if (term.kind === 'part') {
    const start = term.text === '' ? -1 : text.indexOf(term.text, from);
    return start < 0 ? undefined : { start, end: start + term.text.length };
  }
  const gap = term.text.indexOf(' ');
  const first = gap < 0 ? term.text : term.text.slice(0, gap);
  for (let start = text.indexOf(first, from); start >= 0; start = text.indexOf(first, start + 1)) {
    if (!isBoundary(text, start)) continue;
    const end = gap < 0 ? start + first.length : endOfPhrase(text, start + first.length, term.text.slice(gap + 1).split(' '));
    if (end !== undefined && (term.isPrefix || isBoundary(text, end))) return { start, end };
  }
  return undefined;
}

/** Words follow one another with nothing but white space between them. */
function endOfPhrase(text: string, from: number, words: readonly string[]): number | undefined {
  let at = from;
  for (const word of words) {
    const begin = at;
    while (at < text.length && isSpace(text, at)) at++;
    if (at === begin || !text.startsWith(word, at)) return undefined;
    at += word.length;
  }
  return at;
}

const space = /\s/u;
const isSpace = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return unit < 128 ? unit === 32 || (unit >= 9 && unit <= 13) : space.test(text[at]!);
};

type Script = 'none' | 'digit' | 'mark' | 'latin' | 'greek' | 'cyrillic';

/** Between two characters, of which not both belong to one word: other than letters and digits, or letters of two scripts. */
function isBoundary(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  const after = scriptOf(text.codePointAt(at)!);
  if (after === 'none') return true;
  // A mark belongs to the letter before it.
  if (after === 'mark') return false;
  const before = scriptBefore(text, at);
  if (before === 'none') return true;
  return before !== 'digit' && after !== 'digit' && before !== after;
}

/** Of the letter that ends before `at`, marks passed over. */
function scriptBefore(text: string, at: number): Script {
  for (let end = at; end > 0;) {
    const unit = text.charCodeAt(end - 1);
    const start = unit >= 0xdc00 && unit <= 0xdfff && end > 1 ? end - 2 : end - 1;
    const script = scriptOf(text.codePointAt(start)!);
    if (script !== 'mark') return script;
    end = start;
  }
  return 'none';
}

const kinds: readonly (readonly [Script, RegExp])[] = [
  ['mark', /\p{M}/u],
  ['digit', /\p{Nd}/u],
  ['latin', /\p{Script=Latin}/u],
  ['greek', /\p{Script=Greek}/u],
  ['cyrillic', /\p{Script=Cyrillic}/u],
];

function scriptOf(code: number): Script {
  if (code < 128) {
    if (code >= 48 && code <= 57) return 'digit';
    return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) ? 'latin' : 'none';
  }
  // Hangul, ideographs and kana: asked about most, and no case of the table.
  if (code >= 0x3041 && code <= 0xd7ff && code < 0xa640) return code === 0x3099 || code === 0x309a ? 'mark' : 'none';
  if (code >= 0xac00 && code <= 0xd7a3) return 'none';
  const character = String.fromCodePoint(code);
  return kinds.find(([, pattern]) => pattern.test(character))?.[0] ?? 'none';
}
