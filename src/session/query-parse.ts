import type { Query, Test } from './query.ts';
import { lexQuery, type Token } from './query-lex.ts';
import { parseTime } from './time-span.ts';

export interface ParseOptions {
  /** Milliseconds since the epoch: what `before:2d` counts from. */
  readonly now: number;
  /** What `before:` and `after:` look at: a session's last activity (picker, lists) or when a message was said (search). */
  readonly times: 'active' | 'said';
}

type Text = Extract<Query, { type: 'text' }>;

/**
 * Reads what a person typed in a filter or a search (product.md 5): words (all of them), `"phrase"`, `OR`, `NOT` or `-word`, `prefix*`, and
 * fields. `OR` binds loosest, `NOT` tightest; `AND` may be written. Whatever isn't valid syntax is text to be found: an operator with nothing
 * to work on, an unknown field, a value that can't be read. A quote that is never closed is left out. Nothing typed: every session.
 *
 * Never throws. The tree is an `or` of `and`s of leaves, each of which may stand in one `not`, with no level that has one node only.
 */
export function parseQuery(text: string, options: ParseOptions): Query {
  const alternatives: Query[][] = [[]];
  let negations = 0;
  const tokens = lexQuery(text.normalize('NFC'));
  const isOperator = (index: number): boolean => {
    const token = tokens[index];
    const next = tokens[index + 1];
    if (token?.type !== 'keyword' || next === undefined) return false;
    const isNextFree = next.type !== 'keyword' || next.text === 'NOT';
    return isNextFree && (token.text === 'NOT' || index > 0);
  };
  tokens.forEach((token, index) => {
    if (token.type === 'minus') return void negations++;
    if (token.type === 'keyword' && isOperator(index)) {
      if (token.text === 'NOT') negations++;
      if (token.text === 'OR') alternatives.push([]);
      return;
    }
    const node = leaf(token, options);
    // Two take each other away: a line of thousands must not become a tree that deep.
    alternatives.at(-1)!.push(negations % 2 === 0 ? node : { type: 'not', node });
    negations = 0;
  });
  const joined = alternatives.filter((nodes) => nodes.length > 0).map((nodes) => join('and', nodes));
  return joined.length === 0 ? { type: 'and', nodes: [] } : join('or', joined);
}

const join = (type: 'and' | 'or', nodes: readonly Query[]): Query => (nodes.length === 1 ? nodes[0]! : { type, nodes });

function leaf(token: Exclude<Token, { type: 'minus' }>, options: ParseOptions): Query {
  switch (token.type) {
    case 'phrase':
      return { type: 'text', text: token.text, isPhrase: true, isPrefix: token.isPrefix };
    // An operator that has nothing to work on: a text of its own, found as it stands.
    case 'keyword':
      return { type: 'text', text: token.text, isPhrase: true, isPrefix: false };
    case 'field': {
      const test = token.value === '' ? undefined : readTest(token.name, token.value, options);
      return test === undefined ? word(token.raw) : { type: 'test', test };
    }
    case 'word':
      return word(token.text);
  }
}

/** `x*` is the beginning of a word; stars alone are text. With a quote or a gap inside it counts as quoted: that is how it could be typed again. */
function word(text: string): Text {
  if (/[\s"]/.test(text)) return { type: 'text', text, isPhrase: true, isPrefix: false };
  const isPrefix = /[^*]\*$/.test(text);
  return { type: 'text', text: isPrefix ? text.slice(0, -1) : text, isPhrase: false, isPrefix };
}

const states = ['pinned', 'archived', 'live', 'ended'] as const;

/** The test of one field; undefined for what it can't mean. */
function readTest(name: string, value: string, { now, times }: ParseOptions): Test | undefined {
  switch (name) {
    case 'source':
    case 'tool':
      return { field: name, is: value };
    case 'role':
      return { field: name, is: value.toLowerCase() };
    case 'title':
    case 'model':
    case 'branch':
    case 'workspace':
      return { field: name, contains: value };
    case 'before':
    case 'after': {
      const time = parseTime(value, now);
      if (time === undefined) return undefined;
      return name === 'before' ? { field: times, until: time } : { field: times, from: time };
    }
    case 'is': {
      const state = states.find((each) => each === value.toLowerCase());
      return state === undefined ? undefined : { field: 'is', value: state };
    }
    default:
      return undefined;
  }
}
