import type { MessagePort } from 'node:worker_threads';
import { StoreError } from '../../errors.ts';
import type { Methods, StoreFacts } from '../api.ts';
import { checkStore } from '../damage.ts';
import { openForReading } from '../open.ts';
import { type Call, hostOn, keepOpen, methodNamed } from './host.ts';
import { type BuiltIn, CHUNK_WINDOW, type ToWorker, type WorkerSetup } from './protocol.ts';
import { isStopRequested } from './stop.ts';

/** How long a read waits for a lock; readers of a WAL store hardly ever do (state-db.md 1.3). */
const LOCK_TIMEOUT_MS = 5000;

interface Stream {
  readonly iterator: Iterator<unknown>;
  /** Chunks that may still be sent before one is taken. */
  credit: number;
  wake: (() => void) | undefined;
}

/**
 * Answers read calls on `port`. A call that yields is a stream: its chunks are sent as they come, at most `CHUNK_WINDOW` ahead of the
 * taker, and other calls are answered between two of them, so that a long listing never delays a preview.
 */
export function serveReads(port: MessagePort, setup: WorkerSetup, methods: Methods): void {
  const host = hostOn(port);
  const streams = new Map<number, Stream>();
  let running = 0;

  const keeper = keepOpen(
    setup.path,
    () =>
      openForReading(setup.path, {
        now: () => Date.now() + setup.clockOffsetMs,
        timeoutMs: LOCK_TIMEOUT_MS,
        role: 'reader',
        isStopped: () => isStopRequested(setup.stopFlags, running),
      }),
    { canReopen: () => streams.size === 0 },
  );

  const builtIn = new Map<string, () => unknown>([
    ['$dataVersion', readDataVersion],
    ['$facts', readFacts],
    ['$check', () => checkStore(keeper.current())],
    ['$release', release],
  ] satisfies [BuiltIn, () => unknown][]);

  function readDataVersion(): number {
    try {
      const version = keeper.current().statement('PRAGMA data_version').get() as { data_version: number };
      // The count starts anew with every connection.
      return keeper.openings * 2 ** 32 + version.data_version;
    } catch (error) {
      if (error instanceof StoreError && error.trouble === 'missing') return 0;
      throw error;
    }
  }

  function readFacts(): StoreFacts {
    const { shape, copiedAt } = keeper.current();
    return { version: shape.version, fts: shape.fts, hasTrigram: shape.hasTrigram, ...(copiedAt === undefined ? {} : { copiedAt }) };
  }

  /** Closes the connection until the next call; it stays while something is being read. */
  function release(): void {
    if (streams.size === 0) keeper.close();
  }

  function answer(call: Call): void {
    if (isStopRequested(setup.stopFlags, call.id)) return;
    running = call.id;
    try {
      const value = run(call);
      if (isIterator(value)) void sendChunks(call, value);
      else host.post({ kind: 'value', id: call.id, value });
    } catch (error) {
      host.fail(call, keeper.explain(error));
    }
  }

  function run(call: Call): unknown {
    const own = builtIn.get(call.method);
    return own === undefined ? methodNamed(methods, call.method)(keeper.current(), ...call.args) : own();
  }

  async function sendChunks(call: Call, iterator: Iterator<unknown>): Promise<void> {
    const stream: Stream = { iterator, credit: CHUNK_WINDOW, wake: undefined };
    streams.set(call.id, stream);
    try {
      while (streams.has(call.id)) {
        running = call.id;
        const step = iterator.next();
        if (step.done === true) {
          host.post({ kind: 'value', id: call.id, value: undefined });
          break;
        }
        host.post({ kind: 'chunk', id: call.id, value: step.value });
        stream.credit -= 1;
        // Messages are heard between two chunks only.
        await new Promise<void>((resolve) => {
          if (stream.credit > 0) setImmediate(resolve);
          else stream.wake = resolve;
        });
      }
      iterator.return?.();
    } catch (error) {
      host.fail(call, keeper.explain(error));
    } finally {
      streams.delete(call.id);
    }
  }

  function wake(id: number, change: (stream: Stream) => void): void {
    const stream = streams.get(id);
    if (stream === undefined) return;
    change(stream);
    stream.wake?.();
    stream.wake = undefined;
  }

  function close(): void {
    for (const { iterator } of streams.values()) iterator.return?.();
    streams.clear();
    keeper.close();
    host.post({ kind: 'closed' });
    port.close();
  }

  port.on('message', (message: ToWorker) => {
    if (message.kind === 'call') answer(message);
    else if (message.kind === 'more') wake(message.id, (stream) => (stream.credit += 1));
    else if (message.kind === 'drop') wake(message.id, () => streams.delete(message.id));
    else close();
  });
}

function isIterator(value: unknown): value is Iterator<unknown> {
  return typeof value === 'object' && value !== null && 'next' in value && typeof value.next === 'function' && Symbol.iterator in value;
}
