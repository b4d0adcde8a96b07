import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { HermesError } from '../../errors.ts';
import { importText as text } from '../../text/en/import.ts';

/** A piece of a file; `offset` is where it begins, in bytes of the file as UTF-8. */
export interface Chunk {
  readonly bytes: Buffer;
  readonly offset: number;
}

const chunkBytes = 1024 * 1024;

/** A FIFO without a writer must not hold the program. */
const toRead = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * The bytes of somebody else's file, opened for reading alone, as UTF-8 without a byte order mark, whatever of UTF-8 and UTF-16 it is. A
 * chunk is valid until the next one is asked for.
 *
 * @param from byte to begin at; only of files that are UTF-8 (`chunk.offset` of an earlier reading)
 * @throws HermesError `import-unreadable`
 */
export function* readChunks(path: string, from = 0): Generator<Chunk> {
  const descriptor = open(path);
  try {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    let decoder: TextDecoder | undefined;
    let at = 0;
    let offset = 0;
    for (;;) {
      const length = read(descriptor, buffer, at, path);
      let bytes: Buffer = buffer.subarray(0, length);
      if (at === 0) {
        const encoding = utf16(bytes);
        decoder = encoding === undefined ? undefined : new TextDecoder(encoding);
        const mark = decoder === undefined && bytes.subarray(0, 3).equals(utf8Mark) ? 3 : 0;
        if (decoder === undefined && from > 0) {
          at = from;
          offset = from;
          continue;
        }
        bytes = bytes.subarray(mark);
        offset = mark;
      }
      at += length;
      if (decoder !== undefined) bytes = Buffer.from(decoder.decode(bytes, { stream: length > 0 }));
      // Of UTF-16 the first part is decoded again and thrown away.
      const skipped = Math.min(bytes.length, Math.max(0, from - offset));
      if (bytes.length > skipped) yield { bytes: bytes.subarray(skipped), offset: offset + skipped };
      offset += bytes.length;
      if (length === 0) return;
    }
  } finally {
    closeSync(descriptor);
  }
}

const utf8Mark = Buffer.from([0xef, 0xbb, 0xbf]);

/** By the mark, else by the zero beside the brace every log begins with. */
function utf16(bytes: Buffer): string | undefined {
  const [first = -1, second = -1] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0x7b && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second === 0x7b) ? 'utf-16be' : undefined;
}

function open(path: string): number {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, toRead);
    if (fstatSync(descriptor).isFile()) return descriptor;
  } catch (error) {
    throw unreadable(path, error);
  }
  closeSync(descriptor);
  throw new HermesError('import-unreadable', text.notAFile(path));
}

function read(descriptor: number, buffer: Buffer, at: number, path: string): number {
  try {
    return readSync(descriptor, buffer, 0, buffer.length, at);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): HermesError {
  return new HermesError('import-unreadable', text.unreadable(path, (error as NodeJS.ErrnoException).code ?? ''), { cause: error });
}
