/** One line of the bench table. */
export interface Figure {
  readonly what: string;
  /** The measured value as people read it: `84 ms`. */
  readonly value: string;
  /** What is compared with `must` and `aim`: the value itself, or its ratio to a baseline. */
  readonly score: number;
  /** Unit of `score`, `must` and `aim`: `x`, `ms`, `MB`, `%`. */
  readonly unit: string;
  /** At most this; absent for a baseline. */
  readonly must?: number;
  readonly aim?: number;
}

/** What a file `*.bench.ts` is handed. */
export interface BenchOptions {
  readonly runs: number;
  readonly sizes: readonly number[];
  /** Path of a store of that many sessions; open it read-only or copy it. With a full-text index where that is wanted, else up to 10,000. */
  storeOf(sessions: number, hasSearchIndex?: boolean): Promise<string>;
}
