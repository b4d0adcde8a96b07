import type { Message, SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { parseObject } from '../content.ts';
import { all, first, readMessage, type Row } from '../rows.ts';
import { columnOr, isEventSql, liveSql, visibleSql } from './columns.ts';

/** Contents longer than this cross over as beginning and end (product.md 2): 200 KB. */
const wholeUpTo = 200 * 1024;
const headCharacters = 64 * 1024;
const tailCharacters = 16 * 1024;

/** Columns of `messages AS m` that `readMessage` wants, without the content. */
function messageColumns(connection: Connection): string {
  const names = [
    'tool_call_id',
    'tool_calls',
    'tool_name',
    'finish_reason',
    'token_count',
    'reasoning',
    'reasoning_content',
    'display_kind',
    'display_metadata',
  ];
  const list = names.map((name) => `${columnOr(connection, 'messages', 'm', name)} AS ${name}`);
  const flags = ['active', 'compacted', '_compressed_summary'].map((name) => {
    return `${columnOr(connection, 'messages', 'm', name, name === 'active' ? '1' : '0')} AS ${name}`;
  });
  return `m.id, m.session_id, m.role, m.timestamp, ${[...list, ...flags].join(', ')}`;
}

/** Parts begin with a NUL, so that their length in characters is 0: they are read whole, their pictures weigh nothing once decoded. */
const cutContentSql = `CASE WHEN octet_length(m.content) > ${wholeUpTo} AND length(m.content) > 0
    THEN substr(m.content, 1, ${headCharacters}) ELSE m.content END AS content,
  CASE WHEN octet_length(m.content) > ${wholeUpTo} AND length(m.content) > 0 THEN substr(m.content, -${tailCharacters}) END AS content_tail,
  octet_length(m.content) AS content_bytes`;

/** Messages by row id, in the order of `ids`; long contents cut. Rows that were never meant for a reader are left out. */
export function displayMessages(connection: Connection, ids: readonly number[]): Message[] {
  return readShown(connection, ids, cutContentSql, '');
}

/** The same with every content in full: what an export reads. */
export function wholeMessages(connection: Connection, ids: readonly number[]): Message[] {
  return readShown(connection, ids, 'm.content', '');
}

/** The same for a recap: only what the user and the agent said, and only as much of it as a panel could show. */
export function recapRows(connection: Connection, ids: readonly number[]): Message[] {
  const start = `CASE WHEN length(m.content) = 0 OR octet_length(m.content) < 16384 THEN m.content ELSE substr(m.content, 1, 8192) END AS content`;
  return readShown(connection, ids, start, `AND m.role IN ('user', 'assistant') AND NOT (${isEventSql(connection, 'm')})`);
}

function readShown(connection: Connection, ids: readonly number[], content: string, condition: string): Message[] {
  const sql = `SELECT ${messageColumns(connection)}, ${content}
    FROM json_each(?) AS wanted CROSS JOIN messages AS m ON m.id = wanted.value WHERE m.role <> 'session_meta' ${condition}
    ORDER BY wanted.key`;
  return all(connection, sql, JSON.stringify(ids)).filter(isShown).map(readMessage);
}

/** Written for the model alone (state-db.md 2.8, store-v31.md B3). */
export function isShown(row: Row): boolean {
  if (row['display_kind'] === 'hidden') return false;
  const metadata = row['display_metadata'];
  if (typeof metadata !== 'string' || !metadata.includes('model_only')) return true;
  const flag = parseObject(metadata)['model_only'];
  return flag === undefined || flag === null || flag === false || flag === 0;
}

/** One message in full, however long. */
export function fullMessage(connection: Connection, id: number): Message | undefined {
  const row = first(connection, `SELECT ${messageColumns(connection)}, m.content FROM messages AS m WHERE m.id = ?`, id);
  return row === undefined ? undefined : readMessage(row);
}

/** What the model is given: live rows by id (from `fromId` on), in full; `session_meta` rows are bookkeeping (state-db.md 2.8). */
export function contextMessages(connection: Connection, id: SessionId, fromId = 0): Message[] {
  const sql = `SELECT ${messageColumns(connection)}, m.content FROM messages AS m
    WHERE m.session_id = ? AND m.id >= ? AND ${liveSql(connection, 'm')} AND m.role <> 'session_meta' ORDER BY m.id`;
  return all(connection, sql, id, fromId).map(readMessage);
}

export interface HistoryQuery {
  /** The lineage of this session first. */
  sessionId?: SessionId;
  /** Then other sessions of this workspace (every spelling of it). */
  workspaces?: readonly string[];
  limit: number;
}

/** Longest text that comes back as input history; pastes beyond it are found in the transcript. */
const historyCharacters = 64 * 1024;

/** What was typed: the user's messages of one session, newest first; hidden and undone ones and summaries left out. */
export function userTexts(connection: Connection, id: SessionId, limit: number): Message[] {
  const summary = connection.has('messages', '_compressed_summary') ? 'COALESCE(m._compressed_summary, 0) = 0' : '1';
  const sql = `SELECT ${messageColumns(connection)}, CASE WHEN length(m.content) = 0 THEN m.content
      ELSE substr(m.content, 1, ${historyCharacters}) END AS content FROM messages AS m
    WHERE m.session_id = ? AND m.role = 'user' AND ${visibleSql(connection, 'm')} AND ${summary} AND NOT (${isEventSql(connection, 'm')})
    ORDER BY m.timestamp DESC, m.id DESC LIMIT ?`;
  return all(connection, sql, id, limit)
    .filter(isShown)
    .map(readMessage)
    .filter((message) => !message.isSummary && message.text.trim() !== '');
}
