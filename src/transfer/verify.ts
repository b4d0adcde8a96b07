import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** The end of every document that `writeMarkdown` wrote: the label, 64 hex digits, and this. */
const end = '`\n';
const hexDigits = 64;
const pieceBytes = 1024 * 1024;

export interface VerifiedFile {
  /** Of all bytes, hex. */
  readonly sha256: string;
  /** The hash it ends in is that of the text before it, with `pending` in its own place (state-db.md 6.2). */
  readonly isSound: boolean;
}

/**
 * Reads a document again, to the last byte, without following a symbolic link.
 * @returns undefined where no such file can be read
 */
export function verifyMarkdown(path: string): VerifiedFile | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // Gone, a link now, or not ours to read: whatever it is, it is not what was written.
    return undefined;
  }
  try {
    const found = fstatSync(descriptor);
    const hashAt = found.size - end.length - hexDigits;
    if (!found.isFile() || hashAt < 0) return undefined;
    const whole = createHash('sha256');
    const bare = createHash('sha256');
    const piece = Buffer.alloc(pieceBytes);
    for (let at = 0; at < hashAt;) {
      const read = readSync(descriptor, piece, 0, Math.min(pieceBytes, hashAt - at), at);
      if (read === 0) return undefined;
      whole.update(piece.subarray(0, read));
      bare.update(piece.subarray(0, read));
      at += read;
    }
    const tail = Buffer.alloc(hexDigits + end.length);
    readSync(descriptor, tail, 0, tail.byteLength, hashAt);
    const text = tail.toString('utf8');
    const isSound = text === `${bare.update(`pending${end}`).digest('hex')}${end}`;
    return { sha256: whole.update(tail).digest('hex'), isSound };
  } finally {
    closeSync(descriptor);
  }
}
