/** Times as people read them. Every function takes milliseconds since the epoch; the clock is handed in. */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const daysPerMonth = 30.44;

/**
 * Age for a narrow column, at most four cells: `now 5m 2h 1d 3w 1mo 2y`. A time in the future is `now`: the clock that wrote it was
 * wrong, and a wrong clock must not age a row (product.md 8). A time that is no number is `?`.
 */
export function shortAge(then: number, now: number): string {
  if (!Number.isFinite(then)) return '?';
  const passed = now - then;
  if (passed < minute) return 'now';
  if (passed < hour) return `${Math.floor(passed / minute)}m`;
  if (passed < day) return `${Math.floor(passed / hour)}h`;
  const days = Math.floor(passed / day);
  if (days < 7) return `${days}d`;
  if (days < 30) return `${Math.floor(days / 7)}w`;
  if (days < 365) return `${Math.max(1, Math.floor(days / daysPerMonth))}mo`;
  return `${Math.floor(days / 365.25) || 1}y`;
}

/** Age as lists print it (state-db.md 6): `just now`, `5m ago`, `2h ago`, `yesterday` from 24 to 48 h, `3d ago`, then the local date. */
export function relativeTime(then: number, now: number): string {
  if (!Number.isFinite(then)) return '?';
  const passed = now - then;
  if (passed < minute) return 'just now';
  if (passed < hour) return `${Math.floor(passed / minute)}m ago`;
  if (passed < day) return `${Math.floor(passed / hour)}h ago`;
  if (passed < 2 * day) return 'yesterday';
  if (passed < 7 * day) return `${Math.floor(passed / day)}d ago`;
  return localDate(then);
}

/** `2026-03-01` in the local time zone. */
export function localDate(time: number): string {
  const date = new Date(time);
  return `${String(date.getFullYear()).padStart(4, '0')}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

/** `2026-03-01 14:02` in the local time zone. */
export function localMinute(time: number): string {
  const date = new Date(time);
  return `${localDate(time)} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

/** `14:02` in the local time zone, with the date before it when that is not today. */
export function localTime(time: number, now: number): string {
  const date = new Date(time);
  const clock = `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
  return localDate(time) === localDate(now) ? clock : `${localDate(time)} ${clock}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
