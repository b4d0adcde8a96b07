import { isSaneTime } from '../../session/order.ts';

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object at a key; empty when something else or nothing is there. */
export function objectAt(value: Json, key: string): Json {
  const found = value[key];
  return isObject(found) ? found : {};
}

/** A text with something in it. */
export function textAt(value: Json, key: string): string | undefined {
  const found = value[key];
  return typeof found === 'string' && found !== '' ? found : undefined;
}

export function listAt(value: Json, key: string): readonly unknown[] {
  const found = value[key];
  return Array.isArray(found) ? (found as unknown[]) : [];
}

/** Milliseconds since the epoch, of an ISO text or of a number in seconds or milliseconds; undefined for what no clock has shown. */
export function timeOf(value: unknown): number | undefined {
  const time =
    typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? (value < 1e11 ? value * 1000 : value) : undefined;
  return time !== undefined && isSaneTime(time) ? time : undefined;
}
