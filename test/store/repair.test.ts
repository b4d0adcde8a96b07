import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { copyFileSync, closeSync, openSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildEra } from '../../fixtures/eras/build.ts';
import { ERAS } from '../../fixtures/eras/eras.ts';
import { createRandom } from '../../fixtures/random.ts';
import { checkStore } from '../../src/store/damage.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { copyRealStore, hasRealStores, type RealStore } from '../support/real-stores.ts';
import { runShell } from '../support/shell.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const sqlite = createRequire(import.meta.url).resolve('better-sqlite3');
const now = () => Date.parse('2026-06-01T12:00:00Z');

function makeStore(journalMode: 'wal' | 'delete' = 'wal', sessions = 40, messages = 60): string {
  const path = join(temporaryFolder(), 'state.db');
  const { db, close } = openForWriting(path, { now, journalMode });
  db.transaction(() => {
    for (let at = 0; at < sessions; at += 1) {
      const parent = at % 5 === 1 ? `s${at - 1}` : null;
      db.prepare(
        `INSERT INTO sessions (id, source, started_at, title, parent_session_id, message_count) VALUES (?, 'cli', ?, ?, ?, ?)`,
      ).run(`s${at}`, 1000 + at, `title ${at}`, parent, messages);
      for (let row = 0; row < messages; row += 1) {
        db.prepare(`INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)`).run(
          `s${at}`,
          `message ${row} of ${at} 회의록 ${'filler '.repeat(20)}`,
          1000 + at * 100 + row,
        );
      }
    }
  })();
  close();
  return path;
}

/** Pages of a table's or an index's b-tree. */
function pagesOf(path: string, name: string, kind: 'leaf' | 'internal' = 'leaf'): readonly number[] {
  const db = new Database(path, { readonly: true });
  const pages = db
    .prepare<[string, string], number>('SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY path')
    .pluck()
    .all(name, kind);
  db.close();
  return pages;
}

function overwritePage(path: string, page: number, filling = 0xa5): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4096, filling), 0, 4096, (page - 1) * 4096);
  closeSync(file);
}

function rows(path: string, sql: string): unknown[] {
  const connection = openForReading(path, { now });
  const found = connection.statement(sql).raw(true).all();
  connection.close();
  return found;
}

/** Without what a reader of a WAL store leaves. */
const beside = (path: string): readonly string[] =>
  readdirSync(dirname(path))
    .filter((name) => !/^state\.db(-wal|-shm)?$/.test(name))
    .sort();

function expectSound(path: string): void {
  const connection = openForWriting(path, { now });
  expect(checkStore(connection).kind).toBe('ok');
  for (const table of ['messages_fts', 'messages_fts_trigram'])
    connection.db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`);
  expect(connection.db.pragma('foreign_key_check')).toEqual([]);
  connection.close();
}

describe('a store that needs nothing', () => {
  test('no store: says so and makes none', async () => {
    const path = join(temporaryFolder(), 'state.db');
    const { code, out } = await runShell(['sessions', 'repair'], path, { now });
    expect(code).toBe(0);
    expect(out).toMatch(/no session store .* nothing to repair/);
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test('a sound one is called sound and keeps every byte', async () => {
    const path = makeStore();
    const before = readFileSync(path);
    const { code, out } = await runShell(['sessions', 'repair'], path, { now });
    expect([code, out]).toEqual([0, expect.stringMatching(/^The session store is sound/) as string]);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(beside(path)).toEqual([]);
  });
});

describe('what is repaired in place', () => {
  test.each<[string, string, RegExp]>([
    [
      'an index that lacks a message',
      `DROP TRIGGER messages_fts_insert; INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s0', 'user', 'zebrafinch', 5)`,
      /messages_fts_insert/,
    ],
    [
      'a trigger of the trigram table',
      'DROP TRIGGER messages_fts_trigram_delete; DELETE FROM messages WHERE id < 50',
      /messages_fts_trigram_delete/,
    ],
    ['an index another program insists on', 'DROP INDEX idx_messages_session', /idx_messages_session/],
    ['both full-text tables', 'DROP TABLE messages_fts; DROP TABLE messages_fts_trigram', /messages_fts, messages_fts_trigram/],
    [
      'words that were put into the index alone',
      `INSERT INTO messages_fts (rowid, content) VALUES (99999, 'nowhere')`,
      /search index is damaged/,
    ],
  ])('%s', async (_, damage, named) => {
    const path = makeStore();
    const db = new Database(path);
    db.pragma('recursive_triggers = OFF');
    db.exec(damage);
    db.close();
    const before = rows(path, 'SELECT * FROM messages ORDER BY id');

    const looked = await runShell(['sessions', 'repair', '--check-only'], path, { now });
    expect(looked.code).toBe(1);
    expect(looked.out).toMatch(named);
    expect(looked.out).toMatch(/Nothing was changed/);
    expect(beside(path)).toEqual([]);

    const repaired = await runShell(['sessions', 'repair'], path, { now });
    expect(repaired.code).toBe(0);
    expect(repaired.out).toMatch(/is sound/);
    expectSound(path);
    expect(rows(path, 'SELECT * FROM messages ORDER BY id')).toEqual(before);
    const [copy = '', ...more] = beside(path);
    expect([copy, more]).toEqual([expect.stringMatching(/^state\.db\.before-repair-\d{8}-\d{6}$/) as string, []]);
    expect(statSync(join(dirname(path), copy)).mode & 0o777).toBe(0o600);
    expect(rows(join(dirname(path), copy), 'SELECT * FROM messages ORDER BY id')).toEqual(before);
  });

  test('--no-backup keeps no copy', async () => {
    const path = makeStore();
    new Database(path).exec('DROP INDEX idx_messages_session').close();
    expect((await runShell(['sessions', 'repair', '--no-backup'], path, { now })).code).toBe(0);
    expect(beside(path)).toEqual([]);
  });

  test('what belongs to another layout is named, and left to its program', async () => {
    const path = makeStore();
    new Database(path).exec('DROP TRIGGER messages_fts_insert; UPDATE schema_version SET version = 29').close();
    const before = readFileSync(path);
    const { code, out } = await runShell(['sessions', 'repair'], path, { now });
    expect(code).toBe(1);
    expect(out).toMatch(/for Hermes Agent to make: messages_fts_insert/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('an index that Hermes Agent is rebuilding is not remade', async () => {
    const path = makeStore();
    new Database(path)
      .exec(
        `DROP TRIGGER messages_fts_insert; INSERT INTO state_meta VALUES ('fts_rebuild_high_water', '10'), ('fts_rebuild_progress', '2')`,
      )
      .close();
    const { code, out } = await runShell(['sessions', 'repair'], path, { now });
    expect([code, out]).toEqual([1, expect.stringMatching(/for Hermes Agent to make: messages_fts_insert/) as string]);
  });
});

describe('damaged pages', () => {
  const answers = { no: [['n'], /Cancelled/], nothing: [[], /Cancelled/] } as const;
  test.each(Object.keys(answers) as (keyof typeof answers)[])(
    'answered with %s, the damaged store keeps every byte and nothing stays beside it',
    async (answer) => {
      const path = makeStore('delete');
      overwritePage(path, pagesOf(path, 'messages')[3]!);
      const before = readFileSync(path);
      const { code, out } = await runShell(['sessions', 'repair'], path, { now, typed: answers[answer][0] });
      expect([code, out]).toEqual([0, expect.stringMatching(answers[answer][1]) as string]);
      expect(readFileSync(path).equals(before)).toBe(true);
      expect(beside(path)).toEqual([]);
    },
  );

  test.each<['wal' | 'delete']>([['wal'], ['delete']])(
    '%s: everything outside of the bad page is saved, counted, and in place after a yes',
    async (mode) => {
      const path = makeStore(mode);
      const whole = rows(path, 'SELECT * FROM messages ORDER BY id') as unknown[][];
      const sessions = rows(path, 'SELECT * FROM sessions ORDER BY id');
      const db = new Database(path, { readonly: true });
      const bad = pagesOf(path, 'messages')[7]!;
      const inBadPage = Number(db.prepare(`SELECT sum(ncell) FROM dbstat WHERE pageno = ?`).pluck().get(bad));
      db.close();
      overwritePage(path, bad);
      const damaged = readFileSync(path);

      const looked = await runShell(['sessions', 'repair', '--check-only'], path, { now });
      expect([looked.code, looked.out]).toEqual([1, expect.stringMatching(/^Pages of the session store are damaged/) as string]);
      expect(readFileSync(path).equals(damaged)).toBe(true);

      const { code, out } = await runShell(['sessions', 'repair'], path, { now, typed: ['y'] });
      expect(code).toBe(0);
      expect(out).toContain(`messages: ${String(whole.length - inBadPage).replace(/(\d)(\d{3})$/, '$1,$2')} saved, ${inBadPage} lost`);
      expect(out).toContain('sessions: 40 saved, none lost');
      expectSound(path);
      const after = rows(path, 'SELECT * FROM messages ORDER BY id') as unknown[][];
      expect(after).toHaveLength(whole.length - inBadPage);
      const byId = new Map(whole.map((row) => [row[0], row]));
      for (const row of after) expect(row).toEqual(byId.get(row[0]));
      expect(rows(path, 'SELECT * FROM sessions ORDER BY id')).toEqual(sessions);
      expect(rows(path, 'PRAGMA journal_mode')).toEqual([[mode]]);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      const [kept = ''] = beside(path);
      expect(kept).toMatch(/^state\.db\.damaged-\d{8}-\d{6}$/);
      expect(readFileSync(join(dirname(path), kept)).equals(damaged)).toBe(true);

      // Ids go on where they were, also behind lost rows.
      const next = openForWriting(path, { now });
      const id = next.db
        .prepare(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s0', 'user', 'next', 1)`)
        .run().lastInsertRowid;
      expect(Number(id)).toBe(whole.length + 1);
      next.close();
    },
  );

  test('sessions whose rows are gone are put back around their messages; those without any are named', async () => {
    const path = makeStore('delete');
    const add = openForWriting(path, { now });
    for (let at = 0; at < 40; at += 1)
      add.db.prepare(`INSERT INTO sessions (id, source, started_at) VALUES (?, 'cli', 1)`).run(`silent${at}`);
    add.close();
    const leaves = pagesOf(path, 'sessions');
    overwritePage(path, leaves[0]!);
    overwritePage(path, leaves.at(-1)!);
    const { code, out } = await runShell(['sessions', 'repair', '--yes'], path, { now });
    expect(code).toBe(0);
    expect(out).toMatch(/\d+ sessions whose own rows are lost were put back around their messages\./);
    expect(out).toMatch(/Lost for good: silent/);
    expectSound(path);
    expect(rows(path, 'SELECT count(*) FROM messages')).toEqual([[2400]]);
    expect(rows(path, `SELECT count(*) FROM sessions WHERE source = 'recovered' AND message_count = 60`)[0]).not.toEqual([0]);
  });

  test('a store whose b-tree lost its root gives what its rows can, and says when that is nothing', async () => {
    const path = makeStore('delete');
    overwritePage(path, pagesOf(path, 'messages', 'internal')[0]!);
    const { code, out } = await runShell(['sessions', 'repair', '--yes'], path, { now });
    expect(code).toBe(0);
    expect(out).toContain('messages: 0 saved, 2,400 lost');
    expect(out).toContain('sessions: 40 saved, none lost');
    expectSound(path);
  });

  test.each([1, 7, 100_000])('a store that lost its last %i pages or bytes gives all the others', async (cut) => {
    const path = makeStore();
    const { size } = statSync(path);
    truncateSync(path, size - (cut < 100 ? cut * 4096 : cut));
    const before = readFileSync(path);
    const { out, code } = await runShell(['sessions', 'repair', '--yes'], path, { now });
    expect(out).toContain('The salvaged store is in place.');
    expect(code).toBe(0);
    expect(checkStore(openForReading(path, { now })).kind).toBe('ok');
    const saved = Number(/messages: ([\d,]+) saved/.exec(out)?.[1]?.replaceAll(',', ''));
    expect(saved).toBeGreaterThan(1000);
    expect(rows(path, 'SELECT count(*) FROM messages')).toEqual([[saved]]);
    const damaged = readdirSync(dirname(path)).find((name) => name.includes('.damaged-'));
    expect(readFileSync(join(dirname(path), damaged!)).equals(before)).toBe(true);
  });

  test('a store whose schema is gone is left as it is, with exit code 1', async () => {
    const path = makeStore('delete');
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(3900, 0x5a), 0, 3900, 100);
    closeSync(file);
    const before = readFileSync(path);
    const { code, error } = await runShell(['sessions', 'repair', '--yes'], path, { now });
    expect([code, error?.code]).toEqual([1, 'store-corrupt']);
    expect(error?.message).toMatch(/Nothing can be read/);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(beside(path)).toEqual([]);
  });

  test.each<[string, string]>([
    ['a text', 'Dear diary, today I was not a database. '.repeat(50)],
    ['an empty file', ''],
  ])('%s is named and left', async (_, content) => {
    const path = join(temporaryFolder(), 'state.db');
    writeFileSync(path, content);
    const { code, error } = await runShell(['sessions', 'repair', '--yes'], path, { now: () => Date.now() + 1e6 });
    expect(code).toBe(1);
    expect(error?.code).toMatch(/^store-(corrupt|busy)$/);
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  test('what a killed program left in the WAL is saved too, and stays with the damaged store, never with the new one', async () => {
    const path = makeStore('wal');
    const bad = pagesOf(path, 'messages')[7]!;
    const script = `const db = new (require(${JSON.stringify(sqlite)}))(${JSON.stringify(path)}); db.pragma('recursive_triggers = OFF'); db.pragma('wal_autocheckpoint = 0');
      for (let at = 0; at < 20; at += 1) db.exec("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s3', 'user', 'only in the wal', 9)");
      process.kill(process.pid, 'SIGKILL')`;
    expect(spawnSync(process.execPath, ['-e', script]).signal).toBe('SIGKILL');
    const wal = readFileSync(`${path}-wal`);
    expect(wal.length).toBeGreaterThan(10_000);
    overwritePage(path, bad);
    const damaged = readFileSync(path);
    expect((await runShell(['sessions', 'repair', '--yes'], path, { now })).code).toBe(0);
    expect(rows(path, `SELECT count(*) FROM messages WHERE content = 'only in the wal'`)).toEqual([[20]]);
    expectSound(path);
    const kept = join(dirname(path), beside(path)[0]!);
    expect(readFileSync(kept).equals(damaged)).toBe(true);
    expect(readFileSync(`${kept}-wal`).equals(wal)).toBe(true);
  });

  test('while another process has the damaged store open nothing is put in its place', async () => {
    const path = makeStore('delete');
    overwritePage(path, pagesOf(path, 'messages')[7]!);
    const before = readFileSync(path);
    const script = `new (require(${JSON.stringify(sqlite)}))(${JSON.stringify(path)}); console.log('ready'); setInterval(() => {}, 1e6)`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
    const { code, error } = await runShell(['sessions', 'repair', '--yes'], path, { now });
    expect([code, error?.code]).toEqual([1, 'store-held']);
    expect(error?.message).toContain(`(pid ${child.pid})`);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(beside(path)).toEqual([]);
  });

  test('an earlier damaged store is never overwritten', async () => {
    const path = makeStore('delete');
    overwritePage(path, pagesOf(path, 'messages')[2]!);
    const taken = [`${path}.damaged-`, `${path}.salvaged-`].map((prefix) => prefix + stampOf(now()));
    for (const name of taken) writeFileSync(name, 'precious');
    expect((await runShell(['sessions', 'repair', '--yes'], path, { now })).code).toBe(0);
    for (const name of taken) expect(readFileSync(name, 'utf8')).toBe('precious');
    expect(beside(path)).toEqual([...taken.map((name) => basename(name)), `${basename(taken[0]!)}-2`].sort());
  });

  test('random damage: what is put in place is always sound, and every row in it is a row that was there', async () => {
    const seed = 20_260_601;
    const random = createRandom(seed);
    const original = makeStore('delete', 15, 30);
    const whole = new Map((rows(original, 'SELECT * FROM messages') as unknown[][]).map((row) => [row[0], row]));
    const size = statSync(original).size / 4096;
    for (let round = 0; round < 15; round += 1) {
      const path = join(temporaryFolder(), 'state.db');
      copyFileSync(original, path);
      const broken = Array.from({ length: random.between(1, 4) }, () => random.between(2, size));
      for (const page of broken) overwritePage(path, page, random.between(0, 255));
      const context = `seed ${seed}, round ${round}, pages ${broken.join(' ')}`;
      const { code, error } = await runShell(['sessions', 'repair', '--yes'], path, { now });
      if (error !== undefined) {
        expect(error.code, context).toBe('store-corrupt');
        continue;
      }
      expect(code, context).toBe(0);
      expectSound(path);
      for (const row of rows(path, 'SELECT * FROM messages') as unknown[][]) expect(row, context).toEqual(whole.get(row[0]));
    }
  });
});

const realStores: readonly RealStore[] = ['hermes-v31-40.db', 'hermes-v17-10.db', 'hermes-v17-1000.db'];

describe('stores of every era and the real files', () => {
  const stores: [string, (path: string) => void][] = [
    ...ERAS.map((era): [string, (path: string) => void] => [`version ${era}`, (path) => buildEra(path, era)]),
    ...(hasRealStores ? realStores : []).map((name): [string, (path: string) => void] => [
      name,
      (path) => void copyRealStore(name, dirname(path)),
    ]),
  ];

  test.each(stores)('%s: a damaged one comes back as a store of its era, with every other row as it was', async (_, make) => {
    const path = join(temporaryFolder(), 'state.db');
    make(path);
    const tables = (
      rows(
        path,
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'messages_fts%' AND name NOT LIKE 'sqlite%' ORDER BY name`,
      ) as string[][]
    ).map(([name]) => name!);
    const hits = rows(path, `SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'the OR a OR you OR test'`);
    const before = new Map(tables.map((name) => [name, new Set(rows(path, `SELECT * FROM ${name}`).map((row) => JSON.stringify(row)))]));
    const schema = rows(
      path,
      `SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'messages_fts_%' AND name NOT LIKE 'sqlite%' ORDER BY type, name`,
    );
    const appId = rows(path, 'PRAGMA application_id');
    const plain = new Database(path);
    plain.pragma('journal_mode = DELETE');
    plain.close();
    // An index page: every table can be read, and nothing is lost.
    const index = pagesOf(path, 'sqlite_autoindex_sessions_1')[0]!;
    overwritePage(path, index);

    const { code, out } = await runShell(['sessions', 'repair', '--yes'], path, { now });
    expect(code, out).toBe(0);
    for (const name of tables) {
      const after = rows(path, `SELECT * FROM ${name}`).map((row) => JSON.stringify(row));
      if (name === 'state_meta') expect(after.every((row) => before.get(name)!.has(row))).toBe(true);
      else expect(new Set(after), name).toEqual(before.get(name));
    }
    expect(
      rows(
        path,
        `SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'messages_fts_%' AND name NOT LIKE 'sqlite%' ORDER BY type, name`,
      ),
    ).toEqual(schema);
    expect(rows(path, 'PRAGMA application_id')).toEqual(appId);
    expect(rows(path, `SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'the OR a OR you OR test'`)).toEqual(hits);
    expect(rows(path, 'PRAGMA integrity_check')).toEqual([['ok']]);
    expect((await runShell(['sessions', 'repair', '--check-only'], path, { now })).out).toMatch(/is sound/);
  });
});

function stampOf(time: number): string {
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}-${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`;
}
