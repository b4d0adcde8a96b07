import type { IndexState } from '../../session/found.ts';
import type { Connection } from '../connection.ts';
import { first } from '../rows.ts';

/** What the file says of its index, in a few seeks: the rows behind its end, marks of other programs. */
export function indexState(connection: Connection): IndexState {
  if (connection.shape.fts === 'none') return { state: 'none' };
  const newest = Number(first(connection, 'SELECT max(id) AS id FROM messages')?.['id'] ?? 0);
  if (metaOf(connection, 'fts_stale') === '1') return { state: 'stale' };
  const highWater = Number(metaOf(connection, 'fts_rebuild_high_water') ?? -1);
  if (highWater >= 0) {
    const progress = Math.max(0, Number(metaOf(connection, 'fts_rebuild_progress') ?? 0));
    const end = Math.min(highWater, newest);
    const percent = end <= 0 ? 100 : Math.min(100, Math.floor((100 * progress) / end));
    return { state: 'rebuilding', missing: Math.max(0, end - progress), percent };
  }
  const known = connection.has('messages_fts_docsize')
    ? Number(first(connection, 'SELECT max(id) AS id FROM messages_fts_docsize')?.['id'] ?? 0)
    : newest;
  return known < newest ? { state: 'behind', missing: countBehind(connection, known) } : { state: 'ready' };
}

/** Rows behind the end of the index that are counted one by one. */
const countedAtMost = 100_000;

function countBehind(connection: Connection, known: number): number {
  const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM messages WHERE id > ? LIMIT ${countedAtMost})`;
  return Number(first(connection, sql, known)?.['n'] ?? 0);
}

function metaOf(connection: Connection, key: string): string | undefined {
  if (!connection.has('state_meta')) return undefined;
  const value = first(connection, 'SELECT value FROM state_meta WHERE key = ?', key)?.['value'];
  return value === null || value === undefined ? undefined : String(value as string);
}
