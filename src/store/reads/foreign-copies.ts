import type { ForeignTool } from '../../session/foreign.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { all } from '../rows.ts';

/**
 * Sessions that were imported from a tool's logs, by the tool's own id (`origin_json.imported_from`, state-db.md 3). A copy that was compressed
 * hands its origin on: the first row is the copy, its tip is what resume opens.
 */
export function foreignCopies(connection: Connection, tool: ForeignTool): Map<string, SessionId> {
  if (!connection.has('sessions', 'origin_json')) return new Map();
  const sql = `SELECT id, json_extract(origin_json, '$.imported_from.foreign_session_id') AS foreign_id FROM sessions
    WHERE source = ? AND json_valid(origin_json) AND foreign_id IS NOT NULL ORDER BY started_at DESC, id DESC`;
  return new Map(all(connection, sql, tool).map((row) => [String(row['foreign_id']), String(row['id'])]));
}
