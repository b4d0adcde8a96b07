import type { Facts, Query } from './query.ts';
import type { SessionId } from './types.ts';

/** Which lineages an action is for. The same selection names the same lineages in a preview and in the real run. */
export interface Selection {
  readonly query: Query;
  /** Only lineages whose tip was ended (prune, archive, filtered export); else open ones too. */
  readonly endedOnly: boolean;
  readonly includeArchived: boolean;
  readonly includePinned: boolean;
}

/** One selected lineage: what is named before something is done with it, and the ids it is done with. */
export interface Selected extends Facts {
  readonly rootId: SessionId;
  /** Root to tip. */
  readonly ids: readonly SessionId[];
  /** Sub-agents' sessions below any segment, theirs included: a deletion takes them along. */
  readonly delegates: readonly SessionId[];
}

export interface Selections {
  /** In the one ordering, newest first. */
  readonly lineages: readonly Selected[];
  /** What the query fits, but the selection leaves alone; each counted once, in this order. */
  readonly spared: { readonly pinned: number; readonly open: number; readonly archived: number };
}

/** Of a store that isn't there yet. */
export const noSelections: Selections = { lineages: [], spared: { pinned: 0, open: 0, archived: 0 } };
