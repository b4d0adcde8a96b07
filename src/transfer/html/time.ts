import { localDate, localTime } from '../../text/relative-time.ts';
import { chrome, escapePlain } from './escape.ts';

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** `2026-03-01 14:02` in the local time zone. */
export const dateAndTime = (time: number): string => `${localDate(time)} ${localTime(time, time)}`;

/** `2026-03-01 14:02:09 UTC+01:00 (Europe/Berlin)`: the local time with what it is local to. */
export function fullTime(time: number): string {
  const date = new Date(time);
  const minutes = -date.getTimezoneOffset();
  const offset = `${minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(Math.abs(minutes) / 60))}:${twoDigits(Math.abs(minutes) % 60)}`;
  return `${dateAndTime(time)}:${twoDigits(date.getSeconds())} UTC${offset} (${zone})`;
}

/** ISO 8601 in UTC; undefined for a time that no clock could have shown. */
export const exactTime = (time: number): string | undefined =>
  time > 0 && !Number.isNaN(new Date(time).getTime()) ? new Date(time).toISOString() : undefined;

/**
 * A time (milliseconds since the epoch) as markup, local, in full in its title; empty for one that no clock could have shown. With the
 * time that stands before it, the date is left out while it is the same.
 */
export function timeMarkup(time: number, before?: number): string {
  const exact = exactTime(time);
  if (exact === undefined) return '';
  const text = before === undefined ? dateAndTime(time) : localTime(time, before);
  return `<time datetime="${exact}" title="${escapePlain(fullTime(time))}">${chrome(text)}</time>`;
}
