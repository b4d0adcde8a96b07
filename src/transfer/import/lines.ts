import { importText as text } from '../../text/en/import.ts';
import type { Damage } from './broken.ts';
import { readChunks } from './bytes.ts';
import { isObject, type Json } from './json.ts';

/** A longer line is left out and counted: a picture of ten megabytes is a line of a log, half a gigabyte is none. */
export const longestLine = 64 * 1024 * 1024;

const lineFeed = 0x0a;

interface Line {
  readonly number: number;
  /** Undefined: longer than `longestLine`. */
  readonly text: string | undefined;
  /** Its end of line is there: else it may be cut off. */
  readonly isWhole: boolean;
}

function* readLines(path: string, most: number): Generator<Line> {
  let number = 1;
  let held: Buffer[] = [];
  let length = 0;
  const take = (isWhole: boolean): Line => {
    const line = { number, text: length > longestLine ? undefined : Buffer.concat(held).toString('utf8'), isWhole };
    held = [];
    length = 0;
    return line;
  };
  const hold = (bytes: Buffer): void => {
    length += bytes.length;
    if (length > longestLine) held = [];
    else held.push(bytes);
  };
  for (const { bytes, offset } of readChunks(path)) {
    if (offset >= most) return;
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      hold(bytes.subarray(start, end));
      yield take(true);
      number += 1;
      start = end + 1;
    }
    // The chunk is overwritten by the next one.
    if (start < bytes.length) hold(Buffer.from(bytes.subarray(start)));
  }
  if (length > 0) yield take(false);
}

/** A file to be read: all of it, or its beginning, where a list wants to know what it is about. */
export interface LogFile {
  readonly path: string;
  /** Bytes, about; what is cut off there is no damage. */
  readonly most?: number;
}

/**
 * The objects of a file with one JSON object a line; lines that are none are noted. Empty lines and carriage returns don't count. Constant
 * memory, for a file of any size.
 *
 * @throws HermesError `import-unreadable`
 */
export function* readObjects(file: LogFile, damage: Damage): Generator<{ readonly number: number; readonly value: Json }> {
  damage.restart();
  for (const line of readLines(file.path, file.most ?? Number.POSITIVE_INFINITY)) {
    if (line.text === undefined) {
      damage.add(line.number, text.broken.tooLong);
      continue;
    }
    const content = line.text.trim();
    if (content === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(content);
    } catch {
      // Somebody else's line: which one it is is said, and the others are read.
      damage.add(line.number, line.isWhole ? text.broken.noJson : text.broken.cutOff);
      continue;
    }
    if (isObject(value)) yield { number: line.number, value };
    else damage.add(line.number, text.broken.noObject);
  }
}
