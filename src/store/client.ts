import { Worker } from 'node:worker_threads';
import { StoreError } from '../errors.ts';
import { storeText } from '../text/en/store.ts';
import type { Async, Methods, Store, StoreEvents, StoreFacts } from './api.ts';
import type { StoreHealth } from './damage.ts';
import type { HousekeepingReport } from './housekeeping.ts';
import type { Reads } from './reads/index.ts';
import type { BuiltIn, WorkerSetup } from './worker/protocol.ts';
import { clockOffsetMs, refuse, startThread, type Thread } from './worker/thread.ts';
import { createStopFlags } from './worker/stop.ts';
import type { Writes } from './writes/index.ts';

export interface StoreOptions {
  readonly path: string;
  /** For a store that is made; WAL. */
  readonly journalMode?: 'wal' | 'delete';
  /** Entry points of the two threads: beside the bundle, `store-reader.js` and `store-writer.js`. */
  readonly workers: { readonly reader: URL; readonly writer: URL };
  /** Milliseconds since the epoch; the threads' clocks run on from its first answer. */
  readonly now?: () => number;
  /** Write into a home that belongs to somebody else. */
  readonly force?: boolean;
  /** How long a write waits for another program's lock; 60,000 ms (store-v31.md B2.13). */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 60_000;

/**
 * The store as the main thread uses it. Neither thread runs before its first call: looking at a picker starts the reader, the first message
 * starts the writer. An idle thread never keeps the process alive; one with an unanswered call does.
 */
export function openStore<ReadMethods extends Methods = Reads, WriteMethods extends Methods = Writes>(
  options: StoreOptions,
): Store<ReadMethods, WriteMethods> {
  const listeners = new Map<keyof StoreEvents, Set<(...args: never[]) => void>>();
  const now = options.now ?? Date.now;
  const stopFlags = createStopFlags();
  const reader = thread(options.workers.reader, 'store-reader');
  const writer = thread(options.workers.writer, 'store-writer');
  let closing: Promise<void> | undefined;
  /** What the reader found; the writer keeps its own. */
  let damage: StoreError | undefined;

  function thread(url: URL, name: string): Thread {
    return startThread({
      ...(name === 'store-reader' ? { onDamage: stopWriting } : {}),
      name,
      start: (limits) =>
        new Worker(url, {
          name,
          execArgv: [],
          resourceLimits: limits,
          workerData: {
            path: options.path,
            journalMode: options.journalMode ?? 'wal',
            force: options.force ?? false,
            clockOffsetMs: clockOffsetMs(now),
            patienceMs: options.patienceMs ?? PATIENCE_MS,
            stopFlags,
          } satisfies WorkerSetup,
        }),
      stopFlags,
      emit,
    });
  }

  function emit<Name extends keyof StoreEvents>(event: Name, ...args: StoreEvents[Name]): void {
    for (const listener of listeners.get(event) ?? []) (listener as (...values: StoreEvents[Name]) => void)(...args);
  }

  function ask(of: Thread, method: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    if (closing !== undefined) return refuse(closedError());
    return of === writer && damage !== undefined ? refuse(damage) : of.call(method, args, signal);
  }

  /** A damaged file is not written on, whoever found it (product.md 8): pages that look sound may be referred to by lost ones. */
  function stopWriting(found: StoreError): void {
    if (damage !== undefined) return;
    damage = found;
    emit('trouble', found);
  }

  function methodsOf<T>(of: Thread, signal?: AbortSignal): Async<T> {
    return new Proxy({} as Async<T>, {
      // `then` must stay absent: a returned proxy would otherwise be taken for a promise.
      get: (_, name) => (typeof name === 'string' && name !== 'then' ? (...args: unknown[]) => ask(of, name, args, signal) : undefined),
    });
  }

  const builtIn = <Result>(of: Thread, method: BuiltIn, ...args: unknown[]) => ask(of, method, args) as Promise<Result>;

  return {
    read: methodsOf<ReadMethods>(reader),
    write: methodsOf<WriteMethods>(writer),
    reading: (signal) => methodsOf<ReadMethods>(reader, signal),
    dataVersion: () => builtIn<number>(reader, '$dataVersion'),
    facts: () => builtIn<StoreFacts>(reader, '$facts'),
    check: () => builtIn<StoreHealth>(reader, '$check'),
    rebuildIndex: () => builtIn<void>(writer, '$rebuildIndex'),
    async housekeep(task) {
      // The reader's connection would count as somebody who has the file open.
      if (task === 'vacuum') await builtIn<void>(reader, '$release');
      return builtIn<HousekeepingReport>(writer, '$housekeep', task);
    },
    on(event, listener) {
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set.add(listener as (...args: never[]) => void));
      return () => set.delete(listener as (...args: never[]) => void);
    },
    close(withinMs = PATIENCE_MS) {
      closing ??= Promise.all([writer.close(withinMs), reader.close(withinMs)]).then(() => undefined);
      return closing;
    },
  };
}

function closedError(): StoreError {
  return new StoreError('refused', storeText.closed);
}
