import type { CommandId } from '../../../commands/table.ts';
import type { Hit, IndexState, SearchResult as Found } from '../../../session/found.ts';
import type { Range } from '../../../session/match-text.ts';
import type { Query } from '../../../session/query.ts';
import type { Message, SessionId } from '../../../session/types.ts';
import type { Editor } from '../../editor/index.ts';

export type { Found, Hit, IndexState };

export type Sort = 'best' | 'newest' | 'oldest';
export type SearchScope = 'workspace' | 'everywhere';

/** The directory the panel was opened in; every spelling under which a row may name it. */
export interface SearchPlace {
  readonly keys: readonly string[];
  readonly isRepository: boolean;
}

/** Values of fields as they stand in the store, the most recent first. */
export type FieldValues = Readonly<Partial<Record<'source' | 'workspace' | 'branch' | 'model' | 'tool', readonly string[]>>>;

/** All hits of one lineage, in the order in which ↓ goes through them. */
export interface GroupHits {
  readonly ids: readonly number[];
  /** What is known of them. */
  readonly known: ReadonlyMap<number, Hit>;
  /** What was asked for of them: nothing is asked twice. */
  readonly asked: ReadonlySet<number>;
  /** How many the search had counted when they were read. */
  readonly counted: number;
}

/** Messages around a hit. */
export interface HitContext {
  readonly messageId: number;
  /** Oldest first. */
  readonly messages: readonly Message[];
  readonly ranges: ReadonlyMap<number, readonly Range[]>;
}

/** The row under the cursor: a hit of a lineage, or its title where that alone matches. */
export interface Cursor {
  /** Place of the lineage in the results. */
  readonly index: number;
  readonly rootId?: SessionId;
  readonly messageId?: number;
}

export interface Searching {
  readonly token: number;
  /** `waiting`: nothing has come yet, what is on screen answers what was typed before. */
  readonly state: 'idle' | 'waiting' | 'running' | 'done' | 'failed';
  /** Lineages asked for. */
  readonly limit: number;
  /** Another process wrote: looked at anew behind what is shown. */
  readonly isQuiet: boolean;
  /** Everything said since then was looked at. */
  readonly backTo?: number;
  readonly trouble?: { readonly message: string; readonly hint?: string };
  /** A shorter page of a quiet search: shown only when nothing more comes. */
  readonly held?: { readonly results: readonly Found[]; readonly lineages: number; readonly hits: number };
}

/** A key that waits, or the end of a lineage that ↑ went to before its hits were read. */
export type Pending = CommandId | 'last-hit';

export interface SearchState {
  readonly width: number;
  readonly height: number;
  readonly field: Editor;
  /** Where the field begins that is shown as text although it could be a chip: it is being typed, or was opened with Backspace. */
  readonly plainAt: number | undefined;
  readonly values: FieldValues;
  /** Earlier searches, newest first. */
  readonly recent: readonly string[];
  /** The earlier search under the cursor while nothing is typed; -1: none. */
  readonly recentAt: number;
  readonly place: SearchPlace;
  readonly scope: SearchScope;
  readonly sort: Sort;
  /** What is looked for; compared as JSON, so that a key that changes nothing asks nothing. */
  readonly query: Query;
  readonly asked: string;
  readonly searching: Searching;
  readonly index: IndexState | undefined;
  readonly results: readonly Found[];
  readonly lineages: number;
  readonly hits: number;
  readonly groups: ReadonlyMap<SessionId, GroupHits>;
  readonly wantedHits: { readonly token: number; readonly rootId?: SessionId; readonly counted?: number };
  readonly cursor: Cursor;
  /** First line of the list on screen. */
  readonly top: number;
  readonly context: HitContext | undefined;
  readonly wantedContext: { readonly token: number; readonly messageId?: number };
  /** Keys that came before what they are about: carried out when it is there. */
  readonly pending: readonly Pending[];
  readonly notice: string | undefined;
  /** The line a click selected last: a second click on it opens it. */
  readonly armed: string | undefined;
}

export type SearchAction =
  /** Shown, perhaps again: as it was left; the store is looked at anew behind it. `text` replaces the query. */
  | { type: 'shown'; text?: string; recent: readonly string[] }
  | { type: 'place'; place: SearchPlace }
  | { type: 'loaded'; what: 'values'; values: FieldValues }
  | { type: 'loaded'; what: 'index'; token: number; index: IndexState }
  | { type: 'loaded'; what: 'results'; token: number; results: readonly Found[]; lineages: number; hits: number }
  | { type: 'loaded'; what: 'progress'; token: number; lineages: number; hits: number; backTo?: number }
  | { type: 'loaded'; what: 'done'; token: number; lineages: number; hits: number }
  /** All hits of a lineage in reading order, and what some of them say. */
  | { type: 'loaded'; what: 'hits'; token: number; rootId: SessionId; ids: readonly number[]; known: readonly Hit[] }
  | { type: 'loaded'; what: 'snippets'; rootId: SessionId; known: readonly Hit[] }
  | { type: 'loaded'; what: 'context'; token: number; context: HitContext }
  | { type: 'failed'; what: 'search'; token: number; message: string; hint?: string }
  | { type: 'failed'; what: 'hits' | 'context'; token: number; message: string }
  /** Somebody wrote to the store. */
  | { type: 'store-changed' }
  | { type: 'notice'; text: string }
  | { type: 'focused' };

export type SearchEffect =
  /** Ends what was under way. */
  | { type: 'search'; token: number; query: Query; sort: Sort; limit: number; scope: SearchScope; place: SearchPlace }
  | { type: 'stop' }
  | { type: 'load-hits'; token: number; rootId: SessionId; id: SessionId; query: Query; restMs: number }
  | { type: 'load-snippets'; rootId: SessionId; ids: readonly number[]; query: Query }
  | { type: 'load-context'; token: number; messageId: number; query: Query; restMs: number }
  /** As a look: the pane's own session stays. */
  | { type: 'open'; found: Found; messageId?: number; query: Query; text: string }
  | { type: 'close' }
  /** A command that belongs to the program. */
  | { type: 'run'; id: CommandId };
