import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openForWriting } from '../../src/store/open.ts';
import { runShell } from '../support/shell.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const sqlite = createRequire(import.meta.url).resolve('better-sqlite3');
const now = () => Date.parse('2026-06-01T12:00:00Z');

/** Half of it deleted again, its search index in pieces. */
function usedStore(journalMode: 'wal' | 'delete' = 'wal'): string {
  const path = join(temporaryFolder(), 'state.db');
  const { db, close } = openForWriting(path, { now, journalMode });
  db.exec(`INSERT INTO sessions (id, source, started_at) VALUES ('s', 'cli', 1)`);
  const add = db.prepare(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', ?, ?)`);
  for (let batch = 0; batch < 4; batch += 1) {
    db.transaction(() => {
      for (let at = 0; at < 200; at += 1) add.run(`message ${batch} ${at} ${'filler '.repeat(150)}`, batch * 1000 + at);
    })();
  }
  db.exec('DELETE FROM messages WHERE id % 4 > 0');
  close();
  return path;
}

async function holdOpen(path: string): Promise<ChildProcess> {
  const script = `const db = new (require(${JSON.stringify(sqlite)}))(${JSON.stringify(path)}); db.prepare('SELECT 1 FROM sessions').get();
    console.log('ready'); setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  return child;
}

function ask(path: string, sql: string): unknown {
  const db = new Database(path);
  const value = db.prepare(sql).pluck().get();
  db.close();
  return value;
}

const segments = (path: string): unknown => ask(path, 'SELECT count(DISTINCT segid) FROM messages_fts_idx');
const freePages = (path: string): number => Number(ask(path, 'PRAGMA freelist_count'));

describe('hermes sessions optimize', () => {
  test('merges the index, gives pages back and says how much that was', async () => {
    const path = usedStore();
    const { code, out, err } = await runShell(['sessions', 'optimize'], path, { now });
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^Search index merged, file written anew: [\d.]+ [kM]B before, [\d.]+ [kM]B now, [\d.]+ [kM]B saved\.\n$/);
    expect([segments(path), freePages(path)]).toEqual([1, 0]);
    expect(ask(path, 'SELECT count(*) FROM messages')).toBe(200);
    expect((await runShell(['sessions', 'optimize'], path, { now })).out).toMatch(/as before\.$/m);
  });

  test('no store: says so and makes none', async () => {
    const path = join(temporaryFolder(), 'state.db');
    const { code, out } = await runShell(['sessions', 'optimize'], path, { now });
    expect([code, out]).toEqual([0, expect.stringMatching(/nothing to optimize/) as string]);
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test('refuses while another process has the store open, names it, and changes nothing', async () => {
    const path = usedStore();
    const child = await holdOpen(path);
    const { code, error } = await runShell(['sessions', 'optimize'], path, { now });
    expect([code, error?.code]).toEqual([1, 'store-held']);
    expect(error?.message).toContain(`(pid ${child.pid})`);
    expect(error?.hint).toMatch(/--force/);
    expect(segments(path)).not.toBe(1);
  });

  test('--force merges under another process, leaves the file its size, and says so', async () => {
    const path = usedStore();
    const child = await holdOpen(path);
    const free = freePages(path);
    const { code, out } = await runShell(['sessions', 'optimize', '--force'], path, { now });
    expect(code).toBe(0);
    expect(out).toMatch(/^Search index merged\. The file was not written anew: /);
    expect(out).toContain(`(pid ${child.pid})`);
    expect(segments(path)).toBe(1);
    expect(freePages(path)).toBeGreaterThanOrEqual(free);
    expect(child.exitCode).toBeNull();
  });

  test('a damaged store is named and not touched', async () => {
    const path = usedStore('delete');
    const file = readFileSync(path);
    file.fill(0x5a, 100, 4000);
    writeFileSync(path, file);
    const { code, error } = await runShell(['sessions', 'optimize'], path, { now });
    expect([code, error?.code]).toEqual([1, 'store-corrupt']);
    expect(error?.hint).toMatch(/hermes sessions repair$/);
    expect(readFileSync(path).equals(file)).toBe(true);
  });
});

describe('hermes sessions set-journal-mode', () => {
  test.each([
    ['wal', 'delete'],
    ['delete', 'wal'],
  ] as const)('from %s to %s, and says so; again, it says that nothing was to do', async (from, to) => {
    const path = usedStore(from);
    const first = await runShell(['sessions', 'set-journal-mode', to], path, { now });
    expect([first.code, first.out]).toEqual([0, `${path} is in ${to.toUpperCase()} mode now.\n`]);
    expect(ask(path, 'PRAGMA journal_mode')).toBe(to);
    const second = await runShell(['sessions', 'set-journal-mode', to], path, { now });
    expect(second.out).toBe(`${path} is in ${to.toUpperCase()} mode already.\n`);
    expect(ask(path, 'SELECT count(*) FROM messages')).toBe(200);
  });

  test.each([
    ['wal', 'delete'],
    ['delete', 'wal'],
  ] as const)('refuses from %s to %s while another process has it open, with --force too', async (from, to) => {
    const path = usedStore(from);
    const child = await holdOpen(path);
    for (const flags of [[], ['--force']]) {
      const { code, error } = await runShell(['sessions', 'set-journal-mode', to, ...flags], path, { now });
      expect([code, error?.code]).toEqual([1, 'store-held']);
      expect(error?.message).toContain(`(pid ${child.pid})`);
    }
    expect(ask(path, 'PRAGMA journal_mode')).toBe(from);
  });

  test('--db names another database, from where the command was called', async () => {
    const path = usedStore('delete');
    const home = join(temporaryFolder(), 'state.db');
    const { code } = await runShell(['sessions', 'set-journal-mode', 'wal', '--db', 'state.db'], home, { now, cwd: dirname(path) });
    expect(code).toBe(0);
    expect(ask(path, 'PRAGMA journal_mode')).toBe('wal');
    const missing = await runShell(['sessions', 'set-journal-mode', 'wal', '--db', 'nothing.db'], home, { now });
    expect([missing.code, missing.error?.message]).toEqual([1, expect.stringMatching(/no database at .*nothing\.db/) as string]);
  });
});
