import { isMachineSource } from '../../session/source.ts';
import { matchesWorkspace } from '../../session/workspace.ts';
import type { SessionRow } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { pinnedLineages } from './first-rows.ts';
import type { Lineage } from './lineages.ts';
import { allLineages } from './list-rows.ts';
import { newestLineages } from './newest.ts';
import { sessionRows } from './row-details.ts';

export interface ShellListQuery {
  /** Rows beside the pinned ones. */
  limit: number;
  /** Naming a source shows it even when it is machine-made (state-db.md 2.2). */
  source?: string;
  /** Part of the workspace's path, or its folder. */
  workspace?: string;
}

export interface ShellList {
  /** Pinned first, then newest first; previews for all. */
  rows: SessionRow[];
  /** Rows that the limit kept back. */
  more: number;
}

/**
 * `hermes sessions list`: filters work inside of the query, before the limit (product.md 3), and the answer is proved right. How many
 * more there are is counted only when there are more.
 */
export function listForShell(connection: Connection, query: ShellListQuery): ShellList {
  const accepts = (lineage: Lineage): boolean => isListed(lineage, query);
  const pinned = pinnedLineages(connection).filter(accepts);
  const newest = newestLineages(connection, {
    limit: query.limit,
    accepts: (lineage) => !lineage.pinned && accepts(lineage),
    prove: true,
    ...(query.source === undefined ? {} : { where: { sql: 's.source = ?', values: [query.source] } }),
  });
  const rows = sessionRows(connection, [...pinned, ...newest.lineages], { previews: 'all' });
  return { rows, more: newest.hasMore ? allLineages(connection).filter(accepts).length - rows.length : 0 };
}

function isListed(lineage: Lineage, query: ShellListQuery): boolean {
  const { tip } = lineage;
  if (query.source !== undefined && tip.source !== query.source) return false;
  if (query.workspace !== undefined && !matchesWorkspace(tip, query.workspace)) return false;
  if (lineage.class === 'shown') return true;
  const isNamed = query.source !== undefined && isMachineSource(query.source);
  return isNamed && lineage.class === 'machine' && !tip.archived && !tip.hidden;
}
