import type { Term } from '../../session/match-text.ts';
import type { Condition } from '../reads/scope.ts';
import { caselessClass } from './caseless.ts';

/**
 * Conditions that SQLite's own functions answer, true for every text that can have a term (and for some that don't): what passes is looked at by
 * the reference matcher. They let a scan of 200,000 messages pass in a tenth of a second, where handing each text over costs six times as much.
 *
 * SQLite folds ASCII only and knows nothing of normal forms, so each condition asks for a piece of the term, or for a sign that the text holds
 * something which folds to it.
 */
const always: Condition = { sql: '1', values: [] };

/**
 * Conditions that are joined, at most: each costs time for every row, and SQLite takes no expression that is 1,000 deep. Leaving some out lets more
 * rows through.
 */
const mostJoined = 40;

/** True where all may be. */
export const allOf = (parts: readonly Condition[]): Condition => join(parts.slice(0, mostJoined), ' AND ', '1');

/** True where one may be. */
export const anyOf = (parts: readonly Condition[]): Condition => (parts.length > mostJoined ? always : join(parts, ' OR ', '0'));

function join(parts: readonly Condition[], word: string, none: string): Condition {
  if (parts.length === 0) return { sql: none, values: [] };
  return { sql: `(${parts.map((part) => part.sql).join(word)})`, values: parts.flatMap((part) => part.values) };
}

/** Characters that are looked for; the longest piece of a term is hardly more telling than its beginning. */
const longestPiece = 64;

/** A column of plain text: `tool_name`, a title, a content without parts. Bytes, which LIKE never matches, are greater than every text. */
export function mayContain(column: string, term: Term): Condition {
  const found = textContains(column, term);
  return found.sql === always.sql ? always : { sql: `(${found.sql} OR ${column} >= x'')`, values: found.values };
}

function textContains(column: string, term: Term): Condition {
  const piece = pieceOf(term.text, /[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?/g, term.kind === 'word');
  if (piece.length >= 2 || (piece.length === 1 && piece === term.text)) return containsAscii(column, piece);
  return containsWide(column, term) ?? (piece === '' ? always : containsAscii(column, piece));
}

/**
 * A column of JSON whose strings are the text. What an encoder may have escaped is not asked for: signs, letters beyond ASCII where there is any
 * `\u` at all. The kinds of parts and `object`, which stands for a missing one, are the only words a reader sees that are not in the JSON.
 */
export function mayContainInJson(column: string, term: Term): Condition {
  const piece = pieceOf(term.text, /[a-z0-9]+/g, true);
  if ('object'.includes(piece)) return piece === '' ? wideInJson(column, term) : always;
  const ascii = containsAscii(column, piece);
  return { sql: `(${ascii.sql} OR instr(${column}, '\\u') > 0)`, values: ascii.values };
}

function wideInJson(column: string, term: Term): Condition {
  const wide = containsWide(column, term);
  return wide === undefined ? always : { sql: `(${wide.sql} OR instr(${column}, '\\u') > 0)`, values: wide.values };
}

/**
 * `content`, which may hold parts behind a NUL, or something that is no text at all. What every row is asked stands first.
 */
export function mayContainContent(column: string, term: Term): Condition {
  const plain = mayContain(column, term);
  if (plain.sql === always.sql) return always;
  const parts = mayContainInJson(column, term);
  // A fraction may be written in another way than SQLite writes it.
  const fraction = /^[\d.e+-]+$/.test(term.text) ? ` OR typeof(${column}) = 'real'` : '';
  return {
    sql: `(${plain.sql} OR (${column} < '\u0001' AND ${column} <> '' AND ${parts.sql})${fraction})`,
    values: [...plain.values, ...parts.values],
  };
}

function pieceOf(text: string, pattern: RegExp, isByWord: boolean): string {
  const pieces = (isByWord ? text.split(' ') : [text]).flatMap((word) => word.match(pattern) ?? []);
  return pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), '').slice(0, longestPiece);
}

/** Signs beyond ASCII that fold or compose to one of ASCII. */
const becomeAscii: ReadonlyMap<string, string> = new Map([
  ['k', '\u212a'],
  ['i', '\u0130'],
  [';', '\u037e'],
  ['`', '\u1fef'],
]);

/** LIKE is the fastest, and reads no further than a NUL; what it can't judge has more bytes than characters up to there. */
function containsAscii(column: string, piece: string): Condition {
  const origins = [...becomeAscii]
    .filter(([letter]) => piece.includes(letter))
    .map(([, origin]) => ` OR instr(${column}, '${origin}') > 0`);
  const pattern = `%${piece.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  return {
    sql: `(${column} LIKE ? ESCAPE '\\' OR (octet_length(${column}) > length(${column}) AND (instr(lower(${column}), ?) > 0${origins.join('')})))`,
    values: [pattern, piece],
  };
}

const caseless = new RegExp(`${caselessClass}+`, 'g');

/** @returns undefined for a term nothing simple is known about */
function containsWide(column: string, term: Term): Condition | undefined {
  const piece = pieceOf(term.text, caseless, false).slice(0, 6);
  const signs = piece === '' ? casedSigns(term.text) : [piece, ...new Set([...piece].flatMap(otherFormsOf))];
  if (signs === undefined) return undefined;
  const found = signs.map(() => `instr(${column}, ?) > 0`).join(' OR ');
  return { sql: `(octet_length(${column}) > length(${column}) AND (${found}))`, values: signs };
}

/** What must be in a text that has the letter in another form only: the last of its parts, or a letter of the compatibility blocks. */
function otherFormsOf(letter: string): string[] {
  const parts = letter.normalize('NFD');
  return [...(parts === letter ? [] : [parts.at(-1)!]), ...(compatibilityForms().get(letter) ?? [])];
}

let forms: ReadonlyMap<string, readonly string[]> | undefined;

/** Ideographs that Unicode has twice, by the one NFC makes of them: 1,500 look-ups, made when the first is needed. */
function compatibilityForms(): ReadonlyMap<string, readonly string[]> {
  if (forms !== undefined) return forms;
  const found = new Map<string, string[]>();
  for (const [first, last] of [
    [0xf900, 0xfaff],
    [0x2f800, 0x2fa1f],
  ] as const) {
    for (let code = first; code <= last; code++) {
      const letter = String.fromCodePoint(code);
      const unified = letter.normalize('NFC');
      if (unified !== letter) found.set(unified, [...(found.get(unified) ?? []), letter]);
    }
  }
  forms = found;
  return found;
}

/** Both cases of the first letter of the term that has just these, with the mark it may be put together with. */
function casedSigns(text: string): string[] | undefined {
  for (const letter of text) {
    if (!/[\u00e0-\u017f\u03ac-\u03cf\u0430-\u045f]/.test(letter) || /[åσωſı]/.test(letter)) continue;
    const upper = letter.toUpperCase();
    if (upper.length !== 1 || upper === letter || upper.toLowerCase() !== letter) continue;
    const parts = letter.normalize('NFD');
    return [letter, upper, ...(parts === letter ? [] : [parts.at(-1)!])];
  }
  return undefined;
}
