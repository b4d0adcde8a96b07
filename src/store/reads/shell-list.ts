import { isMachineSource, machineSources } from '../../session/source.ts';
import { matchesWorkspace } from '../../session/workspace.ts';
import type { SessionId, SessionRow } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { first } from '../rows.ts';
import { pinnedLineages } from './first-rows.ts';
import { columnOr } from './columns.ts';
import { lazySource, lineageOf, selectNodes, type Lineage } from './lineages.ts';
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
  /** Counting what the limit kept back stops here; absent: it is counted to the end, which costs more than the page (150 ms at 10,000 sessions). */
  countAtMost?: number;
}

export interface ShellList {
  /** Pinned first, then newest first; previews for all. */
  rows: SessionRow[];
  /** Rows that the limit kept back. */
  more: number;
  /** Counting was stopped: there are `more` at least. */
  isAtLeast: boolean;
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
    ...(query.source === undefined ? {} : { where: { sql: "(+s.source = ? OR s.end_reason = 'compression')", values: [query.source] } }),
  });
  const rows = sessionRows(connection, [...pinned, ...newest.lineages], { previews: 'all' });
  if (!newest.hasMore) return { rows, more: 0, isAtLeast: false };
  const enough = query.countAtMost === undefined ? Infinity : rows.length + query.countAtMost;
  const counted = Math.min(enough, countListed(connection, query, accepts, enough));
  return { rows, more: counted - rows.length, isAtLeast: counted === enough };
}

function isListed(lineage: Lineage, query: ShellListQuery): boolean {
  const { tip } = lineage;
  if (query.source !== undefined && tip.source !== query.source) return false;
  if (query.workspace !== undefined && !matchesWorkspace(tip, query.workspace)) return false;
  if (lineage.class === 'shown') return true;
  const isNamed = query.source !== undefined && isMachineSource(query.source);
  return isNamed && lineage.class === 'machine' && !tip.archived && !tip.hidden;
}

/**
 * How many lineages are listed in all. Sessions that stand alone, have messages by their counter and are not put away are counted by one
 * statement; only the others need their lineage looked at: a sixth of the time of going through all of them. Stops at `enough`.
 */
function countListed(connection: Connection, query: ShellListQuery, accepts: (lineage: Lineage) => boolean, enough: number): number {
  if (query.workspace !== undefined) return allLineages(connection).filter(accepts).length;
  const column = (name: string, missing = '0'): string => columnOr(connection, 'sessions', 's', name, missing);
  const isPlain = `${column('parent_session_id', 'NULL')} IS NULL AND ${column('end_reason', 'NULL')} IS NOT 'compression'
    AND COALESCE(${column('message_count')}, 0) > 0 AND instr(COALESCE(${column('model_config', "''")}, ''), '_delegate_from') = 0`;
  const isInPlace = `COALESCE(${column('archived')}, 0) = 0 AND COALESCE(${column('hidden')}, 0) = 0`;
  const source = query.source === undefined ? 's.source NOT IN (SELECT value FROM json_each(?))' : 's.source = ?';
  const value = query.source ?? JSON.stringify(machineSources);
  const found = `SELECT 1 FROM sessions AS s WHERE ${source} AND ${isInPlace} AND ${isPlain} LIMIT ?`;
  const plain = Number(first(connection, `SELECT count(*) AS n FROM (${found})`, value, Number.isFinite(enough) ? enough : -1)?.['n'] ?? 0);
  if (plain >= enough) return plain;

  const lineages = lazySource(connection);
  const roots = new Set<SessionId>();
  for (const node of selectNodes(connection, `WHERE NOT (${isPlain})`)) {
    const lineage = lineageOf(connection, node, lineages);
    if (accepts(lineage)) roots.add(lineage.root.id);
  }
  return plain + roots.size;
}
