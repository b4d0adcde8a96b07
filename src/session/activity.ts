/** When sessions began, by the calendar and the clock of the local zone. Weekdays begin with Monday. */
export interface Activity {
  readonly weekdays: readonly number[];
  readonly hours: readonly number[];
  /** Sessions by weekday and hour: seven rows of 24. */
  readonly week: readonly (readonly number[])[];
  readonly activeDays: number;
  /** Consecutive active days, at most. */
  readonly bestStreak: number;
}

/** @param starts milliseconds since the epoch */
export function activityOf(starts: readonly number[]): Activity {
  const week = Array.from({ length: 7 }, () => new Array<number>(24).fill(0));
  const days = new Set<number>();
  for (const start of starts) {
    const date = new Date(start);
    const hours = week[(date.getDay() + 6) % 7] as number[];
    hours[date.getHours()] = (hours[date.getHours()] ?? 0) + 1;
    days.add(calendarDay(date));
  }
  return {
    weekdays: week.map((hours) => hours.reduce((sum, count) => sum + count, 0)),
    hours: Array.from({ length: 24 }, (_, hour) => week.reduce((sum, hours) => sum + (hours[hour] ?? 0), 0)),
    week,
    activeDays: days.size,
    bestStreak: longestRun([...days].sort((a, b) => a - b)),
  };
}

/** The day's number in the calendar, so that a day of 23 or 25 hours still follows the one before it. */
const calendarDay = (date: Date): number => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000;

function longestRun(days: readonly number[]): number {
  let best = 0;
  let run = 0;
  let previous = Number.NaN;
  for (const day of days) {
    run = day === previous + 1 ? run + 1 : 1;
    best = Math.max(best, run);
    previous = day;
  }
  return best;
}

/** The busiest hours, at most `count`, busiest first; hours in which nothing began are left out. */
export function peakHours(hours: readonly number[], count: number): { hour: number; sessions: number }[] {
  return hours
    .map((sessions, hour) => ({ hour, sessions }))
    .filter(({ sessions }) => sessions > 0)
    .sort((a, b) => b.sessions - a.sessions || a.hour - b.hour)
    .slice(0, count);
}
