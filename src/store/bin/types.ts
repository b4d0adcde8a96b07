import type { SessionId } from '../../session/types.ts';

/** One deleted lineage with its delegates, as it lies in the bin. Times in milliseconds since the epoch. */
export interface BinEntry {
  /** The tip. */
  readonly id: SessionId;
  /** Root to tip. */
  readonly ids: readonly SessionId[];
  readonly delegates: readonly SessionId[];
  readonly title?: string;
  readonly preview?: string;
  readonly source: string;
  readonly messages: number;
  readonly lastActive: number;
  readonly pinned: boolean;
  readonly deletedAt: number;
}

/** A lineage that was left as it is, and why, in a sentence that names it. */
export interface Refusal {
  readonly id: SessionId;
  readonly message: string;
}

export interface BinResult {
  /** What is in the bin now; an entry for each lineage. */
  readonly moved: readonly BinEntry[];
  readonly refused: readonly Refusal[];
}

export interface DeleteRequest {
  /** Any session of each lineage; the whole lineage goes, with its delegates. Branches stay. */
  readonly ids: readonly SessionId[];
  /** Sessions that a process has open (live register); their lineages are refused. The value says who, as shown: `tmux %3 (pid 812)`. */
  readonly held: Readonly<Record<SessionId, string>>;
}

export interface RestoreResult {
  readonly restored: readonly BinEntry[];
  readonly refused: readonly Refusal[];
  /** Titles that somebody else had taken meanwhile, with the one given in their place. */
  readonly retitled: readonly { readonly id: SessionId; readonly from: string; readonly to: string }[];
}
