import type { ContentPart, ToolCall } from '../session/types.ts';

/** A stored `content` that is a list or an object of parts begins with these six characters (state-db.md 2.8). */
const partsPrefix = '\u0000json:';

const loneSurrogates = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Text as it may be stored: halves of a surrogate pair, which UTF-8 can't carry, become U+FFFD; nothing else changes. */
export function scrubText(text: string): string {
  return text.replace(loneSurrogates, '\ufffd');
}

/** What is stored for a message: plain text, or the prefix and JSON for parts. */
export function encodeContent(content: string | readonly unknown[] | Readonly<Record<string, unknown>>): string {
  return typeof content === 'string' ? scrubText(content) : partsPrefix + scrubText(JSON.stringify(content));
}

export interface DecodedContent {
  /** Words of the message; parts joined by a line break, pictures as `[image: name]`. */
  text: string;
  parts?: readonly ContentPart[];
}

/** Reads any value a `content` cell may hold; broken JSON behind the prefix stays text (store-v31.md B3). */
export function decodeContent(value: unknown): DecodedContent {
  if (value === null || value === undefined) return { text: '' };
  if (value instanceof Uint8Array) return { text: decodeBytes(value) };
  if (typeof value !== 'string') return { text: String(value) };
  if (!value.startsWith(partsPrefix)) return { text: value };
  const parsed = parseJson(value.slice(partsPrefix.length));
  if (parsed === undefined) return { text: value };
  const parts = readParts(parsed);
  return { text: parts.map(partText).join('\n'), parts };
}

/** The same for the first piece of a long content: words that stand in it whole or in part are found, whatever is missing behind. */
export function decodeContentStart(value: unknown): string {
  const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
  if (typeof text !== 'string' || !text.startsWith(partsPrefix)) return decodeContent(text).text;
  const whole = parseJson(text.slice(partsPrefix.length));
  if (whole !== undefined) return readParts(whole).map(partText).join('\n');
  const found: string[] = [];
  for (const match of text.matchAll(/"text"\s*:\s*"((?:[^"\\]|\\.)*)|"type"\s*:\s*"(?:input_)?image/g)) {
    if (match[1] === undefined) {
      found.push('[image: image]');
      continue;
    }
    // A cut may fall inside of an escape: the last few characters are given up until the rest reads.
    for (let end = match[1].length; end >= 0 && end > match[1].length - 12; end--) {
      const piece = parseJson(`"${match[1].slice(0, end)}"`);
      if (typeof piece !== 'string') continue;
      found.push(piece);
      break;
    }
  }
  return found.join('\n');
}

function decodeBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not text: a reader is told what is there instead of being shown it.
    return `binary, ${bytes.byteLength} bytes`;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Cells are written by several programs; what can't be read as JSON is text or nothing, by the caller's choice.
    return undefined;
  }
}

/** A JSON object of a cell; empty when absent, broken or something else. */
export function parseObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'string' || value === '') return {};
  const parsed = parseJson(value);
  return isRecord(parsed) ? parsed : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readParts(parsed: unknown): ContentPart[] {
  const list = Array.isArray(parsed) ? (parsed as unknown[]) : [parsed];
  return list.map((part): ContentPart => {
    if (typeof part === 'string') return { type: 'text', text: part };
    if (!isRecord(part)) return { type: 'text', text: JSON.stringify(part) };
    const kind = typeof part['type'] === 'string' ? part['type'] : 'object';
    if (typeof part['text'] === 'string') return { type: 'text', text: part['text'] };
    if (/image/.test(kind)) return { type: 'image', name: imageName(part) };
    return { type: 'other', kind };
  });
}

/** The file name of a picture where one is known; the kind of picture for one that is stored inline. */
function imageName(part: Record<string, unknown>): string {
  for (const key of ['name', 'filename', 'file_name', 'path']) {
    const value = part[key];
    if (typeof value === 'string' && value !== '') return value.split(/[\\/]/).at(-1) ?? value;
  }
  const holder = part['image_url'];
  const url = isRecord(holder) ? holder['url'] : (holder ?? part['url']);
  if (typeof url !== 'string' || url === '') return 'image';
  const inline = /^data:image\/([\w.+-]+)/.exec(url);
  if (inline !== null) return inline[1] ?? 'image';
  return url.split(/[?#]/)[0]?.split('/').at(-1) || 'image';
}

function partText(part: ContentPart): string {
  if (part.type === 'text') return part.text;
  return part.type === 'image' ? `[image: ${part.name}]` : `[${part.kind}]`;
}

/**
 * The calls of an assistant row (OpenAI shape). Accepts the list stored as a JSON string of itself, as older versions did; broken text is
 * no calls (store-v31.md B3).
 */
export function decodeToolCalls(value: unknown): ToolCall[] {
  if (typeof value !== 'string' || value === '') return [];
  let parsed = parseJson(value);
  if (typeof parsed === 'string') parsed = parseJson(parsed);
  if (!Array.isArray(parsed)) return [];
  return (parsed as unknown[]).filter(isRecord).map((call) => {
    const fn = isRecord(call['function']) ? call['function'] : call;
    const args = fn['arguments'] ?? fn['input'] ?? '';
    return {
      id: stringOf(call['id'] ?? call['call_id']),
      name: stringOf(fn['name']),
      arguments: typeof args === 'string' ? args : JSON.stringify(args),
    };
  });
}

function stringOf(value: unknown): string {
  return value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value as string | number);
}

/** The calls as they are stored; undefined when there are none: the cell stays NULL (state-db.md 2.8). */
export function encodeToolCalls(calls: readonly ToolCall[]): string | undefined {
  if (calls.length === 0) return undefined;
  return scrubText(
    JSON.stringify(calls.map((call) => ({ id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } }))),
  );
}
