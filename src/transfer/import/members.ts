import { readChunks } from './bytes.ts';
import { longestLine } from './lines.ts';

/** What a reading of JSON objects comes across, in order. */
export type Event =
  /** `line` counts from 1, `offset` is the place of the brace: a later reading may begin there. */
  | { readonly kind: 'begin'; readonly line: number; readonly offset: number }
  /** A member, or with `index` an element of a member that was asked for by elements. `bytes` is undefined when it is longer than `longestLine`. */
  | { readonly kind: 'member'; readonly key: string; readonly index?: number; readonly bytes: Buffer | undefined }
  /** `fault`: why the object is no object, or only the beginning of one. */
  | { readonly kind: 'end'; readonly fault?: 'no-json' | 'cut-off' };

export type Wish = 'whole' | 'elements' | 'skip';

export interface ScanOptions {
  /** Whether an end of line ends an object, whatever is missing of it: JSON Lines. Else a file is one object. */
  readonly isLines: boolean;
  /** How a member of that name is wanted. */
  wish(key: string): Wish;
  /** Byte to begin at, and its line. */
  readonly from?: { readonly offset: number; readonly line: number };
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;
const lineFeed = 0x0a;

const isBlank = (byte: number): boolean => byte === 0x20 || byte === lineFeed || byte === 0x0d || byte === 0x09;

/**
 * Reads JSON objects member by member, so that an object of any size takes constant memory: a session of half a gigabyte is one line. Where a
 * value begins and ends is all that is looked at; whether it is JSON shows when its bytes are parsed.
 *
 * @throws HermesError `import-unreadable`
 */
export function* scanObjects(path: string, options: ScanOptions): Generator<Event> {
  /** Where in an object the reading is; `seek` is outside of one, `drop` in what is none, `tail` behind its end. */
  let place: 'seek' | 'drop' | 'key' | 'colon' | 'value' | 'after' | 'tail' = 'seek';
  let line = options.from?.line ?? 1;
  /** The value that is being read: how it ends, how deep it is. */
  let shape: 'text' | 'nested' | 'plain' | undefined;
  let depth = 0;
  let isInText = false;
  let isEscaped = false;
  let isKept = false;
  let parts: Buffer[] = [];
  let length = 0;
  let key = '';
  let isKey = false;
  /** Of a member that is read by elements: the next one's; -1 outside. */
  let index = -1;

  const forget = (): void => {
    shape = undefined;
    parts = [];
    length = 0;
  };
  const reset = (): void => {
    forget();
    index = -1;
    isInText = false;
    isEscaped = false;
  };

  for (const chunk of readChunks(path, options.from?.offset)) {
    const { bytes } = chunk;
    let start = 0;
    const keep = (end: number): void => {
      if (!isKept) return;
      length += end - start;
      if (length > longestLine) parts = [];
      else parts.push(Buffer.from(bytes.subarray(start, end)));
    };
    /** The whole value; without a copy where it lies in one chunk. */
    const finish = (end: number): Buffer | undefined => {
      if (!isKept) return undefined;
      if (length === 0) return bytes.subarray(start, end);
      keep(end);
      return length > longestLine ? undefined : Buffer.concat(parts);
    };
    let feedAt = 0;
    /** Place of the next end of line; -1 when there is none in this chunk. */
    const nextFeed = (at: number): number => {
      if (feedAt !== -1 && feedAt <= at) feedAt = bytes.indexOf(lineFeed, at);
      return feedAt;
    };
    const begin = (at: number, kept: boolean): void => {
      const byte = bytes[at];
      isKept = kept;
      start = at;
      shape = byte === quote ? 'text' : byte === openObject || byte === openList ? 'nested' : 'plain';
      isInText = byte === quote;
      depth = shape === 'nested' ? 1 : 0;
    };
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === lineFeed && options.isLines) {
        if (place === 'drop') yield { kind: 'end', fault: 'no-json' };
        else if (place !== 'seek' && place !== 'tail') yield { kind: 'end', fault: 'cut-off' };
        line += 1;
        place = 'seek';
        reset();
        continue;
      }
      if (shape !== undefined) {
        // Inside of a value: to its end. Texts are most of a file, so they are jumped over.
        if (isInText) {
          if (isEscaped) {
            isEscaped = false;
            continue;
          }
          const found = bytes.indexOf(quote, at);
          const end = found === -1 ? bytes.length : found;
          const feed = options.isLines ? nextFeed(at) : -1;
          if (feed !== -1 && feed < end) {
            at = feed - 1;
            continue;
          }
          let slashes = 0;
          while (end - slashes > at && bytes[end - slashes - 1] === backslash) slashes += 1;
          at = end;
          if (found === -1) isEscaped = slashes % 2 === 1;
          if (found === -1 || slashes % 2 === 1) continue;
          isInText = false;
          if (shape !== 'text') continue;
        } else if (shape === 'nested') {
          if (byte === quote) isInText = true;
          else if (byte === openObject || byte === openList) depth += 1;
          else if (byte === closeObject || byte === closeList) depth -= 1;
          if (depth > 0) continue;
        } else if (!isBlank(byte) && byte !== comma && byte !== closeObject && byte !== closeList) continue;
        const isPlain = shape === 'plain';
        const found = finish(isPlain ? at : at + 1);
        const wasKey = isKey;
        const wasKept = isKept;
        forget();
        isKey = false;
        if (wasKey) {
          key = parseKey(found);
          place = 'colon';
        } else {
          if (wasKept) yield { kind: 'member', key, bytes: found, ...(index < 0 ? {} : { index }) };
          if (index >= 0) index += 1;
          place = 'after';
        }
        // What ended a number still has to be looked at.
        if (!isPlain) continue;
      }
      if (isBlank(byte) || place === 'drop' || place === 'tail') continue;
      if (place === 'seek') {
        yield { kind: 'begin', line, offset: chunk.offset + at };
        place = byte === openObject ? 'key' : 'drop';
      } else if (place === 'key' && byte === quote) {
        isKey = true;
        begin(at, true);
      } else if (place === 'colon' && byte === colon) {
        place = 'value';
      } else if (byte === closeList && index >= 0 && (place === 'after' || place === 'value')) {
        index = -1;
        place = 'after';
      } else if (byte === comma && place === 'after') {
        place = index >= 0 ? 'value' : 'key';
      } else if (byte === closeObject && index < 0 && (place === 'after' || place === 'key')) {
        yield { kind: 'end' };
        place = 'tail';
        reset();
      } else if (place === 'value' && index < 0 && byte === openList && options.wish(key) === 'elements') {
        index = 0;
      } else if (place === 'value' && byte !== comma && byte !== closeObject) {
        begin(at, options.wish(key) !== 'skip');
      } else {
        place = 'drop';
        reset();
      }
    }
    if (shape !== undefined) {
      keep(bytes.length);
      start = 0;
    }
  }
  if (place === 'drop') yield { kind: 'end', fault: 'no-json' };
  else if (place !== 'seek' && place !== 'tail') yield { kind: 'end', fault: 'cut-off' };
}

function parseKey(bytes: Buffer | undefined): string {
  try {
    return JSON.parse(bytes?.toString('utf8') ?? '""') as string;
  } catch {
    // A broken key is a key nobody asks for.
    return '';
  }
}

/** The value of a member; `undefined` when it is no JSON or too long. */
export function parseMember(bytes: Buffer | undefined): { readonly value: unknown } | undefined {
  if (bytes === undefined) return undefined;
  try {
    return { value: JSON.parse(bytes.toString('utf8')) as unknown };
  } catch {
    // The caller notes the line, and goes on with the next one.
    return undefined;
  }
}
