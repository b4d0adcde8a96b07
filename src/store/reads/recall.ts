import type { MessageHome, Recalled, RecalledSession, RecallEnds, RecallText, RecallWindow } from '../../session/recall.ts';
import type { Message, SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { first, readText, readTime } from '../rows.ts';
import { columnOr, liveSql } from './columns.ts';
import { lazySource, lineageOf, nodeById } from './lineages.ts';
import { isShown, wholeMessages } from './messages.ts';
import { walkPlaces } from './transcript.ts';

interface Place {
  readonly id: number;
  readonly role: string;
  readonly isSummary: boolean;
}

/** Places that are read at once. */
const step = 2_000;

/** Every message of a session that a reader sees, in reading order: 2 µs each. */
function placesOf(connection: Connection, id: SessionId): Place[] {
  const column = (name: string, missing: string): string => columnOr(connection, 'messages', 'm', name, missing);
  const sql = `SELECT m.id, m.role, ${column('_compressed_summary', '0')} AS summary,
      ${column('display_metadata', 'NULL')} AS display_metadata FROM json_each(?) AS wanted CROSS JOIN messages AS m
    ON m.id = wanted.value WHERE m.role <> 'session_meta' AND COALESCE(${column('display_kind', "''")}, '') <> 'hidden' AND hermes_stopped(m.id) = 0
    ORDER BY wanted.key`;
  const found: Place[] = [];
  for (const places of walkPlaces(connection, [id], 'after', undefined, step)) {
    const ids = JSON.stringify(places.map((place) => place.id));
    for (const row of connection.statement(sql).all(ids) as Record<string, unknown>[]) {
      if (isShown(row))
        found.push({ id: Number(row['id']), role: readText(row['role']) ?? '', isSummary: Number(row['summary'] ?? 0) === 1 });
    }
  }
  return found;
}

function recalledSession(connection: Connection, id: SessionId): RecalledSession | undefined {
  const column = (name: string): string => columnOr(connection, 'sessions', 's', name);
  const row = first(
    connection,
    `SELECT s.source, ${column('title')} AS title, ${column('model')} AS model, s.started_at FROM sessions AS s WHERE s.id = ?`,
    id,
  );
  const node = nodeById(connection, id);
  if (row === undefined || node === undefined) return undefined;
  const lineage = lineageOf(connection, node, lazySource(connection));
  const isSegment = lineage.segments.some((segment) => segment.id === id);
  const title = readText(row['title']);
  const model = readText(row['model']);
  return {
    id,
    rootId: isSegment ? lineage.root.id : id,
    source: readText(row['source']) ?? '',
    startedAt: readTime(row['started_at']) ?? 0,
    ...(title === undefined ? {} : { title }),
    ...(model === undefined ? {} : { model }),
  };
}

const spoken = ['user', 'assistant'];

/**
 * A window around one message, which is in it whatever its role. Undefined where the session is gone, or the message stands nowhere in it (undone,
 * meant for the model alone, of another session).
 */
export function recallAround(connection: Connection, asked: RecallWindow): Recalled | undefined {
  const session = recalledSession(connection, asked.sessionId);
  if (session === undefined) return undefined;
  const all = placesOf(connection, asked.sessionId);
  const places = all.filter(({ id, role }) => id === asked.messageId || asked.roles.includes(role));
  const at = places.findIndex((place) => place.id === asked.messageId);
  if (at < 0) return undefined;
  const from = Math.max(0, at - asked.window);
  const until = Math.min(places.length, at + asked.window + 1);
  const shown = new Set(places.slice(from, until).map((place) => place.id));
  const said = all.filter((place) => spoken.includes(place.role) && !place.isSummary);
  const count = asked.bookends ?? 0;
  const rest = (some: readonly Place[]): number[] => some.flatMap((place) => (shown.has(place.id) ? [] : [place.id]));
  const head = count === 0 ? [] : rest(said.slice(0, count));
  const tail = count === 0 ? [] : rest(said.slice(-count)).filter((id) => !head.includes(id));
  return {
    session,
    messages: wholeMessages(connection, [...shown]),
    before: from,
    after: places.length - until,
    first: wholeMessages(connection, head),
    last: wholeMessages(connection, tail),
  };
}

/** A session from its beginning; of a long one the first and the last messages, `after` then those in between. Undefined where it is gone. */
export function recallEnds(connection: Connection, asked: RecallEnds): (Recalled & { readonly count: number }) | undefined {
  const session = recalledSession(connection, asked.sessionId);
  if (session === undefined) return undefined;
  const ids = placesOf(connection, asked.sessionId).flatMap((place) => (asked.roles.includes(place.role) ? [place.id] : []));
  const isLong = ids.length > asked.whole;
  const shown = isLong ? [...ids.slice(0, asked.first), ...ids.slice(-asked.last)] : ids;
  const messages = wholeMessages(connection, shown);
  return { session, messages, count: ids.length, before: 0, after: ids.length - shown.length, first: [], last: [] };
}

/** As much of a session as fits, nearest to some messages of it first, in reading order; `gaps` are ids of messages before which some were left out. */
export function recallText(
  connection: Connection,
  asked: RecallText,
): { readonly messages: readonly Message[]; readonly gaps: readonly number[] } {
  const ids = placesOf(connection, asked.sessionId).map((place) => place.id);
  const centres = asked.around.map((id) => ids.indexOf(id)).filter((at) => at >= 0);
  const distance = (at: number): number => Math.min(...(centres.length === 0 ? [at] : centres.map((centre) => Math.abs(centre - at))));
  const nearest = ids.map((_, at) => at).sort((a, b) => distance(a) - distance(b) || a - b);
  const kept = new Map<number, Message>();
  let left = asked.characters;
  for (let from = 0; from < nearest.length && left > 0; from += 50) {
    for (const at of nearest.slice(from, from + 50)) {
      if (left <= 0) break;
      const message = wholeMessages(connection, [ids[at]!])[0];
      if (message === undefined) continue;
      left -= Math.min(message.text.length, asked.longest) + message.toolCalls.reduce((sum, call) => sum + call.arguments.length, 0);
      kept.set(at, message);
    }
  }
  const shown = [...kept].sort(([a], [b]) => a - b);
  const gaps = shown.flatMap(([at, message], index) => (at > (shown[index - 1]?.[0] ?? -1) + 1 ? [message.id] : []));
  return { messages: shown.map(([, message]) => message), gaps };
}

/** Where a message is stored; undefined when it is gone. */
export function messageHome(connection: Connection, messageId: number): MessageHome | undefined {
  const sql = `SELECT m.session_id, (${liveSql(connection, 'm')}) AS live, m.timestamp FROM messages AS m WHERE m.id = ?`;
  const row = first(connection, sql, messageId);
  if (row === undefined) return undefined;
  return { sessionId: String(row['session_id']), isLive: Number(row['live']) === 1, timestamp: readTime(row['timestamp']) ?? 0 };
}
