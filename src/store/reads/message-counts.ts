import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { first } from '../rows.ts';
import { liveSql } from './columns.ts';

export interface MessageCounts {
  user: number;
  total: number;
}

/** What the model is given of a session, counted: live rows of that row alone, bookkeeping left out (the banner of state-db.md 3). */
export function messageCounts(connection: Connection, id: SessionId): MessageCounts {
  const sql = `SELECT count(*) AS total, count(*) FILTER (WHERE m.role = 'user') AS user FROM messages AS m
    WHERE m.session_id = ? AND ${liveSql(connection, 'm')} AND m.role <> 'session_meta'`;
  const row = first(connection, sql, id);
  return { user: Number(row?.['user'] ?? 0), total: Number(row?.['total'] ?? 0) };
}
