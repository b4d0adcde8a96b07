import { comparePinnedFirst } from '../../session/order.ts';
import { isInWorkspace } from '../../session/workspace.ts';
import type { SessionId, SessionRow } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { lazySource, lineageOf, selectNodes, type Lineage } from './lineages.ts';
import { newestLineages, sessionCountBound } from './newest.ts';
import { sessionRows } from './row-details.ts';
import { tipCondition } from './scope.ts';

export interface FirstRowsQuery {
  /** Rows that fit on the screen; pinned ones come on top of them. */
  limit: number;
  /** Only sessions of these workspaces (every spelling of one). */
  workspaces?: readonly string[];
  /** Only these sources. */
  sources?: readonly string[];
}

export interface FirstRows {
  /** Pinned first, then newest first; previews for untitled rows only. */
  rows: SessionRow[];
  hasMore: boolean;
  /** Known to equal the beginning of the full listing; see newest.ts for what may be missing otherwise. */
  isProven: boolean;
  /** False where pinned sessions were not looked for: `pinnedRows` has them. */
  hasPinned: boolean;
}

/**
 * Pins have no index: finding them reads the whole table, 0.3 to 0.4 µs of processor time a session in a process that just began (4 ms for
 * 10,000). Beyond this many the full load, which follows at once, puts them on top.
 */
const pinnedScanUpTo = 20_000;

/**
 * The newest shown lineages, for the first frame: 50 rows cost the same on 10,000 and on 100,000 sessions. Empty, machine-made, archived
 * and hidden ones are left out; the full load counts them.
 */
export function firstRows(connection: Connection, query: FirstRowsQuery): FirstRows {
  const accepts = (lineage: Lineage): boolean => lineage.class === 'shown' && !lineage.pinned && isWanted(lineage, query);
  const tips = tipCondition(connection, query);
  const newest = newestLineages(connection, { limit: query.limit, accepts, ...(tips === undefined ? {} : { tips }), prove: false });
  const hasPinned = sessionCountBound(connection) <= pinnedScanUpTo;
  const pinned = hasPinned ? pinnedLineages(connection).filter((l) => l.class === 'shown' && isWanted(l, query)) : [];
  const rows = sessionRows(connection, [...pinned, ...newest.lineages], { previews: 'untitled' });
  return { rows, hasMore: newest.hasMore, isProven: newest.isProven && hasPinned, hasPinned };
}

/** All pinned rows that are shown, newest first. One pass over the sessions. */
export function pinnedRows(connection: Connection): SessionRow[] {
  const pinned = pinnedLineages(connection).filter((lineage) => lineage.class === 'shown');
  return sessionRows(connection, pinned, { previews: 'untitled' });
}

function isWanted(lineage: Lineage, query: FirstRowsQuery): boolean {
  if (query.sources !== undefined && !query.sources.includes(lineage.tip.source)) return false;
  return query.workspaces === undefined || isInWorkspace(lineage.tip, query.workspaces);
}

/** Lineages whose tip is pinned, newest first. */
export function pinnedLineages(connection: Connection): Lineage[] {
  if (!connection.has('sessions', 'pinned')) return [];
  const source = lazySource(connection);
  const found = new Map<SessionId, Lineage>();
  for (const node of selectNodes(connection, 'WHERE s.pinned = 1')) {
    const lineage = lineageOf(connection, node, source);
    if (lineage.pinned) found.set(lineage.root.id, lineage);
  }
  return [...found.values()].sort((a, b) => comparePinnedFirst(a, b, connection.now()));
}
