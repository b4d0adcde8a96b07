import type { IndexState, SearchResult } from '../../session/found.ts';
import type { Query } from '../../session/query.ts';
import type { SessionId } from '../../session/types.ts';

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

/** What `search` hands out: the state of the index first (again when damage shows), then results and progress in turn, `done` last. */
export type SearchChunk =
  | { readonly type: 'index'; readonly index: IndexState }
  /** The page as it stands, in order; replaces the one before. */
  | { readonly type: 'results'; readonly results: readonly SearchResult[]; readonly lineages: number; readonly hits: number }
  /** `backTo`: every message from then on was looked at, milliseconds since the epoch; absent before the first look at all messages. */
  | { readonly type: 'progress'; readonly lineages: number; readonly hits: number; readonly backTo?: number }
  /** `isComplete`: everything was looked at; false where `until: 'page'` ended it. */
  | { readonly type: 'done'; readonly lineages: number; readonly hits: number; readonly isComplete: boolean };
