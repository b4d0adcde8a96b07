import { findingAt, type Finding } from './finding.ts';
import { isCode, isPlainWord, isReference, isTypeWord } from './values.ts';

const jwt = /eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{2,}(?:\.[A-Za-z0-9_-]*)*/y;
const telegram = /\d{6,12}:[A-Za-z0-9_-]{30,}/g;

/** JSON Web Tokens (and their encrypted kin of five parts), whole or cut behind the second part. */
export function findJwts(text: string): Finding[] {
  const found: Finding[] = [];
  for (let at = text.indexOf('eyJ'); at !== -1; at = text.indexOf('eyJ', at + 3)) {
    // First whether it begins here: a run of base64 is read once, however often it has these letters.
    if (isWordBefore(text, at)) continue;
    const token = readAt(jwt, text, at).replace(/\.+$/, '');
    if (token === '') continue;
    found.push(findingAt(text, 'jwt', at, at + token.length));
    at += token.length - 3;
  }
  return found;
}

/** `123456789:AA…` of Telegram's bots; `bot` may stand before the digits. A hash behind a number (`%ct:%H` of git) is none. */
export function findTelegramTokens(text: string): Finding[] {
  const found: Finding[] = [];
  for (const { index, 0: token } of text.matchAll(telegram)) {
    if (/\d/.test(text[index - 1] ?? '') || (isWordBefore(text, index) && !/bot$/i.test(text.slice(Math.max(0, index - 3), index))))
      continue;
    if (/^[0-9a-f]+$/.test(token.slice(token.indexOf(':') + 1))) continue;
    found.push(findingAt(text, 'telegram', index, index + token.length));
  }
  return found;
}

const authorization = /authorization(?:\\*["'`])?\]?[ \t]{0,8}[:=,][ \t]{0,8}(?:[brfu]?\\*["'`])?[ \t]{0,8}/gi;
const bearer = /\b(?:Bearer|Basic)[ \t]+(?=[A-Za-z0-9])/g;
const credential = /(?:[^\s"'`<>\\,;]|\\(?![nrt"'\\]))+/y;
const inQuotes = /(?:[^\r\n"\\]|\\["'])+/y;
const wholeLine = /(?:[^\r\n\\]|\\["'])+/y;

/** Authorization and Proxy-Authorization of any scheme, in headers, in code and in JSON; and `Bearer …` by itself. The scheme stays. */
export function findAuthorizations(text: string): Finding[] {
  const found: Finding[] = [];
  authorization.lastIndex = 0;
  for (let hit = authorization.exec(text); hit !== null; hit = authorization.exec(text)) {
    const start = hit.index + hit[0].length;
    const range = readHeader(text, start);
    // What was read is not read again, secret or not.
    authorization.lastIndex = Math.max(start, range.end);
    if (isCredential(text.slice(range.start, range.end)) && (range.hasScheme || /\d/.test(text.slice(range.start, range.end)))) {
      found.push(findingAt(text, 'authorization', range.start, range.end));
    }
  }
  for (const hit of text.matchAll(bearer)) {
    const start = hit.index + hit[0].length;
    const rest = readAt(credential, text, start).replace(/[.)\]}]+$/, '');
    if (rest.length >= 16 && /\d/.test(rest) && /[A-Za-z]/.test(rest) && isCredential(rest)) {
      found.push(findingAt(text, 'authorization', start, start + rest.length));
    }
  }
  return found;
}

/** The credential of a header whose value begins at `start`: behind the scheme where there is one. */
function readHeader(text: string, start: number): { start: number; end: number; hasScheme: boolean } {
  const first = readAt(credential, text, start);
  const second = start + first.length + 1;
  if (!/^[A-Za-z][\w-]{0,40}$/.test(first) || text[second - 1] !== ' ') return { start, end: start + first.length, hasScheme: false };
  // `Digest username="…", response="…"`: all of it.
  const isList = /^[\w-]+ *= *["\\]?/.test(text.slice(second, second + 60)) && !/^(?:bearer|basic|token)$/i.test(first);
  const rest = isList ? readAt(text[start - 1] === '"' ? inQuotes : wholeLine, text, second) : readAt(credential, text, second);
  return { start: second, end: second + rest.trimEnd().length, hasScheme: true };
}

function readAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function isCredential(value: string): boolean {
  return value !== '' && !isReference(value) && !isTypeWord(value) && !isPlainWord(value) && !isCode(value);
}

const international = /\+[1-9][\d ().-]{5,22}\d/g;

/** Phone numbers in the international form (E.164), also with the separators people write. */
export function findPhones(text: string): Finding[] {
  const found: Finding[] = [];
  if (!text.includes('+')) return found;
  for (const { index, 0: run } of text.matchAll(international)) {
    // Sums, base64, time zones and versions; lines that a diff added.
    if (/[A-Za-z0-9+=)_.-]/.test(text[index - 1] ?? '')) continue;
    const number = readNumber(run);
    if (number === undefined) continue;
    const after = text[index + number.length];
    if (after !== undefined && /[A-Za-z0-9+/=_]/.test(after)) continue;
    found.push(findingAt(text, 'phone', index, index + number.length));
  }
  return found;
}

/** The longest beginning of a run of digits and separators that is a phone number. */
function readNumber(run: string): string | undefined {
  const plain = /^\+\d+/.exec(run)?.[0] ?? '';
  if (plain.length >= 8) return plain.length <= 16 ? plain : undefined;
  const grouped =
    /^\+(?:1[ .-]?\(?[2-9]\d{2}\)?[ .-]?\d{3}[ .-]?\d{4}(?!\d)|[2-9]\d{0,2}(?:[ .-]?\(?\d{1,4}\)?)(?:[ .-]?\d{2,4}){2,4}(?!\d))/.exec(
      run,
    )?.[0];
  if (grouped === undefined || /(?:19|20)\d\d[-.]\d\d[-.]\d\d/.test(grouped)) return undefined;
  const digits = grouped.replace(/\D/g, '').length;
  return digits >= 9 && digits <= 15 ? grouped : undefined;
}

function isWordBefore(text: string, index: number): boolean {
  const before = text[index - 1] ?? '';
  return /[A-Za-z0-9_-]/.test(before) && !(/[nrt]/.test(before) && text[index - 2] === '\\');
}
