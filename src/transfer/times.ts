import { isSaneTime } from '../session/order.ts';

/** `2026-07-05T14:30:00.000Z`; undefined for a time no clock could have shown. @param time milliseconds since the epoch */
export function isoTime(time: number | undefined): string | undefined {
  return time !== undefined && isSaneTime(time) ? new Date(time).toISOString() : undefined;
}

/** The same to the second. */
export function isoSeconds(time: number | undefined): string | undefined {
  return isoTime(time)?.replace(/\.\d+Z$/, 'Z');
}
