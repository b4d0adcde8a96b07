import type { SessionId } from './types.ts';

/** Times outside of this are broken and ignored (store-v31.md B3): milliseconds since the epoch, up to the year 2103. */
const latestSaneTime = 4_200_000_000_000;

const oneDay = 86_400_000;

export function isSaneTime(time: number | undefined): time is number {
  return time !== undefined && time > 0 && time <= latestSaneTime;
}

export interface Ordered {
  readonly id: SessionId;
  /** Milliseconds; 0 when nothing about the session's times can be believed. */
  readonly lastActive: number;
  readonly startedAt: number;
}

/** A clock that ran ahead by more than a day sorts as now (product.md 8), so that it can't stand above the work of today for years. */
export function activityKey(lastActive: number, now: number): number {
  return lastActive > now + oneDay ? now : lastActive;
}

/**
 * THE ordering of sessions (product.md 3): picker, list, `latest`, numbered `/resume`. Last activity, newest first; then start, then id,
 * both descending. Ids compare by code unit, as SQLite's BINARY does for the ASCII they consist of.
 */
export function compareSessions(a: Ordered, b: Ordered, now: number): number {
  const byActivity = activityKey(b.lastActive, now) - activityKey(a.lastActive, now);
  if (byActivity !== 0) return byActivity;
  const byStart = activityKey(b.startedAt, now) - activityKey(a.startedAt, now);
  if (byStart !== 0) return byStart;
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

/** The same with pinned ones first, for picker and list. */
export function comparePinnedFirst(a: Ordered & { pinned: boolean }, b: Ordered & { pinned: boolean }, now: number): number {
  if (a.pinned !== b.pinned) return a.pinned ? -1 : 1;
  return compareSessions(a, b, now);
}
