import { dueWork, isVacuumDue, localMidnight, referenceTime, type DueWork, type RetentionPolicy } from '../../session/retention.ts';
import { binEntries } from '../bin/entries.ts';
import type { Connection } from '../connection.ts';
import { readLastRuns } from './stamps.ts';

/** Messages looked at for the last activity, newest rows first; one that is missed only makes everything younger. */
const rowsLookedAt = 5000;

/** What retention has to do now, with what is in the bin already taken into account. Reads only: with nothing to do, nothing is written. */
export function retentionDue(connection: Connection, policy: RetentionPolicy): DueWork {
  const due = findDue(connection, policy);
  const { eraseBefore, ...rest } = due;
  const isBinDue = eraseBefore !== undefined && binEntries(connection).some((entry) => entry.deletedAt < eraseBefore);
  return isBinDue ? due : rest;
}

/** The same without a look into the bin. */
export function findDue(connection: Connection, policy: RetentionPolicy): DueWork {
  const now = connection.now();
  const reference = referenceTime(now, lastActivityBefore(connection, localMidnight(now)));
  return dueWork(policy, readLastRuns(connection), now, reference);
}

/** The newest believable activity before `bound` (milliseconds); never too new, perhaps too old. */
function lastActivityBefore(connection: Connection, bound: number): number | undefined {
  const seconds = bound / 1000;
  const activity = connection.has('sessions', 'last_activity_at') ? 'COALESCE(last_activity_at, started_at)' : 'started_at';
  const ofSessions = connection
    .statement(`SELECT ${activity} AS at FROM sessions WHERE ${activity} < ? AND ${activity} > 0 ORDER BY at DESC LIMIT 1`)
    .pluck()
    .get(seconds);
  const ofMessages = connection
    .statement(
      `SELECT max(timestamp) FROM (SELECT timestamp FROM messages ORDER BY id DESC LIMIT ${rowsLookedAt}) WHERE timestamp < ? AND timestamp > 0`,
    )
    .pluck()
    .get(seconds);
  const times = [ofSessions, ofMessages].filter((value) => typeof value === 'number');
  return times.length === 0 ? undefined : Math.max(...times) * 1000;
}

/** Whether the file is to be written anew now. @param isErased words are to be gone from it */
export function vacuumDue(connection: Connection, policy: RetentionPolicy, isErased: boolean): boolean {
  const pages = (pragma: string): number => Number(connection.db.pragma(pragma, { simple: true }));
  const freeShare = pages('freelist_count') / Math.max(1, pages('page_count'));
  return isVacuumDue(policy, readLastRuns(connection), connection.now(), freeShare, isErased);
}
