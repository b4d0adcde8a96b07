import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** More than any settings, history or draft of a person; a file beyond it is a mistake, and reading it would take the memory. Bytes. */
const mostBytes = 64 * 1024 * 1024;

/** Opens nothing that could be waited for: a FIFO without a writer holds an ordinary open, and with it the program, for ever. */
const toRead = constants.O_RDONLY | constants.O_NONBLOCK;

/** To append with: a FIFO nobody reads is an error (ENXIO) instead of an endless wait. */
export const toAppend = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/**
 * The text of a file, provided that it is a file: what stands in a home under a name of ours may be a folder, a FIFO, or a link to a
 * device that never ends.
 *
 * @throws what `node:fs` throws; an error with the code `not a file` or `EFBIG`
 */
export function readPlainFile(path: string): string {
  return readPlainBytes(path).toString('utf8');
}

/** The same as bytes. */
function readPlainBytes(path: string): Buffer {
  const descriptor = openSync(path, toRead);
  try {
    const found = fstatSync(descriptor);
    if (found.isDirectory()) throw failure(path, 'EISDIR');
    if (!found.isFile()) throw failure(path, 'not a file');
    if (found.size > mostBytes) throw failure(path, 'EFBIG');
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const failure = (path: string, code: string): NodeJS.ErrnoException => Object.assign(new Error(`${code}: ${path}`), { code, path });
