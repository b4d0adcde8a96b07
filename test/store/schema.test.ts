import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Database as Db } from '../../src/store/connection.ts';
import { openForWriting } from '../../src/store/open.ts';
import { INDEXES } from '../../src/store/schema/indexes.ts';
import { TABLES } from '../../src/store/schema/tables.ts';
import { copyRealStore, hasRealStores } from '../support/real-stores.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const now = () => Date.UTC(2026, 9, 1, 12, 0, 0);

function freshStore() {
  const path = join(temporaryFolder(), 'home', 'state.db');
  const connection = openForWriting(path, { now });
  return { connection, db: connection.db, path };
}

/** A store written by Hermes Agent, opened the way it opens it. */
function realStore(): Db {
  const db = new Database(copyRealStore('hermes-v31-empty.db', temporaryFolder()));
  db.pragma('recursive_triggers = OFF');
  db.pragma('foreign_keys = ON');
  return db;
}

const names = (db: Db, type: string): string[] =>
  db.prepare<[string], string>('SELECT name FROM sqlite_master WHERE type = ? ORDER BY name').pluck().all(type);

/** What refers to what; SQLite numbers them by the order of the text. */
const references = (db: Db, table: string) =>
  (db.pragma(`foreign_key_list(${table})`) as { from: string }[])
    .map((one) => ({ ...one, id: 0 }))
    .sort((a, b) => a.from.localeCompare(b.from));

describe('a store this program makes', () => {
  test('has layout 31, the fresh-file keys and no other number set', () => {
    const { db, connection } = freshStore();
    expect(connection.shape).toMatchObject({ version: 31, fts: 'external', hasTrigram: true });
    expect(db.pragma('user_version', { simple: true })).toBe(0);
    expect(db.pragma('application_id', { simple: true })).toBe(0);
    const meta = new Map(db.prepare<[], [string, string]>('SELECT key, value FROM state_meta').raw().all());
    expect([...meta.keys()].sort()).toEqual(['db_file_generation', 'message_uid_backfill', 'store_created_at_utc', 'store_instance_id']);
    expect(meta.get('db_file_generation')).toMatch(/^[0-9a-f]{32}$/);
    expect(meta.get('store_instance_id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(meta.get('store_created_at_utc')).toBe('2026-10-01T12:00:00.000+00:00');
    expect(meta.get('message_uid_backfill')).toBe('1');
  });

  test('is readable by its owner alone, folder and companions too', () => {
    const { path } = freshStore();
    const mode = (file: string) => (statSync(file).mode & 0o777).toString(8);
    expect([mode(join(path, '..')), mode(path), mode(`${path}-wal`), mode(`${path}-shm`)]).toEqual(['700', '600', '600', '600']);
  });

  test('is in WAL mode with every setting the other program uses', () => {
    const { db } = freshStore();
    const setting = (name: string) => db.pragma(name, { simple: true });
    expect(setting('journal_mode')).toBe('wal');
    expect(setting('synchronous')).toBe(2);
    expect(setting('foreign_keys')).toBe(1);
    expect(setting('recursive_triggers')).toBe(0);
    expect(setting('busy_timeout')).toBe(0);
    expect(setting('journal_size_limit')).toBe(67_108_864);
  });

  test('keeps a rollback journal when the configuration says delete', () => {
    const path = join(temporaryFolder(), 'state.db');
    const connection = openForWriting(path, { now, journalMode: 'delete' });
    expect(connection.db.pragma('journal_mode', { simple: true })).toBe('delete');
    connection.close();
    const again = openForWriting(path, { now, journalMode: 'wal' });
    expect(again.db.pragma('journal_mode', { simple: true })).toBe('delete');
  });

  test('lists thirteen tables, twenty-six indexes, eleven triggers, two views', () => {
    const { db } = freshStore();
    expect(TABLES).toHaveLength(13);
    expect(INDEXES).toHaveLength(26);
    expect(names(db, 'trigger')).toHaveLength(11);
    expect(names(db, 'view')).toHaveLength(2);
  });
});

describe.skipIf(!hasRealStores)('beside a fresh store of Hermes Agent', () => {
  test('the same things exist', () => {
    const { db } = freshStore();
    const real = realStore();
    for (const type of ['table', 'index', 'trigger', 'view']) expect(names(db, type)).toEqual(names(real, type));
  });

  test('every table has the same columns, keys and references', () => {
    const { db } = freshStore();
    const real = realStore();
    for (const { name } of TABLES) {
      expect(db.pragma(`table_xinfo(${name})`), name).toEqual(real.pragma(`table_xinfo(${name})`));
      expect(references(db, name), name).toEqual(references(real, name));
    }
    for (const view of names(real, 'view')) {
      const columns = (one: Db) => (one.pragma(`table_xinfo(${view})`) as { name: string }[]).map((column) => column.name);
      expect(columns(db)).toEqual(columns(real));
    }
  });

  test('every index covers the same terms in the same order', () => {
    const { db } = freshStore();
    const real = realStore();
    for (const { name, table } of INDEXES) {
      expect(db.pragma(`index_xinfo(${name})`), name).toEqual(real.pragma(`index_xinfo(${name})`));
      const facts = (one: Db) =>
        (one.pragma(`index_list(${table})`) as { name: string; unique: number; partial: number }[])
          .filter((index) => index.name === name)
          .map(({ unique, partial }) => ({ unique, partial }));
      expect(facts(db), name).toEqual(facts(real));
    }
  });

  test('the full-text tables have the same columns, content, tokenizer and storage', () => {
    const { db } = freshStore();
    const real = realStore();
    const options = (one: Db, table: string) => {
      const sql = one.prepare<[string], string>('SELECT sql FROM sqlite_master WHERE name = ?').pluck().get(table) as string;
      const inside = sql.slice(sql.indexOf('(') + 1, sql.lastIndexOf(')'));
      return inside.split(',').map((part) => part.replace(/["'\s]/g, '').toLowerCase());
    };
    for (const table of ['messages_fts', 'messages_fts_trigram']) {
      expect(options(db, table)).toEqual(options(real, table));
      const config = (one: Db) => one.prepare(`SELECT * FROM ${table}_config`).all();
      expect(config(db)).toEqual(config(real));
    }
  });

  test('the same writes leave the same rows, index terms and orders behind, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 40 }), (changes) => {
        const [ours, theirs] = [freshStore().db, realStore()];
        for (const one of [sessions, ...changes]) {
          const outcomes = [attempt(ours, one), attempt(theirs, one)];
          expect(outcomes[0], one.sql).toBe(outcomes[1]);
        }
        expect(contents(ours)).toEqual(contents(theirs));
        ours.close();
        theirs.close();
      }),
      { numRuns: 150 },
    );
  });
});

function insertSessions(): string {
  const row = (id: string, source: string, config: string) => `('${id}', '${source}', ${config}, 1)`;
  const rows = [
    row('s1', 'cli', 'NULL'),
    row('s2', 'telegram', `'{"model":"x"}'`),
    row('s3', 'tui', `''`),
    row('cron1', 'cron', 'NULL'),
    row('sub1', 'subagent', 'NULL'),
    row('del1', 'cli', `'{"_delegate_from":"s1"}'`),
    row('nul1', 'cli', `'{"_delegate_from":null}'`),
    row('bad1', 'cli', `'{"_delegate_from"'`),
  ];
  return `INSERT OR IGNORE INTO sessions (id, source, model_config, started_at) VALUES ${rows.join(', ')}`;
}

interface Change {
  sql: string;
  values: readonly (string | number | Buffer | null)[];
}

const text = fc.constantFrom(
  'hello world',
  '데이터베이스 순서',
  'The quick brown fox',
  '',
  `${'a'.repeat(8190)} tail end`,
  '桜井さん',
  null,
);
const session = fc.oneof(
  { weight: 2, arbitrary: fc.constant('s1') },
  { weight: 1, arbitrary: fc.constantFrom('s1', 's2', 's3', 'cron1', 'sub1', 'del1', 'nul1', 'bad1') },
);
const role = fc.constantFrom('user', 'assistant', 'tool', 'system');
const identity = fc.constantFrom(null, Buffer.alloc(32, 1), Buffer.alloc(32, 1), Buffer.alloc(32, 2));
const flag = fc.constantFrom(0, 1);
const rowId = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 20 }));
const mark = fc.constantFrom('fts_rebuild_high_water', 'fts_rebuild_progress');

const sessions: Change = { sql: insertSessions(), values: [] };

/** Writes as any program might do them, in any order. */
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(session, role, text, text, text, identity, flag, flag, fc.integer({ min: 0, max: 9 }))
      .map(([id, who, content, tool, calls, ident, active, compacted, at]) => ({
        sql: `INSERT INTO messages (session_id, role, content, tool_name, tool_calls, display_identity, active, compacted, timestamp)
              VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        values: [id, who, content, tool, calls, ident, active, compacted, at],
      })),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(flag, flag, rowId).map(([active, compacted, id]) => ({
      sql: 'UPDATE messages SET active = ?, compacted = ? WHERE id = ?',
      values: [active, compacted, id],
    })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('content', 'tool_name', 'tool_calls', 'display_kind', 'tool_call_id'), text, rowId)
      .map(([column, value, id]) => ({
        sql: `UPDATE messages SET ${column} = ? WHERE id = ?`,
        values: [value, id],
      })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(role, rowId).map(([who, id]) => ({ sql: 'UPDATE messages SET role = ? WHERE id = ?', values: [who, id] })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(identity, rowId)
      .map(([ident, id]) => ({ sql: 'UPDATE messages SET display_identity = ? WHERE id = ?', values: [ident, id] })),
  },
  { weight: 1, arbitrary: rowId.map((at) => ({ sql: 'UPDATE messages SET timestamp = ? WHERE id % 3 = 0', values: [at] })) },
  { weight: 2, arbitrary: rowId.map((id) => ({ sql: 'DELETE FROM messages WHERE id = ?', values: [id] })) },
  {
    weight: 1,
    arbitrary: fc.tuple(mark, fc.integer({ min: -1, max: 20 })).map(([key, value]) => ({
      sql: 'INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      values: [key, String(value)],
    })),
  },
  { weight: 1, arbitrary: mark.map((key) => ({ sql: 'DELETE FROM state_meta WHERE key = ?', values: [key] })) },
);

/** @returns `done`, or the code of the refusal */
function attempt(db: Db, one: Change): string {
  try {
    db.prepare(one.sql).run(...one.values);
    return 'done';
  } catch (error) {
    return (error as Error & { code: string }).code;
  }
}

function contents(db: Db) {
  db.exec(`CREATE VIRTUAL TABLE temp.base_terms USING fts5vocab('main', 'messages_fts', 'instance');
           CREATE VIRTUAL TABLE temp.trigram_terms USING fts5vocab('main', 'messages_fts_trigram', 'instance');`);
  const rows = db.prepare<[], Record<string, unknown>>('SELECT * FROM messages ORDER BY id').all();
  return {
    // The uid is random; that there is one, of the right form, is all that can be compared.
    rows: rows.map((row) => ({ ...row, message_uid: /^[0-9a-f]{32}$/.test(String(row['message_uid'])) })),
    base: db.prepare('SELECT * FROM temp.base_terms').all(),
    trigram: db.prepare('SELECT * FROM temp.trigram_terms').all(),
    baseSource: db.prepare('SELECT * FROM messages_fts_src').all(),
    trigramSource: db.prepare('SELECT * FROM messages_fts_trigram_src').all(),
  };
}
