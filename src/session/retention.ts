/** What of `config.yaml` decides what is put away by itself; 0 days: that is off, except for the bin, where it means at once. */
export interface RetentionPolicy {
  readonly autoPrune: boolean;
  readonly retentionDays: number;
  readonly minIntervalHours: number;
  readonly autoArchive: boolean;
  readonly autoArchiveDays: number;
  readonly trashDays: number;
  readonly vacuumAfterPrune: boolean;
  readonly minVacuumIntervalDays: number;
}

/** When each kind of work was last done by any program of this home, milliseconds since the epoch; absent: never, as far as is known. */
export interface LastRuns {
  readonly prune?: number;
  readonly archive?: number;
  readonly vacuum?: number;
}

/** What is to be done now: everything whose time lies before the one named, milliseconds since the epoch. Absent: nothing of that kind. */
export interface DueWork {
  readonly pruneBefore?: number;
  readonly archiveBefore?: number;
  /** Entries of the bin, by when they were deleted. */
  readonly eraseBefore?: number;
}

const oneHour = 3_600_000;
const oneDay = 24 * oneHour;

/** At most once a day, as Hermes Agent does it (store-v31.md B2.5). */
const archiveInterval = oneDay;

/** When the bin lets go of what was deleted then, milliseconds since the epoch; undefined: it keeps nothing (`sessions.trash_days: 0`). */
export function keptUntil(trashDays: number, deletedAt: number): number | undefined {
  return trashDays === 0 ? undefined : deletedAt + trashDays * oneDay;
}

/** The beginning of today where the person is. */
export function localMidnight(now: number): number {
  const date = new Date(now);
  date.setHours(0, 0, 0, 0);
  return date.getTime();
}

/**
 * The time ages are counted from: now, but at most one day after the last activity before today. A clock that is years ahead finds its last
 * activity years ago and ages nothing by more than that day; so does a person who comes back from a long holiday.
 *
 * @param lastActivity the newest activity in the store before today's local midnight; absent: there is none, and nothing ages
 */
export function referenceTime(now: number, lastActivity: number | undefined): number | undefined {
  return lastActivity === undefined ? undefined : Math.min(now, lastActivity + oneDay);
}

/** Whether enough time has passed since a run; a run that lies in the future was stamped by a wrong clock and not believed. */
function isOver(last: number | undefined, interval: number, now: number): boolean {
  return last === undefined || last > now || now - last >= interval;
}

/**
 * What retention has to do. History is never deleted unasked: a value that is missing or can't be read arrives here as off.
 *
 * @param reference see `referenceTime`
 */
export function dueWork(policy: RetentionPolicy, last: LastRuns, now: number, reference: number | undefined): DueWork {
  if (reference === undefined) return {};
  const before = (days: number): number => reference - days * oneDay;
  const prunes = policy.autoPrune && isDays(policy.retentionDays) && isOver(last.prune, policy.minIntervalHours * oneHour, now);
  const archives = policy.autoArchive && isDays(policy.autoArchiveDays) && isOver(last.archive, archiveInterval, now);
  return {
    ...(prunes ? { pruneBefore: before(policy.retentionDays) } : {}),
    ...(archives ? { archiveBefore: before(policy.autoArchiveDays) } : {}),
    ...(policy.trashDays >= 0 ? { eraseBefore: before(policy.trashDays) } : {}),
  };
}

const isDays = (days: number): boolean => Number.isFinite(days) && days > 0;

/** A file is written anew for its free pages once they are more than a quarter of it (state-db.md 11). */
const worthwhileShare = 0.25;

/**
 * Whether the file is to be written anew after something was pruned or erased.
 *
 * @param freeShare of its pages, 0 to 1
 * @param isErased words are to be gone from it, however few pages are free
 */
export function isVacuumDue(policy: RetentionPolicy, last: LastRuns, now: number, freeShare: number, isErased: boolean): boolean {
  if (!policy.vacuumAfterPrune || !isOver(last.vacuum, policy.minVacuumIntervalDays * oneDay, now)) return false;
  return isErased || freeShare > worthwhileShare;
}
