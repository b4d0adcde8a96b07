import { findingAt, type Finding } from './finding.ts';
import { classifyName, foreignPassword, type NameClass } from './names.ts';
import { isCode, isNoKey, isPlainWord, isReference, isTypeWord, isVersion, looksRandom } from './values.ts';

/** A piece of every name that classifyName knows; what is around it decides. */
const hint =
  /token|secret|passw|passphrase|passcode|_pass|-pass|Pass\b|pwd|credential|auth|bearer|(?:api|access|private|encrypt|encryption|sign|signing|master|subscription|account|license|storage|shared|session|deploy|host|service)[_-]?key|(?:api|access|auth) key\b|비밀번호|비번|패스워드|パスワード|密码|密碼|kennwort|contraseña/gi;

/** Names are shorter than this; it bounds the work at each hint. */
const longestName = 80;
/** A quoted value ends within that many characters, else its quote is taken for an apostrophe or a cut text. */
const longestQuoted = 65_536;

interface Assigned {
  readonly name: string;
  readonly nameStart: number;
  readonly sure: NameClass;
  readonly separator: '=' | ':' | '>' | ' ';
  /** White space around `=`: code rather than a shell or a form. */
  readonly isSpaced: boolean;
  readonly isNameQuoted: boolean;
  /** At the start of a line, an item or an object. */
  readonly isAnchored: boolean;
  readonly valueStart: number;
}

/**
 * Secrets by the name in front of them: environment variables, config keys, YAML, fields of objects, headers, form fields, flags, XML. Names
 * and quotes may be escaped (`{\"token\": \"…\"}`). The query of an `http` address is left alone (state-db.md 6.3). One pass: a value is
 * looked at once, and what stands before a hint is read back by at most {@link longestName} characters.
 */
export function findAssignments(text: string): Finding[] {
  const found: Finding[] = [];
  const memory: AddressMemory = { readUntil: 0, isInside: false };
  hint.lastIndex = 0;
  for (let hit = hint.exec(text); hit !== null; hit = hint.exec(text)) {
    const assigned = readAssigned(text, hit.index, hit[0].length, memory);
    if (typeof assigned === 'number') {
      // No assignment: the other hints inside of this name say nothing new.
      hint.lastIndex = Math.max(hint.lastIndex, assigned);
      continue;
    }
    const { range, next } = readValue(text, assigned);
    if (range !== undefined) found.push(findingAt(text, 'assignment', range.start, range.end));
    hint.lastIndex = Math.max(hint.lastIndex, next);
  }
  return found;
}

/** The name around a hint and the sign behind it; where to look on when it assigns nothing. */
function readAssigned(text: string, hitStart: number, hitLength: number, memory: AddressMemory): Assigned | number {
  let nameStart = hitStart;
  while (nameStart > 0 && hitStart - nameStart < longestName && isNameUnit(text.charCodeAt(nameStart - 1))) nameStart -= 1;
  // `\ntoken=` in a text whose line breaks are written out: the letter belongs to the break.
  if (isEscapedBreak(text, nameStart) && nameStart < hitStart) nameStart += 1;
  let nameEnd = hitStart + hitLength;
  while (nameEnd < text.length && nameEnd - nameStart < longestName * 2 && isNameUnit(text.charCodeAt(nameEnd))) nameEnd += 1;
  while (text[nameEnd - 1] === '.') nameEnd -= 1;
  const name = text.slice(nameStart, nameEnd);
  const sure = foreignPassword.test(name) ? 'password' : classifyName(name);
  if (sure === undefined) return nameEnd;

  separator.lastIndex = nameEnd;
  const between = separator.exec(text);
  const isFlag = name.startsWith('--') || (text[nameStart - 1] === '-' && text[nameStart - 2] === '-');
  if (between === null) {
    beside.lastIndex = nameEnd;
    const pair = beside.exec(text);
    if (pair !== null && (isFlag || pair[1] !== undefined)) {
      const at = { name, nameStart, sure, separator: ':' as const, isSpaced: true, isNameQuoted: true, isAnchored: false };
      return { ...at, valueStart: nameEnd + pair[0].length };
    }
    if (!isFlag || text[nameEnd] !== ' ') return nameEnd;
    return { name, nameStart, sure, separator: ' ', isSpaced: true, isNameQuoted: false, isAnchored: false, valueStart: nameEnd + 1 };
  }
  const sign = between[2] ?? '';
  if (sign === '>' && text[nameStart - 1] !== '<') return nameEnd;
  const valueStart = nameEnd + between[0].length;
  if (sign.includes('=') && isInWebAddress(text, nameStart, memory)) return valueStart;
  return {
    name,
    nameStart,
    sure,
    separator: sign === '>' ? '>' : sign.endsWith(':') || sign.endsWith('：') ? ':' : '=',
    isSpaced: /\s/.test(between[0]),
    isNameQuoted: /["']/.test(between[1] ?? ''),
    isAnchored: isAnchored(text, nameStart),
    valueStart,
  };
}

/** Quotes, brackets or the end of bold text after the name, then one sign, which may be bold itself; `==`, `=~`, `::` compare or qualify. */
const separator = /((?:\\*["'`])?\]?[?!]?(?:\*\*|__)?)[ \t]{0,8}(=>|:=|:(?![:/])|：|=(?![=~>])|>)(?:\*\*|__)?[ \t]{0,8}/y;

/** `"--token", "…"` and `"name": "X_API_KEY", "value": "…"`: the name is a value itself, the secret the next one. */
const beside = /\\*["'],\s{0,8}(\\*["']values?\\*["']\s{0,4}:\s{0,4})?(?=\\*["'])/iy;

function isNameUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57) || unit === 95 || unit === 45 || unit === 46
  );
}

function isEscapedBreak(text: string, at: number): boolean {
  return text[at - 1] === '\\' && (text[at] === 'n' || text[at] === 'r' || text[at] === 't') && text[at - 2] !== '\\';
}

function isAnchored(text: string, nameStart: number): boolean {
  let at = nameStart - 1;
  while (at >= 0 && nameStart - at < 60 && ' \t"\'`\\{,(*_>|+-'.includes(text[at] ?? '')) at -= 1;
  if (at < 0 || text[at] === '\n' || text[at] === '\r') return true;
  if (/[nrt]/.test(text[at] ?? '') && text[at + 1] !== undefined && text[at - 1] === '\\') return true;
  return /(?:^|[\n;&|])\s*(?:export|set|setx|env|declare|-\w|-)\s*$/.test(text.slice(Math.max(0, at - 20), at + 1));
}

/** Answers whether a place is in a web address; asked from left to right, it reads every character once. */
interface AddressMemory {
  readUntil: number;
  isInside: boolean;
}

/** Between `http://` and the next white space. Database addresses (`jdbc:postgresql://…?password=`) don't count. */
function isInWebAddress(text: string, at: number, memory: AddressMemory): boolean {
  let start = at;
  while (start > memory.readUntil && !isAddressEnd(text.charCodeAt(start - 1))) start -= 1;
  if (start > memory.readUntil) memory.isInside = false;
  // The sign of an address may lie across the place that was read last.
  memory.isInside ||= /(?:https?|wss?):\/\//i.test(text.slice(Math.max(0, start - 8), at).replace(/^.*[\s"'<>`]/s, ''));
  memory.readUntil = at;
  return memory.isInside && '?&;#/'.includes(text[at - 1] ?? ' ');
}

function isAddressEnd(unit: number): boolean {
  return unit <= 32 || unit === 34 || unit === 39 || unit === 60 || unit === 62 || unit === 96;
}

interface Value {
  readonly range: { start: number; end: number } | undefined;
  /** Where to look on. */
  readonly next: number;
}

function readValue(text: string, at: Assigned): Value {
  opening.lastIndex = at.valueStart;
  const quote = at.separator === '>' ? null : opening.exec(text);
  if (quote !== null) {
    const start = at.valueStart + quote[0].length;
    const mark = quote[2] ?? '"';
    const end = findClosing(text, start, mark, (quote[1] ?? '').length);
    const value = text.slice(start, end);
    return isQuotedSecret(at, value) ? { range: { start, end }, next: end } : { range: undefined, next: start };
  }
  if (at.separator === ':' && block.test(text.slice(at.valueStart, at.valueStart + 4))) return readBlock(text, at);
  const written = at.separator === ':' ? writtenBlock.exec(text.slice(at.valueStart, at.valueStart + 40)) : null;
  if (written !== null) return readValue(text, { ...at, valueStart: at.valueStart + written[0].length });
  const value = trimBare(readBare(text, at.valueStart));
  const isSecret = value !== '' && !isCommon(at, value) && isBareSecret(text, at, value, at.valueStart + value.length);
  if (!isSecret) return { range: undefined, next: at.valueStart };
  let end = at.valueStart;
  for (let more = readBare(text, end); more !== ''; more = readBare(text, end)) end += more.length;
  end = at.valueStart + trimBare(text.slice(at.valueStart, end)).length;
  return { range: { start: at.valueStart, end }, next: end };
}

function readBare(text: string, at: number): string {
  bare.lastIndex = at;
  return bare.exec(text)?.[0] ?? '';
}

const opening = /(?:[brfu]{1,2}(?=["']))?(\\*)(["'`])/y;
/** Ends at white space, quotes, markup, written-out breaks and the next field. Its beginning decides; then all of it goes. */
const bare = /(?:[^\s"'`<>\\&,;]|\\(?![nrt"'\\])|[&,;](?![\w.-]{1,80}=|&|[\s"'\\]|$)){1,256}/y;

/** The quote that ends a value: as many backslashes before it as before the one that opened it. */
function findClosing(text: string, start: number, mark: string, escapes: number): number {
  const limit = Math.min(text.length, start + longestQuoted);
  for (let end = text.indexOf(mark, start); end !== -1 && end < limit; end = text.indexOf(mark, end + 1)) {
    let backslashes = 0;
    while (end - backslashes > start && text[end - backslashes - 1] === '\\') backslashes += 1;
    if (escapes === 0 ? backslashes % 2 === 0 : backslashes <= escapes) {
      const close = end - (escapes === 0 ? 0 : backslashes);
      // An apostrophe further down closes nothing.
      return mark === '"' || !text.slice(start, close).includes('\n') ? close : lineEnd(text, start);
    }
  }
  return lineEnd(text, start);
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end;
}

function trimBare(value: string): string {
  const trimmed = value.replace(/[,;.:)\]}|]+$/, '');
  // `f(token)` and `a[b]` are code: their end belongs to them.
  return /[([{]/.test(trimmed) ? value.slice(0, trimmed.length + 1) : trimmed;
}

/** Neither a secret with quotes nor without. */
function isCommon(at: Assigned, value: string): boolean {
  // `PWD` is where a shell stands; `secret: 42` is an example of a number.
  const isPlace = /^(?:old)?pwd$/i.test(at.name) && /^[/~.]/.test(value);
  const isSmall = /^\d{1,3}$/.test(value) && (at.isSpaced || at.separator === ':');
  return value === '' || isPlace || isSmall || isReference(value) || isTypeWord(value) || value.toLowerCase() === at.name.toLowerCase();
}

function isQuotedSecret(at: Assigned, value: string): boolean {
  if (isCommon(at, value.trim()) || value.includes('-----BEGIN')) return false;
  return isSecretValue(at.sure, value);
}

/** A whole value under a name of that class: of a field of an object, or in quotes. */
export function isSecretValue(sure: NameClass, value: string): boolean {
  const text = value.trim();
  if (text === '' || isReference(text) || isTypeWord(text)) return false;
  const hasSpace = /\s/.test(text);
  // `"password": "Enter your password"`: what a form says, not what was typed.
  if (sure === 'password')
    return !(hasSpace && /passw|passphrase|secret|token|비밀번호|パスワード|密码/i.test(text)) && !/^[A-Z]\w* [a-z ]+[.!?]$/.test(text);
  if (hasSpace) return false;
  if (sure === 'weak') return looksRandom(text) || /^[^\s:/]+:[^\s/]+$/.test(text);
  return !isPlainWord(text) && !isVersion(text) && !/^\d{1,7}$/.test(text) && !isNoKey(text);
}

function isBareSecret(text: string, at: Assigned, value: string, end: number): boolean {
  if (value.includes('-----BEGIN')) return false;
  // A letter is a variable of packed code; bits of a mask are `0x0B95`.
  if (value.length === 1 || (at.isSpaced && /^0x[\da-f]{1,8}$/i.test(value))) return false;
  if (at.sure !== 'password' && isNoKey(value)) return false;
  const rest = restOfLine(text, end);
  if (at.separator === '>') return isSecretValue(at.sure, value) && text.startsWith('</', end);
  if (at.separator === ' ') return !value.startsWith('-') && !isCode(value) && (/[\d!@#$%^&*+=/]/.test(value) || value.length >= 16);
  if (at.sure === 'weak') return looksRandom(value) && !isCode(value);
  const isUpper = !/[a-z]/.test(at.name) && /[A-Z]/.test(at.name);
  if (at.separator === '=') {
    if (!at.isSpaced) return isUpper || !isCode(value) || looksRandom(value) ? isUnspaced(at, value, isUpper) : false;
    if (isCode(value) || /^[;.(]/.test(rest)) return false;
    if (looksRandom(value)) return true;
    return at.isAnchored && at.sure === 'password' && rest === '' && !/passw|secret|token|pwd/i.test(value);
  }
  if (isPacked(at, value)) return false;
  const isSure = at.isAnchored || at.isNameQuoted || isUpper || /-/.test(at.name);
  if (isCode(value) && !/(?:\d.*){4}/.test(value)) return false;
  if (looksRandom(value)) return true;
  if (rest !== '' && !rest.startsWith('#')) return isSure && /[\d!@#$%^&*+=/]/.test(value) && at.sure === 'password';
  // A header's name is a name and nothing else: `x-api-key: letters`.
  return isSure && (isSecretValue(at.sure, value) || /^x-[\w-]+$/i.test(at.name));
}

function isUnspaced(at: Assigned, value: string, isUpper: boolean): boolean {
  if (/[([{?]/.test(value) && !isUpper) return false;
  if (!isUpper && isPacked(at, value)) return false;
  if (at.sure === 'password') return true;
  // `Token=55]="TildeToken"` and `e.isForToken=tK` of packed code.
  if (!isUpper && (value.length < 4 || /^\d{1,7}[\])}]/.test(value))) return false;
  return !/^\d{1,7}$/.test(value) && (isUpper || !isPlainWord(value));
}

/** `token=null,e.line=3` and `{tokenValue:e}=t` of packed code: what stands up to the next sign says nothing. */
function isPacked(at: Assigned, value: string): boolean {
  const head = value.split(/[,;}]/, 1)[0] ?? '';
  return head !== value && (isCommon(at, head) || isPlainWord(head) || isCode(head));
}

/** What follows a value on its line, without the signs that end it. */
function restOfLine(text: string, end: number): string {
  return (/^[,)\]}|"'`]*[ \t]*([^\n]{0,40})/.exec(text.slice(end, end + 60))?.[1] ?? '').replace(/^\\[nr].*/, '').trim();
}

/** The same with its breaks written out; a secret is in its first line. */
const writtenBlock = /^[|>][+-]?[ \t]*(?:\\+r)?\\+n[ \t]{1,20}/;
const block = /^[|>][+-]?[ \t]*\r?\n/;

/** A YAML block: the lines below that are further in than the line of the key. */
function readBlock(text: string, at: Assigned): Value {
  const lineStart = text.lastIndexOf('\n', at.nameStart - 1) + 1;
  const keyIndent = /^[ \t]*/.exec(text.slice(lineStart, Math.min(at.nameStart, lineStart + 200)))?.[0].length ?? 0;
  const start = lineEnd(text, at.valueStart) + 1;
  let end = start;
  for (let line = 0; line < 400 && end < text.length; line++) {
    const lineStop = lineEnd(text, end);
    const content = text.slice(end, Math.min(lineStop, end + keyIndent + 2));
    if (content.trim() !== '' && (/^\s*/.exec(content)?.[0].length ?? 0) <= keyIndent) break;
    end = lineStop + 1;
  }
  const value = text.slice(start, Math.min(end, text.length));
  const first = start + value.length - value.trimStart().length;
  const last = start + value.trimEnd().length;
  if (last <= first || value.includes('-----BEGIN') || isReference(value.trim()) || !(at.sure === 'password' || looksRandom(value.trim())))
    return { range: undefined, next: at.valueStart };
  return { range: { start: first, end: last }, next: last };
}
