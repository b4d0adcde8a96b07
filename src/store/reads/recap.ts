import type { Message, SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { first } from '../rows.ts';
import { isEventSql, visibleSql } from './columns.ts';
import { recapRows } from './messages.ts';
import { segmentIds } from './sessions.ts';
import { walkPlaces } from './transcript.ts';

export interface RecapMessages {
  /** What the user and the agent said, oldest first; long texts cut behind what a panel shows. */
  messages: Message[];
  /** Messages of the shown kinds (user and agent, with words) before these. */
  earlier: number;
  /** Row id of the newest message of any kind at that time; 0 when there is none. What is newer was added since. */
  newestId: number;
}

/** Rows read at a time; a turn with many tools is a few of these. */
const step = 120;
/** Rows looked at before a recap is made of what was found: an exchange of thousands of calls still opens at once. */
const readUpTo = 4_000;

/**
 * The newest messages that hold `limit` exchanges, over the lineage of `id`, and how many shown ones lie before them. Tool results are
 * passed over unread: a session of 15,000 messages opens as fast as one of 50.
 */
export function recapMessages(connection: Connection, id: SessionId, query: { limit: number }): RecapMessages {
  const segments = segmentIds(connection, id);
  const newestFirst: Message[] = [];
  let exchanges = 0;
  let read = 0;
  let newestId = 0;
  for (const places of walkPlaces(connection, segments, 'before', undefined, step)) {
    read += places.length;
    if (newestId === 0) newestId = Math.max(...places.map((place) => place.id));
    for (const message of recapRows(
      connection,
      places.map((place) => place.id),
    )) {
      newestFirst.push(message);
      if (message.role === 'user' && !message.isSummary && message.text.trim() !== '') exchanges++;
      if (exchanges === query.limit) break;
    }
    if (exchanges === query.limit || read >= readUpTo) break;
  }
  const inside = newestFirst.filter((message) => !message.isSummary && message.text !== '').length;
  return { messages: newestFirst.reverse(), earlier: Math.max(0, shownCount(connection, segments) - inside), newestId };
}

/**
 * Messages of the shown kinds: user and agent, with words, no summaries. Role and size of the content are told by the beginning of a row
 * (`octet_length` reads the header alone), so that long contents cost nothing.
 */
function shownCount(connection: Connection, segments: readonly SessionId[]): number {
  const order = connection.has('messages', 'display_order') ? 'COALESCE(m.display_order, m.id)' : 'm.id';
  const summary = connection.has('messages', '_compressed_summary')
    ? 'COALESCE(m._compressed_summary, 0) = 0'
    : "substr(m.content, 1, 18) NOT IN ('[CONTEXT COMPACTIO', '[CONTEXT SUMMARY]:')";
  const copied = connection.has('messages', 'message_uid')
    ? 'SELECT 1 FROM messages AS p WHERE p.session_id = ? AND p.message_uid = m.message_uid AND p.active = 1'
    : 'SELECT 1 FROM messages AS p WHERE p.session_id = ? AND p.timestamp = m.timestamp AND p.role = m.role AND p.content IS m.content';
  const base = `SELECT count(DISTINCT ${order}) AS n FROM messages AS m
    WHERE m.session_id = ? AND m.role IN ('user', 'assistant') AND octet_length(m.content) > 0
      AND ${visibleSql(connection, 'm')} AND ${summary} AND NOT (${isEventSql(connection, 'm')})`;
  return segments.reduce((sum, sessionId, index) => {
    const parent = segments[index - 1];
    const row =
      parent === undefined
        ? first(connection, base, sessionId)
        : first(connection, `${base} AND NOT EXISTS (${copied})`, sessionId, parent);
    return sum + Number(row?.['n'] ?? 0);
  }, 0);
}
