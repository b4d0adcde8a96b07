import type { RetentionPolicy } from '../session/retention.ts';
import type { SessionId } from '../session/types.ts';
import type { DeleteRequest } from '../store/bin/types.ts';
import type { Connection } from '../store/connection.ts';
import { writes } from '../store/writes/index.ts';

/** Lineages to be deleted; who has one of them open is asked by whoever deletes them. */
type Doomed = Pick<DeleteRequest, 'ids'>;

/**
 * The writes of the store as the screen, line mode and one-shot have them: those that take sessions out of sight ask for themselves who has one
 * open. A write may wait for the store's lock for a minute, and somebody may open a session meanwhile; under the lock the answer is the one that counts.
 *
 * @param holders sessions that a running program has open at this moment, and who that is
 */
export function writesSparing(holders: () => Readonly<Record<SessionId, string>>) {
  return {
    ...writes,
    moveToBin: (connection: Connection, { ids }: Doomed) => writes.moveToBin(connection, { ids, held: holders() }),
    eraseForever: (connection: Connection, { ids }: Doomed) => writes.eraseForever(connection, { ids, held: holders() }),
    pruneIdle: (connection: Connection, policy: RetentionPolicy) => writes.pruneIdle(connection, policy, holders()),
    archiveIdle: (connection: Connection, policy: RetentionPolicy) => writes.archiveIdle(connection, policy, holders()),
  };
}

export type ProgramWrites = ReturnType<typeof writesSparing>;
