/**
 * How a running statement learns that nobody waits for it any more: one shared word per request, written by the main thread and read
 * by the worker from inside the statement, since a busy worker hears no messages. A word holds the number of the request that is to stop, so it
 * needs no reset; requests 4,096 apart share one.
 */
const SLOTS = 4096;

export function createStopFlags(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT));
}

/** @param request a positive number */
export function requestStop(flags: Int32Array, request: number): void {
  Atomics.store(flags, request % SLOTS, request);
}

export function isStopRequested(flags: Int32Array, request: number): boolean {
  return Atomics.load(flags, request % SLOTS) === request;
}
