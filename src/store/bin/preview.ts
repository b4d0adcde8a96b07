import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { describe } from './entries.ts';
import { planDeletion } from './plan.ts';
import type { BinEntry, DeleteRequest, Refusal } from './types.ts';

export interface DeletionPreview {
  /** What would go, as the bin would list it. */
  readonly going: readonly BinEntry[];
  readonly refused: readonly Refusal[];
}

/** What a deletion would do now, without doing it: each lineage by name, for a question that names them. */
export function previewDeletion(connection: Connection, request: DeleteRequest): DeletionPreview {
  const { going, refused } = planDeletion(connection, request);
  return { going: describe(connection, going, connection.now()), refused };
}

/** What a deletion would take, all together. */
export interface DeletionSize {
  /** Tips of the lineages that would go. */
  readonly going: readonly SessionId[];
  readonly segments: number;
  /** Sub-agents' sessions below any of them, theirs included. */
  readonly delegates: number;
  /** As counted in the segments. */
  readonly messages: number;
  /** What would be left as it is, and why. */
  readonly refused: readonly Refusal[];
}

/** The same counted, for a question where the names are known: no titles and beginnings are read. */
export function deletionSize(connection: Connection, request: DeleteRequest): DeletionSize {
  const { going, refused } = planDeletion(connection, request);
  const segments = going.flatMap(({ lineage }) => lineage.segments);
  return {
    going: going.map(({ lineage }) => lineage.tip.id),
    segments: segments.length,
    delegates: going.reduce((sum, { delegates }) => sum + delegates.length, 0),
    messages: segments.reduce((sum, segment) => sum + segment.messageCount, 0),
    refused,
  };
}
