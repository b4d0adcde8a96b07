import { evaluate } from '../../session/query-match.ts';
import { everything, isEverything, namedSources, type Query } from '../../session/query.ts';
import { isMachineSource, machineSources } from '../../session/source.ts';
import type { SessionId, SessionRow } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { first } from '../rows.ts';
import { pinnedLineages } from './first-rows.ts';
import { columnOr } from './columns.ts';
import { factsOf, selectDetails, type Details } from './lineage-facts.ts';
import { isDelegate, lazySource, lineageOf, selectNodes, type Lineage, type Node } from './lineages.ts';
import { newestLineages } from './newest.ts';
import { sessionRows } from './row-details.ts';
import { tipsOf } from './select-sql.ts';

export interface ShellListQuery {
  /** Rows beside the pinned ones. */
  limit: number;
  /** Default: everything. Naming a source shows it even when it is machine-made (state-db.md 2.2). */
  query?: Query;
  /** Rows that were put away show too; hidden ones don't. */
  includeArchived?: boolean;
  /** Counting what the limit kept back stops here; absent: it is counted to the end, which costs more than the page (150 ms at 10,000 sessions). */
  countAtMost?: number;
}

type Asked = ShellListQuery & { query: Query };

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
export function listForShell(connection: Connection, asked: ShellListQuery): ShellList {
  const query = { ...asked, query: asked.query ?? everything };
  const accepts = acceptor(connection, query);
  const tips = tipsOf(connection, query.query);
  const pinned = pinnedLineages(connection).filter(accepts);
  const newest = newestLineages(connection, {
    limit: query.limit,
    accepts: (lineage) => !lineage.pinned && accepts(lineage),
    prove: true,
    ...(tips === undefined ? {} : { tips }),
  });
  const rows = sessionRows(connection, [...pinned, ...newest.lineages], { previews: 'all' });
  if (!newest.hasMore) return { rows, more: 0, isAtLeast: false };
  const enough = query.countAtMost === undefined ? Infinity : rows.length + query.countAtMost;
  const counted = Math.min(enough, countListed(connection, query, accepts, enough));
  return { rows, more: counted - rows.length, isAtLeast: counted === enough };
}

/** Whether a lineage is listed; what tests need beyond its nodes is read when it is first asked for. */
function acceptor(connection: Connection, query: Asked): (lineage: Lineage) => boolean {
  const named = namedSources(query.query);
  const now = connection.now();
  const known = new Map<SessionId, Details | undefined>();
  const detailsOf = (id: SessionId): Details | undefined => {
    if (!known.has(id)) known.set(id, selectDetails(connection, 'WHERE s.id = ?', id).get(id));
    return known.get(id);
  };
  const isOpen = isEverything(query.query);
  return (lineage) => isInView(lineage, named, query) && (isOpen || evaluate(query.query, factsOf(lineage, detailsOf), { now }) === true);
}

/** By its class: machine-made ones show where their source is named, archived ones where they are asked for; empty and hidden ones never. */
function isInView(lineage: Lineage, named: ReadonlySet<string>, { includeArchived }: Asked): boolean {
  const { tip } = lineage;
  if (lineage.class === 'shown') return true;
  if (lineage.class === 'empty' || tip.hidden || (tip.archived && includeArchived !== true)) return false;
  return isMachineSource(tip.source) ? named.has(tip.source) : !isDelegate(lineage);
}

/**
 * How many lineages are listed in all. Sessions that stand alone, have messages by their counter and are not put away are counted by one
 * statement; only the others need their lineage looked at: a sixth of the time of going through all of them. Stops at `enough`.
 */
function countListed(connection: Connection, query: Asked, accepts: (lineage: Lineage) => boolean, enough: number): number {
  const column = (name: string, missing = '0'): string => columnOr(connection, 'sessions', 's', name, missing);
  const isPlain = `${column('parent_session_id', 'NULL')} IS NULL AND ${column('end_reason', 'NULL')} IS NOT 'compression'
    AND COALESCE(${column('message_count')}, 0) > 0 AND instr(COALESCE(${column('model_config', "''")}, ''), '_delegate_from') = 0`;
  const archived = query.includeArchived === true ? '' : ` AND COALESCE(${column('archived')}, 0) = 0`;
  const sources = machineSources.filter((source) => !namedSources(query.query).has(source));
  const tips = tipsOf(connection, query.query);
  const fits = tips === undefined ? '' : ` AND ${tips.sql}`;
  const values = tips?.values ?? [];
  const inView = `s.source NOT IN (SELECT value FROM json_each(?)) AND COALESCE(${column('hidden')}, 0) = 0${archived}${fits}`;
  const lineages = lazySource(connection);
  const roots = new Set<SessionId>();
  const look = (nodes: readonly Node[]): void => {
    for (const node of nodes) {
      const lineage = lineageOf(connection, node, lineages);
      if (accepts(lineage)) roots.add(lineage.root.id);
    }
  };

  const limit = Number.isFinite(enough) ? enough : -1;
  let plain = 0;
  if (tips === undefined || tips.isExact) {
    const found = `SELECT 1 FROM sessions AS s WHERE ${isPlain} AND ${inView} LIMIT ?`;
    plain = Number(first(connection, `SELECT count(*) AS n FROM (${found})`, JSON.stringify(sources), ...values, limit)?.['n'] ?? 0);
  } else {
    look(selectNodes(connection, `WHERE ${isPlain} AND ${inView} LIMIT ?`, JSON.stringify(sources), ...values, limit));
  }
  if (plain + roots.size >= enough) return plain + roots.size;
  look(selectNodes(connection, `WHERE NOT (${isPlain})${fits}`, ...values));
  return plain + roots.size;
}
