import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import type { Database as Db } from '../../src/store/connection.ts';
import { openForWriting } from '../../src/store/open.ts';
import { copyRealStore, hasRealStores } from '../support/real-stores.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const SAME = Buffer.alloc(32, 7);

function ourStore(): Db {
  return openForWriting(join(temporaryFolder(), 'state.db'), { now: () => 0 }).db;
}

function hermesStore(): Db {
  const db = new Database(copyRealStore('hermes-v31-empty.db', temporaryFolder()));
  db.pragma('recursive_triggers = OFF');
  return db;
}

function addSession(db: Db, id: string, source = 'cli', config: string | null = null): void {
  db.prepare('INSERT INTO sessions (id, source, model_config, started_at) VALUES (?, ?, ?, 1)').run(id, source, config);
}

interface Row {
  session?: string;
  role?: string;
  content?: string | null;
  tool?: string | null;
  calls?: string | null;
  identity?: Buffer | null;
  active?: number;
  compacted?: number;
}

function addMessage(db: Db, row: Row = {}): number {
  const insert =
    db.prepare(`INSERT INTO messages (session_id, role, content, tool_name, tool_calls, display_identity, active, compacted, timestamp)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)`);
  const { session = 's', role = 'user', content = 'hello', tool = null, calls = null, identity = null, active = 1, compacted = 0 } = row;
  return Number(insert.run(session, role, content, tool, calls, identity, active, compacted).lastInsertRowid);
}

const orders = (db: Db) => db.prepare<[], number | null>('SELECT display_order FROM messages ORDER BY id').pluck().all();

const hits = (db: Db, table: string, word: string) =>
  db.prepare<[string], number>(`SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid`).pluck().all(`"${word}"`);

const isInStep = (db: Db, table: string) => {
  try {
    db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`).run();
    return true;
  } catch {
    return false;
  }
};

const setMeta = (db: Db, key: string, value: string) =>
  db.prepare('INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, ?)').run(key, value);

/** Both stores must answer alike: what is said here is what the layout means, not what we made of it. */
const stores: [string, () => Db][] = [['a store of ours', ourStore]];
if (hasRealStores) stores.push(['a store of Hermes Agent', hermesStore]);

describe.each(stores)('%s', (_, open) => {
  test('gives a message without a uid 32 random hex digits and keeps one that is given', () => {
    const db = open();
    addSession(db, 's');
    addMessage(db);
    addMessage(db);
    db.prepare("INSERT INTO messages (session_id, role, timestamp, message_uid) VALUES ('s', 'user', 1, 'kept')").run();
    const uids = db.prepare<[], string>('SELECT message_uid FROM messages ORDER BY id').pluck().all();
    expect(uids[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(uids[1]).not.toBe(uids[0]);
    expect(uids[2]).toBe('kept');
  });

  test('a message is displayed where it was written, a copy where its original is', () => {
    const db = open();
    addSession(db, 's');
    addSession(db, 'other');
    addMessage(db);
    addMessage(db, { identity: SAME });
    addMessage(db, { identity: SAME });
    addMessage(db, { identity: SAME, session: 'other' });
    addMessage(db, { identity: SAME, active: 0 });
    expect(orders(db)).toEqual([1, 2, 2, 4, 2]);
  });

  test('an undone original does not lend its place', () => {
    const db = open();
    addSession(db, 's');
    addMessage(db, { identity: SAME, active: 0 });
    addMessage(db, { identity: SAME });
    expect(orders(db)).toEqual([1, 2]);
  });

  test('undoing the first of several copies leaves the place of the next', () => {
    const db = open();
    addSession(db, 's');
    for (let count = 0; count < 3; count += 1) addMessage(db, { identity: SAME });
    db.exec('UPDATE messages SET active = 0 WHERE id = 1');
    expect(orders(db)).toEqual([1, 2, 2]);
    db.exec('UPDATE messages SET active = 1 WHERE id = 1');
    expect(orders(db)).toEqual([1, 1, 1]);
  });

  test('a row that comes back takes the smaller of its own id and the place of its copies', () => {
    const db = open();
    addSession(db, 's');
    for (let count = 0; count < 3; count += 1) addMessage(db, { identity: SAME });
    db.exec('UPDATE messages SET active = 0 WHERE id IN (1, 3)');
    db.exec('UPDATE messages SET display_order = 1 WHERE id = 3');
    db.exec('UPDATE messages SET active = 1 WHERE id = 3');
    expect(orders(db)).toEqual([1, 2, 2]);
  });

  test('archiving by compaction changes no place', () => {
    const db = open();
    addSession(db, 's');
    for (let count = 0; count < 2; count += 1) addMessage(db, { identity: SAME });
    db.exec('UPDATE messages SET active = 0, compacted = 1 WHERE id = 1');
    expect(orders(db)).toEqual([1, 1]);
  });

  test('deleting the first copy leaves the place of the next; deleting an undone one changes nothing', () => {
    const db = open();
    addSession(db, 's');
    for (let count = 0; count < 3; count += 1) addMessage(db, { identity: SAME });
    db.exec('DELETE FROM messages WHERE id = 1');
    expect(orders(db)).toEqual([2, 2]);
    db.exec('UPDATE messages SET active = 0, display_order = 9 WHERE id = 2');
    db.exec('UPDATE messages SET display_order = 8 WHERE id = 3');
    db.exec('DELETE FROM messages WHERE id = 2');
    expect(orders(db)).toEqual([8]);
  });

  test.each(['role', 'content', 'timestamp', 'tool_call_id', 'tool_calls', 'tool_name', 'display_kind'])(
    'changing %s forgets the identity of the row and its copies, and only a real change does',
    (column) => {
      const db = open();
      addSession(db, 's');
      for (let count = 0; count < 2; count += 1) addMessage(db, { identity: SAME });
      addMessage(db);
      db.exec(`UPDATE messages SET ${column} = ${column} WHERE id = 1`);
      expect(orders(db)).toEqual([1, 1, 3]);
      db.exec(`UPDATE messages SET ${column} = 12345 WHERE id = 1`);
      expect(orders(db)).toEqual([null, null, 3]);
      expect(db.prepare('SELECT count(*) FROM messages WHERE display_identity IS NOT NULL').pluck().get()).toBe(0);
    },
  );

  test('indexes content, tool names and tool arguments, and follows every change of them', () => {
    const db = open();
    addSession(db, 's');
    addMessage(db, { role: 'assistant', content: 'alpha', tool: 'terminal', calls: '[{"arguments":"bravo"}]' });
    expect(hits(db, 'messages_fts', 'alpha')).toEqual([1]);
    expect(hits(db, 'messages_fts', 'terminal')).toEqual([1]);
    expect(hits(db, 'messages_fts', 'bravo')).toEqual([1]);
    expect(hits(db, 'messages_fts_trigram', 'ravo')).toEqual([]);
    db.exec("UPDATE messages SET content = 'charlie' WHERE id = 1");
    expect([hits(db, 'messages_fts', 'alpha'), hits(db, 'messages_fts', 'charlie')]).toEqual([[], [1]]);
    expect(hits(db, 'messages_fts_trigram', 'harli')).toEqual([1]);
    db.exec('DELETE FROM messages');
    expect([hits(db, 'messages_fts', 'charlie'), hits(db, 'messages_fts_trigram', 'harli')]).toEqual([[], []]);
    expect([isInStep(db, 'messages_fts'), isInStep(db, 'messages_fts_trigram')]).toEqual([true, true]);
  });

  test('indexes the first 8192 characters of a tool result and all of anything else', () => {
    const db = open();
    addSession(db, 's');
    const long = `${'가'.repeat(8185)} inside`;
    addMessage(db, { role: 'tool', content: `${long} beyond`, tool: 'read' });
    addMessage(db, { role: 'user', content: `${long} beyond` });
    addMessage(db, { role: 'tool', content: null, tool: 'read' });
    expect(long).toHaveLength(8192);
    expect(hits(db, 'messages_fts', 'inside')).toEqual([1, 2]);
    expect(hits(db, 'messages_fts', 'beyond')).toEqual([2]);
    expect(db.prepare('SELECT content FROM messages_fts_src WHERE id = 3').pluck().get()).toBe('');
    db.exec("UPDATE messages SET role = 'user' WHERE id = 1");
    expect(hits(db, 'messages_fts', 'beyond')).toEqual([1, 2]);
    expect([isInStep(db, 'messages_fts'), isInStep(db, 'messages_fts_trigram')]).toEqual([true, true]);
  });

  test.each<[string, string, string | null, boolean]>([
    ['an ordinary session', 'cli', null, true],
    ['an ordinary session with settings', 'telegram', '{"model":"m"}', true],
    ['a session whose settings are broken', 'cli', '{"_delegate_from":', true],
    ['a scheduled job', 'cron', null, false],
    ['a sub-agent by its source', 'subagent', null, false],
    ['a sub-agent by its marker', 'cli', '{"_delegate_from":"p"}', false],
  ])('substring search covers %s: %s %s %s', (__, source, config, isCovered) => {
    const db = open();
    addSession(db, 's', source, config);
    addMessage(db, { content: '회의록정리완료' });
    addMessage(db, { content: '회의록정리완료', role: 'tool' });
    expect(hits(db, 'messages_fts_trigram', '회의록')).toEqual(isCovered ? [1] : []);
    expect(isInStep(db, 'messages_fts_trigram')).toBe(true);
    db.exec("UPDATE messages SET content = '데이터베이스' WHERE id = 1");
    expect(hits(db, 'messages_fts_trigram', '이터베')).toEqual(isCovered ? [1] : []);
    db.exec('DELETE FROM messages WHERE id = 1');
    expect(isInStep(db, 'messages_fts_trigram')).toBe(true);
  });

  test('while a rebuild is under way only rows above its start or behind its progress are touched', () => {
    const db = open();
    addSession(db, 's');
    setMeta(db, 'fts_rebuild_high_water', '3');
    setMeta(db, 'fts_rebuild_progress', '1');
    for (let count = 0; count < 4; count += 1) addMessage(db, { content: 'window' });
    expect(hits(db, 'messages_fts', 'window')).toEqual([1, 4]);
    expect(hits(db, 'messages_fts_trigram', 'window')).toEqual([1, 4]);
    db.exec("UPDATE messages SET content = 'changed'");
    expect(hits(db, 'messages_fts', 'changed')).toEqual([1, 4]);
    db.exec('DELETE FROM messages WHERE id IN (2, 4)');
    expect(hits(db, 'messages_fts', 'changed')).toEqual([1]);
  });
});
