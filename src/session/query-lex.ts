/** What a typed query is made of, before operators are told from words. */
export type Token =
  | { readonly type: 'word'; readonly text: string }
  | { readonly type: 'phrase'; readonly text: string; readonly isPrefix: boolean }
  /** A word in capitals that may be an operator. */
  | { readonly type: 'keyword'; readonly text: 'AND' | 'OR' | 'NOT' }
  /** `-` right before what it takes away. */
  | { readonly type: 'minus' }
  /** `raw`: as typed, for a value that turns out to mean nothing; `at`: where it begins, in UTF-16 units. */
  | { readonly type: 'field'; readonly name: string; readonly value: string; readonly raw: string; readonly at: number };

/** Fields of the language, as they are typed. */
export const fieldNames = ['source', 'role', 'workspace', 'branch', 'model', 'title', 'tool', 'before', 'after', 'is'];
const fieldStart = new RegExp(`(${fieldNames.join('|')}):`, 'iy');
const space = /\s*/y;
/** Up to the next white space: quotes and signs inside of a word belong to it. */
const bare = /\S*/y;
/** `""` inside of quotes is a quote. */
const quoted = /"((?:[^"]|"")*)"/y;

/** What a minus can stand before: a word, or a phrase that says something. */
const negatable = /[^\s"-]|"\s*(?:[^"\s]|"")(?:[^"]|"")*"/y;

/** Reads from left to right; every text has tokens, none is refused. */
export function lexQuery(text: string): Token[] {
  const tokens: Token[] = [];
  const take = (pattern: RegExp, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  let at = 0;
  for (;;) {
    at += take(space, at)?.[0].length ?? 0;
    if (at >= text.length) return tokens;

    const isNegated = tokens.at(-1)?.type === 'minus';
    // A second minus is no negation: `--resume` is what somebody typed in a shell.
    if (!isNegated && text[at] === '-' && take(negatable, at + 1) !== null) {
      tokens.push({ type: 'minus' });
      at += 1;
      continue;
    }
    if (text[at] === '"') {
      const phrase = take(quoted, at);
      at += phrase?.[0].length ?? 1;
      if (phrase === null) continue;
      const isPrefix = text[at] === '*';
      if (isPrefix) at += 1;
      const inner = unquote(phrase[1]!);
      if (inner !== '') tokens.push({ type: 'phrase', text: inner, isPrefix });
      continue;
    }
    const field = take(fieldStart, at);
    if (field !== null) {
      const valueAt = at + field[0].length;
      const value = take(quoted, valueAt);
      const raw = value === null ? take(bare, at)![0] : text.slice(at, valueAt + value[0].length);
      tokens.push({
        type: 'field',
        name: field[1]!.toLowerCase(),
        value: value === null ? raw.slice(field[0].length).replace(/^"/, '') : unquote(value[1]!),
        raw,
        at,
      });
      at += raw.length;
      continue;
    }
    const word = take(bare, at)![0];
    const isKeyword = word === 'AND' || word === 'OR' || word === 'NOT';
    // Right behind a minus it is what is taken away.
    if (isKeyword) tokens.push(isNegated ? { type: 'phrase', text: word, isPrefix: false } : { type: 'keyword', text: word });
    else tokens.push({ type: 'word', text: word });
    at += word.length;
  }
}

const unquote = (inner: string): string => inner.replaceAll('""', '"').trim();
