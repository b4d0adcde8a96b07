import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeDemoStore } from '../../fixtures/stores/demo-store.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { insertRow } from '../../src/store/writes/rows.ts';
import { openProcessTable } from '../../src/terminal/process-tree.ts';
import { stringWidth } from '../../src/terminal/width.ts';
import { cellsOf, changing } from '../support/bin.ts';
import { openForWriting } from '../../src/store/open.ts';
import { runShell, type ShellOptions } from '../support/shell.ts';

const now = new Date(2026, 8, 30, 12).getTime();
let folder: string;
let ids: string[];

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hermes-trash-'));
  ids = makeDemoStore(path.join(folder, 'made.db'), '/home/ann', now);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function copyStore(): string {
  const own = mkdtempSync(path.join(tmpdir(), 'hermes-trash-own-'));
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  cpSync(path.join(folder, 'made.db'), path.join(own, 'state.db'));
  return path.join(own, 'state.db');
}

const run = (line: string, store: string, options: ShellOptions = {}) =>
  runShell(['sessions', ...line.split(' ')], store, { now: () => now, ...options });

const seconds = now / 1000;

interface Row {
  readonly id: string;
  readonly parent?: string;
  readonly config?: Record<string, unknown>;
  readonly ended?: string;
  readonly title?: string;
  readonly pinned?: boolean;
  readonly words?: string;
}

/** Sessions of one message each. */
function add(store: string, ...rows: readonly Row[]): void {
  changing(store, (connection) => {
    rows.forEach(({ id, parent, config, ended, title, pinned, words }, index) => {
      insertRow(connection, 'sessions', {
        id,
        source: 'cli',
        started_at: seconds - 5000 + index * 100,
        ended_at: ended === undefined ? undefined : seconds - 4900 + index * 100,
        end_reason: ended,
        parent_session_id: parent,
        model_config: JSON.stringify(config ?? {}),
        title,
        pinned: pinned === true ? 1 : 0,
        message_count: 1,
      });
      insertRow(connection, 'messages', {
        session_id: id,
        role: 'user',
        content: words ?? `said in ${id}`,
        timestamp: seconds - 4990 + index * 100,
      });
    });
  });
}

/** A chain of four with a branch and a sub-agent, as case 5 has it. */
const chain: readonly Row[] = [
  { id: 'seg-1', ended: 'compression', words: 'zebrafinch in the first layer' },
  { id: 'seg-2', parent: 'seg-1', ended: 'compression' },
  { id: 'seg-3', parent: 'seg-2', ended: 'compression' },
  { id: 'seg-4', parent: 'seg-3', title: 'long refactor', pinned: true },
  { id: 'branch', parent: 'seg-2', config: { _branched_from: 'seg-2' }, title: 'my branch' },
  { id: 'helper', parent: 'seg-3', config: { _delegate_from: 'seg-3' } },
  { id: 'helper-of-helper', parent: 'helper', config: { _delegate_from: 'helper' } },
];

function rowsIn(store: string): string[] {
  const connection = openForWriting(store, { now: () => now });
  try {
    return connection.db.prepare<[], string>('SELECT id FROM sessions ORDER BY id').pluck().all();
  } finally {
    connection.close();
  }
}

const cells = (store: string) => {
  const connection = openForWriting(store, { now: () => now });
  try {
    return cellsOf(connection);
  } finally {
    connection.close();
  }
};

describe('hermes sessions delete', () => {
  test('names the title, the pin, segments and sub-agents, and where it goes; the default is no', async () => {
    const store = copyStore();
    add(store, ...chain);
    const { out, code } = await run('delete seg-4', store, { columns: 120, typed: [''] });
    expect(code).toBe(0);
    expect(out).toBe(
      `Delete session 'seg-4' "long refactor" (this session is PINNED) and all its messages (4 segments, 2 sub-agents)? It goes to the bin until 2026-10-30; \`hermes sessions restore\` brings it back. [y/N] Cancelled.\n`,
    );
    expect(rowsIn(store)).toContain('seg-1');
  });

  test('takes the whole chain and its sub-agents; the branch stays, as a conversation of its own', async () => {
    const store = copyStore();
    add(store, ...chain);
    const before = cells(store);
    const { out, code } = await run('delete seg-2 --yes', store);
    expect(code).toBe(0);
    expect(out).toBe(`Deleted session 'seg-4'.\nin the bin until 2026-10-30 · --forever erases\n`);
    expect(rowsIn(store).filter((id) => /^(seg|helper)/.test(id))).toEqual([]);
    expect((await run('list --limit 100', store)).out).toContain('my branch');
    expect(JSON.parse((await run('trash --json', store)).out)).toMatchObject([
      {
        id: 'seg-4',
        title: 'long refactor',
        pinned: true,
        message_count: 4,
        segments: ['seg-1', 'seg-2', 'seg-3', 'seg-4'],
        delegates: ['helper', 'helper-of-helper'],
      },
    ]);
    expect((await run('restore seg-1', store)).out).toBe(`Restored session 'seg-4' "long refactor".\n`);
    expect(cells(store)).toEqual(before);
    expect((await run('trash', store)).out).toBe('The bin is empty.\n');
  });

  test('several at once are listed before one question', async () => {
    const store = copyStore();
    add(store, ...chain);
    const { out } = await run('delete branch seg-4', store, { columns: 120, typed: ['yes'] });
    expect(out).toContain(`  'branch' "my branch"  1 message\n`);
    expect(out).toContain(`  'seg-4' "long refactor"  PINNED  4 messages (4 segments, 2 sub-agents)\n`);
    expect(out).toContain(
      'Delete these 2 sessions and all their messages? They go to the bin until 2026-10-30; `hermes sessions restore` brings them back. [y/N] ',
    );
    expect(out).toContain(`Deleted session 'branch'.\nDeleted session 'seg-4'.\n`);
    expect((await run('trash', store)).out).toMatch(/^my branch {25}just now {5}2026-10-30 {7}\d {2}cli {7}branch$/m);
    const narrow = (await run('trash', store, { columns: 56 })).out.trimEnd().split('\n');
    for (const line of narrow) expect(stringWidth(line)).toBeLessThanOrEqual(56);
    expect(narrow.slice(2).map((line) => line.split(' ').at(-1))).toEqual(expect.arrayContaining(['branch', 'seg-4']));
  });

  test('an unknown id changes nothing, and makes no bin', async () => {
    const store = copyStore();
    const { error, code } = await run('delete nobody', store);
    expect(code).toBe(1);
    expect(error?.message).toBe(`No session 'nobody'.`);
    expect(existsSync(path.join(path.dirname(store), 'trash'))).toBe(false);
  });

  /** A program that runs has it open. @returns its process */
  function openElsewhere(store: string, id: string): number {
    const processes = openProcessTable();
    const self = processes.read(process.pid)!;
    const live = path.join(path.dirname(store), 'tui/live');
    mkdirSync(live, { recursive: true });
    const record = { v: 1, pid: self.pid, start: self.start, host: hostname(), boot: processes.boot, identity: 'x', label: 'tmux %3' };
    writeFileSync(
      path.join(live, `${self.pid}-${self.start}.json`),
      JSON.stringify({ ...record, sessions: [{ id, since: now, state: 'idle' }] }),
    );
    return self.pid;
  }

  test('one that is opened while the lock of the store is waited for is refused', async () => {
    const store = copyStore();
    const other = openForWriting(store, { now: Date.now });
    other.db.exec('BEGIN IMMEDIATE');
    const deleting = run(`delete ${ids[1]} --yes`, store);
    openElsewhere(store, ids[1]!);
    other.db.exec('COMMIT');
    other.close();
    expect((await deleting).error?.message).toContain(`Cannot delete active session: ${ids[1]} is open`);
    expect(rowsIn(store)).toContain(ids[1]);
  });

  test('one that a program has open is refused by name, with who it is', async () => {
    const store = copyStore();
    const pid = openElsewhere(store, ids[1]!);
    const { error, code } = await run(`delete ${ids[1]} --yes`, store);
    expect(code).toBe(1);
    expect(error?.message).toBe(`Cannot delete active session: ${ids[1]} is open in tmux %3 (pid ${pid}).`);
    const both = await run(`delete ${ids[1]} ${ids[2]} --yes`, store);
    expect(both.code).toBe(1);
    expect(both.out).toContain(`Deleted session '${ids[2]}'.`);
    expect(both.err).toContain(`Cannot delete active session: ${ids[1]}`);
    expect(rowsIn(store)).toContain(ids[1]);
  });

  test.each([
    ['a turn', 'session_turn_leases', 'conversation_id', 'seg-1', 'has a turn running'],
    ['a compression', 'compression_locks', 'session_id', 'seg-3', 'is being compressed'],
    ['a turn of its sub-agent', 'session_turn_leases', 'conversation_id', 'helper', 'has a turn running'],
  ])('one with %s at work is refused; when the lease has run out it goes, and the lease with it', async (_, table, column, id, why) => {
    const store = copyStore();
    add(store, ...chain);
    const lease = (expiresAt: number): void =>
      changing(store, (connection) => {
        connection.db.exec(`DELETE FROM ${table}`);
        insertRow(connection, table, { [column]: id, holder: 'somebody', acquired_at: seconds - 60, expires_at: expiresAt });
      });
    lease(seconds + 200);
    const { error } = await run('delete seg-4 --yes', store);
    expect(error?.message).toContain('Cannot delete active session: seg-4');
    expect(error?.message).toContain(why);
    lease(seconds - 1);
    expect((await run('delete seg-4 --yes', store)).code).toBe(0);
    changing(store, (connection) => expect(connection.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(0));
  });

  test('a guard of the file keeps its lineage whole, and lets the others go', async () => {
    const store = copyStore();
    add(store, ...chain);
    changing(store, (connection) =>
      connection.db.exec(`CREATE TRIGGER guard BEFORE DELETE ON sessions WHEN old.id = 'seg-2' BEGIN SELECT RAISE(ABORT, 'ledger'); END`),
    );
    const before = cells(store);
    const { out, err, code } = await run(`delete seg-4 ${ids[2]} --yes`, store);
    expect(code).toBe(1);
    expect(err).toBe('Cannot delete session seg-4: the store itself refuses it, so all of it stays.\n');
    expect(out).toContain(`Deleted session '${ids[2]}'.`);
    const after = cells(store);
    expect(after['sessions']).toEqual(before['sessions']!.filter((row) => after['sessions']!.includes(row)));
    expect(rowsIn(store)).toEqual(expect.arrayContaining(['seg-1', 'seg-2', 'seg-3', 'seg-4', 'helper', 'branch']));
    expect(JSON.parse((await run('trash --json', store)).out)).toHaveLength(1);
  });

  test('where the bin keeps nothing the question says so, and nothing is kept', async () => {
    const store = copyStore();
    add(store, ...chain);
    const config = { ...DEFAULTS, sessions: { ...DEFAULTS.sessions, trashDays: 0 } };
    const { out } = await run('delete branch', store, { columns: 120, typed: ['y'], config });
    expect(out).toContain('and all its messages? It is erased for good. [y/N] ');
    expect(out).toContain(`Deleted session 'branch'.\nerased for good\n`);
    expect((await run('trash', store)).out).toBe('The bin is empty.\n');
  });

  test('the bin is its owner’s alone', async () => {
    const store = copyStore();
    await run(`delete ${ids[2]} --yes`, store);
    const trash = path.join(path.dirname(store), 'trash');
    expect(statSync(trash).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(trash, 'bin.db')).mode & 0o777).toBe(0o600);
  });

  test('a bin of a newer version is left alone, and nothing is deleted', async () => {
    const store = copyStore();
    await run(`delete ${ids[2]} --yes`, store);
    changing(path.join(path.dirname(store), 'state.db'), () => undefined);
    const bin = path.join(path.dirname(store), 'trash/bin.db');
    const { default: BetterSqlite3 } = await import('better-sqlite3');
    const db = new BetterSqlite3(bin);
    db.exec('UPDATE bin SET v = 2');
    db.close();
    const before = readFileSync(bin);
    const rows = rowsIn(store);
    for (const line of [`delete ${ids[1]} --yes`, `delete ${ids[1]} --forever --yes`, 'trash', `restore ${ids[2]}`, 'trash empty --yes']) {
      const { error } = await run(line, store);
      expect(error?.message, line).toContain('of a newer version');
    }
    expect(rowsIn(store)).toEqual(rows);
    expect(readFileSync(bin).equals(before)).toBe(true);
  });
});

describe('hermes sessions restore', () => {
  test('a title that somebody took meanwhile gets the next number, and that is said', async () => {
    const store = copyStore();
    add(store, { id: 'first', title: 'budget' });
    await run('delete first --yes', store);
    add(store, { id: 'second', title: 'budget' });
    const { out, code } = await run('restore budget', store);
    expect(code).toBe(0);
    expect(out).toBe(`Restored session 'first' "budget".\n  "budget" was taken meanwhile; it is called "budget #2" now.\n`);
  });

  test('a message whose number was given to another one gets a new one', async () => {
    const store = copyStore();
    add(store, { id: 'first', words: 'kingfisher' });
    await run('delete first --yes', store);
    changing(store, (connection) => {
      connection.db.exec("UPDATE sqlite_sequence SET seq = seq - 1 WHERE name = 'messages'");
      insertRow(connection, 'messages', { session_id: ids[0], role: 'user', content: 'in its place', timestamp: seconds });
    });
    expect((await run('restore first', store)).code).toBe(0);
    changing(store, (connection) => {
      const found = connection.db.prepare(
        "SELECT m.session_id, m.display_order = m.id AS own FROM messages_fts JOIN messages AS m ON m.id = messages_fts.rowid WHERE messages_fts MATCH 'kingfisher'",
      );
      expect(found.all()).toEqual([{ session_id: 'first', own: 1 }]);
    });
  });

  test('prefixes that fit several, and names that fit none, are said', async () => {
    const store = copyStore();
    add(store, { id: 'ab-1' }, { id: 'ab-2' });
    await run('delete ab-1 ab-2 --yes', store);
    expect((await run('restore ab', store)).error?.message).toBe(`'ab' could be 2 deleted sessions: ab-2, ab-1`);
    expect((await run('restore cd', store)).error?.message).toBe(`No session 'cd' in the bin.`);
    expect((await run('restore ab-1 ab-2', store)).out).toContain(`Restored session 'ab-1'`);
  });

  test('drafts and files of a session go and come back with it; exports are never touched', async () => {
    const store = copyStore();
    const home = path.dirname(store);
    add(store, { id: 'first' });
    const files = ['sessions/first.jsonl', 'sessions/session_first.json', 'tui/drafts/first.json'];
    const others = ['sessions/saved/hermes_session_first.md', 'tui/drafts/another.json'];
    for (const name of [...files, ...others]) {
      mkdirSync(path.join(home, path.dirname(name)), { recursive: true });
      writeFileSync(path.join(home, name), `{"of": "${name}"}`);
    }
    await run('delete first --yes', store);
    for (const name of files) expect(existsSync(path.join(home, name)), name).toBe(false);
    await run('restore first', store);
    for (const name of [...files, ...others]) expect(readFileSync(path.join(home, name), 'utf8')).toBe(`{"of": "${name}"}`);
    expect(readdirSync(path.join(home, 'trash/files'))).toEqual([]);
    await run('delete first --yes --forever', store);
    for (const name of files) expect(existsSync(path.join(home, name)), name).toBe(false);
    for (const name of others) expect(existsSync(path.join(home, name)), name).toBe(true);
  });
});
