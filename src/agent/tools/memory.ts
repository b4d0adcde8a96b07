import type { Recalled, RecallEnds, RecallText, RecallWindow } from '../../session/recall.ts';
import type { Snippet } from '../../session/found.ts';
import type { Message, SessionId, SessionRow } from '../../session/types.ts';

/** What is searched for. */
export interface MemoryQuery {
  /** In the query language of product.md 5. */
  readonly text: string;
  readonly sort: 'best' | 'newest' | 'oldest';
  /** Lineages that are wanted. */
  readonly limit: number;
  /** Only messages of these roles count as hits. */
  readonly roles: readonly string[];
}

export interface MemoryHit {
  readonly sessionId: SessionId;
  readonly messageId: number;
  readonly role: string;
  readonly snippet: Snippet;
}

export interface MemoryFound {
  /** The best hit of each lineage, in order. */
  readonly hits: readonly MemoryHit[];
  /** Lineages that match. */
  readonly searched: number;
  /** The index is being rebuilt; what it lacks was searched all the same, only slower. */
  readonly rebuiltPercent?: number;
}

/** Where a message a model named is to be read. */
export type MemoryAnchor =
  | { readonly kind: 'found'; readonly sessionId: SessionId }
  /** In the context of the conversation that asks. */
  | { readonly kind: 'in-context' }
  /** Gone, undone, or of a conversation that has nothing to do with the session. */
  | { readonly kind: 'none' };

/**
 * The past sessions of a profile, as `session_search` reads them; `src/app` hands in one over the store. Everything only reads, and is given up
 * when `signal` fires.
 */
export interface SessionMemory {
  /** For links: `default`, or the profile's name. */
  readonly profile: string;
  /** Leaves out the machine-made, and of the conversation that asks all that is in its context. */
  search(query: MemoryQuery, signal: AbortSignal): Promise<MemoryFound>;
  /** An id, a unique beginning of one, or a title. @throws NotFoundError, AmbiguousIdError */
  locate(name: string, signal: AbortSignal): Promise<SessionId>;
  anchor(sessionId: SessionId, messageId: number, signal: AbortSignal): Promise<MemoryAnchor>;
  around(asked: RecallWindow, signal: AbortSignal): Promise<Recalled | undefined>;
  ends(asked: RecallEnds, signal: AbortSignal): Promise<(Recalled & { readonly count: number }) | undefined>;
  text(asked: RecallText, signal: AbortSignal): Promise<{ readonly messages: readonly Message[]; readonly gaps: readonly number[] }>;
  /** More hits of the session, those said last first. */
  hitsIn(sessionId: SessionId, query: MemoryQuery, count: number, signal: AbortSignal): Promise<readonly number[]>;
  /** Newest first; without the conversation that asks. */
  recent(limit: number, signal: AbortSignal): Promise<readonly SessionRow[]>;
  close(): Promise<void>;
}

/** Opens the memory of a profile; its own where none is named. @throws NotFoundError, UsageError for one there is not */
export type OpenMemory = (profile: string | undefined) => SessionMemory;
