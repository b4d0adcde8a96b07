import type { SessionId } from '../../session/types.ts';
import { columnOr } from '../reads/columns.ts';
import type { Connection } from '../connection.ts';
import { writeTime } from '../rows.ts';

/** A key of our own for each session that somebody brought back: epoch seconds as text, as in the stamps of runs. */
const PREFIX = 'hermes_tui.kept:';
const isMark = `key >= '${PREFIX}' AND key < '${PREFIX.slice(0, -1)};'`;
const idOfKey = `substr(key, ${PREFIX.length + 1})`;

/**
 * Notes that somebody wanted these sessions here now, old as they are: retention counts their age from this moment. The rows of the session
 * stay as they were, so that what comes back is what went.
 */
export function keepFromNow(connection: Connection, ids: readonly SessionId[]): void {
  if (!connection.has('state_meta')) return;
  const sql = 'INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
  for (const id of ids) connection.statement(sql).run(`${PREFIX}${id}`, String(writeTime(connection.now())));
}

/** Sessions that were brought back at `since` (milliseconds) or later. */
export function keptSince(connection: Connection, since: number): ReadonlySet<SessionId> {
  if (!connection.has('state_meta')) return new Set();
  const sql = `SELECT ${idOfKey} FROM state_meta WHERE ${isMark} AND CAST(value AS REAL) >= ?`;
  return new Set(
    connection
      .statement(sql)
      .pluck()
      .all(since / 1000) as SessionId[],
  );
}

/** Takes away the marks that say nothing any more: of sessions that are gone, and of those that were used since. */
export function forgetKept(connection: Connection): void {
  if (!connection.has('state_meta')) return;
  const activity = columnOr(connection, 'sessions', 's', 'last_activity_at');
  const isWaiting = `SELECT 1 FROM sessions AS s WHERE s.id = ${idOfKey} AND COALESCE(${activity}, 0) < CAST(value AS REAL)`;
  connection.db.exec(`DELETE FROM state_meta WHERE ${isMark} AND NOT EXISTS (${isWaiting})`);
}

/** The same for sessions that are being deleted. @param ids SQL: their ids */
export function forgetKeptOf(connection: Connection, ids: string): void {
  if (connection.has('state_meta')) connection.db.exec(`DELETE FROM state_meta WHERE key IN (SELECT '${PREFIX}' || id FROM (${ids}))`);
}
