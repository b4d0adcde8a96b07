import type { StoredRow } from './stored.ts';

/** One session of our own JSON Lines on its way back into a store (docs/export-formats.md). */
export interface StoredRecord {
  /** Columns of `sessions`; `system_prompt` as it is stored. */
  readonly row: StoredRow;
  readonly usage: readonly StoredRow[];
  /** Rows of `system_prompts` it needs: `hash` and `prompt`. */
  readonly prompts: readonly StoredRow[];
  /** Rows of `messages` in their order, read from the file one at a time; may be asked for again. */
  messages(): Iterable<StoredRow>;
}
