import type { ResourceLimits, Worker } from 'node:worker_threads';
import { StoreError } from '../../errors.ts';
import { storeText } from '../../text/en/store.ts';
import type { StoreEvents } from '../api.ts';
import { type FromWorker, type ToWorker, unpackError } from './protocol.ts';
import { requestStop } from './stop.ts';

/** Heaps of a thread: small young generations keep an idle one at 11 MB of resident memory, the old one is a bound, not a need. */
const LIMITS: ResourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 512 };

/** How long a thread that was told to close may take beyond the time it was given. */
const CLOSE_GRACE_MS = 2000;

/** One worker as its callers see it. */
export interface Thread {
  /** A promise that is an async iterable as well: the worker decides by what the method gives back. Sent at once. */
  call(method: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
  close(withinMs: number): Promise<void>;
}

export interface ThreadOptions {
  readonly name: string;
  readonly start: (limits: ResourceLimits) => Worker;
  readonly stopFlags: Int32Array;
  readonly emit: <Name extends keyof StoreEvents>(event: Name, ...args: StoreEvents[Name]) => void;
  /** A call failed because the file itself is damaged. */
  readonly onDamage?: (error: StoreError) => void;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly chunk: (value: unknown) => void;
}

/** Request numbers are unique in the process, so that both threads can share one set of stop flags; they stay 31-bit. */
let lastRequest = 0;

function nextRequest(): number {
  lastRequest = lastRequest === 0x7fffffff ? 1 : lastRequest + 1;
  return lastRequest;
}

/** What turns this machine's clock into the caller's, there as well as here. */
export function clockOffsetMs(now: () => number): number {
  return now() - Date.now();
}

/** Starts the worker with the first call, and again after one that died. */
export function startThread(options: ThreadOptions): Thread {
  let worker: Worker | undefined;
  let isClosing = false;
  const pending = new Map<number, Pending>();

  function running(): Worker {
    if (worker !== undefined) return worker;
    const started = options.start(LIMITS);
    worker = started;
    started.unref();
    started.on('message', receive);
    started.on('error', (error) => lose(started, error));
    started.on('messageerror', (error) => void started.terminate().then(() => lose(started, error)));
    started.on('exit', () => lose(started, undefined));
    return started;
  }

  function receive(message: FromWorker): void {
    switch (message.kind) {
      case 'value':
        return settle(message.id, (one) => one.resolve(message.value));
      case 'error':
        return fail(message.id, unpackError(message.error));
      case 'chunk':
        return pending.get(message.id)?.chunk(message.value);
      case 'waiting':
      case 'waiting-over':
        return options.emit(message.kind);
      case 'trouble': {
        const error = unpackError(message.error);
        return error instanceof StoreError ? options.emit('trouble', error) : undefined;
      }
      case 'closed':
        return;
    }
  }

  function fail(id: number, error: Error): void {
    if (error instanceof StoreError && error.trouble === 'corrupt') options.onDamage?.(error);
    settle(id, (one) => one.reject(error));
  }

  function settle(id: number, how: (one: Pending) => void): void {
    const one = pending.get(id);
    if (one === undefined) return;
    pending.delete(id);
    if (pending.size === 0) worker?.unref();
    how(one);
  }

  function lose(lost: Worker, cause: unknown): void {
    if (worker === lost) worker = undefined;
    const error = isClosing
      ? new StoreError('refused', storeText.closed)
      : new StoreError('unreadable', storeText.workerDied, { hint: storeText.workerDiedHint, cause });
    for (const id of [...pending.keys()]) settle(id, (one) => one.reject(error));
  }

  function send(message: ToWorker): void {
    worker?.postMessage(message);
  }

  function call(method: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    if (signal?.aborted === true) return refuse(signal.reason);
    const id = nextRequest();
    const chunks = queueOfChunks(() => send({ kind: 'more', id }));
    const giveUp = (reason: unknown) => {
      requestStop(options.stopFlags, id);
      send({ kind: 'drop', id });
      settle(id, (one) => one.reject(reason));
    };
    const onAbort = () => giveUp(signal?.reason);
    const promise = new Promise<unknown>((resolve, reject) => {
      const target = running();
      // Throws for what can't be cloned; then nothing is pending.
      target.postMessage({ kind: 'call', id, method, args } satisfies ToWorker);
      pending.set(id, { resolve, reject, chunk: chunks.add });
      target.ref();
      signal?.addEventListener('abort', onAbort, { once: true });
    }).finally(() => signal?.removeEventListener('abort', onAbort));
    return Object.assign(promise, {
      [Symbol.asyncIterator]() {
        // Only now: a promise that nobody looks at must stay an unhandled rejection.
        promise.then(chunks.end, chunks.fail);
        return chunks.iterate(() => pending.has(id) && giveUp(undefined));
      },
    });
  }

  async function close(withinMs: number): Promise<void> {
    const closing = worker;
    isClosing = true;
    if (closing === undefined) return;
    closing.ref();
    await new Promise<void>((resolve) => {
      const overdue = setTimeout(() => void closing.terminate(), withinMs + CLOSE_GRACE_MS);
      closing.once('exit', () => {
        clearTimeout(overdue);
        resolve();
      });
      closing.postMessage({ kind: 'close', withinMs } satisfies ToWorker);
    });
  }

  return { call, close };
}

/** The answer to a call that is not even made: it rejects, whether it is awaited or iterated. */
export function refuse(reason: unknown): Promise<never> {
  const promise = Promise.reject<never>(reason);
  return Object.assign(promise, { [Symbol.asyncIterator]: () => ({ next: () => promise }) });
}

/** Chunks between their arrival and their taking. @param taken called for every chunk that was taken */
function queueOfChunks(taken: () => void) {
  const waiting: unknown[] = [];
  let isOver = false;
  let failure: { reason: unknown } | undefined;
  let wake: (() => void) | undefined;
  const ring = () => {
    wake?.();
    wake = undefined;
  };
  return {
    add(value: unknown) {
      waiting.push(value);
      ring();
    },
    end() {
      isOver = true;
      ring();
    },
    fail(reason: unknown) {
      failure = { reason };
      ring();
    },
    async *iterate(leave: () => void): AsyncGenerator<unknown, void, undefined> {
      try {
        for (;;) {
          if (waiting.length > 0) {
            const value = waiting.shift();
            taken();
            yield value;
          } else if (failure !== undefined) throw failure.reason;
          else if (isOver) return;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        leave();
      }
    },
  };
}
