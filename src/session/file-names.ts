import { createHash } from 'node:crypto';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** An id as Hermes Agent writes it in the names of files (state-db.md 2.1). */
export function fileNameOf(id: string): string {
  const name = id
    .replace(/[^\p{L}\p{N}_-]/gu, '_')
    .replace(/^[._]+|[._]+$/g, '')
    .slice(0, 96);
  return name === id ? name : `${name}_${sha256(id).slice(0, 12)}`;
}

/** Name of the file a draft is kept in: that of its session, or of the terminal it is typed in. */
export function draftFileName(key: string): string {
  return `${/^[\w-]{1,80}$/.test(key) ? key : sha256(key).slice(0, 32)}.json`;
}
