import type { Connection } from '../connection.ts';
import { describe } from './entries.ts';
import { planDeletion } from './plan.ts';
import type { BinEntry, DeleteRequest, Refusal } from './types.ts';

export interface DeletionPreview {
  /** What would go, as the bin would list it. */
  readonly going: readonly BinEntry[];
  readonly refused: readonly Refusal[];
}

/** What a deletion would do now, without doing it: what a confirmation names. */
export function previewDeletion(connection: Connection, request: DeleteRequest): DeletionPreview {
  const { going, refused } = planDeletion(connection, request);
  return { going: describe(connection, going, connection.now()), refused };
}
