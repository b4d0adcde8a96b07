import type { SessionId } from './types.ts';

/**
 * The one query language (product.md 5) as a tree: what is typed in a filter, and the flags of list, export, prune and archive, compile
 * to it. A tree says what a lineage must be; `text` nodes are matched by whoever holds the text (the picker its rows, search the messages).
 */
export type Query =
  /** Without nodes: everything. */
  | { readonly type: 'and'; readonly nodes: readonly Query[] }
  /** Without nodes: nothing. */
  | { readonly type: 'or'; readonly nodes: readonly Query[] }
  | { readonly type: 'not'; readonly node: Query }
  /** `text` as typed, NFC; `isPrefix` for `x*`. */
  | { readonly type: 'text'; readonly text: string; readonly isPhrase: boolean; readonly isPrefix: boolean }
  | { readonly type: 'test'; readonly test: Test };

/** A lineage's numbers are those of all its segments together; its other facts are its tip's, except where said otherwise. */
export type Test =
  /** Equal, to the letter. */
  | { readonly field: 'source' | 'provider' | 'user' | 'chat-id' | 'chat-type' | 'end-reason'; readonly is: string }
  /** Part of the text, whatever the case. */
  | { readonly field: 'title' | 'model' | 'branch'; readonly contains: string }
  /** The directory itself or one below it; an absolute path. */
  | { readonly field: 'cwd'; readonly under: string }
  /** Part of the workspace's path, or its folder. */
  | { readonly field: 'workspace'; readonly contains: string }
  /** Inclusive bounds. Tokens are input and output; cost is in US dollars, the actual one where it is known, else the estimate. */
  | { readonly field: 'messages' | 'tokens' | 'cost' | 'tool-calls'; readonly min?: number; readonly max?: number }
  /** `from <= time < until`, milliseconds since the epoch. `started`: of the root; `active`: latest of all segments. */
  | { readonly field: 'started' | 'active'; readonly from?: number; readonly until?: number }
  /** One of these sessions, by id: what was found by other means, such as the words of messages. */
  | { readonly field: 'among'; readonly ids: ReadonlySet<SessionId> }
  | { readonly field: 'is'; readonly value: 'pinned' | 'archived' | 'ended' | 'live' }
  /** Of single messages; only search can answer these. */
  | { readonly field: 'role' | 'tool'; readonly is: string }
  | { readonly field: 'said'; readonly from?: number; readonly until?: number };

/** Every session. */
export const everything: Query = { type: 'and', nodes: [] };

/** Whether the query asks nothing. */
export const isEverything = (query: Query): boolean => query.type === 'and' && query.nodes.every(isEverything);

/** What tests look at: one lineage, the sessions joined by compression. */
export interface Facts {
  /** The tip. */
  readonly id: SessionId;
  readonly source: string;
  readonly title?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly cwd?: string;
  readonly gitRepoRoot?: string;
  readonly branch?: string;
  readonly user?: string;
  readonly chatId?: string;
  readonly chatType?: string;
  readonly endReason?: string;
  readonly startedAt: number;
  readonly lastActive: number;
  readonly messages: number;
  readonly tokens: number;
  /** Absent: no segment's cost is known. */
  readonly cost?: number;
  readonly toolCalls: number;
  readonly pinned: boolean;
  readonly archived: boolean;
  readonly ended: boolean;
}

/** Sources the query asks for by name: what else stays out of the way (machine-made, sub-agents) is wanted then. */
export function namedSources(query: Query): ReadonlySet<string> {
  if (query.type === 'and' || query.type === 'or') return new Set(query.nodes.flatMap((node) => [...namedSources(node)]));
  return new Set(query.type === 'test' && query.test.field === 'source' ? [query.test.is] : []);
}
