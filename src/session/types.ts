/**
 * The nouns of the domain. Times are milliseconds since the epoch (UTC); an absent value is `undefined`, never null. Rows of the
 * store become these in `src/store/rows.ts` and nowhere else.
 */

export type SessionId = string;

/** Who titled a session; an unknown stored text ranks lowest, a titled row without one counts as `user` (state-db.md 2.7). */
export type TitleSource = 'derived' | 'llm' | 'user' | (string & {});

export interface Session {
  id: SessionId;
  source: string;
  createdSource?: string;
  title?: string;
  titleSource?: TitleSource;
  model?: string;
  /** The JSON object of the row, unknown keys and lineage markers included; empty when absent or broken. */
  modelConfig: Readonly<Record<string, unknown>>;
  parentId?: SessionId;
  sessionKey?: string;
  startedAt: number;
  endedAt?: number;
  endReason?: string;
  /** Latest of the heartbeat and the newest message, else the start. */
  lastActive: number;
  messageCount: number;
  toolCallCount: number;
  inputTokens: number;
  outputTokens: number;
  costUsd?: number;
  cwd?: string;
  gitRepoRoot?: string;
  gitBranch?: string;
  archived: boolean;
  autoArchived: boolean;
  pinned: boolean;
  hidden: boolean;
  handoffState?: string;
  handoffPlatform?: string;
}

export interface ToolCall {
  id: string;
  name: string;
  /** JSON text as the model wrote it. */
  arguments: string;
}

export type ContentPart = { type: 'text'; text: string } | { type: 'image'; name: string } | { type: 'other'; kind: string };

export type Role = 'system' | 'user' | 'assistant' | 'tool' | 'session_meta' | (string & {});

export interface Message {
  /** Row id; unique in the store. */
  id: number;
  sessionId: SessionId;
  role: Role;
  /** Text of the message as stored (parts joined, images as `[image: name]`); never normalised. */
  text: string;
  /** Present when the stored content was a list of parts. */
  parts?: readonly ContentPart[];
  toolCalls: readonly ToolCall[];
  toolCallId?: string;
  toolName?: string;
  reasoning?: string;
  timestamp: number;
  finishReason?: string;
  tokenCount?: number;
  active: boolean;
  compacted: boolean;
  /** A compaction summary, written by the program. */
  isSummary: boolean;
  displayKind?: string;
  /** `text` is only the beginning of a long one; here stand its end and its full size in bytes. The whole is a read of its own. */
  cut?: { tail: string; bytes: number };
}

/**
 * Why a row is not shown at once. Each lineage counts in the first class that fits (product.md 3):
 * empty, machine-made, archived or hidden; scope and filter are applied by the picker.
 */
export type RowClass = 'empty' | 'machine' | 'archived' | 'shown';

/** How the last turn of a session stands (state-db.md 2.3). */
export type SessionStatus = 'complete' | 'interrupted' | 'error' | 'empty';

/** One lineage as lists and picker show it: the tip's row, the root's start. */
export interface SessionRow {
  /** The tip: what Enter resumes. */
  id: SessionId;
  rootId: SessionId;
  title?: string;
  /** First user message, one line, at most 60 characters and `...`; absent until loaded. */
  preview?: string;
  source: string;
  createdSource?: string;
  cwd?: string;
  gitRepoRoot?: string;
  gitBranch?: string;
  model?: string;
  startedAt: number;
  lastActive: number;
  messageCount: number;
  pinned: boolean;
  archived: boolean;
  hidden: boolean;
  class: RowClass;
  /** Rows of the lineage (root to tip); 1 for most. */
  segments: number;
  /** A sub-agent's session, by its mark or by how it hangs on its parent. */
  isDelegate?: boolean;
  handoffState?: string;
  /** The tip was ended. */
  ended?: boolean;
  status?: SessionStatus;
  /** Every id of the lineage, so that any of them finds the row. */
  ids: readonly SessionId[];
}

/** Rows of a listing that are not shown, by class; `total` counts all lineages. */
export interface RowCounts {
  total: number;
  shown: number;
  empty: number;
  machine: number;
  archived: number;
}
