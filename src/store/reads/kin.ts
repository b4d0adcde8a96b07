import type { Connection } from '../connection.ts';
import { selectNodes, type Node } from './lineages.ts';

/**
 * These sessions and all that decides which lineages they belong to: their parents, all the way up, and the children of every compressed
 * one. Two statements for any number of sessions; one by one they take 30 µs each.
 */
export function readKin(connection: Connection, nodes: readonly Node[]): Node[] {
  if (!connection.has('sessions', 'parent_session_id')) return [...nodes];
  const related = nodes.filter((node) => node.parentId !== undefined || node.endReason === 'compression');
  if (related.length === 0) return [...nodes];
  const ended = connection.has('sessions', 'end_reason') ? 'end_reason' : 'NULL';
  const columns = (alias: string): string =>
    `${alias}.id, ${alias}.parent_session_id, ${ended === 'NULL' ? ended : `${alias}.${ended}`} IS 'compression'`;
  const sql = `WHERE s.id IN (
    WITH RECURSIVE kin(id, parent, is_compressed) AS (
      SELECT ${columns('a')} FROM json_each(?) AS asked CROSS JOIN sessions AS a ON a.id = asked.value
      UNION
      SELECT ${columns('p')} FROM kin CROSS JOIN sessions AS p ON p.id = kin.parent
      UNION
      SELECT ${columns('c')} FROM kin CROSS JOIN sessions AS c ON c.parent_session_id = kin.id WHERE kin.is_compressed)
    SELECT id FROM kin)`;
  const kin = selectNodes(connection, sql, JSON.stringify(related.map((node) => node.id)));
  const found = new Set(kin.map((node) => node.id));
  return [...kin, ...nodes.filter((node) => !found.has(node.id))];
}
