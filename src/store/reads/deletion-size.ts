import type { SessionId } from '../../session/types.ts';
import { planDeletion } from '../bin/plan.ts';
import type { DeleteRequest, Refusal } from '../bin/types.ts';
import type { Connection } from '../connection.ts';

/** What a deletion would take, for the question that comes before it. */
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

/** Plans the deletion as it would be carried out now, and counts it. */
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
