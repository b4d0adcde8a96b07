import { evaluate } from '../../session/query-match.ts';
import { everything, isEverything, namedSources, type Query } from '../../session/query.ts';
import { isMachineSource, machineSources } from '../../session/source.ts';
import type { SessionId, SessionRow } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { isTipSql } from './chain-sql.ts';
import { columnOr } from './columns.ts';
import { factsOf, selectDetails, type Details } from './lineage-facts.ts';
import { readKin } from './kin.ts';
import { isDelegate, lineageOf, selectNodes, wholeSource, type Lineage } from './lineages.ts';
import { listPage, type PageQuery } from './list-page.ts';
import { sessionRows } from './row-details.ts';
import type { Condition } from './scope.ts';
import { tipsOf, type Trust } from './select-sql.ts';

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
 * `hermes sessions list`: filters work inside of the query, before the limit (product.md 3). How many more there are is counted only when
 * there are more.
 */
export function listForShell(connection: Connection, asked: ShellListQuery): ShellList {
  const query = { ...asked, query: asked.query ?? everything };
  const enough = query.limit + (query.countAtMost ?? Infinity);
  const inView = inViewSql(connection, query);
  const page = listPage(connection, {
    limit: query.limit,
    // Without an end to the counting, it is done by a statement of its own.
    enough: Number.isFinite(enough) ? enough : query.limit,
    ...acceptor(connection, query),
    tips: (trust) => both(tipsOf(connection, query.query, trust), inView),
    ...windowOf(query.query),
  });
  const rows = sessionRows(connection, [...page.pinned, ...page.lineages], { previews: 'all' });
  const most = page.pinned.length + enough;
  const isCounted = page.isAll || page.known >= most;
  const counted = Math.min(most, isCounted ? page.known : countListed(connection, query, most, page.trust));
  return { rows, more: Math.max(0, counted - rows.length), isAtLeast: counted === most };
}

/** Whether a lineage is listed. */
function acceptor(connection: Connection, query: Asked): Pick<PageQuery, 'accepts' | 'expect'> {
  const named = namedSources(query.query);
  const now = connection.now();
  if (isEverything(query.query)) return { accepts: (lineage) => isInView(lineage, named, query) };
  const known = new Map<SessionId, Details>();
  const read = (ids: readonly SessionId[]): void => {
    const found = selectDetails(connection, 'WHERE s.id IN (SELECT value FROM json_each(?))', JSON.stringify(ids));
    for (const [id, details] of found) known.set(id, details);
  };
  return {
    expect: (nodes) => read(nodes.map((node) => node.id)),
    accepts(lineage) {
      if (!isInView(lineage, named, query)) return false;
      const missing = lineage.segments.map((segment) => segment.id).filter((id) => !known.has(id));
      if (missing.length > 0) read(missing);
      return (
        evaluate(
          query.query,
          factsOf(lineage, ({ id }) => known.get(id)),
          { now },
        ) === true
      );
    },
  };
}

/** SQLite would ask every row of an AND for its far columns first: 9 ms for 100,000, where few fit. */
const both = (tips: Condition | undefined, inView: Condition): Condition =>
  tips === undefined ? inView : { sql: `CASE WHEN ${tips.sql} THEN ${inView.sql} END`, values: [...tips.values, ...inView.values] };

/** The window of last activity that holds whatever else is asked. */
function windowOf(query: Query): Pick<PageQuery, 'from' | 'until'> {
  const window: { from?: number; until?: number } = {};
  for (const node of query.type === 'and' ? query.nodes : [query]) {
    if (node.type !== 'test' || node.test.field !== 'active') continue;
    const { from, until } = node.test;
    if (from !== undefined) window.from = Math.max(window.from ?? -Infinity, from);
    if (until !== undefined) window.until = Math.min(window.until ?? Infinity, until);
  }
  return window;
}

/** `isInView` as far as SQL can tell: what is put away, and what nobody typed. */
function inViewSql(connection: Connection, query: Asked): Condition {
  const flag = (name: string): string => (connection.has('sessions', name) ? ` AND COALESCE(s.${name}, 0) <> 1` : '');
  const named = namedSources(query.query);
  const sources = machineSources.filter((source) => !named.has(source));
  const archived = query.includeArchived === true ? '' : flag('archived');
  return {
    sql: `(s.source NOT IN (${sources.map(() => '?').join(', ')})${flag('hidden')}${archived})`,
    values: sources,
  };
}

/** By its class: machine-made ones show where their source is named, archived ones where they are asked for; empty and hidden ones never. */
function isInView(lineage: Lineage, named: ReadonlySet<string>, { includeArchived }: Asked): boolean {
  const { tip } = lineage;
  if (lineage.class === 'shown') return true;
  if (lineage.class === 'empty' || tip.hidden || (tip.archived && includeArchived !== true)) return false;
  return isMachineSource(tip.source) ? named.has(tip.source) : !isDelegate(lineage);
}

/**
 * How many lineages are listed in all, `enough` at most, in one pass that goes no further than it must. Sessions that stand alone, have messages
 * by their counter and are not put away are counted as they are; only the others need their lineage looked at.
 */
function countListed(connection: Connection, query: Asked, enough: number, trust: Trust): number {
  const column = (name: string, missing = '0'): string => columnOr(connection, 'sessions', 's', name, missing);
  const tips = tipsOf(connection, query.query, trust);
  const isPlain =
    tips?.isExact === false
      ? '0'
      : `${column('parent_session_id', 'NULL')} IS NULL AND ${column('end_reason', 'NULL')} IS NOT 'compression'
    AND COALESCE(${column('message_count')}, 0) > 0 AND instr(COALESCE(${column('model_config', "''")}, ''), '_delegate_from') = 0`;
  const fits = both(tips, inViewSql(connection, query));
  // Young sessions stand at the end of the table.
  const isYoung = windowOf(query.query).from !== undefined;
  const onwards = isYoung ? 's.rowid < ? ORDER BY s.rowid DESC' : 's.rowid > ? ORDER BY s.rowid';
  const sql = `SELECT s.rowid, s.id, ${isPlain} FROM sessions AS s WHERE ${fits.sql} AND ${isTipSql(connection)} AND ${onwards} LIMIT ?`;
  const { accepts, expect } = acceptor(connection, query);
  let plain = 0;
  const roots = new Set<SessionId>();
  const look = (ids: readonly unknown[]): void => {
    const nodes = selectNodes(connection, 'WHERE s.id IN (SELECT value FROM json_each(?))', JSON.stringify(ids));
    const kin = readKin(connection, nodes);
    expect?.(kin);
    const source = wholeSource(kin);
    for (const node of nodes) {
      const lineage = lineageOf(connection, node, source);
      if (!roots.has(lineage.root.id) && accepts(lineage)) roots.add(lineage.root.id);
    }
  };
  /** Looked at once they could make it enough. */
  let others: unknown[] = [];
  for (let last: unknown = isYoung ? Number.MAX_SAFE_INTEGER : -1; plain + roots.size < enough;) {
    const statement = connection.statement(sql).raw(true);
    const found = statement.all(...fits.values, last, countStep) as [rowid: number, id: string, isPlain: number][];
    const isAll = found.length < countStep;
    for (const [, id, isAlone] of found) {
      if (isAlone === 1) plain += 1;
      else others.push(id);
    }
    if (plain < enough && (isAll || plain + roots.size + others.length >= enough)) {
      if (others.length > 0) look(others);
      others = [];
    }
    if (isAll) break;
    last = found.at(-1)?.[0];
  }
  return Math.min(enough, plain + roots.size);
}

/** Sessions read at once. */
const countStep = 200;
