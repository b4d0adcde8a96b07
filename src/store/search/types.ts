import type { Range } from '../../session/match-text.ts';
import type { Query } from '../../session/query.ts';
import type { SessionId, SessionRow } from '../../session/types.ts';

export interface SearchRequest {
  /** As `parseQuery(text, { now, times: 'said' })` reads it. */
  readonly query: Query;
  /** `best`: by relevance; `newest`, `oldest`: by the time of the newest and the oldest hit, of all there are. */
  readonly sort: 'best' | 'newest' | 'oldest';
  /** Lineages that are handed out; all are counted. */
  readonly limit: number;
  /** Only lineages of these workspaces (every spelling of one). */
  readonly workspaces?: readonly string[];
  /** Lineages whose tip has one of these sources are left out. */
  readonly withoutSources?: readonly string[];
  /** Lineages these sessions belong to are left out. */
  readonly withoutSessions?: readonly SessionId[];
  /** Sessions that some process has open, for `is:live`; without it the question stays open and hides nothing. */
  readonly live?: readonly SessionId[];
  /** `page`: ends as soon as the page is full; its counts are then those of what was looked at. `all`, the default: every hit is counted. */
  readonly until?: 'page' | 'all';
}

/** A piece of a text around the first match, on one line. */
export interface Snippet {
  readonly text: string;
  /** Where the words stand in `text`. */
  readonly ranges: readonly Range[];
  /** Something was left out before or behind. */
  readonly isCutBefore: boolean;
  readonly isCutAfter: boolean;
}

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
  /** The best, the newest or the oldest one, as the results are sorted; absent where the title alone matches. */
  readonly hit?: Hit;
  /** The title alone matches. */
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

/** What `search` hands out: the state of the index first (again when damage shows), then results and progress in turn, `done` last. */
export type SearchChunk =
  | { readonly type: 'index'; readonly index: IndexState }
  /** The page as it stands, in order; replaces the one before. */
  | { readonly type: 'results'; readonly results: readonly SearchResult[]; readonly lineages: number; readonly hits: number }
  /** `backTo`: every message from then on was looked at, milliseconds since the epoch; absent before the first look at all messages. */
  | { readonly type: 'progress'; readonly lineages: number; readonly hits: number; readonly backTo?: number }
  /** `isComplete`: everything was looked at; false where `until: 'page'` ended it. */
  | { readonly type: 'done'; readonly lineages: number; readonly hits: number; readonly isComplete: boolean };
