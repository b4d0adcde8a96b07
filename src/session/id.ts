import { randomBytes } from 'node:crypto';
import type { SessionId } from './types.ts';

const two = (value: number): string => String(value).padStart(2, '0');

/** `YYYYMMDD_HHMMSS` in local time, as every id of Hermes begins (state-db.md 2.1). `at` in milliseconds since the epoch. */
export function idStamp(at: number): string {
  const time = new Date(at);
  const day = `${String(time.getFullYear()).padStart(4, '0')}${two(time.getMonth() + 1)}${two(time.getDate())}`;
  return `${day}_${two(time.getHours())}${two(time.getMinutes())}${two(time.getSeconds())}`;
}

/**
 * A new session id: local time and six random hex digits (state-db.md 2.1). `isTaken` is asked until it says no, so that an id is never
 * handed out twice even when two sessions begin in one second.
 */
export function newSessionId(at: number, isTaken: (id: SessionId) => boolean = () => false): SessionId {
  const stamp = idStamp(at);
  for (;;) {
    const id = `${stamp}_${randomBytes(3).toString('hex')}`;
    if (!isTaken(id)) return id;
  }
}
