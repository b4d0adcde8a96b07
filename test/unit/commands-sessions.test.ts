import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeDemoConversations } from '../../fixtures/stores/demo-sessions.ts';
import { makeDemoStore } from '../../fixtures/stores/demo-store.ts';
import { shellCommands } from '../../src/commands/shell-commands.ts';
import { runShell, shellContext, type Outcome } from '../support/shell.ts';

const now = Date.UTC(2026, 8, 30, 12);
let folder: string;
let ids: string[];

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hermes-shell-'));
  ids = makeDemoStore(path.join(folder, 'made.db'), '/home/ann', now);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A store of its own for one test. */
function copyStore(): string {
  const own = mkdtempSync(path.join(tmpdir(), 'hermes-shell-own-'));
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  cpSync(path.join(folder, 'made.db'), path.join(own, 'state.db'));
  return path.join(own, 'state.db');
}

const run = (line: readonly string[], storePath: string, columns?: number): Promise<Outcome> =>
  runShell(line, storePath, { now: () => now, ...(columns === undefined ? {} : { columns }) });

const rowsOf = (out: string): string[] =>
  out
    .split('\n')
    .slice(2)
    .filter((line) => /\d{8}_\d{6}_/.test(line));

describe('hermes sessions list', () => {
  test('pinned first, then newest first, one row per lineage, machine-made ones left out', async () => {
    const { out, code } = await run(['sessions', 'list', '--limit', '50'], copyStore());
    expect(code).toBe(0);
    const shown = rowsOf(out);
    expect(shown[0]).toContain(ids[0]);
    expect(shown[1]).toContain(ids[8]);
    expect(shown[2]).toContain(ids[1]);
    for (const hidden of [11, 13, 18, 22]) expect(out).not.toContain(ids[hidden]);
    expect(out).toContain(ids[12]);
    expect(out).not.toContain('more not shown');
    expect(shown).toHaveLength(makeDemoConversations('').length - 4);
  });

  test('a short page says how many are missing and how to see more', async () => {
    const { out } = await run(['sessions', 'list', '--limit', '3'], copyStore());
    expect(rowsOf(out)).toHaveLength(5);
    expect(out.trimEnd().split('\n').at(-1)).toBe('… 16 more not shown (use --limit 6 to see more)');
  });

  test('--source and --workspace are part of the question, not of the page', async () => {
    const store = copyStore();
    expect(rowsOf((await run(['sessions', 'list', '--source', 'telegram', '--limit', '1'], store)).out)).toHaveLength(1);
    expect((await run(['sessions', 'list', '--source', 'telegram'], store)).out).toContain(ids[24]);
    expect((await run(['sessions', 'list', '--source', 'cron'], store)).out).toContain(ids[18]);
    const infra = (await run(['sessions', 'list', '--workspace', 'INFRA', '--limit', '2'], store)).out;
    expect(rowsOf(infra).every((line) => line.includes('infra'))).toBe(true);
    expect(infra).toContain('1 more not shown');
    expect((await run(['sessions', 'list', '--workspace', 'nowhere'], store)).out).toBe('No sessions found.\n');
  });

  test('no store: says so, exit 0, and makes none', async () => {
    const missing = path.join(folder, 'missing/state.db');
    expect(await run(['sessions', 'list'], missing)).toMatchObject({ code: 0, out: 'No sessions found.\n', err: '' });
  });

  test('a file that is no store: one plain sentence and exit 1', async () => {
    const store = copyStore();
    writeFileSync(store, 'this is text\n'.repeat(100));
    const { code, error, out } = await run(['sessions', 'list'], store);
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(error?.message).toMatch(/is not an SQLite database/);
    expect(error?.message).not.toContain('\n');
  });

  test('a wrong limit is a usage error', async () => {
    expect(await run(['sessions', 'list', '--limit', 'many'], copyStore())).toMatchObject({ code: 2 });
  });

  test('looking changes nothing in the file', async () => {
    const store = copyStore();
    const dump = (): unknown => {
      const db = new BetterSqlite3(store, { readonly: true });
      const all = [
        db.prepare('SELECT * FROM sessions').all(),
        db.prepare('SELECT * FROM messages').all(),
        db.prepare('SELECT * FROM sqlite_master').all(),
      ];
      db.close();
      return JSON.stringify(all);
    };
    const before = dump();
    await run(['sessions', 'list'], store);
    await run(['sessions', 'stats'], store);
    expect(dump()).toBe(before);
  });
});

describe('hermes sessions stats', () => {
  test('counts add up', async () => {
    const { out, code } = await run(['sessions', 'stats'], copyStore());
    expect(code).toBe(0);
    const total = makeDemoConversations('').length;
    expect(out).toMatch(new RegExp(`^Total sessions: ${total}\nTotal messages: \\d+\n`));
    const perSource = [...out.matchAll(/^ {2}\S+: (\d+) sessions$/gm)].map((match) => Number(match[1]));
    expect(perSource.reduce((sum, count) => sum + count, 0)).toBe(total);
    expect(out).toMatch(/\nDatabase size: \d+\.\d MB\n$/);
  });

  test('no store: zeros', async () => {
    const { out } = await run(['sessions', 'stats'], path.join(folder, 'missing/state.db'));
    expect(out).toBe('Total sessions: 0\nTotal messages: 0\nDatabase size: 0.0 MB\n');
  });
});

describe('hermes sessions rename', () => {
  const titleOf = (store: string, id: string): unknown => {
    const db = new BetterSqlite3(store, { readonly: true });
    const row = db.prepare('SELECT title, title_source FROM sessions WHERE id = ?').get(id);
    db.close();
    return row;
  };

  test('several words are one title; a unique beginning of the id is enough', async () => {
    const store = copyStore();
    const id = ids[1]!;
    expect(await run(['sessions', 'rename', id.slice(0, -2), 'unused', '의존성', 'packages'], store)).toMatchObject({
      code: 0,
      out: `Session '${id}' renamed to: unused 의존성 packages\n`,
    });
    expect(titleOf(store, id)).toEqual({ title: 'unused 의존성 packages', title_source: 'user' });
  });

  test('invisible characters are left out, quotes and signs stay', async () => {
    const store = copyStore();
    const { out } = await run(['sessions', 'rename', ids[1]!, `Q3 "alpha" & 雪's\u200b\u202e  x`], store);
    expect(out).toContain(`renamed to: Q3 "alpha" & 雪's x\n`);
  });

  test.each<[string, (own: string[]) => string[], RegExp]>([
    ['an unknown id', () => ['20990101_000000_ffffff', 'x'], /^No session '20990101_000000_ffffff'\.$/],
    ['a beginning of several ids', () => ['2026', 'x'], /is the beginning of \d+ session ids/],
    ['a title in place of the id', () => ['refactoring auth', 'x'], /^No session 'refactoring auth'\.$/],
    ['a title in use', (own) => [own[1]!, 'flaky cart test'], /^Title 'flaky cart test' is already in use by session /],
    ['an empty title', (own) => [own[1]!, ' \u200b '], /^The title is empty\.$/],
    ['a title of two lines', (own) => [own[1]!, 'a\nb'], /one line/],
    ['a title of 101 characters', (own) => [own[1]!, '가'.repeat(101)], /^Title too long \(101 chars, max 100\)$/],
  ])('%s: one sentence, exit 1, nothing changed', async (_, words, message) => {
    const store = copyStore();
    const outcome = await run(['sessions', 'rename', ...words(ids)], store);
    expect(outcome.code).toBe(1);
    expect(outcome.error?.message).toMatch(message);
    expect(outcome.out).toBe('');
    expect(titleOf(store, ids[1]!)).toEqual({ title: null, title_source: null });
  });

  test('no store: the id is unknown, and none is made', async () => {
    const { error, code } = await run(['sessions', 'rename', 'x', 'y'], path.join(folder, 'missing/state.db'));
    expect(code).toBe(1);
    expect(error?.message).toBe("No session 'x'.");
  });

  test('while another program writes it waits, says so, and succeeds', async () => {
    const store = copyStore();
    const other = new BetterSqlite3(store);
    other.exec('BEGIN IMMEDIATE');
    const outcome: Outcome = { code: -1, out: '', err: '' };
    const began = Date.now();
    const context = shellContext(store, outcome, { now: () => now + (Date.now() - began) });
    setTimeout(() => other.exec('COMMIT'), 700);
    expect(await shellCommands['shell.sessions-rename'](context, [ids[1]!, 'patient'], {})).toBe(0);
    other.close();
    expect(outcome.err).toBe('waiting for the store …\n');
    expect(titleOf(store, ids[1]!)).toMatchObject({ title: 'patient' });
  });
});

test('hermes completion prints the script of the shell', async () => {
  expect((await run(['completion', 'fish'], path.join(folder, 'missing/state.db'))).out).toContain('complete -c hermes');
});
