import { isSecretValue } from './assignments.ts';
import { findingAt, maskSecret, mergeFindings, privateKeyMask, type Finding } from './finding.ts';
import { classifyName } from './names.ts';
import { mayHoldSecret, scanPlain } from './scan.ts';

export interface JsonOptions {
  /** Values under keys that are ids of calls and items stay, whatever they look like: answers refer to them. */
  readonly keepIds?: boolean;
}

const idKeys = new Set(['id', 'call_id', 'tool_call_id', 'tool_use_id', 'response_item_id', 'item_id']);
/** JSON in a string in JSON, and so on: deeper ones are looked at as plain text. */
const deepest = 8;

/**
 * The secrets of a text. Where it is JSON, its strings are looked at one by one, with their keys, unescaped, and JSON inside of them in the
 * same way; positions and masks are those of the text as it stands, so that replacing them changes nothing else: no number loses digits,
 * no key its place, and what was valid stays valid.
 */
export function scanText(text: string, options: JsonOptions = {}, depth = 0): Finding[] {
  if (!mayHoldSecret(text)) return [];
  return depth < deepest && isJson(text) ? scanJson(text, options, depth) : scanPlain(text);
}

function isJson(text: string): boolean {
  if (!/^\s*["{[]/.test(text) || !/["}\]]\s*$/.test(text.slice(-16))) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Prose in brackets, cut output: plain text.
    return false;
  }
}

interface Level {
  readonly isObject: boolean;
  key: string | undefined;
  /** The string before this one in the same object or list: `["--token", "…"]`, `{"name": "X-Api-Key", "value": "…"}`. */
  previous: string | undefined;
}

function scanJson(text: string, options: JsonOptions, depth: number): Finding[] {
  const found: Finding[] = [];
  const levels: Level[] = [{ isObject: false, key: undefined, previous: undefined }];
  let isInKey = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const level = levels[levels.length - 1]!;
    if (unit === brace || unit === bracket) levels.push({ isObject: unit === brace, key: undefined, previous: undefined });
    else if (unit === closeBrace || unit === closeBracket) levels.pop();
    else if (unit === comma && level.isObject) level.key = undefined;
    else if (unit === quote) {
      const end = literalEnd(text, at);
      const raw = text.slice(at, end);
      const value = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
      if (level.isObject && level.key === undefined) {
        level.key = value;
        found.push(...placeInLiteral(raw, at, scanText(value, options, deepest)));
      } else {
        const findings = options.keepIds === true && idKeys.has(level.key ?? '') ? [] : scanString(value, level, isInKey, options, depth);
        isInKey = isOpenKey(value, isInKey && findings.length > 0);
        found.push(...placeInLiteral(raw, at, findings));
        level.previous = value;
      }
      at = end - 1;
    } else if (isNumberStart(unit)) {
      const number = numberAt(text, at);
      // A password of digits only, stored as a number.
      if (level.isObject && classifyName(level.key ?? '') === 'password') {
        found.push({ family: 'assignment', start: at, end: at + number.length, masked: '"***"' });
      }
      at += number.length - 1;
    }
  }
  return found;
}

const [quote, brace, closeBrace, bracket, closeBracket, comma] = [34, 123, 125, 91, 93, 44] as const;

/** Behind the closing quote of the literal at `start`. */
function literalEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 92) backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

function isNumberStart(unit: number): boolean {
  return unit === 45 || (unit >= 48 && unit <= 57);
}

function numberAt(text: string, at: number): string {
  number.lastIndex = at;
  return number.exec(text)?.[0] ?? text[at] ?? '';
}

const number = /-?[\d.eE+-]+/y;

function scanString(value: string, level: Level, isInKey: boolean, options: JsonOptions, depth: number): Finding[] {
  if (isInKey && /^[\s>|+\d:]{0,12}[A-Za-z0-9+/=]{4,}\s*$/.test(value)) return [findingAt(value, 'private-key', 0, value.length)];
  const inside = scanText(value, options, depth + 1);
  const name = nameOf(level);
  if (name === undefined || isBlock(value) || value === '') return inside;
  const sure = classifyName(name);
  if (sure === undefined || !isSecretValue(sure, value) || value.toLowerCase() === name.toLowerCase()) return inside;
  return mergeFindings(value, [...inside, { family: 'assignment', start: 0, end: value.length, masked: maskSecret(value) }]);
}

/** The key, or the string in front that names this one. */
function nameOf(level: Level): string | undefined {
  if (level.isObject && !/^values?$/i.test(level.key ?? '')) return level.key;
  const previous = level.previous;
  if (previous === undefined) return level.key;
  return level.isObject
    ? /^[\w.-]{3,80}$/.test(previous)
      ? previous
      : level.key
    : /^--?[\w-]{3,80}$/.test(previous)
      ? previous
      : undefined;
}

/** A key block or JSON has families and keys of its own. */
function isBlock(value: string): boolean {
  return value.includes('PRIVATE KEY') || value.includes(privateKeyMask) || /^\s*[[{]/.test(value);
}

/** A private key whose lines are the strings of a list. */
function isOpenKey(value: string, goesOn: boolean): boolean {
  if (/-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY/.test(value)) return false;
  return goesOn || /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[^\n]{0,20}\s*$/.test(value);
}

/** Findings of the unescaped string, moved to where the escaped one stands in the text; the literal is read once, however many there are. */
function placeInLiteral(raw: string, at: number, findings: readonly Finding[]): Finding[] {
  const isPlain = !raw.includes('\\');
  let rawAt = 1;
  let unit = 0;
  const offset = (target: number): number => {
    if (isPlain) return target + 1;
    for (; unit < target; unit++) rawAt += raw.charCodeAt(rawAt) !== 92 ? 1 : raw.charCodeAt(rawAt + 1) === 117 ? 6 : 2;
    return rawAt;
  };
  return findings.map(({ family, start, end, masked }) => ({
    family,
    start: at + offset(start),
    end: at + offset(end),
    masked: JSON.stringify(masked).slice(1, -1),
  }));
}
