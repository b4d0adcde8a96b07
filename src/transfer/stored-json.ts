import { isBrokenText, type StoredValue } from '../session/stored.ts';

/** How stored cells stand in JSON (docs/export-formats.md): a key of the line, and for `_raw` what the key does not tell. */
export interface Cell {
  /** JSON. */
  readonly json: string;
  /** JSON; absent where `json` tells everything. */
  readonly raw?: string;
}

/** A stored `content` that is a list or an object begins with these six characters (state-db.md 2.8). */
export const partsPrefix = '\u0000json:';

const form = (name: string, value: string): string => `{"$${name}":${JSON.stringify(value)}}`;
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

/** Any cell that is neither null nor text nor a plain number. */
export function oddCell(value: Exclude<StoredValue, string | null>): Cell {
  if (typeof value === 'bigint') return { json: String(value), raw: form('int', String(value)) };
  if (typeof value === 'number')
    return Number.isFinite(value) ? { json: String(value) } : { json: 'null', raw: form('real', String(value)) };
  if (!isBrokenText(value)) return { json: 'null', raw: form('base64', base64(value)) };
  return { json: JSON.stringify(new TextDecoder('utf-8', { ignoreBOM: true }).decode(value)), raw: form('text', base64(value)) };
}

export function plainCell(value: StoredValue): Cell {
  if (value === null) return { json: 'null' };
  return typeof value === 'string' ? { json: JSON.stringify(value) } : oddCell(value);
}

/** `messages.content`: a list or an object behind the prefix is decoded; any other text is text. */
export function contentCell(text: string): Cell {
  const stored = text.startsWith(partsPrefix) ? text.slice(partsPrefix.length) : undefined;
  const value = stored === undefined ? undefined : parse(stored);
  const isParts = typeof value === 'object' && value !== null;
  return (isParts ? spelled(value, stored ?? '', text) : undefined) ?? { json: JSON.stringify(text) };
}

/** `messages.tool_calls`: the list, also where it was encoded twice; a text that is no list is an empty one (store-v31.md B3). */
export function toolCallsCell(text: string): Cell {
  const value = parse(text);
  const list = typeof value === 'string' ? parse(value) : value;
  const cell = Array.isArray(list) ? spelled(list, text, text) : undefined;
  return cell ?? { json: '[]', raw: JSON.stringify(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Cells are written by several programs; what is no JSON is text.
    return undefined;
  }
}

/**
 * @param stored the JSON as it was spelled
 * @param whole the cell it stands in
 * @returns undefined where the value is nested too deep to be spelled at all
 */
function spelled(value: object, stored: string, whole: string): Cell | undefined {
  try {
    const json = JSON.stringify(value);
    const spaced = pythonJson(value);
    if (escaped(spaced) === stored) return { json };
    if (spaced === stored) return { json, raw: form('json', 'spaced') };
    return { json, raw: json === stored ? form('json', 'compact') : JSON.stringify(whole) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** `json.dumps(value, ensure_ascii=False)` of Python for what JSON.parse can give. */
function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${pythonJson(inner)}`)
    .join(', ')}}`;
}

/** The JSON of a decoded column as it was stored: Python's default, unless `_raw` names another spelling. */
export function spellJson(value: unknown, spelling: 'escaped' | 'spaced' | 'compact'): string {
  if (spelling === 'compact') return JSON.stringify(value);
  return spelling === 'spaced' ? pythonJson(value) : escaped(pythonJson(value));
}

const beyondAscii = /[\u0080-\uffff]/g;

/** Python's default: characters beyond ASCII as `\uXXXX`, those beyond U+FFFF as two. */
function escaped(json: string): string {
  return json.replace(beyondAscii, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
