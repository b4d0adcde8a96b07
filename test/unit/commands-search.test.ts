import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeDemoStore } from '../../fixtures/stores/demo-store.ts';
import { runShell, type Outcome, type ShellOptions } from '../support/shell.ts';

const now = Date.UTC(2026, 8, 30, 12);
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hermes-search-'));
  makeDemoStore(path.join(folder, 'made.db'), '/home/ann', now);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function copyStore(): string {
  const own = mkdtempSync(path.join(tmpdir(), 'hermes-search-own-'));
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  cpSync(path.join(folder, 'made.db'), path.join(own, 'state.db'));
  return path.join(own, 'state.db');
}

const run = (line: readonly string[], storePath: string, options: ShellOptions = {}): Promise<Outcome> =>
  runShell(line, storePath, { now: () => now, ...options });

describe('hermes sessions search', () => {
  test('a result is a line about the session, then `session#message: snippet` for its hits', async () => {
    const { out, err, code } = await run(['sessions', 'search', 'auth'], copyStore());
    expect(code).toBe(0);
    expect(err).toBe('');
    const [head, ...hits] = out.trimEnd().split('\n');
    expect(head).toMatch(/^refactoring auth {2}14m ago · tui · 6 hits$/);
    expect(hits).toHaveLength(3);
    for (const hit of hits) expect(hit).toMatch(/^ {2}\d{8}_\d{6}_[0-9a-f]{6}#\d+: .*auth/);
  });

  test('the words of the line are one query: all of them must be there', async () => {
    const store = copyStore();
    expect((await run(['sessions', 'search', 'cart', 'test'], store)).out).toContain('flaky cart test');
    expect((await run(['sessions', 'search', 'cart', '회의록'], store)).code).toBe(1);
    expect((await run(['sessions', 'search', 'cart', 'OR', '회의록'], store)).code).toBe(0);
  });

  test('nothing found is said, and is exit code 1, also in JSON and without a store', async () => {
    const store = copyStore();
    const none = await run(['sessions', 'search', 'xyzzyplugh'], store);
    expect([none.code, none.out]).toEqual([1, 'No matching sessions found.\n']);
    const json = await run(['sessions', 'search', 'xyzzyplugh', '--json'], store);
    expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { sessions: 0, hits: 0, results: [] }]);
    const missing = await run(['sessions', 'search', 'auth'], path.join(path.dirname(store), 'none.db'));
    expect([missing.code, missing.out]).toEqual([1, 'No matching sessions found.\n']);
  });

  test('what can not be meant is a usage error', async () => {
    const store = copyStore();
    expect((await run(['sessions', 'search', '   '], store)).code).toBe(2);
    expect((await run(['sessions', 'search', 'auth', '--limit', '0'], store)).code).toBe(2);
    expect((await run(['sessions', 'search', 'auth', '--context', 'x'], store)).code).toBe(2);
    await expect(run(['sessions', 'search', 'auth', '-test'], store)).rejects.toMatchObject({
      exitCode: 2,
      hint: expect.stringContaining("'WORDS -test'"),
    });
    for (const line of [['--sort', 'up'], ['--sort=']])
      await expect(run(['sessions', 'search', 'auth', ...line], store)).rejects.toMatchObject({ exitCode: 2 });
    await expect(run(['sessions', 'search'], store)).rejects.toMatchObject({ exitCode: 2 });
  });

  test('a terminal gets marks in bold gold and the way to open one; NO_COLOR takes the colours alone', async () => {
    const store = copyStore();
    const coloured = await run(['sessions', 'search', '회의록'], store, { columns: 100, env: { TERM: 'xterm' } });
    expect(coloured.out).toContain('\x1b[1;33m회의록\x1b[0m');
    expect(coloured.out).toContain("hermes -r 'SESSION#MESSAGE'");
    const bare = await run(['sessions', 'search', '회의록'], store, { columns: 100, env: { TERM: 'xterm', NO_COLOR: '1' } });
    expect(bare.out).not.toContain('\x1b');
    expect(bare.out).toContain("hermes -r 'SESSION#MESSAGE'");
    const piped = await run(['sessions', 'search', '회의록'], store, { env: { TERM: 'xterm-256color' } });
    expect(piped.out).not.toMatch(/\x1b|hermes -r/);
  });

  test('--context shows the messages around each hit, itself with a colon, the others with a dash', async () => {
    const { out } = await run(['sessions', 'search', 'cart', '--context', '1', '--limit', '1'], copyStore());
    const lines = out.trimEnd().split('\n').slice(1);
    expect(lines.filter((line) => /#\d+: (You|Hermes|Tool|\w+): /.test(line)).length).toBeGreaterThan(0);
    expect(lines.filter((line) => /#\d+- (You|Hermes|Tool|\w+): /.test(line)).length).toBeGreaterThan(0);
  });

  test('filters narrow it down, by session and by message', async () => {
    const store = copyStore();
    const ids = async (...line: string[]): Promise<string[]> =>
      (JSON.parse((await run(['sessions', 'search', ...line, '--json'], store)).out) as { results: { source: string }[] }).results.map(
        (result) => result.source,
      );
    const all = await ids('the', '--limit', '50');
    expect(new Set(all).size).toBeGreaterThan(1);
    expect(new Set(await ids('the', '--source', 'tui', '--limit', '50'))).toEqual(new Set(['tui']));
    expect(new Set(await ids('the', 'source:tui', '--limit', '50'))).toEqual(new Set(['tui']));
  });

  test('control characters of a stored text never reach the terminal', async () => {
    const store = copyStore();
    const db = new BetterSqlite3(store);
    const id = String(db.prepare('SELECT id FROM sessions LIMIT 1').pluck().get());
    db.prepare("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)").run(
      id,
      'zebra\x1b]0;owned\x07 \x1b[31mred \u202ebidi\r\nzebra',
      now / 1000,
    );
    db.close();
    const { out } = await run(['sessions', 'search', 'zebra', '--context', '1'], store, {
      columns: 100,
      env: { NO_COLOR: '1', TERM: 'xterm' },
    });
    expect(out).toContain('zebra');
    expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f\u202e]/);
  });

  test('without its index a store is searched all the same, and that is said on standard error', async () => {
    const store = copyStore();
    const db = new BetterSqlite3(store);
    for (const { name, type } of db
      .prepare(
        "SELECT name, type FROM sqlite_master WHERE name GLOB 'messages_fts*' AND type IN ('trigger', 'view') OR sql GLOB '*USING fts5*'",
      )
      .all() as { name: string; type: string }[])
      db.exec(`DROP ${type} "${name}"`);
    db.close();
    const { out, err, code } = await run(['sessions', 'search', 'auth'], store);
    expect(code).toBe(0);
    expect(out).toContain('refactoring auth');
    expect(err).toMatch(/no search index/);
  });

  test.each([
    ['fts_stale', '1', /out of date/],
    ['fts_rebuild_high_water', '9999', /being rebuilt/],
  ])('%s of another program is told, and takes nothing away', async (key, value, said) => {
    const store = copyStore();
    const full = await run(['sessions', 'search', 'auth'], store);
    const db = new BetterSqlite3(store);
    db.prepare('INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, ?)').run(key, value);
    db.close();
    const { out, err } = await run(['sessions', 'search', 'auth'], store);
    expect(err).toMatch(said);
    expect(out).toBe(full.out);
  });

  test('a store that somebody is writing is searched without waiting', async () => {
    const store = copyStore();
    const db = new BetterSqlite3(store);
    db.pragma('journal_mode = WAL');
    db.exec('BEGIN IMMEDIATE');
    try {
      expect((await run(['sessions', 'search', 'auth'], store)).code).toBe(0);
    } finally {
      db.exec('ROLLBACK');
      db.close();
    }
  });
});

describe('--query of list, export, archive and prune', () => {
  const titles = async (store: string, ...line: string[]): Promise<string[]> =>
    (JSON.parse((await run(['sessions', 'list', '--json', '--limit', '99', ...line], store)).out) as { title: string }[]).map(
      (row) => row.title,
    );

  test('means what a search finds: words of messages, and of titles', async () => {
    const store = copyStore();
    expect(await titles(store, '--query', '회의록')).toEqual(['회의록 정리']);
    expect(await titles(store, '--query', 'nowhere-at-all')).toEqual([]);
    const both = await titles(store, '--query', 'the', '--source', 'telegram');
    expect(both.length).toBeGreaterThan(0);
    expect(both.length).toBeLessThan((await titles(store, '--query', 'the')).length);
  });

  test('fields of the session go without words, and a source named there shows its sessions', async () => {
    const store = copyStore();
    expect(await titles(store, '--query', 'is:pinned')).toContain('refactoring auth');
    expect((await titles(store, '--query', 'source:cron')).length).toBeGreaterThan(0);
    expect(await titles(store, '--query', 'is:pinned cart')).toEqual([]);
  });

  test('times are refused with the flags that say which time is meant; nothing typed is refused too', async () => {
    const store = copyStore();
    for (const command of ['list', 'prune', 'archive']) {
      const { error, code } = await run(['sessions', command, '--query', 'auth before:2d'], store);
      expect([code, error?.hint]).toEqual([2, expect.stringContaining('--older-than')]);
    }
    expect((await run(['sessions', 'prune', '--query', ' '], store)).code).toBe(2);
  });

  test('a dry prune and a dry archive name the sessions that were found, and no others', async () => {
    const store = copyStore();
    for (const command of ['prune', 'archive']) {
      const { out } = await run(['sessions', command, '--query', 'cart', '--dry-run'], store);
      expect(out).toContain('cart');
      expect(out).not.toContain('회의록');
    }
  });
});
