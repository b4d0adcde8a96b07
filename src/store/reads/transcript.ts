import type { Message, SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { all, first } from '../rows.ts';
import { visibleSql } from './columns.ts';
import { displayMessages } from './messages.ts';
import { segmentIds } from './sessions.ts';

/**
 * The display projection (state-db.md 2.8, store-v31.md B3), read in windows: live and compacted rows, one for each `display_order` (live
 * ones first, then the highest id), the segments of a lineage one after the other. Rows that a compression copied into its child are
 * shown where they were said, not a second time. `display_order` counts within one session only; a row without one stands at its own id.
 */
export interface Position {
  readonly sessionId: SessionId;
  readonly order: number;
}

export interface Window {
  /** Oldest first. */
  messages: Message[];
  /** Where the window begins and ends; absent when it is empty. */
  start?: Position;
  end?: Position;
  hasBefore: boolean;
  hasAfter: boolean;
}

interface Place {
  readonly id: number;
  readonly order: number;
  readonly sessionId: SessionId;
}

export type Direction = 'before' | 'after';

/** Places of one session on one side of `order`, nearest first. */
function placesOf(connection: Connection, sessionId: SessionId, side: Direction, order: number, limit: number): Place[] {
  const isBefore = side === 'before';
  const compare = isBefore ? '<' : '>';
  const direction = isBefore ? 'DESC' : 'ASC';
  const place = (row: Readonly<Record<string, unknown>>): Place => ({ id: Number(row['id']), order: Number(row['o']), sessionId });
  const visible = visibleSql(connection, 'm');
  if (!connection.has('messages', 'display_order')) {
    // Ids alone are sorted: with the contents in the sorter, a session of long rows would be copied through it.
    const sql = `SELECT m.id, m.id AS o FROM messages AS m WHERE m.session_id = ? AND m.id ${compare} ? AND ${visible}
      ORDER BY m.id ${direction} LIMIT ?`;
    return all(connection, sql, sessionId, order, limit).map(place);
  }
  // `active = 1 OR compacted = 1` word for word lets idx_messages_display_page answer without touching a row.
  const shown = hasNullActive(connection) ? visible : '(m.active = 1 OR m.compacted = 1)';
  const peer = shown.replaceAll('m.', 'w.');
  const ordered = all(
    connection,
    `SELECT o.o, (SELECT w.id FROM messages AS w WHERE w.session_id = ? AND w.display_order = o.o AND ${peer}
        ORDER BY w.active DESC, w.id DESC LIMIT 1) AS id
      FROM (SELECT DISTINCT m.display_order AS o FROM messages AS m
        WHERE m.session_id = ? AND ${shown} AND m.display_order ${compare} ? ORDER BY m.display_order ${direction} LIMIT ?) AS o`,
    sessionId,
    sessionId,
    order,
    limit,
  );
  const unordered = all(
    connection,
    `SELECT m.id, m.id AS o FROM messages AS m WHERE m.session_id = ? AND ${shown} AND m.display_order IS NULL AND m.id ${compare} ?
      ORDER BY m.id ${direction} LIMIT ?`,
    sessionId,
    order,
    limit,
  );
  const places = [...ordered, ...unordered].map(place);
  places.sort((a, b) => (isBefore ? b.order - a.order || b.id - a.id : a.order - b.order || a.id - b.id));
  return places.slice(0, limit);
}

function hasNullActive(connection: Connection): boolean {
  // Only files whose reconciler added the column nullable have such rows; the index makes the question free where it exists.
  if (!connection.shape.indexes.has('idx_messages_active_null')) return true;
  return first(connection, 'SELECT 1 FROM messages WHERE active IS NULL LIMIT 1') !== undefined;
}

/** Leaves out the rows of a continuation that the session before it has as well. */
function withoutCopies(connection: Connection, places: readonly Place[], parent: SessionId | undefined): readonly Place[] {
  if (parent === undefined || places.length === 0) return places;
  const isSame = connection.has('messages', 'message_uid')
    ? 'p.message_uid = m.message_uid AND p.active = 1'
    : 'p.timestamp = m.timestamp AND p.role = m.role AND p.content IS m.content AND p.tool_call_id IS m.tool_call_id';
  const sql = `SELECT m.id FROM json_each(?) AS wanted CROSS JOIN messages AS m ON m.id = wanted.value
    WHERE EXISTS (SELECT 1 FROM messages AS p WHERE p.session_id = ? AND ${isSame})`;
  const copies = new Set(all(connection, sql, JSON.stringify(places.map((place) => place.id)), parent).map((row) => Number(row['id'])));
  return places.filter((place) => !copies.has(place.id));
}

/**
 * Walks the places of a lineage from a position outwards, in steps, copies left out.
 * @returns each step's places, nearest first, until the lineage ends.
 */
export function* walkPlaces(
  connection: Connection,
  segments: readonly SessionId[],
  side: Direction,
  from: Position | undefined,
  step: number,
): Generator<Place[]> {
  const isBefore = side === 'before';
  const edge = isBefore ? Number.MAX_SAFE_INTEGER : -1;
  let index = from === undefined ? (isBefore ? segments.length - 1 : 0) : segments.indexOf(from.sessionId);
  let order = from === undefined ? edge : from.order;
  while (index >= 0 && index < segments.length) {
    const sessionId = segments[index];
    if (sessionId === undefined) return;
    const places = placesOf(connection, sessionId, side, order, step);
    const fresh = withoutCopies(connection, places, segments[index - 1]);
    if (fresh.length > 0) yield [...fresh];
    const last = places[places.length - 1];
    if (last !== undefined && places.length === step) {
      order = last.order;
      continue;
    }
    index += isBefore ? -1 : 1;
    order = edge;
  }
}

function windowOn(connection: Connection, id: SessionId, side: Direction, from: Position | undefined, limit: number): Window {
  const segments = segmentIds(connection, id);
  const kept: { message: Message; place: Place }[] = [];
  // One more than asked for tells whether there is more.
  for (const places of walkPlaces(connection, segments, side, from, limit + 1)) {
    const byId = new Map(places.map((place) => [place.id, place]));
    for (const message of displayMessages(
      connection,
      places.map((place) => place.id),
    )) {
      const place = byId.get(message.id);
      if (place !== undefined) kept.push({ message, place });
    }
    if (kept.length > limit) break;
  }
  const hasMore = kept.length > limit;
  const shown = kept.slice(0, limit);
  if (side === 'before') shown.reverse();
  const result: Window = {
    messages: shown.map(({ message }) => message),
    hasBefore: side === 'before' ? hasMore : from !== undefined,
    hasAfter: side === 'after' ? hasMore : from !== undefined,
  };
  const start = shown[0]?.place;
  const end = shown[shown.length - 1]?.place;
  if (start !== undefined) result.start = { sessionId: start.sessionId, order: start.order };
  if (end !== undefined) result.end = { sessionId: end.sessionId, order: end.order };
  return result;
}

/** The newest `limit` messages before `cursor`, or the newest of all. Walks over the whole lineage of `id`. */
export function messagesBefore(connection: Connection, id: SessionId, cursor: Position | undefined, limit: number): Window {
  return windowOn(connection, id, 'before', cursor, limit);
}

/** The `limit` messages after `cursor`, or the oldest of all. */
export function messagesAfter(connection: Connection, id: SessionId, cursor: Position | undefined, limit: number): Window {
  return windowOn(connection, id, 'after', cursor, limit);
}

/** A window around one message, itself included: where a search hit opens. Undefined when the row is gone. */
export function messagesAround(connection: Connection, messageId: number, before: number, after: number): Window | undefined {
  const order = connection.has('messages', 'display_order') ? 'COALESCE(display_order, id)' : 'id';
  const row = first(connection, `SELECT session_id, ${order} AS o FROM messages WHERE id = ?`, messageId);
  if (row === undefined) return undefined;
  const sessionId = String(row['session_id']);
  const at: Position = { sessionId, order: Number(row['o']) };
  const earlier = windowOn(connection, sessionId, 'before', at, before);
  const later = windowOn(connection, sessionId, 'after', { sessionId, order: at.order - 1 }, after + 1);
  const result: Window = {
    messages: [...earlier.messages, ...later.messages],
    hasBefore: earlier.hasBefore,
    hasAfter: later.hasAfter,
  };
  const start = earlier.start ?? later.start;
  const end = later.end ?? earlier.end;
  if (start !== undefined) result.start = start;
  if (end !== undefined) result.end = end;
  return result;
}
