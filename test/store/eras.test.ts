import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { buildEra } from '../../fixtures/eras/build.ts';
import { type Era, ERAS } from '../../fixtures/eras/eras.ts';
import type { Database as Db } from '../../src/store/connection.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { layoutStatements } from '../../src/store/schema/create.ts';
import { missingStatements, NEEDED_COLUMNS } from '../../src/store/schema/reconcile.ts';
import { columnSql, TABLES } from '../../src/store/schema/tables.ts';
import { copyRealStore, hasRealStores, type RealStore } from '../support/real-stores.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const now = () => 1_780_000_000_000;

interface Subject {
  name: string;
  version: number;
  isReal: boolean;
  make: () => string;
}

const eras: Subject[] = ERAS.map((era) => ({
  name: `a store of version ${era}`,
  version: era,
  isReal: false,
  make: () => {
    const path = join(temporaryFolder(), 'state.db');
    buildEra(path, era);
    return path;
  },
}));
const real: Subject[] = (['hermes-v17-10.db', 'hermes-v17-1000.db', 'hermes-v31-empty.db', 'hermes-v31-40.db'] as RealStore[]).map(
  (name) => ({
    name,
    isReal: true,
    version: Number(/v(\d+)/.exec(name)?.[1]),
    make: () => copyRealStore(name, temporaryFolder()),
  }),
);
const subjects = hasRealStores ? [...eras, ...real] : eras;

/** Every value of every row of the ordinary tables, in the columns that were there; by table. */
function dump(db: Db, columns: ReadonlyMap<string, readonly string[]>): Record<string, string[]> {
  const result: Record<string, string[]> = {};
  for (const [table, names] of columns) {
    const values = names.map((name) => `quote("${name}")`).join(` || '|' || `);
    result[table] = db.prepare<[], string>(`SELECT ${values} FROM "${table}" ORDER BY rowid`).pluck().all();
  }
  return result;
}

/** Ordinary tables without the shadows of full-text tables and without SQLite's own counters. */
function ordinaryColumns(db: Db): Map<string, string[]> {
  const names = db
    .prepare<[], string>(`SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`)
    .pluck()
    .all();
  const own = names.filter((name) => !name.startsWith('messages_fts') && !name.startsWith('sqlite_'));
  return new Map(own.map((name) => [name, (db.pragma(`table_info(${name})`) as { name: string }[]).map((column) => column.name)]));
}

const schema = (db: Db) => db.prepare<[], { name: string; sql: string | null }>('SELECT name, sql FROM sqlite_master ORDER BY name').all();
const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

/**
 * What SQLite's own checks say; rank 1 compares an index with the text it stands for as well. A trigram index that an older SQLite filled
 * differs where a text has a NUL (docs/session-store.md), so a file of another program is compared with itself, before and after.
 */
function health(db: Db): string[] {
  const findings = [String(db.pragma('integrity_check', { simple: true })), JSON.stringify(db.pragma('foreign_key_check'))];
  for (const table of ['messages_fts', 'messages_fts_trigram']) {
    if (db.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(table) === undefined) continue;
    try {
      db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`).run();
    } catch (error) {
      findings.push(`${table} ${(error as Error & { code: string }).code}`);
    }
  }
  return findings;
}

const SOUND = ['ok', '[]'];

function inspect<T>(path: string, look: (db: Db) => T): T {
  const db = new Database(path);
  try {
    db.pragma('recursive_triggers = OFF');
    return look(db);
  } finally {
    db.close();
  }
}

describe.each(subjects)('$name', ({ version, isReal, make }) => {
  test('is read as it is: not a byte changes', () => {
    const path = make();
    const before = hash(path);
    const connection = openForReading(path, { now });
    expect(connection.shape.version).toBe(version);
    expect(connection.shape.fts).toBe(version < 11 ? 'v1-content' : version < 23 ? 'legacy-inline' : 'external');
    expect(connection.shape.hasTrigram).toBe(version >= 10);
    expect(connection.statement('SELECT count(*) FROM sessions').pluck().get()).toEqual(expect.any(Number));
    connection.close();
    expect(hash(path)).toBe(before);
  });

  test('gets what is needed before the first row and nothing else; every row stays as it was', () => {
    const path = make();
    const columns = inspect(path, ordinaryColumns);
    const before = inspect(path, (db) => ({
      health: health(db),
      rows: dump(db, columns),
      schema: schema(db),
      applicationId: db.pragma('application_id', { simple: true }),
    }));

    const connection = openForWriting(path, { now });
    const added = connection.db;
    added.exec(`INSERT INTO sessions (id, source, started_at) VALUES ('new', 'tui', 1780000000)`);
    const insert = added.prepare(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('new', ?, ?, ?)`);
    insert.run('user', 'zebrafinch 얼룩말핀치', 1_780_000_000);
    insert.run('assistant', 'noted', 1_780_000_001);
    added.exec(`UPDATE messages SET content = 'noted twice' WHERE session_id = 'new' AND role = 'assistant'`);
    const found = (word: string) =>
      added
        .prepare(`SELECT m.session_id FROM messages_fts JOIN messages AS m ON m.id = messages_fts.rowid WHERE messages_fts MATCH ?`)
        .pluck()
        .all(word);
    expect([found('zebrafinch'), found('twice')]).toEqual([['new'], ['new']]);
    expect(health(added)).toEqual(before.health);
    if (!isReal) expect(before.health).toEqual(SOUND);
    connection.close();

    const after = inspect(path, (db) => ({
      rows: dump(db, columns),
      schema: schema(db),
      applicationId: db.pragma('application_id', { simple: true }),
    }));
    const newRows: Record<string, number> = { sessions: 1, messages: 2 };
    for (const [table, rows] of Object.entries(before.rows)) {
      expect(after.rows[table]?.slice(0, rows.length), table).toEqual(rows);
      expect(after.rows[table], table).toHaveLength(rows.length + (newRows[table] ?? 0));
    }
    expect(after.applicationId).toBe(before.applicationId);
    // Tables may have grown by columns; every other definition is untouched.
    const definitions = new Map(after.schema.map(({ name, sql }) => [name, sql]));
    for (const { name, sql } of before.schema) {
      if (columns.has(name))
        expect(definitions.get(name)?.startsWith((sql as string).replace(/\s*\)\s*$/, '').slice(0, 60)), name).toBe(true);
      else expect(definitions.get(name), name).toBe(sql);
    }
  });

  test('opening it for writing a second time changes nothing', () => {
    const path = make();
    openForWriting(path, { now }).close();
    const first = inspect(path, schema);
    openForWriting(path, { now }).close();
    expect(inspect(path, schema)).toEqual(first);
  });

  test('what somebody else added to it survives and works', () => {
    const path = make();
    inspect(path, (db) => {
      db.exec(`CREATE TABLE their_notes (id INTEGER PRIMARY KEY, note TEXT);
               INSERT INTO their_notes (note) VALUES ('keep');
               ALTER TABLE sessions ADD COLUMN their_mood TEXT DEFAULT 'calm';
               CREATE INDEX their_index ON sessions (their_mood);
               CREATE TRIGGER their_trigger AFTER INSERT ON sessions BEGIN INSERT INTO their_notes (note) VALUES (new.id); END;`);
    });
    const connection = openForWriting(path, { now });
    connection.db.exec(`INSERT INTO sessions (id, source, started_at) VALUES ('new', 'tui', 1)`);
    expect(connection.has('their_notes', 'note')).toBe(true);
    expect(connection.has('sessions', 'their_mood')).toBe(true);
    connection.close();
    inspect(path, (db) => {
      expect(db.prepare('SELECT note FROM their_notes').pluck().all()).toEqual(['keep', 'new']);
      expect(db.prepare(`SELECT their_mood FROM sessions WHERE id = 'new'`).pluck().get()).toBe('calm');
      expect(db.prepare(`SELECT count(*) FROM sqlite_master WHERE name IN ('their_index', 'their_trigger')`).pluck().get()).toBe(2);
    });
  });

  test('the other program can still bring it to the newest layout by adding what is missing', () => {
    const path = make();
    const before = inspect(path, health);
    openForWriting(path, { now }).close();
    inspect(path, (db) => {
      expect(db.prepare('SELECT version FROM schema_version').pluck().all()).toEqual([version]);
      for (const { name, columns } of TABLES) {
        const present = new Set((db.pragma(`table_info(${name})`) as { name: string }[]).map((column) => column.name));
        if (present.size === 0) continue;
        for (const column of columns) {
          if (present.has(column.name)) continue;
          db.exec(`ALTER TABLE ${name} ADD COLUMN ${columnSql(column)}`);
        }
      }
      // Declared type and default of every column, wherever it came from.
      for (const table of ['sessions', 'messages']) {
        const declared = new Map(TABLES.find((spec) => spec.name === table)?.columns.map((column) => [column.name, column]));
        for (const column of db.pragma(`table_info(${table})`) as { name: string; type: string; dflt_value: string | null }[]) {
          const spec = declared.get(column.name);
          expect([column.type, column.dflt_value ?? undefined], column.name).toEqual([
            spec?.type,
            isOldActive(version, column.name) ? undefined : spec?.defaultValue,
          ]);
        }
      }
      for (const sql of layoutStatements()) if (!/messages_fts/.test(sql)) db.exec(sql);
      expect(health(db)).toEqual(before);
    });
  });
});

/** The nullable `active` of the fixture for versions 12 to 16 has no default; it was there before. */
function isOldActive(version: number, column: string): boolean {
  return column === 'active' && version >= 12 && version < 17;
}

describe('what is added to a store of another program', () => {
  test.each<[Era, RegExp[]]>([
    [30, []],
    [
      25,
      [
        /ADD COLUMN title_source TEXT$/,
        /ADD COLUMN last_activity_at REAL$/,
        /ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0$/,
        /session_turn_leases/,
      ],
    ],
    [16, [/ADD COLUMN git_repo_root TEXT$/, /INDEX IF NOT EXISTS idx_messages_session_active/]],
    [6, [/ADD COLUMN archived INTEGER NOT NULL DEFAULT 0$/, /TABLE IF NOT EXISTS state_meta/, /TABLE IF NOT EXISTS compression_locks/]],
    [1, [/ADD COLUMN title TEXT$/, /UNIQUE INDEX IF NOT EXISTS idx_sessions_title_unique/, /ADD COLUMN finish_reason TEXT$/]],
  ])('version %i', (era, expected) => {
    const path = join(temporaryFolder(), 'state.db');
    buildEra(path, era);
    const connection = openForReading(path, { now });
    const statements = missingStatements(connection.shape);
    connection.close();
    for (const pattern of expected)
      expect(
        statements.some((sql) => pattern.test(sql)),
        String(pattern),
      ).toBe(true);
    if (expected.length === 0) expect(statements).toEqual([]);
    const never = /message_uid|auto_archived|display_order|TRIGGER|VIEW|fts|schema_version|application_id|user_version|DROP/i;
    expect(statements.filter((sql) => never.test(sql))).toEqual([]);
  });

  test('every needed column is one of the layout and may stand in a row that names it not', () => {
    for (const [table, names] of Object.entries(NEEDED_COLUMNS)) {
      const columns = TABLES.find((spec) => spec.name === table)?.columns ?? [];
      for (const name of names) {
        const column = columns.find((one) => one.name === name);
        expect(column, name).toBeDefined();
        expect(column?.isRequired === true && column.defaultValue === undefined, name).toBe(false);
      }
    }
  });
});

describe('the triggers of a tokenizer this program can not load', () => {
  function withCjkTriggers(): string {
    const path = join(temporaryFolder(), 'state.db');
    openForWriting(path, { now }).close();
    inspect(path, (db) => {
      for (const event of ['INSERT', 'DELETE', 'UPDATE']) {
        db.exec(
          `CREATE TRIGGER messages_fts_cjk_${event.toLowerCase()} AFTER ${event} ON messages BEGIN SELECT RAISE(ABORT, 'no such tokenizer: cjk_unicode61'); END`,
        );
      }
    });
    return path;
  }

  test('stay while the store is only read', () => {
    const path = withCjkTriggers();
    openForReading(path, { now }).close();
    expect(inspect(path, (db) => db.prepare(`SELECT count(*) FROM sqlite_master WHERE name LIKE 'messages_fts_cjk%'`).pluck().get())).toBe(
      3,
    );
  });

  test('are taken away before the first row, and the index is marked as behind', () => {
    const path = withCjkTriggers();
    const connection = openForWriting(path, { now });
    connection.db.exec(`INSERT INTO sessions (id, source, started_at) VALUES ('s', 'tui', 1);
                        INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', 'works', 1);`);
    expect([...connection.shape.triggers].filter((name) => name.includes('cjk'))).toEqual([]);
    expect(connection.db.prepare(`SELECT value FROM state_meta WHERE key = 'fts_cjk_stale'`).pluck().get()).toBe('1');
    connection.close();
  });
});
