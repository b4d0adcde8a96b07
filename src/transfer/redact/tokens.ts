import { findingAt, type Finding } from './finding.ts';
import { isCode, isPlainWord, isReference, isTypeWord } from './values.ts';

const jwt = /eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{2,}(?:\.[A-Za-z0-9_-]*)*/g;
const telegram = /\d{6,12}:[A-Za-z0-9_-]{30,}/g;

/** JSON Web Tokens (and their encrypted kin of five parts), whole or cut behind the second part. */
export function findJwts(text: string): Finding[] {
  const found: Finding[] = [];
  if (!text.includes('eyJ')) return found;
  for (const { index, 0: token } of text.matchAll(jwt)) {
    if (isWordBefore(text, index)) continue;
    found.push(findingAt(text, 'jwt', index, index + token.replace(/\.+$/, '').length));
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
  for (const hit of text.matchAll(authorization)) {
    const start = hit.index + hit[0].length;
    const first = readAt(credential, text, start);
    if (first === '') continue;
    const second = /^[A-Za-z][\w-]*$/.test(first) && text[start + first.length] === ' ' ? start + first.length + 1 : undefined;
    if (second === undefined) {
      if (isCredential(first) && /\d/.test(first)) found.push(findingAt(text, 'authorization', start, start + first.length));
      continue;
    }
    // `Digest username="…", response="…"`: all of it.
    const isList = /^[\w-]+ *= *["\\]?/.test(text.slice(second, second + 60)) && !/^(?:bearer|basic|token)$/i.test(first);
    const rest = isList ? readAt(text[start - 1] === '"' ? inQuotes : wholeLine, text, second) : readAt(credential, text, second);
    if (isCredential(rest)) found.push(findingAt(text, 'authorization', second, second + rest.trimEnd().length));
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
    if (/[A-Za-z0-9+/=)_.-]/.test(text[index - 1] ?? '')) continue;
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
