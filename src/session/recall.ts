import type { Message, SessionId } from './types.ts';

/**
 * What the agent reads of past sessions (state-db.md 10): windows into one session, by the position of its messages. A session here is one row of the
 * table; what was compressed out of it is a session of its own.
 */
export interface RecalledSession {
  readonly id: SessionId;
  /** First of its lineage: the same id for most. */
  readonly rootId: SessionId;
  readonly source: string;
  readonly title?: string;
  readonly model?: string;
  /** Milliseconds; 0 when the stored one can't be believed. */
  readonly startedAt: number;
}

export interface Recalled {
  readonly session: RecalledSession;
  /** In reading order. */
  readonly messages: readonly Message[];
  /** Messages of these roles before the first and after the last one that is here. */
  readonly before: number;
  readonly after: number;
  /** First and last ones of the session that are not among `messages`, summaries of compactions left out; empty unless asked for. */
  readonly first: readonly Message[];
  readonly last: readonly Message[];
}

export interface RecallWindow {
  readonly sessionId: SessionId;
  readonly messageId: number;
  /** Messages on either side. */
  readonly window: number;
  readonly roles: readonly string[];
  /** User and assistant messages from either end. */
  readonly bookends?: number;
}

export interface RecallEnds {
  readonly sessionId: SessionId;
  readonly roles: readonly string[];
  /** More than this many come as beginning and end. */
  readonly whole: number;
  readonly first: number;
  readonly last: number;
}

export interface RecallText {
  readonly sessionId: SessionId;
  /** What it is about: the nearest messages are taken first. */
  readonly around: readonly number[];
  /** UTF-16 units of text, in all. */
  readonly characters: number;
  /** What a longer message counts as: whoever asks cuts it. */
  readonly longest: number;
}

export interface MessageHome {
  readonly sessionId: SessionId;
  /** The model is given this row when its session goes on. */
  readonly isLive: boolean;
  readonly timestamp: number;
}
