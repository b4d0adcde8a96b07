import type { Database } from '../connection.ts';
import { CJK_TRIGGERS } from '../schema/fts.ts';
import { quote } from './copy-rows.ts';

/** One statement the damaged store was made with. */
export interface SchemaObject {
  readonly type: 'table' | 'index' | 'view' | 'trigger';
  readonly name: string;
  readonly sql: string;
}

const isVirtual = (one: SchemaObject): boolean => one.type === 'table' && /^\s*CREATE\s+VIRTUAL/i.test(one.sql);

/** Everything that was made by a statement; automatic indexes and SQLite's own tables come by themselves. */
export function readSchema(db: Database): readonly SchemaObject[] {
  return db
    .prepare<[], SchemaObject>(
      `SELECT type, name, sql FROM main.sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    )
    .all();
}

/** Tables that hold rows of their own. Virtual ones, and the shadow tables they keep their index in, are filled anew. */
export function tablesToCopy(objects: readonly SchemaObject[]): readonly SchemaObject[] {
  const shadows = objects.filter(isVirtual).map((one) => `${one.name}_`);
  return objects.filter((one) => one.type === 'table' && !isVirtual(one) && !shadows.some((prefix) => one.name.startsWith(prefix)));
}

/** The text a message has in the full-text tables of layout 11 to 22, which keep a copy of their own (state-db.md 1.6). */
const JOINED_TEXT = `COALESCE(content, '') || ' ' || COALESCE(tool_name, '') || ' ' || COALESCE(tool_calls, '')`;

/**
 * Indexes, views, full-text tables and triggers, from the statements of the store itself, over tables that are filled. The search index is
 * built whole, so marks of a rebuild under way end with it.
 *
 * @returns what could not be made: a table whose tokenizer this program lacks
 */
export function finishSchema(db: Database, objects: readonly SchemaObject[]): readonly string[] {
  const leftOut: string[] = [];
  const ofType = (type: SchemaObject['type']): readonly SchemaObject[] => objects.filter((one) => one.type === type && !isVirtual(one));
  for (const one of [...ofType('index'), ...ofType('view')]) db.exec(one.sql);
  for (const one of objects.filter(isVirtual)) {
    if (one.name === 'messages_fts_cjk') leftOut.push(one.name);
    else {
      db.exec(one.sql);
      fillIndex(db, one);
    }
  }
  const left = new Set([...leftOut, ...CJK_TRIGGERS]);
  for (const one of ofType('trigger')) if (!left.has(one.name)) db.exec(one.sql);
  endRebuildMarks(db, leftOut.length > 0);
  return leftOut;
}

function fillIndex(db: Database, one: SchemaObject): void {
  if (!/\bfts5\b/i.test(one.sql)) return;
  const table = quote(one.name);
  if (/\bcontent\s*=/i.test(one.sql)) db.exec(`INSERT INTO ${table} (${table}) VALUES ('rebuild')`);
  else if (/^messages_fts(_trigram)?$/.test(one.name))
    db.exec(`INSERT INTO ${table} (rowid, content) SELECT id, ${JOINED_TEXT} FROM messages`);
}

function endRebuildMarks(db: Database, isCjkLeftOut: boolean): void {
  if (db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'state_meta'`).get() === undefined) return;
  db.exec(`DELETE FROM state_meta WHERE key IN ('fts_rebuild_high_water', 'fts_rebuild_progress', 'fts_rebuild_deferral', 'fts_stale')`);
  // Hermes Agent makes that index anew when it finds the mark (state-db.md 1.6).
  if (isCjkLeftOut)
    db.exec(`INSERT INTO state_meta (key, value) VALUES ('fts_cjk_stale', '1') ON CONFLICT (key) DO UPDATE SET value = '1'`);
}
