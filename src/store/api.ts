import type { StoreError } from '../errors.ts';
import type { Connection, FtsLayout } from './connection.ts';
import type { StoreHealth } from './damage.ts';
import type { HousekeepingReport, HousekeepingTask } from './housekeeping.ts';
import type { Reads } from './reads/index.ts';
import type { Writes } from './writes/index.ts';

/** Functions that run in a worker: the connection first, then values that can be cloned; synchronous. */
export type Methods = Readonly<Record<string, (connection: Connection, ...args: never[]) => unknown>>;

/**
 * The same functions as the main thread sees them: without the connection, and as promises. A generator becomes an async iterable of its
 * yields, each sent as soon as it is there; what it returns is dropped.
 */
export type Async<T> = {
  readonly [Name in keyof T]: T[Name] extends (connection: Connection, ...args: infer Args) => infer Result
    ? (...args: Args) => Answer<Result>
    : never;
};

/** In brackets, so that a function which only throws (`never`) is a promise too. */
type Answer<Result> = [Result] extends [never]
  ? Promise<never>
  : [Result] extends [Generator<infer Chunk, unknown, unknown>]
    ? AsyncIterable<Chunk>
    : Promise<Awaited<Result>>;

export interface StoreEvents {
  /** A write has waited 300 ms for another program's lock; it goes on waiting. */
  waiting: [];
  /** The lock was got, or given up. */
  'waiting-over': [];
  /** Something a person must know: damage (no further writes then), an index that was made anew. */
  trouble: [StoreError];
}

/** What was found when the store was opened for reading. */
export interface StoreFacts {
  readonly version: number;
  readonly fts: FtsLayout;
  readonly hasTrigram: boolean;
  /** Milliseconds since the epoch; set when a private copy is read. */
  readonly copiedAt?: number;
}

export interface Store<ReadMethods, WriteMethods> {
  readonly read: Async<ReadMethods>;
  /** Served strictly in the order of the calls, each in a transaction of its own, on disk when the promise resolves. */
  readonly write: Async<WriteMethods>;
  /** The reads, given up when `signal` aborts: the promise rejects with its reason at once, the statement ends at its next row. */
  reading(signal: AbortSignal): Async<ReadMethods>;
  /** A number that is another one whenever anybody changed the store; 0 while there is none. Ask at most once a second. */
  dataVersion(): Promise<number>;
  facts(): Promise<StoreFacts>;
  /** Every page and index: seconds per gigabyte. */
  check(): Promise<StoreHealth>;
  /** Makes the full-text index anew; the tables are checked first. */
  rebuildIndex(): Promise<void>;
  /** Work on the whole file, in the order of the writes: seconds per gigabyte. `vacuum` does nothing while another process has the file open. */
  housekeep(task: HousekeepingTask): Promise<HousekeepingReport>;
  on<Name extends keyof StoreEvents>(event: Name, listener: (...args: StoreEvents[Name]) => void): () => void;
  /**
   * Stores what is still queued, then ends both threads. Idempotent. A write that waits for a lock is given up after `withinMs`
   * (60,000), and its promise rejects.
   */
  close(withinMs?: number): Promise<void>;
}

/** The store as the program uses it. */
export type SessionStore = Store<Reads, Writes>;
