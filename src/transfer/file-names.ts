import { createHash } from 'node:crypto';

const longestName = 96;
const longestSlug = 60;
/** Of a title, before it is cut into words: its words are in its beginning, and what is no title can be of any length. UTF-16 units. */
const longestTitle = 1000;

/** Bytes of that in UTF-8: with hash, slug and ending behind it a name still fits into the 255 of every file system. */
const longestBytes = 160;

/** An id as part of a file name (state-db.md 2.1): what is no word character becomes `_`; one that was changed ends in 12 hex digits of its SHA-256. */
export function fileNameOf(id: string): string {
  let name = id
    .replace(/[^\p{L}\p{N}_-]/gu, '_')
    .replace(/^[._]+|[._]+$/g, '')
    .slice(0, longestName)
    .replace(/[\ud800-\udbff]$/, '');
  while (Buffer.byteLength(name) > longestBytes) name = name.slice(0, -1).replace(/[\ud800-\udbff]$/, '');
  return name === id && name !== '' ? name : `${name}_${createHash('sha256').update(id).digest('hex').slice(0, 12)}`;
}

/** A title as part of a file name (state-db.md 6.2): ASCII words joined by `-`, lower case; `session` where nothing is left. */
export function slugOf(title: string): string {
  const slug = title
    .slice(0, longestTitle)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.\-_]+|[.\-_]+$/g, '')
    .toLowerCase()
    .slice(0, longestSlug);
  return slug === '' ? 'session' : slug;
}
