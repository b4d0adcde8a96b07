import type { StoredRow } from '../session/stored.ts';
import type { Message, Session, SessionId } from '../session/types.ts';

export type { StoredRow, StoredValue } from '../session/stored.ts';

/** One stored session on its way out. Messages come in batches, so that one of any size takes constant memory. */
export interface TransferSession {
  readonly session: Session;
  /** First user message, one line; absent when nothing was said. */
  readonly preview?: string | undefined;
  /** The sessions row, `system_prompt` resolved. */
  readonly row: StoredRow;
  /** Root to tip, this one among them. */
  readonly lineageIds: readonly SessionId[];
  /** All message rows as stored, undone ones included, in the order of their ids: what a backup holds. */
  rows(): AsyncIterable<readonly StoredRow[]>;
  /** What a reader saw, in that order: undone and hidden rows left out, each in full. */
  messages(): AsyncIterable<readonly Message[]>;
  /** Rows of `session_model_usage`. */
  readonly usage: readonly StoredRow[];
  /** Rows of `system_prompts` that `row` names by hash, besides the resolved prompt (`tool_names` of newer stores). */
  readonly prompts?: readonly StoredRow[];
  /** How many message rows are stored, undone and hidden ones included. */
  readonly rowCount?: number;
}

/** Where a format writes to: a file, stdout, a buffer. Resolves when more may be written. */
export interface Output {
  write(text: string): Promise<void> | void;
}
