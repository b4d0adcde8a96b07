import { activityKey, compareSessions } from '../../session/order.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { first, writeTime } from '../rows.ts';
import { lazySource, lineageOf, selectNodes, type Lineage, type Node } from './lineages.ts';
import type { Condition } from './scope.ts';

/**
 * The newest lineages without looking at all of them.
 *
 * Last activity is the later of a heartbeat (`last_activity_at`: up to 60 s late, NULL in old files and in rows of foreign writers) and the
 * newest message; only the first has an index, and no index orders messages of all sessions by time. So candidates come from two streams:
 *
 * 1. sessions by heartbeat or start, newest first (idx_sessions_effective_activity, or idx_sessions_started before version 26), until
 *    every later one began, and was last touched, before the oldest row of the page;
 * 2. the sessions of the newest message rows: whatever was written last was written with the highest ids (AUTOINCREMENT), so a session
 *    that is fresher than stream 1 can know stands here.
 *
 * What both can miss is a session begun long ago, without a heartbeat, whose newest message lies under more than `recentMessages` later
 * rows that carry old times (an import). `prove` closes this gap: one index seek per session (0.5 µs; 5 ms for 10,000) asks for a message
 * at or after the oldest row of the page. With it the answer equals the brute-force one whatever the file holds; without it, the first
 * frame of a large store relies on the order of insertion, and the full load that follows puts right what an import hid. Stores up to
 * `proveUpTo` sessions are always proved.
 */
const recentMessages = 1_000;
const proveUpTo = 4_000;
/**
 * A narrow question (a directory where nobody worked) would read everything in vain: 13,000 sessions take 700 ms. When the first step leaves
 * the page unfilled, the sessions that fit are looked for (1 µs a session), and where they are few, they are all there is to read.
 */
const fewTips = 2_000;
/** Sessions read from stream 1 before a page that can't be filled is given up for what was found. */
const readUpTo = 20_000;

export interface NewestQuery {
  limit: number;
  accepts(lineage: Lineage): boolean;
  /** Sessions that are looked at at all, as SQL over `s`; must let every compressed session pass: it may order a lineage whose tip is accepted. */
  where?: Condition;
  /** Instead of `where`: what the tip of an accepted lineage is. A question that few sessions fit is then answered from those alone. */
  tips?: Condition;
  /** Answer exactly, at a cost that grows with the number of sessions. */
  prove: boolean;
}

export interface Newest {
  /** Newest first, at most `limit`. */
  lineages: Lineage[];
  /** Accepted lineages beyond `limit` were seen. */
  hasMore: boolean;
  /** The answer is known to equal that of reading everything. */
  isProven: boolean;
}

export function newestLineages(connection: Connection, asked: NewestQuery): Newest {
  const { tips } = asked;
  // A compressed session passes: its tip decides.
  const query = tips === undefined ? asked : { ...asked, where: { ...tips, sql: `(s.end_reason = 'compression' OR (${tips.sql}))` } };
  const source = lazySource(connection);
  const now = connection.now();
  const seen = new Set<SessionId>();
  const lineages = new Map<SessionId, Lineage>();
  const consider = (node: Node): void => {
    if (seen.has(node.id)) return;
    seen.add(node.id);
    source.add(node);
    const lineage = lineageOf(connection, node, source);
    for (const segment of lineage.segments) seen.add(segment.id);
    if (query.accepts(lineage)) lineages.set(lineage.root.id, lineage);
  };
  const sorted = (): Lineage[] => [...lineages.values()].sort((a, b) => compareSessions(a, b, now));
  /** One more than asked for: the row that answers `hasMore` must be right too. */
  const wanted = query.limit + 1;
  const oldest = (): number => {
    const last = sorted()[wanted - 1];
    return last === undefined ? -1 : activityKey(last.lastActive, now);
  };

  for (const node of recentSessions(connection)) consider(node);
  for (const node of brokenTimes(connection)) consider(node);

  const total = sessionCountBound(connection);
  let isProven = readByStart(connection, query, consider, oldest);
  if (!isProven && (query.prove || total <= proveUpTo)) {
    for (const node of touchedSince(connection, query, oldest())) consider(node);
    isProven = true;
  }
  const found = sorted();
  return { lineages: found.slice(0, query.limit), hasMore: found.length > query.limit, isProven };
}

/** Upper bound of the number of sessions at the cost of one seek. */
export function sessionCountBound(connection: Connection): number {
  return Number(first(connection, 'SELECT max(rowid) AS bound FROM sessions')?.['bound'] ?? 0);
}

/** Stream 2. `session_id` is the second column: the row's own page suffices, however long its content. */
export function recentSessions(connection: Connection): Node[] {
  const sql = `SELECT json_group_array(DISTINCT session_id) AS ids FROM (SELECT session_id FROM messages ORDER BY id DESC LIMIT ${recentMessages})`;
  return selectNodes(connection, 'WHERE s.id IN (SELECT value FROM json_each(?))', first(connection, sql)?.['ids']);
}

function activitySql(connection: Connection): string {
  return connection.has('sessions', 'last_activity_at') ? 'COALESCE(s.last_activity_at, s.started_at)' : 's.started_at';
}

/** A heartbeat of zero or less sorts last in the index and is ignored: such a session may belong anywhere. */
function brokenTimes(connection: Connection): Node[] {
  return selectNodes(connection, `WHERE ${activitySql(connection)} <= 0 LIMIT 1000`);
}

/** Stream 1, in growing steps. Returns whether everything that counts was read. */
function readByStart(connection: Connection, query: NewestQuery, consider: (node: Node) => void, oldest: () => number): boolean {
  const key = activitySql(connection);
  const where = query.where === undefined ? '' : `WHERE ${query.where.sql}`;
  const sql = `${where} ORDER BY ${key} DESC, s.started_at DESC LIMIT ? OFFSET ?`;
  let step = query.limit + 30;
  for (let offset = 0; query.prove || offset < readUpTo; offset += step, step = offset) {
    const nodes = selectNodes(connection, sql, ...(query.where?.values ?? []), step, offset);
    for (const node of nodes) consider(node);
    const last = nodes[nodes.length - 1];
    if (last === undefined || nodes.length < step) return true;
    // Every session behind `last` has heartbeat or start at or before its; an equal one may still win by id.
    const at = first(connection, `SELECT ${key} AS at FROM sessions AS s WHERE s.id = ?`, last.id)?.['at'];
    if (typeof at === 'number' && at * 1000 < oldest()) return false;
    if (offset === 0 && query.tips !== undefined && readFewTips(connection, query.tips, consider)) return true;
  }
  return false;
}

/** Reads every session that can be a tip, unless they are many. Returns whether it did. */
function readFewTips(connection: Connection, tips: Condition, consider: (node: Node) => void): boolean {
  const sql = `SELECT json_group_array(id) AS ids, count(*) AS n FROM (SELECT s.id FROM sessions AS s WHERE ${tips.sql} LIMIT ${fewTips + 1})`;
  const found = first(connection, sql, ...tips.values);
  if (Number(found?.['n']) > fewTips) return false;
  for (const node of selectNodes(connection, 'WHERE s.id IN (SELECT value FROM json_each(?))', found?.['ids'])) consider(node);
  return true;
}

/**
 * Every session with a message at or after `time` (milliseconds). Ids come first, from the primary key's own index: reading the rows of all
 * sessions to ask for their messages takes three times as long.
 */
function touchedSince(connection: Connection, query: NewestQuery, time: number): Node[] {
  const sql = `SELECT json_group_array(s.id) AS ids FROM sessions AS s
    WHERE EXISTS (SELECT 1 FROM messages AS t WHERE t.session_id = s.id AND t.timestamp BETWEEN ? AND 4200000000)`;
  const ids = first(connection, sql, writeTime(time))?.['ids'];
  const where = query.where === undefined ? '' : `${query.where.sql} AND `;
  return selectNodes(connection, `WHERE ${where} s.id IN (SELECT value FROM json_each(?))`, ...(query.where?.values ?? []), ids);
}
