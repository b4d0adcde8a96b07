import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { buildEra } from '../../fixtures/eras/build.ts';
import { ERAS } from '../../fixtures/eras/eras.ts';
import { createRandom, type Random } from '../../fixtures/random.ts';
import { generateStore } from '../../fixtures/stores/generate.ts';
import { fillRandomStore } from '../support/random-store.ts';
import { openForWriting } from '../../src/store/open.ts';
import { copyRealStore, hasRealStores, type RealStore } from '../support/real-stores.ts';
import { dumpStore, emptyStore, exportAll, importInto as importAt } from '../support/round-trip.ts';
import { runShell } from '../support/shell.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const now = Date.UTC(2026, 7, 1);

/** On a clock that stands still no progress is shown. */
const importInto = (folder: string, jsonl: string): ReturnType<typeof importAt> => importAt(folder, jsonl, { now: () => now });

/** Two folders: one for the store that is exported, one for the home it is imported into. */
function twoHomes(): { from: string; to: string; store: string; copy: string } {
  const folder = temporaryFolder();
  const from = path.join(folder, 'from');
  const to = path.join(folder, 'to');
  mkdirSync(from);
  mkdirSync(to);
  return { from, to, store: path.join(from, 'state.db'), copy: path.join(to, 'state.db') };
}

function edit(storePath: string, change: (db: BetterSqlite3.Database) => void): void {
  const db = new BetterSqlite3(storePath);
  db.pragma('foreign_keys = OFF');
  db.pragma('recursive_triggers = OFF');
  change(db);
  db.close();
}

/** The columns that the store which was exported has. */
function onlyColumns(rows: Record<string, string>[], like: Record<string, string>[]): Record<string, string>[] {
  const names = Object.keys(like[0] ?? {});
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? 'absent'])));
}

describe.skipIf(!hasRealStores)('a store of Hermes Agent', () => {
  test.each<RealStore>(['hermes-v31-40.db', 'hermes-v31-empty.db'])('comes back from its export to the byte: %s', async (name) => {
    const { from, to, copy } = twoHomes();
    const store = copyRealStore(name, from);
    const jsonl = await exportAll(store);
    const outcome = await importInto(to, jsonl);
    expect(outcome.err).toBe('');
    if (name === 'hermes-v31-empty.db') return expect(outcome.code).toBe(1);
    const restored = dumpStore(copy);
    const original = dumpStore(store);
    expect(restored['sessions']).toEqual(original['sessions']);
    expect(restored['messages']).toEqual(original['messages']);
    expect(restored['session_model_usage']).toEqual(original['session_model_usage']);
    expect(await exportAll(copy)).toBe(jsonl);
  });

  test.each<RealStore>(['hermes-v17-10.db', 'hermes-v17-1000.db'])(
    'of an older layout comes back in every column it has: %s',
    { timeout: 120_000 },
    async (name) => {
      const { from, to, copy } = twoHomes();
      const store = copyRealStore(name, from);
      const outcome = await importInto(to, await exportAll(store));
      expect(outcome).toMatchObject({ code: 0, err: '' });
      const restored = dumpStore(copy);
      const original = dumpStore(store);
      for (const table of ['sessions', 'messages']) {
        expect(onlyColumns(restored[table] ?? [], original[table] ?? [])).toEqual(original[table]);
      }
    },
  );
});

test.each(ERAS)('an export of era %i is imported in every column it has, into a store of today and into one of that era', async (era) => {
  const { from, to, store, copy } = twoHomes();
  buildEra(store, era);
  const original = dumpStore(store);
  const jsonl = await exportAll(store);
  expect(await importInto(to, jsonl)).toMatchObject({ code: 0, err: '' });
  // A row is live unless it says otherwise; in a table of today it says so.
  const live = (rows: Record<string, string>[]): Record<string, string>[] =>
    rows.map((row) => (row['active'] === 'null null' ? { ...row, active: 'number 1' } : row));
  const expectSame = (restored: ReturnType<typeof dumpStore>): void => {
    for (const table of ['sessions', 'messages', 'session_model_usage']) {
      expect(onlyColumns(live(restored[table] ?? []), original[table] ?? [])).toEqual(live(original[table] ?? []));
    }
  };
  expectSame(dumpStore(copy));

  const own = path.join(from, 'own');
  mkdirSync(own);
  const ownStore = path.join(own, 'state.db');
  buildEra(ownStore, era);
  edit(ownStore, (db) => db.exec('DELETE FROM messages; DELETE FROM sessions'));
  if (era >= 20) edit(ownStore, (db) => db.exec('DELETE FROM session_model_usage'));
  expect(await importInto(own, jsonl)).toMatchObject({ code: 0, err: '' });
  expectSame(dumpStore(ownStore));
});

test('a generated store with lineages, branches and delegates comes back to the byte', async () => {
  const { to, store, copy } = twoHomes();
  generateStore(store, { sessions: 300, messagesPerSession: 12, now });
  const jsonl = await exportAll(store);
  expect(await importInto(to, jsonl)).toMatchObject({ code: 0, err: '' });
  expect(dumpStore(copy)).toEqual(dumpStore(store));
  expect(await exportAll(copy)).toBe(jsonl);
});

test('the index of an import is sound, and finds what was said', async () => {
  const { to, store, copy } = twoHomes();
  generateStore(store, { sessions: 20, messagesPerSession: 6, now });
  await importInto(to, await exportAll(store));
  edit(copy, (db) => {
    db.exec("INSERT INTO messages_fts (messages_fts, rank) VALUES ('integrity-check', 1)");
    db.exec("INSERT INTO messages_fts_trigram (messages_fts_trigram, rank) VALUES ('integrity-check', 1)");
    expect(db.pragma('quick_check', { simple: true })).toBe('ok');
    const indexed = db.prepare('SELECT count(*) FROM messages_fts_docsize').pluck().get();
    expect(indexed).toBe(db.prepare('SELECT count(*) FROM messages').pluck().get());
  });
});

/** Cells as other programs, older versions and accidents leave them. */
function hostileValue(random: Random): unknown {
  return random.pick<() => unknown>([
    () => '\u0000json:[{"type":"text","text":"하나"},{"type":"image_url","image_url":{"url":"x"}}]',
    () => '\u0000json:[{"type": "text", "text": "caf\\u00e9"}]',
    () => '\u0000json:[{"type": "text", "text": "café 👩‍👩‍👧"}]',
    () => '\u0000json:{"a":1.0,"a":1e5}',
    () => '\u0000json:[broken',
    () => '\u0000',
    () => 'text \u0000 with a zero',
    () => '[]',
    () => '{"not": "a list"}',
    () => JSON.stringify(JSON.stringify([{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }])),
    () => '[{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{\\"x\\": 1}"}}]',
    () => '[{"id":"c","function":{"name":"f","arguments":{"10":1,"2":2}}}]',
    () => 42,
    () => 9007199254740993n,
    () => 1.5,
    () => Infinity,
    () => Buffer.from([0xff, 0xfe, 0x00, 0x41]),
    () => Buffer.from('plain bytes'),
    () => null,
    () => '\r\n\u2028\ufeff\u202e"\\',
    () => '['.repeat(5000),
    () => '',
  ])();
}

/** A text that is no UTF-8, as a driver without a check binds it. */
const brokenTexts = ["X'EDA080'", "X'48C3'", "X'FF'"];

test('hostile rows come back to the byte', async () => {
  const seed = 20260801;
  const random = createRandom(seed);
  const { to, store, copy } = twoHomes();
  const connection = openForWriting(store, { now: () => now });
  fillRandomStore(connection, random, 60, now);
  connection.close();
  edit(store, (db) => {
    const columns = {
      messages: [
        'content',
        'tool_calls',
        'tool_name',
        'reasoning_details',
        'display_metadata',
        'finish_reason',
        'token_count',
        'message_uid',
        'display_order',
        'display_identity',
        'api_content',
      ],
      sessions: [
        'title',
        'model',
        'model_config',
        'cwd',
        'origin_json',
        'ended_at',
        'message_count',
        'estimated_cost_usd',
        'parent_session_id',
        'tool_names',
        'system_prompt',
      ],
    };
    db.exec('DROP INDEX idx_sessions_title_unique');
    for (const [table, names] of Object.entries(columns)) {
      for (const rowid of db.prepare(`SELECT rowid FROM ${table} ORDER BY rowid LIMIT 400`).pluck().all()) {
        const name = random.pick(names);
        if (table === 'sessions' && name === 'title') continue;
        if (random.chance(0.1))
          db.prepare(`UPDATE ${table} SET ${name} = CAST(${random.pick(brokenTexts)} AS TEXT) WHERE rowid = ?`).run(rowid);
        else db.prepare(`UPDATE ${table} SET ${name} = ? WHERE rowid = ?`).run(hostileValue(random), rowid);
      }
    }
  });
  const jsonl = await exportAll(store);
  expect(await importInto(to, jsonl), `seed ${seed}`).toMatchObject({
    code: 0,
    err: expect.not.stringContaining('could not be read') as string,
  });
  const restored = dumpStore(copy);
  const original = dumpStore(store);
  for (const table of ['sessions', 'messages']) expect(restored[table], `seed ${seed}`).toEqual(original[table]);
  expect(await exportAll(copy)).toBe(jsonl);
});

/** A store of a few sessions, one of them with two segments. */
function smallStore(storePath: string): void {
  generateStore(storePath, { sessions: 6, messagesPerSession: 5, now, seed: 7 });
}

test('imported twice, nothing is changed and it is said', async () => {
  const { to, store, copy } = twoHomes();
  smallStore(store);
  const jsonl = await exportAll(store);
  await importInto(to, jsonl);
  const before = dumpStore(copy);
  const again = await importInto(to, jsonl);
  expect(again).toMatchObject({ code: 0, out: 'Imported 0 sessions, 0 messages.\n6 sessions already here, left as they are.\n' });
  expect(dumpStore(copy)).toEqual(before);
});

test('messages that are missing are put back in their place, and only those', async () => {
  const { to, store, copy } = twoHomes();
  smallStore(store);
  const jsonl = await exportAll(store);
  await importInto(to, jsonl);
  const before = dumpStore(copy);
  const ids = before['messages']!.map((row) => Number(row['id']!.split(' ')[1]));
  edit(copy, (db) => db.prepare('DELETE FROM messages WHERE id IN (?, ?)').run(ids[1], ids.at(-1)));
  const again = await importInto(to, jsonl);
  expect(again.out).toContain('2 missing messages put back into');
  const after = dumpStore(copy);
  expect(after['messages']!.map(({ id, content, message_uid }) => ({ id, content, message_uid }))).toEqual(
    before['messages']!.map(({ id, content, message_uid }) => ({ id, content, message_uid })),
  );
});

test('a message whose place was taken meanwhile is left out, and that is said', async () => {
  const { to, store, copy } = twoHomes();
  smallStore(store);
  const jsonl = await exportAll(store);
  await importInto(to, jsonl);
  const rows = dumpStore(copy)['messages']!;
  const gone = Number(rows[1]!['id']!.split(' ')[1]);
  const stranger = rows.find((row) => row['session_id'] !== rows[1]!['session_id'])!['session_id']!.split(' ')[1];
  edit(copy, (db) => {
    db.prepare('DELETE FROM messages WHERE id = ?').run(gone);
    db.prepare("INSERT INTO messages (id, session_id, role, content, timestamp) VALUES (?, ?, 'user', 'mine', 1)").run(gone, stranger);
  });
  expect((await importInto(to, jsonl)).out).toContain('1 message of');
  expect(dumpStore(copy)['messages']!.find((row) => row['id'] === `number ${gone}`)?.['content']).toBe('string mine');
});

test('into a home with other sessions the row ids are new and the order stays; a taken title gets the next number', async () => {
  const { to, store, copy } = twoHomes();
  smallStore(store);
  edit(store, (db) => db.prepare('UPDATE sessions SET title = ? WHERE rowid = 1').run('Build cache bug'));
  generateStore(copy, { sessions: 3, messagesPerSession: 40, now, seed: 99 });
  edit(copy, (db) => db.prepare('UPDATE sessions SET title = ? WHERE rowid = 1').run('Build cache bug'));
  const outcome = await importInto(to, await exportAll(store));
  expect(outcome.out).toContain("it is now 'Build cache bug #2'");
  const contents = (storePath: string, id: string): unknown[] => {
    const db = new BetterSqlite3(storePath, { readonly: true });
    const found = db.prepare('SELECT content, message_uid FROM messages WHERE session_id = ? ORDER BY id').all(id);
    db.close();
    return found;
  };
  for (const row of dumpStore(store)['sessions']!) {
    const id = row['id']!.replace('string ', '');
    expect(contents(copy, id)).toEqual(contents(store, id));
  }
  const orders = dumpStore(copy)['messages']!.filter((row) => row['display_order'] === 'null null');
  expect(orders).toEqual([]);
});

test('a parent that comes later in the file, or is nowhere, is kept as it is', async () => {
  const { to, store, copy } = twoHomes();
  smallStore(store);
  edit(store, (db) => {
    const [one, two] = db.prepare('SELECT id FROM sessions ORDER BY started_at').pluck().all();
    db.prepare('UPDATE sessions SET parent_session_id = ? WHERE id = ?').run(two, one);
    db.prepare("UPDATE sessions SET parent_session_id = 'nowhere' WHERE id = ?").run(two);
  });
  await importInto(to, await exportAll(store));
  expect(dumpStore(copy)['sessions']).toEqual(dumpStore(store)['sessions']);
});

test('columns nobody knows are kept where the store has them, and named where it has not', async () => {
  const { to, store, copy } = twoHomes();
  smallStore(store);
  edit(store, (db) => db.exec("ALTER TABLE sessions ADD COLUMN mood TEXT; UPDATE sessions SET mood = 'calm'"));
  const jsonl = await exportAll(store);
  expect((await importInto(to, jsonl)).out).toContain('This store has no column for: mood');
  edit(copy, (db) => db.exec('DELETE FROM messages; DELETE FROM sessions; ALTER TABLE sessions ADD COLUMN mood TEXT'));
  expect((await importInto(to, jsonl)).out).not.toContain('mood');
  expect(dumpStore(copy)['sessions']).toEqual(dumpStore(store)['sessions']);
});

test('lines that are no sessions are counted and named, and the others are imported', async () => {
  const { to, store, copy } = twoHomes();
  smallStore(store);
  const lines = (await exportAll(store)).trimEnd().split('\n');
  const broken = [
    lines[0]!,
    'no json at all',
    '{"id":"x","source":"cli"}',
    '[]',
    lines[1]!.slice(0, 400),
    lines[2]!,
    '{"id":{"a":1},"source":"cli","started_at":1,"messages":[]}',
    '{"id":"true","source":true,"started_at":1,"messages":[]}',
    `${lines[3]!.slice(0, -2)},"_raw":{"title":{"$what":"1"}}}`,
    lines[4]!.slice(0, 900),
  ].join('\r\n');
  const outcome = await importInto(to, broken);
  expect(outcome.code).toBe(0);
  expect(outcome.err).toContain('could not be read: 2, 3, 4, 5, 8, 9, 10');
  expect(dumpStore(copy)['sessions']!.length).toBe(3);
});

test('a message in a file that is none costs that message alone', async () => {
  const { to, copy } = twoHomes();
  const line = JSON.stringify({
    id: '20260101_000000_abcdef',
    source: 'cli',
    started_at: 1_767_225_600,
    messages: [
      { role: 'user', content: 'one', timestamp: 1_767_225_601 },
      7,
      { role: 'user' },
      { role: 'user', content: 'two', timestamp: 1_767_225_602 },
    ],
  });
  const outcome = await importInto(to, `${line}\n`);
  expect(outcome).toMatchObject({ code: 0, out: 'Imported 1 session, 2 messages.\n' });
  expect(outcome.err).toContain('1 line could not be read: 1');
  expect(dumpStore(copy)['messages']!.map((row) => row['content'])).toEqual(['string one', 'string two']);
});

test('a session of a line longer than any line that is kept is read message by message', async () => {
  const { to, copy } = twoHomes();
  const file = path.join(to, 'large.jsonl');
  const message = JSON.stringify({ role: 'tool', content: 'x'.repeat(1_000_000), timestamp: 1 });
  writeFileSync(file, '{"id":"large","source":"cli","started_at":1,"messages":[');
  for (let index = 0; index < 100; index++) writeFileSync(file, `${index === 0 ? '' : ','}${message}`, { flag: 'a' });
  writeFileSync(file, '],"exporter":"x"}\n', { flag: 'a' });
  const outcome = await runShell(['sessions', 'import', file], emptyStore(copy));
  expect(outcome.out).toBe('Imported 1 session, 100 messages.\n');
});

test('a session that was compressed here since gets nothing', async () => {
  const { to, store, copy } = twoHomes();
  smallStore(store);
  const jsonl = await exportAll(store);
  await importInto(to, jsonl);
  const id = dumpStore(copy)
    ['sessions']!.find((row) => row['end_reason'] !== 'string compression')!
    ['id']!.replace('string ', '');
  edit(copy, (db) => {
    db.prepare("UPDATE sessions SET ended_at = 1, end_reason = 'compression' WHERE id = ?").run(id);
    db.prepare('DELETE FROM messages WHERE id = (SELECT max(id) FROM messages WHERE session_id = ?)').run(id);
  });
  const before = dumpStore(copy);
  expect((await importInto(to, jsonl)).out).toContain(`${id} was compressed here`);
  expect(dumpStore(copy)).toEqual(before);
});
