/** Conversations of other agents, as far as they can become ours (state-db.md 3, Import of foreign logs). */

/** By the `source` their sessions get. */
export const foreignTools = ['claude-code', 'codex-cli', 'gemini-cli', 'opencode', 'pi'] as const;

export type ForeignTool = (typeof foreignTools)[number];

export interface ForeignTurn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** Milliseconds since the epoch; later than that of the turn before. */
  readonly at: number;
}

/** What of a log could not be read: damage is counted and named, never fatal. */
export interface BrokenLines {
  readonly count: number;
  /** The first ones, lines from 1 (of a log that is many files: the file, counted as they were read). */
  readonly named: readonly { readonly line: number; readonly reason: string }[];
}

/** One log. Only its facts are kept in memory; the turns are read again from the file, one at a time. */
export interface ForeignSession {
  readonly tool: ForeignTool;
  readonly path: string;
  /** The tool's own id: the same log is never imported twice. */
  readonly foreignId: string;
  readonly cwd?: string;
  readonly gitBranch?: string;
  readonly model?: string;
  /** A name the tool gave, or a person there. */
  readonly title?: string;
  /** Milliseconds since the epoch; of the log where it says, else of its file. */
  readonly startedAt: number;
  /** A sub-agent's log: no conversation of a person. */
  readonly isDelegate: boolean;
  /** Strictly user, assistant, user …, beginning with the user; empty when nobody said anything. May be asked for again. */
  turns(): Iterable<ForeignTurn>;
  /** Complete once `turns` has been read to its end. */
  readonly broken: BrokenLines;
}
