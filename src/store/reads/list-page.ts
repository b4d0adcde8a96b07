import { activityKey, compareSessions } from '../../session/order.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { all, first } from '../rows.ts';
import { APART, APART_INDEX } from '../schema/indexes.ts';
import { isTipSql } from './chain-sql.ts';
import { indexedBy } from './columns.ts';
import { readKin } from './kin.ts';
import { lineageOf, selectNodes, wholeSource, type Lineage, type Node } from './lineages.ts';
import { recentSessions, sessionCountBound } from './newest.ts';
import type { Condition } from './scope.ts';
import { activeSql, heartbeatSlack, heartbeatSql, type Trust } from './select-sql.ts';

/**
 * The newest lineages that fit any filter, pinned ones first: at most two passes over the table of sessions, 12 ms each for 100,000.
 *
 * 1. Wide filters find their page among the newest sessions by heartbeat, in an index (large stores only). The pass that finds the pinned
 *    sessions also asks those for their messages whose heartbeat says nothing.
 * 2. Otherwise one pass collects whatever fits, newest first. Where that is more than `enough`, an earlier segment can be fresher than the
 *    tip of its lineage: those are looked for as well.
 *
 * Up to `exactUpTo` sessions the answer is that of reading everything, whatever the file holds. Beyond, heartbeats are trusted to
 * `heartbeatSlack`: asking the messages of every session whether they are right costs 0.5 µs each.
 */
const exactUpTo = 20_000;
/** Sessions looked at by heartbeat, in growing steps; the last one only where the others held something. */
const windows = [200, 800, 3_000];
const promising = 4;

export interface PageQuery {
  /** Rows beside the pinned ones. */
  readonly limit: number;
  /** How many are worth counting, the page included. */
  readonly enough: number;
  accepts(lineage: Lineage): boolean;
  /** Told which sessions will be asked about, so that what `accepts` needs of them is read at once. */
  expect?(nodes: readonly Node[]): void;
  /** What the tip of an accepted lineage is. */
  tips(trust: Trust): Condition;
  /** Milliseconds: last activity of all that fits. */
  readonly from?: number;
  readonly until?: number;
}

export interface Page {
  /** All of them, newest first. */
  readonly pinned: readonly Lineage[];
  /** Newest first, at most `limit`. */
  readonly lineages: readonly Lineage[];
  /** How many fit, pinned ones included, as far as was seen. */
  readonly known: number;
  /** There are no others. */
  readonly isAll: boolean;
  /** What the page was found by. */
  readonly trust: Trust;
}

export function listPage(connection: Connection, query: PageQuery): Page {
  const book = openBook(connection, query);
  const isLarge = sessionCountBound(connection) > exactUpTo && connection.shape.indexes.has('idx_sessions_effective_activity');
  const trust = isLarge ? 'heartbeats' : 'messages';
  const isAll = !(isLarge && readNewest(connection, query, book)) && readFitting(connection, query, book, trust);
  return { ...book.page(), known: book.count(), isAll, trust };
}

/** Lineages met so far. */
interface Book {
  consider(nodes: readonly Node[]): void;
  count(): number;
  /** Activity of the row after the page; -1 while there is none. One more than asked for: whether there is more must be right too. */
  oldest(): number;
  page(): Pick<Page, 'pinned' | 'lineages'>;
}

function openBook(connection: Connection, query: PageQuery): Book {
  const now = connection.now();
  const seen = new Set<SessionId>();
  const accepted = new Map<SessionId, Lineage>();
  const sorted = (isPinned: boolean): Lineage[] =>
    [...accepted.values()].filter((each) => each.pinned === isPinned).sort((a, b) => compareSessions(a, b, now));
  return {
    consider(nodes) {
      const fresh = nodes.filter((node) => !seen.has(node.id));
      const kin = readKin(connection, fresh);
      query.expect?.(kin);
      const source = wholeSource(kin);
      for (const node of fresh) {
        if (seen.has(node.id)) continue;
        const lineage = lineageOf(connection, node, source);
        seen.add(node.id);
        for (const segment of lineage.segments) seen.add(segment.id);
        if (query.accepts(lineage)) accepted.set(lineage.root.id, lineage);
      }
    },
    count: () => accepted.size,
    oldest() {
      const last = sorted(false)[query.limit];
      return last === undefined ? -1 : activityKey(last.lastActive, now);
    },
    page: () => ({ pinned: sorted(true), lineages: sorted(false).slice(0, query.limit) }),
  };
}

const heartbeatKey = 'COALESCE(s.last_activity_at, s.started_at)';

/** @returns whether the page is known, with more behind it */
function readNewest(connection: Connection, query: PageQuery, book: Book): boolean {
  const fits = query.tips('heartbeats');
  const start = startOf(query);
  const inOrder = `FROM sessions AS s WHERE ${heartbeatKey} <= ? ORDER BY ${heartbeatKey} DESC, s.started_at DESC`;
  let at = 0;
  for (const size of windows) {
    if (size === windows.at(-1) && book.count() < promising) return false;
    const window = `s.rowid IN (SELECT s.rowid ${inOrder} LIMIT ? OFFSET ?)`;
    book.consider(selectNodes(connection, `WHERE ${window} AND ${fits.sql}`, start, size, at, ...fits.values));
    at += size;
    const edge = first(connection, `SELECT ${heartbeatKey} AS at ${inOrder} LIMIT 1 OFFSET ?`, start, at - 1)?.['at'];
    // Few enough to look at all of them.
    if (typeof edge !== 'number' || edge * 1000 < (query.from ?? -Infinity)) return false;
    if (edge * 1000 + heartbeatSlack >= book.oldest()) continue;
    const since = book.oldest();
    book.consider(freshSegments(connection, since, start));
    book.consider(recentSessions(connection));
    book.consider(pinnedOrUnsure(connection, since));
    return true;
  }
  return false;
}

/** A message that reached an earlier segment makes its lineage fresher than the tip says. @param since milliseconds @param start seconds */
function freshSegments(connection: Connection, since: number, start: number): Node[] {
  const where = `${heartbeatKey} BETWEEN ? AND ? AND s.end_reason = 'compression'`;
  return nodesOf(connection, `FROM sessions AS s WHERE ${where}`, (since - heartbeatSlack) / 1000, start);
}

/** Seconds: no heartbeat of what fits is later. */
const startOf = (query: PageQuery): number => (query.until ?? Number.MAX_SAFE_INTEGER) / 1000;

/** Pinned sessions, and those whose heartbeat says nothing but which have a message at or after `time`. One pass, or an index of theirs. */
function pinnedOrUnsure(connection: Connection, time: number): Node[] {
  const isFresh = 'EXISTS (SELECT 1 FROM messages AS t WHERE t.session_id = s.id AND t.timestamp BETWEEN ? AND 4200000000)';
  const from = `FROM sessions AS s ${indexedBy(connection, APART_INDEX.name)} WHERE (${APART}) AND (${pinnedSql(connection)} OR ${isFresh})`;
  return nodesOf(connection, from, time / 1000);
}

const pinnedSql = (connection: Connection): string => (connection.has('sessions', 'pinned') ? 's.pinned = 1' : '0');

/** Ids first: the pass itself then touches the columns of the condition only. */
function nodesOf(connection: Connection, from: string, ...values: readonly unknown[]): Node[] {
  const ids = all(connection, `SELECT s.id ${from}`, ...values).map((row) => row['id']);
  return ids.length === 0 ? [] : selectNodes(connection, 'WHERE s.id IN (SELECT value FROM json_each(?))', JSON.stringify(ids));
}

/** Reads whatever fits, or as much of it as is wanted. @returns whether it was everything */
function readFitting(connection: Connection, query: PageQuery, book: Book, trust: Trust): boolean {
  const now = connection.now();
  const active = trust === 'messages' ? activeSql(connection) : heartbeatSql(connection);
  const slack = trust === 'messages' ? 0 : heartbeatSlack;
  const tips = query.tips(trust);
  const isTip = isTipSql(connection);
  if (trust === 'heartbeats' && query.from !== undefined) book.consider(freshSegments(connection, query.from, startOf(query)));
  // Where a pass is cheap, counting is left to one of its own, which need not look at every row.
  const wanted = trust === 'messages' ? query.limit + 1 : query.enough;
  for (let size = wanted + 100; ; size *= 8) {
    const nodes = nodesOf(
      connection,
      `FROM sessions AS s WHERE ${tips.sql} AND ${isTip} ORDER BY ${active} DESC LIMIT ?`,
      ...tips.values,
      size,
    );
    book.consider(nodes);
    if (nodes.length < size) return true;
    const edge = Math.min(...nodes.map((node) => activityKey(node.lastActive, now)));
    if (book.count() < wanted || book.oldest() <= edge + slack) continue;
    const since = book.oldest();
    if (trust === 'heartbeats') {
      book.consider(freshSegments(connection, since, startOf(query)));
      book.consider(pinnedOrUnsure(connection, since));
      return false;
    }
    const isFresherThanTip = connection.has('sessions', 'end_reason') ? `s.end_reason = 'compression' AND ${active} >= ?` : '? < 0';
    book.consider(nodesOf(connection, `FROM sessions AS s WHERE ${pinnedSql(connection)} OR (${isFresherThanTip})`, since));
    return false;
  }
}
