import type { Connection } from '../connection.ts';
import { readTime } from '../rows.ts';

/** Messages looked at, those that were stored last. */
const rowsLookedAt = 20;

/** A clock that is behind by less changes nothing that matters in a bin of days. */
const oneDay = 86_400_000;

/**
 * When something deleted now is said to have been deleted, in milliseconds: now, unless the clock is behind. On a machine that has fallen back
 * to 1970 an entry would be decades old, and erased, as soon as the clock is right again. The clock is behind when most of what was stored
 * last lies ahead of it; a single odd time says nothing. Then it is as late as the newest of them.
 */
export function deletionTime(connection: Connection): number {
  const now = connection.now();
  const stamps = connection.statement(`SELECT timestamp FROM messages ORDER BY id DESC LIMIT ${rowsLookedAt}`).pluck().all();
  const ahead = stamps.map(readTime).filter((time) => time !== undefined && time > now + oneDay) as number[];
  return ahead.length * 2 > stamps.length ? Math.ceil(Math.max(...ahead)) : now;
}
