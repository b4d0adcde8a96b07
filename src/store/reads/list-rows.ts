import { compareSessions } from '../../session/order.ts';
import { relationOf, continuationOf } from '../../session/lineage.ts';
import { isInWorkspace } from '../../session/workspace.ts';
import type { RowCounts, SessionId, SessionRow } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { rememberSessions } from './changed-rows.ts';
import { lineageFrom, lineageOf, selectNodes, wholeSource, type Lineage } from './lineages.ts';
import { sessionRows } from './row-details.ts';

/** What `listRows` hands out, in this order: the counts, then rows until all are there. */
export type ListChunk =
  /** `marker`: for `changedRows`. `inWorkspace`: how many of the shown ones belong to the workspace that was asked about. */
  { type: 'counts'; counts: RowCounts; marker: number; inWorkspace?: number } | { type: 'rows'; rows: SessionRow[] };

const chunkSize = 1_000;

/**
 * Every lineage of the store, in the one ordering (pinned first), with preview and status: what the picker holds in memory. A worker
 * passes the chunks on as they come; between them only the skeleton of the sessions is held.
 */
export function* listRows(connection: Connection, query: { workspaces?: readonly string[] } = {}): Generator<ListChunk, void, undefined> {
  const marker = rememberSessions(connection);
  const lineages = allLineages(connection);
  const { workspaces } = query;
  const inWorkspace =
    workspaces === undefined
      ? {}
      : { inWorkspace: lineages.filter((lineage) => lineage.class === 'shown' && isInWorkspace(lineage.tip, workspaces)).length };
  yield { type: 'counts', counts: countLineages(lineages), marker, ...inWorkspace };
  for (let at = 0; at < lineages.length; at += chunkSize) {
    yield { type: 'rows', rows: sessionRows(connection, lineages.slice(at, at + chunkSize), { previews: 'all' }) };
  }
}

/** Every lineage once, ordered; each session belongs to exactly one, so that counts add up. */
export function allLineages(connection: Connection): Lineage[] {
  const nodes = selectNodes(connection, '');
  const source = wholeSource(nodes);
  const covered = new Set<SessionId>();
  const lineages: Lineage[] = [];
  const add = (lineage: Lineage): void => {
    for (const segment of lineage.segments) covered.add(segment.id);
    lineages.push(lineage);
  };
  for (const node of nodes) {
    if (node.parentId === undefined) {
      add(lineageFrom(connection, node, 'root', source));
      continue;
    }
    const parent = source.node(node.parentId);
    const isLater = parent !== undefined && relationOf(node, parent) === 'continuation' && continuationOf(parent, source)?.id === node.id;
    if (!isLater) add(lineageOf(connection, node, source));
  }
  // Only a circle of parents is left over; its members are still somebody's conversations.
  for (const node of nodes) if (!covered.has(node.id)) add(lineageOf(connection, node, source));

  const now = connection.now();
  const pinned = lineages.filter((lineage) => lineage.pinned).sort((a, b) => compareSessions(a, b, now));
  return [...pinned, ...lineages.filter((lineage) => !lineage.pinned).sort((a, b) => compareSessions(a, b, now))];
}

function countLineages(lineages: readonly Lineage[]): RowCounts {
  const counts: RowCounts = { total: lineages.length, shown: 0, empty: 0, machine: 0, archived: 0 };
  for (const lineage of lineages) counts[lineage.class]++;
  return counts;
}

/** How many lineages there are of each class. */
export function rowCounts(connection: Connection): RowCounts {
  return countLineages(allLineages(connection));
}
