import DatabaseConstructor from 'better-sqlite3';
import type { Connection, Database } from '../connection.ts';
import { checkStore, hasTextWithNul, type StoreHealth } from '../damage.ts';
import { askStore } from '../open.ts';
import { isDamage } from './copy-rows.ts';
import { findMissing, type MissingObjects } from './missing.ts';

export interface Diagnosis extends StoreHealth {
  readonly missing: MissingObjects;
}

/**
 * Every page and index, what is missing in the schema, and whether the search index holds exactly the messages there are. Pages come first, on a
 * connection that can't write: the file of a damaged store keeps every byte. 2 s per
 * 100,000 messages, most of them for the search index.
 *
 * @throws StoreError, `corrupt` where not even the schema can be read
 */
export function diagnose(path: string, options: { readonly now: () => number; readonly timeoutMs: number }): Diagnosis {
  const seen = askStore(path, options, (connection) => {
    const health = checkStore(connection);
    const missing = findMissing(connection);
    const isComparable = health.kind === 'ok' && missing.foreign.length === 0 && !isRebuildUnderWay(connection);
    const tables = ['messages_fts', 'messages_fts_trigram'].filter((table) => isComparable && connection.has(table));
    return { health, missing, tables, hasNul: isComparable && hasTextWithNul(connection) };
  });
  const { health, missing } = seen;
  const wrong = findMismatches(path, seen.tables, options.timeoutMs);
  if (wrong.length === 0) return { ...health, missing };
  // See `StoreHealth.isOlderIndex`.
  if (seen.hasNul && wrong.every((table) => table === 'messages_fts_trigram')) return { ...health, missing, isOlderIndex: true };
  return { kind: 'index', findings: wrong, missing };
}

/** Rows between the marks are not in the index yet, and are not meant to be (state-db.md 1.6). */
function isRebuildUnderWay(connection: Connection): boolean {
  return (
    connection.has('state_meta') &&
    connection.statement(`SELECT 1 FROM state_meta WHERE key = 'fts_rebuild_high_water'`).get() !== undefined
  );
}

/**
 * `PRAGMA integrity_check` looks at an external-content index from the inside only; FTS5's own check compares it with what it indexes. That
 * check is an INSERT which writes nothing, so it needs a connection that could.
 */
function findMismatches(path: string, tables: readonly string[], timeoutMs: number): readonly string[] {
  const db = new DatabaseConstructor(path, { fileMustExist: true, timeout: timeoutMs });
  try {
    return tables.filter((table) => !doesIndexMatch(db, table));
  } finally {
    db.close();
  }
}

function doesIndexMatch(db: Database, table: string): boolean {
  db.exec('BEGIN IMMEDIATE');
  try {
    db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`);
    return true;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return false;
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
  }
}
