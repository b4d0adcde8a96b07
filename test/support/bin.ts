import { createHash } from 'node:crypto';
import type { OpenConnection } from '../../src/store/connection.ts';
import { isIndexDamage } from '../../src/store/damage.ts';
import { rebuildIndex } from '../../src/store/rebuild-index.ts';
import { openForWriting } from '../../src/store/open.ts';
import { transact } from '../../src/store/worker/transact.ts';

/**
 * Opens a store, makes one change in a transaction of its own, and closes it. As the writing thread does, it makes an index anew that can't take a
 * row out: one that an older SQLite filled counts fewer words than this one takes away.
 */
export function changing<Result>(storePath: string, change: (connection: OpenConnection) => Result, now: () => number = Date.now): Result {
  const connection = openForWriting(storePath, { now });
  try {
    return transact(connection.db, () => change(connection));
  } catch (error) {
    if (!isIndexDamage(error)) throw error;
    rebuildIndex(connection);
    return transact(connection.db, () => change(connection));
  } finally {
    connection.close();
  }
}

/** Tables whose rows hang on sessions, and what their rows are ordered by. */
const tables = { sessions: 'id', messages: 'id', session_model_usage: 'session_id, model', async_delegations: 'delegation_id' };

/**
 * Every row of the store by table, each cell with its type and its bytes: two of these are equal only if no cell differs in anything.
 * Row ids of sessions are left out: they are nobody's.
 */
export function cellsOf(connection: OpenConnection): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [table, order] of Object.entries(tables)) {
    if (!connection.has(table)) continue;
    connection.refreshShape();
    const columns = [...(connection.shape.columns.get(table) ?? [])].map((name) => `"${name}"`);
    const cells = columns.map((name) => `typeof(${name}) || ':' || hex(CAST(${name} AS BLOB))`).map((cell) => `coalesce(${cell}, 'null')`);
    found[table] = connection.db
      .prepare<[], string>(`SELECT ${cells.join(" || '|' || ")} FROM ${table} ORDER BY ${order}`)
      .pluck()
      .all()
      .map((row) => (row.length > 200 ? `${row.slice(0, 100)}…${createHash('sha256').update(row).digest('hex')}` : row));
  }
  return found;
}

/** What `integrity-check` says of both full-text tables: `ok`, or how it fails. */
export function indexChecks(connection: OpenConnection): Record<string, string> {
  const found: Record<string, string> = {};
  for (const table of ['messages_fts', 'messages_fts_trigram']) {
    if (!connection.has(table)) continue;
    try {
      // Rank 1: compared with the text of the messages.
      connection.db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`).run();
      found[table] = 'ok';
    } catch (error) {
      found[table] = (error as Error).message;
    }
  }
  return found;
}
