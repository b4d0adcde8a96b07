import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeDemoConversations } from '../../fixtures/stores/demo-sessions.ts';
import { makeDemoStore } from '../../fixtures/stores/demo-store.ts';
import { generateStore } from '../../fixtures/stores/generate.ts';

const now = Date.UTC(2026, 8, 30, 12);

function inFolder(make: (file: string) => void): BetterSqlite3.Database {
  const folder = mkdtempSync(path.join(tmpdir(), 'hermes-generator-'));
  const file = path.join(folder, 'state.db');
  make(file);
  const db = new BetterSqlite3(file);
  onTestFinished(() => {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return db;
}

const value = (db: BetterSqlite3.Database, sql: string): unknown => db.prepare(sql).pluck().get();

/** Everything another program would check before it trusts the file. */
function expectSound(db: BetterSqlite3.Database): void {
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(db.pragma('foreign_key_check')).toEqual([]);
  for (const table of ['messages_fts', 'messages_fts_trigram'])
    db.exec(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
  expect(value(db, 'SELECT count(*) FROM messages WHERE message_uid IS NULL OR display_order IS NULL')).toBe(0);
  expect(
    value(db, 'SELECT count(*) FROM sessions s WHERE message_count <> (SELECT count(*) FROM messages m WHERE m.session_id = s.id)'),
  ).toBe(0);
  expect(value(db, 'SELECT max(timestamp) FROM messages')).toBeLessThan(now / 1000);
}

describe('a generated store', () => {
  test('has exactly the rows asked for, of every kind, and is sound', () => {
    const db = inFolder((file) => generateStore(file, { sessions: 600, messagesPerSession: 6, now }));
    expect(value(db, 'SELECT count(*) FROM sessions')).toBe(600);
    expect(value(db, 'SELECT count(*) FROM messages')).toBe(3600);
    for (const where of [
      "end_reason = 'compression'",
      "json_extract(model_config, '$._branched_from') IS NOT NULL",
      "json_extract(model_config, '$._delegate_from') IS NOT NULL",
      'archived = 1',
      'pinned = 1',
      'ended_at IS NULL',
      'title IS NULL',
      "title GLOB '*[가-힣]*'",
      "source = 'telegram'",
      'cwd IS NULL',
    ]) {
      expect(value(db, `SELECT count(*) FROM sessions WHERE ${where}`), where).toBeGreaterThan(0);
    }
    expectSound(db);
  });

  test('keeps the triggers and indexes of the layout: the next message is indexed and ordered', () => {
    const db = inFolder((file) => generateStore(file, { sessions: 5, messagesPerSession: 4, now }));
    const plain = inFolder((file) => generateStore(file, { sessions: 1, messagesPerSession: 1, now, hasSearchIndex: false }));
    const names = (of: BetterSqlite3.Database): unknown => of.prepare('SELECT type, name FROM sqlite_master ORDER BY 1, 2').all();
    expect(names(db)).toEqual(names(plain));
    const id = value(db, 'SELECT id FROM sessions LIMIT 1');
    db.prepare("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', 'zebrafinch', 1)").run(id);
    expect(value(db, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'zebrafinch'")).toBe(1);
  });

  test('is the same for the same recipe, and another for another seed', () => {
    const read = (seed: number): unknown =>
      inFolder((file) => generateStore(file, { sessions: 20, messagesPerSession: 4, now, seed }))
        .prepare('SELECT m.content, s.title, s.id FROM messages m JOIN sessions s ON s.id = m.session_id ORDER BY m.id')
        .all();
    expect(read(3)).toEqual(read(3));
    expect(read(3)).not.toEqual(read(4));
  });
});

test('the store of the demo holds two dozen conversations and is sound', () => {
  const db = inFolder((file) => makeDemoStore(file, '/demo', now));
  expect(makeDemoConversations('/demo').length).toBeGreaterThanOrEqual(24);
  expect(value(db, 'SELECT count(*) FROM sessions')).toBe(makeDemoConversations('/demo').length);
  expectSound(db);
});
