import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openForReading, openForWriting, StoppedError } from '../../src/store/open.ts';
import { createTableSql, tableNamed } from '../../src/store/schema/tables.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const now = () => 1_780_000_000_000;

function makeStore(): string {
  const path = join(temporaryFolder(), 'state.db');
  const connection = openForWriting(path, { now });
  connection.db.exec(`INSERT INTO sessions (id, source, started_at) VALUES ('a', 'tui', 1), ('b', 'cli', 2)`);
  connection.close();
  return path;
}

test('looking makes no store and no folder', () => {
  const folder = temporaryFolder();
  expect(() => openForReading(join(folder, 'home', 'state.db'), { now })).toThrow();
  expect(readdirSync(folder)).toEqual([]);
});

test('looking changes no byte and can not write', () => {
  const path = makeStore();
  const hash = () => createHash('sha256').update(readFileSync(path)).digest('hex');
  const before = hash();
  const connection = openForReading(path, { now });
  expect(connection.isWritable).toBe(false);
  expect(() => connection.db.exec('DELETE FROM sessions')).toThrow(/readonly/);
  expect(connection.statement('SELECT count(*) FROM sessions').pluck().get()).toBe(2);
  connection.close();
  connection.close();
  expect(hash()).toBe(before);
});

test('a closed store stands alone: nothing of its making is left beside it', () => {
  const path = makeStore();
  expect(readdirSync(join(path, '..'))).toEqual(['state.db']);
});

test('the shape follows what another program adds, when it is asked to', () => {
  const path = makeStore();
  const connection = openForReading(path, { now });
  expect(connection.refreshShape()).toBe(false);
  const other = new Database(path);
  other.exec('CREATE TABLE extra (one TEXT, two TEXT); CREATE INDEX extra_two ON extra (two)');
  other.close();
  expect(connection.has('extra')).toBe(false);
  expect(connection.refreshShape()).toBe(true);
  expect([connection.has('extra', 'two'), connection.has('extra', 'three'), connection.has('nothing')]).toEqual([true, false, false]);
  expect(connection.shape.indexes.has('extra_two')).toBe(true);
  connection.close();
});

test('columns of full-text tables are known without loading them', () => {
  const connection = openForReading(makeStore(), { now });
  expect([...(connection.shape.columns.get('messages_fts') ?? [])]).toEqual(['content', 'tool_name', 'tool_calls']);
  expect([...(connection.shape.columns.get('messages_fts_trigram') ?? [])]).toEqual(['content', 'tool_name']);
  connection.close();
});

test('a statement is prepared once', () => {
  const connection = openForReading(makeStore(), { now });
  expect(connection.statement('SELECT 1')).toBe(connection.statement('SELECT 1'));
  connection.close();
});

test('a statement can be stopped from inside, row by row', () => {
  let rows = 0;
  const connection = openForReading(makeStore(), { now, isStopped: () => ++rows > 1000 });
  const sql = 'WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE hermes_stopped(i) = 0';
  expect(() => connection.statement(sql).get()).toThrow(StoppedError);
  expect(rows).toBe(1001);
  connection.close();
});

test('where nobody stops, the question costs an answer of 0', () => {
  const path = makeStore();
  for (const connection of [openForReading(path, { now }), openForWriting(path, { now })]) {
    expect(connection.statement('SELECT id FROM sessions WHERE hermes_stopped(id) = 0 ORDER BY id').pluck().all()).toEqual(['a', 'b']);
    connection.close();
  }
});

test('a second opening of the same path uses the store that is there', () => {
  const path = makeStore();
  const first = openForWriting(path, { now });
  const second = openForWriting(path, { now });
  const generation = (one: typeof first) => one.statement("SELECT value FROM state_meta WHERE key = 'db_file_generation'").pluck().get();
  expect(generation(first)).toBe(generation(second));
  first.close();
  second.close();
});

test('the layout is written in a notation that takes no half-written column', () => {
  expect(createTableSql(tableNamed('state_meta'))).toBe(
    'CREATE TABLE IF NOT EXISTS state_meta (\n  key TEXT PRIMARY KEY,\n  value TEXT\n)',
  );
  expect(createTableSql(tableNamed('gateway_routing'))).toContain('PRIMARY KEY (scope, session_key)');
  expect(() => tableNamed('nothing')).toThrow(TypeError);
});
