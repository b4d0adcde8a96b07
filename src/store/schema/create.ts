import { randomBytes, randomUUID } from 'node:crypto';
import type { Database } from '../connection.ts';
import { FTS_TABLES, FTS_TRIGGERS, VIEWS } from './fts.ts';
import { createIndexSql, INDEXES } from './indexes.ts';
import { createTableSql, TABLES } from './tables.ts';
import { MESSAGE_TRIGGERS } from './triggers.ts';

/** The layout this program makes, and the newest one it knows. */
export const LAYOUT_VERSION = 31;

/** Every statement of a fresh store, in an order that can be run. */
export function layoutStatements(): readonly string[] {
  return [
    ...TABLES.map(createTableSql),
    ...INDEXES.map(createIndexSql),
    ...Object.values(MESSAGE_TRIGGERS),
    ...Object.values(VIEWS),
    ...Object.values(FTS_TABLES),
    ...Object.values(FTS_TRIGGERS),
  ];
}

/**
 * Fills an empty database with layout 31 and the keys a fresh file carries (store-v31.md, part A). `application_id` stays 0: Hermes Agent
 * sets it from `db_file_generation` when it first opens the file. Call inside a transaction.
 *
 * @param nowMs milliseconds since the epoch
 */
export function createLayout(db: Database, nowMs: number): void {
  for (const sql of layoutStatements()) db.exec(sql);
  db.prepare('INSERT INTO schema_version (version) VALUES (?)').run(LAYOUT_VERSION);
  const setMeta = db.prepare('INSERT INTO state_meta (key, value) VALUES (?, ?)');
  setMeta.run('store_instance_id', randomUUID());
  setMeta.run('store_created_at_utc', new Date(nowMs).toISOString().replace(/Z$/, '+00:00'));
  // No row of this file will ever lack a uid, so there is nothing to fill in later.
  setMeta.run('message_uid_backfill', '1');
  setMeta.run('db_file_generation', randomBytes(16).toString('hex'));
}
