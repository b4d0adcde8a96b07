import { parseQuery } from '../../../session/query-parse.ts';
import { fieldNames, lexQuery, type Token } from '../../../session/query-lex.ts';
import { everything, type Query } from '../../../session/query.ts';
import type { FieldValues } from './types.ts';

/** A field with a value that means something, drawn as one thing. Half-open, in UTF-16 units. */
export interface Chip {
  readonly start: number;
  readonly end: number;
}

/** What could stand in place of `[start, end)`; each begins with what is typed there. */
export interface Completion {
  readonly start: number;
  readonly end: number;
  readonly items: readonly string[];
}

type Field = Extract<Token, { type: 'field' }>;

/** Values every store has. */
const fixed: Readonly<Record<string, readonly string[]>> = {
  is: ['pinned', 'archived', 'live', 'ended'],
  role: ['user', 'assistant', 'tool', 'system'],
  after: ['1d', '7d', '30d', '12w'],
  before: ['1d', '7d', '30d', '12w'],
};
/** These must be equal to a value; half of one would find nothing. */
const exact: ReadonlySet<string> = new Set(['source', 'role', 'tool', 'is']);
/** A shorter word is rather a word than the beginning of a field's name. */
const leastOfName = 3;

const valuesOf = (name: string, values: FieldValues): readonly string[] => fixed[name] ?? values[name as keyof FieldValues] ?? [];

const endOf = (field: Field): number => field.at + field.raw.length;

const fieldsOf = (text: string): Field[] => lexQuery(text).filter((token) => token.type === 'field');

const isTest = (field: Field, now: number): boolean => parseQuery(field.raw, { now, times: 'said' }).type === 'test';

/** Where the field that is being typed begins: the caret stands in it, or at its end. */
export const fieldAt = (text: string, caret: number): number | undefined =>
  fieldsOf(text).find((field) => field.at < caret && caret <= endOf(field))?.at;

/** The field whose end the caret stands at, if it is drawn as a chip. */
export const chipBefore = (chips: readonly Chip[], caret: number): Chip | undefined => chips.find((chip) => chip.end === caret);

/** Fields as chips, but for the one that is open as text. */
export function chipsOf(text: string, caret: number, plainAt: number | undefined, now: number): Chip[] {
  if (!text.includes(':')) return [];
  return fieldsOf(text)
    .filter((field) => {
      const isInside = field.at < caret && caret < endOf(field);
      return field.at !== plainAt && !isInside && isTest(field, now);
    })
    .map((field) => ({ start: field.at, end: endOf(field) }));
}

/**
 * What is looked for while `text` stands in the line. The last word is the beginning of one while the caret stands at its end (product.md 5); an
 * operator there waits for what it works on, and a field whose value is still being typed for the rest of it: neither empties the results.
 */
export function queryOf(
  text: string,
  caret: number,
  { plainAt, values, now }: { plainAt: number | undefined; values: FieldValues; now: number },
): Query {
  let asked = text;
  const open = fieldsOf(text).find((field) => field.at === plainAt || (field.at < caret && caret < endOf(field)));
  if (open !== undefined && caret <= endOf(open) && !isWhole(open, values, now)) {
    const from = text[open.at - 1] === '-' ? open.at - 1 : open.at;
    asked = text.slice(0, from) + ' '.repeat(endOf(open) - from) + text.slice(endOf(open));
  }
  if (caret === text.length) asked = withOpenEnd(asked);
  return asked.trim() === '' ? everything : parseQuery(asked, { now, times: 'said' });
}

function isWhole(field: Field, values: FieldValues, now: number): boolean {
  if (!isTest(field, now)) return false;
  const known = valuesOf(field.name, values);
  if (!exact.has(field.name) || known.length === 0) return true;
  // Half of a known value is on its way to it; anything else is what somebody means.
  return known.includes(field.value) || !known.some((value) => value.startsWith(field.value));
}

function withOpenEnd(text: string): string {
  const tokens = lexQuery(text);
  const last = tokens.at(-1);
  if (last?.type === 'keyword' || (last?.type === 'word' && last.text === '-')) return withoutOperators(text, tokens);
  if (last?.type !== 'word' || text.trimEnd() !== text || last.text.endsWith('*')) return text;
  return `${text}*`;
}

/** What is left of a line that ends with operators, or a minus behind them. */
function withoutOperators(text: string, tokens: readonly Token[]): string {
  let end = text.length;
  for (let index = tokens.length - 1; index >= 0; index--) {
    const token = tokens[index]!;
    const isOperator = token.type === 'keyword' || (index === tokens.length - 1 && token.type === 'word');
    if (!isOperator) break;
    end = text.slice(0, end).trimEnd().length - token.text.length;
  }
  return text.slice(0, end);
}

/** Names of fields, and values of the one the caret stands at. */
export function completionOf(text: string, caret: number, values: FieldValues): Completion | undefined {
  const before = text.slice(0, caret);
  if (/\S/.test(text.charAt(caret))) return undefined;
  const field = fieldsOf(before).find((each) => endOf(each) === caret);
  if (field !== undefined) {
    const start = field.at + field.name.length + 1;
    const typed = before.slice(start);
    const items = valuesOf(field.name, values)
      .map(quote)
      .filter((value) => value !== typed && value.startsWith(typed));
    return items.length === 0 ? undefined : { start, end: caret, items };
  }
  const word = /(?:^|[\s-])([a-z]+)$/.exec(before)?.[1] ?? '';
  if (word.length < leastOfName) return undefined;
  const names = fieldNames.filter((name) => name.startsWith(word)).map((name) => `${name}:`);
  return names.length === 0 ? undefined : { start: caret - word.length, end: caret, items: names };
}

const quote = (value: string): string => (/[\s"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
