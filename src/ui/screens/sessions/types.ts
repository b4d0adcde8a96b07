import type { CommandId } from '../../../commands/table.ts';
import type { RecapEntry } from '../../../session/recap.ts';
import type { RowCounts, SessionId, SessionRow } from '../../../session/types.ts';
import type { Editor } from '../../editor/index.ts';
import type { Filter } from './filter.ts';
import type { FuzzyMatch } from './fuzzy.ts';
import type { Entry, RowBook } from './rows.ts';

/** Rows of this workspace, or all of them. */
export type PickerScope = 'workspace' | 'everywhere';

/** Which of the kinds that hide are shown besides the usual ones. */
export type Revealed = 'none' | 'machine' | 'archived' | 'empty' | 'all';

/** Kinds named in the filter (`is:archived`, `source:cron`) show while they are. */
export type WantedKinds = Readonly<Record<'archived' | 'machine', boolean>>;

/** The directory the picker was opened in. */
export interface PickerWorkspace {
  /** Every spelling under which a row may name it; the first is shown. */
  readonly keys: readonly string[];
  /** Outside any repository the scope is the directory. */
  readonly isRepository: boolean;
}

/** Who holds a live session. */
export interface LiveHolder {
  readonly id: SessionId;
  /** As shown: `tmux %3`, `tty pts/4`. */
  readonly where: string;
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** This very process holds it. */
  readonly isOurs: boolean;
  /** A turn is running. */
  readonly isWorking: boolean;
}

/** What the preview pane shows of one session. */
export interface PreviewContent {
  readonly id: SessionId;
  readonly entries: readonly RecapEntry[];
  /** Input and output of all segments. */
  readonly tokens?: number;
  readonly toolCalls?: number;
  /** US dollars, where that of a segment is known. */
  readonly cost?: number;
  readonly segments: number;
  readonly branches: number;
  readonly delegates: number;
}

export interface LineageMember {
  readonly id: SessionId;
  readonly kind: 'segment' | 'branch' | 'delegate';
  readonly title?: string;
  readonly preview?: string;
  readonly lastActive: number;
  readonly messageCount: number;
}

/** Rows unfolded under a lineage that is in the result. */
export interface Block {
  readonly rootId: SessionId;
  /** Place of the lineage among the lineages. */
  readonly at: number;
  readonly members: readonly LineageMember[];
}

/** One lineage an action is for: what is named in a question, and the ids it is done with. */
export interface Target {
  /** The tip. */
  readonly id: SessionId;
  readonly rootId: SessionId;
  /** Root to tip. */
  readonly ids: readonly SessionId[];
  /** Title, else first words, else id. */
  readonly name: string;
  readonly title?: string;
  readonly messages: number;
  readonly pinned: boolean;
  readonly archived: boolean;
  /** It is in the list as it is filtered now. */
  readonly isInView: boolean;
}

/** `rootId` names the lineage, `memberId` a row unfolded under it; both stay while rows move around them. */
export interface Selection {
  readonly index: number;
  readonly rootId?: SessionId;
  readonly memberId?: SessionId;
}

export interface Loading {
  readonly state: 'loading' | 'done' | 'failed';
  readonly token: number;
  /** Counts of the whole store, known before the rows are. */
  readonly counts?: RowCounts;
  readonly trouble?: { readonly message: string; readonly hint?: string };
  /** Lineages met while loading again; the others are gone. */
  readonly seen?: Set<SessionId>;
}

/** `book`, `visible` and `filter` are changed in place by `update`; only the newest state may be used. */
export interface SessionsState {
  readonly book: RowBook;
  readonly visible: Entry[];
  readonly filter: Filter;
  /** Kinds that hide otherwise and are asked for by what is typed. */
  readonly wanted: WantedKinds;
  /** When the rows were told last, in milliseconds since the epoch: times typed in the filter count from it. */
  readonly now: number;
  readonly field: Editor;
  readonly width: number;
  readonly height: number;
  readonly workspace: PickerWorkspace;
  readonly scope: PickerScope;
  /** Chosen by the person, or by the skip of an empty scope: not skipped again. */
  readonly isScopeSettled: boolean;
  readonly revealed: Revealed;
  readonly lineages: ReadonlyMap<SessionId, readonly LineageMember[]>;
  readonly unfolded: ReadonlySet<SessionId>;
  readonly blocks: readonly Block[];
  readonly selection: Selection;
  /** Lineages marked for the next action, by their roots; whatever is filtered, they stay. */
  readonly marks: ReadonlySet<SessionId>;
  /** What Ctrl+_ would undo, as it is said; absent: nothing. */
  readonly undoable: string | undefined;
  /** First row on screen. */
  readonly top: number;
  readonly loading: Loading;
  readonly live: ReadonlyMap<SessionId, LiveHolder>;
  readonly previews: ReadonlyMap<SessionId, PreviewContent>;
  readonly wantedPreview: { readonly token: number; readonly id?: SessionId };
  /** One line about the last thing that happened; gone with the next change of the list. */
  readonly notice: string | undefined;
  /** What is to be done with a session waits for another program's lock. */
  readonly isStoreWaiting: boolean;
  /** Haystacks made, counted in entries of the book. */
  readonly prepared: number;
  readonly work: { readonly token: number; readonly isPending: boolean };
  readonly match: FuzzyMatch | undefined;
  readonly isFuzzyAsked: boolean;
  /** The row a click selected last: a second click on it takes it. */
  readonly armed: SessionId | undefined;
}

export type SessionsAction =
  /** The picker is shown again: same list, filter and scope; rows are read anew behind it. */
  | { type: 'shown' }
  /** The rows can't be told apart from what was read: all are read anew. */
  | { type: 'reload' }
  /** What an undo would take back now. */
  | { type: 'undoable'; what: string | undefined }
  /** The marked ones were done with. */
  | { type: 'unmark' }
  /** The pane moved to another directory. */
  | { type: 'workspace'; workspace: PickerWorkspace }
  /** `now` in milliseconds since the epoch. `isScopeEmpty`: it is known that no row of the workspace will come. The first chunk is the newest page; every lineage comes once, hidden kinds too. */
  | { type: 'loaded'; what: 'rows'; token: number; rows: readonly SessionRow[]; isLast: boolean; now: number; isScopeEmpty?: boolean }
  | { type: 'loaded'; what: 'counts'; token: number; counts: RowCounts; inWorkspace?: number }
  | { type: 'loaded'; what: 'row-previews'; previews: readonly { readonly id: SessionId; readonly preview: string }[] }
  | { type: 'loaded'; what: 'preview'; token: number; preview: PreviewContent }
  | { type: 'loaded'; what: 'lineage'; rootId: SessionId; members: readonly LineageMember[] }
  | { type: 'loaded'; what: 'fuzzy'; match: FuzzyMatch }
  | { type: 'failed'; what: 'rows'; token: number; message: string; hint?: string }
  /** Another process or this one changed the store. */
  | { type: 'rows-changed'; rows: readonly SessionRow[]; removed: readonly SessionId[]; now: number }
  | { type: 'live-changed'; holders: readonly LiveHolder[] }
  | { type: 'continue-filter'; token: number }
  | { type: 'store-waiting'; isWaiting: boolean }
  /** The result of an effect, said in the info line. */
  | { type: 'notice'; text: string }
  /** The window got the focus: the click that did it takes nothing. */
  | { type: 'focused' };

export type SessionsEffect =
  | { type: 'load-rows'; token: number }
  /** To be run after the next frame, so that keys come first; one is outstanding at a time. */
  | { type: 'continue-filter'; token: number }
  /** Answer with `loadFuzzyMatch()` as `loaded` `fuzzy`. */
  | { type: 'load-fuzzy' }
  /** To be asked for when `restMs` passed without a newer one. */
  | { type: 'load-preview'; token: number; id: SessionId; restMs: number }
  | { type: 'load-lineage'; rootId: SessionId }
  | { type: 'resume'; id: SessionId; member?: LineageMember['kind']; isArchived: boolean; holder?: LiveHolder }
  | { type: 'rename'; id: SessionId; title: string }
  | { type: 'pin'; targets: readonly Target[]; isPinned: boolean }
  | { type: 'archive'; targets: readonly Target[]; isArchived: boolean }
  /** To be asked about first. */
  | { type: 'delete'; targets: readonly Target[] }
  | { type: 'export'; targets: readonly Target[] }
  | { type: 'undo' }
  | { type: 'copy'; text: string }
  | { type: 'close' }
  /** A command that belongs to the program, not to the picker. */
  | { type: 'run'; id: CommandId };
