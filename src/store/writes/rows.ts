import { StoreError } from '../../errors.ts';
import type { Session, SessionId } from '../../session/types.ts';
import { storeWriteText } from '../../text/en/store-writes.ts';
import type { Connection } from '../connection.ts';
import { sessionById, tipOf } from '../reads/sessions.ts';

/** Inserts the columns this file has; an era without one keeps what it can. @returns the row id */
export function insertRow(connection: Connection, table: string, values: Readonly<Record<string, unknown>>): number {
  const names = Object.keys(values).filter((name) => values[name] !== undefined && connection.has(table, name));
  const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  return Number(connection.statement(sql).run(...names.map((name) => values[name])).lastInsertRowid);
}

/** Updates the columns this file has of the row with this id; undefined = leave, null = clear. @returns whether a row was there */
export function updateRow(
  connection: Connection,
  table: string,
  id: SessionId | number,
  values: Readonly<Record<string, unknown>>,
): boolean {
  const names = Object.keys(values).filter((name) => values[name] !== undefined && connection.has(table, name));
  if (names.length === 0) return true;
  const sql = `UPDATE ${table} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`;
  return connection.statement(sql).run(...names.map((name) => values[name]), id).changes > 0;
}

/** @throws StoreError `refused` when the session was deleted meanwhile: a blank row must not come back in its place */
export function demandSession(connection: Connection, id: SessionId): Session {
  const session = sessionById(connection, id);
  if (session === undefined) {
    throw new StoreError('refused', storeWriteText.sessionGone(id), { hint: storeWriteText.sessionGoneHint });
  }
  return session;
}

/** @throws StoreError `refused`: nothing is written into a row that compression ended (store-v31.md B4.3.6) */
export function demandWritable(connection: Connection, session: Session): void {
  if (session.endReason !== 'compression') return;
  throw new StoreError('refused', storeWriteText.compressed(session.id), {
    hint: storeWriteText.compressedHint(tipOf(connection, session.id)),
  });
}

/** Moves the heartbeat forward, never back (state-db.md 2.6). `at` in milliseconds. */
export function touch(connection: Connection, id: SessionId, at: number = connection.now()): void {
  if (!connection.has('sessions', 'last_activity_at')) return;
  // A broken value (zero, milliseconds) would hold the real one back for ever.
  const sql = `UPDATE sessions SET last_activity_at = ? WHERE id = ?
    AND (last_activity_at IS NULL OR last_activity_at < ? OR last_activity_at > 4200000000)`;
  connection.statement(sql).run(at / 1000, id, at / 1000);
}

/** Sets both counters to the live set (state-db.md 2.8). */
export function recount(connection: Connection, id: SessionId): void {
  const live = connection.has('messages', 'active') ? '(active = 1 OR active IS NULL)' : '1';
  const sql = `UPDATE sessions SET
      message_count = (SELECT count(*) FROM messages WHERE session_id = sessions.id AND ${live}),
      tool_call_count = (SELECT COALESCE(sum(CASE WHEN json_valid(tool_calls) AND json_type(tool_calls) = 'array'
          THEN json_array_length(tool_calls) ELSE 0 END), 0)
        FROM messages WHERE session_id = sessions.id AND tool_calls IS NOT NULL AND ${live})
    WHERE id = ?`;
  connection.statement(sql).run(id);
}
