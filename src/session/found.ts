import type { Range } from './match-text.ts';
import type { SessionId, SessionRow } from './types.ts';

/** A piece of a text around the first match, on one line. */
export interface Snippet {
  readonly text: string;
  /** Where the words stand in `text`. */
  readonly ranges: readonly Range[];
  /** Something was left out before or behind. */
  readonly isCutBefore: boolean;
  readonly isCutAfter: boolean;
}

/** A message that matches. */
export interface Hit {
  readonly messageId: number;
  readonly sessionId: SessionId;
  readonly role: string;
  /** Milliseconds since the epoch; 0 when the stored one can't be believed. */
  readonly timestamp: number;
  readonly snippet: Snippet;
}

/** One lineage that matches. */
export interface SearchResult {
  readonly row: SessionRow;
  /** Messages that match so far. */
  readonly hits: number;
  /** The best, the newest or the oldest one, as the results are sorted; absent where only the title does. */
  readonly hit?: Hit;
  /** The title matches by itself; messages may as well. */
  readonly isTitleMatch: boolean;
  /** Where the words stand in `row.title`. */
  readonly titleRanges: readonly Range[];
}

/** How much of the messages the full-text index of the file knows. Results are complete whatever it is; without an index they come later. */
export interface IndexState {
  /** `rebuilding`, `behind`: rows are missing from it; `stale`: another program marked it as wrong; `damaged`: it contradicts itself. */
  readonly state: 'ready' | 'none' | 'behind' | 'rebuilding' | 'stale' | 'damaged';
  /** Messages it does not have yet, where that is known. */
  readonly missing?: number;
  /** Of a rebuild: how much is done, in whole percent. */
  readonly percent?: number;
}
