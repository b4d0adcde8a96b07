import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ShellContext } from '../../src/commands/context.ts';
import { pruneSessions } from '../../src/commands/sessions-prune.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForWriting } from '../../src/store/open.ts';
import { insertRow } from '../../src/store/writes/rows.ts';
import { runShell, shellContext, type Outcome, type ShellOptions } from '../support/shell.ts';

const now = new Date(2026, 8, 30, 12).getTime();
const seconds = now / 1000;
const day = 86_400;

interface Shop {
  store: string;
  run(line: string, options?: ShellOptions): Promise<Outcome>;
  value(sql: string): unknown;
  ids(): string[];
}

type Add = (id: string, values?: Record<string, unknown>) => void;

/** A home with these sessions: ended after one message, 200 days ago, unless said otherwise (`at`: last activity, seconds). */
function shop(fill: (add: Add, connection: OpenConnection) => void): Shop {
  const folder = mkdtempSync(path.join(tmpdir(), 'hermes-manage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = path.join(folder, 'state.db');
  const writer = openForWriting(store, { now: () => now });
  fill((id, { at, ...values } = {}) => {
    const time = (at as number | undefined) ?? seconds - 200 * day;
    const row = { source: 'cli', started_at: time, ended_at: time, end_reason: 'cli_close', message_count: 1, ...values };
    insertRow(writer, 'sessions', { id, ...row });
    insertRow(writer, 'messages', { session_id: id, role: 'user', content: `words of ${id}`, timestamp: time });
  }, writer);
  writer.close();
  const ask = <Answer>(work: (db: BetterSqlite3.Database) => Answer): Answer => {
    const db = new BetterSqlite3(store, { readonly: true });
    try {
      return work(db);
    } finally {
      db.close();
    }
  };
  return {
    store,
    run: (line, options = {}) =>
      runShell(
        line.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', '')),
        store,
        { now: () => now, ...options },
      ),
    value: (sql) => ask((db) => db.prepare(sql).pluck().get()),
    ids: () => ask((db) => db.prepare('SELECT id FROM sessions ORDER BY id').pluck().all() as string[]),
  };
}

/** The situation every spec of pruning is about. */
const old = (add: Add): void => {
  add('20260101_000000_aaaaaa', { title: 'Gone', model: 'gpt-5' });
  add('20260102_000000_bbbbbb', { title: 'Kept', pinned: 1 });
  add('20260103_000000_cccccc', { at: seconds - day });
  add('20260104_000000_dddddd', { end_reason: 'compression' });
  add('20260105_000000_eeeeee', { parent_session_id: '20260104_000000_dddddd', at: seconds - 2 * day });
  add('20260106_000000_ffffff', { ended_at: null, end_reason: null });
  add('20260107_000000_000000', { archived: 1 });
};

describe('hermes sessions prune', () => {
  test('bare: idle for 90 days, whole lineages, pinned and open and archived ones spared, and said', async () => {
    const { run, ids } = shop(old);
    const before = ids();
    const { out, code } = await run('sessions prune --yes');
    expect(code).toBe(0);
    expect(out).toContain('Left out: 1 pinned, 1 not ended, 1 archived.');
    expect(out).toContain('Pruned 1 session(s).\nin the bin until 2026-10-30 · --forever erases\n');
    expect(ids()).toEqual(before.filter((id) => !id.endsWith('aaaaaa')));
  });

  test('the question says who, how long ago and what becomes of them; no is the answer unless it is yes', async () => {
    const { run, ids } = shop(old);
    const before = ids();
    const asked = await run('sessions prune', { typed: ['', 'yes'], columns: 120 });
    expect(asked.out).toMatch(/ {2}20260101_000000_aaaaaa {2}2026-03-14 \d\d:\d\d {2}cli {2}gpt-5 {2}1 msgs {2}Gone\n/);
    expect(asked.out).toContain('1 session matches, last active 2026-03-14\n');
    const narrow = await run('sessions prune', { typed: [''], columns: 64 });
    expect(narrow.out).toMatch(/ {2}20260101_000000_aaaaaa {2}2026-03-14 \d\d:\d\d {2}cli {2}1 msgs {2}Gone\n/);
    expect(asked.out).toContain(
      'Delete 1 session? It goes to the bin until 2026-10-30; `hermes sessions restore` brings it back. [y/N] Cancelled.\n',
    );
    expect(asked.code).toBe(0);
    expect(ids()).toEqual(before);
    expect((await run('sessions prune', { typed: ['yes'] })).out).toContain('Pruned 1 session(s).');
    expect(ids()).toHaveLength(before.length - 1);
  });

  test('a filter takes the 90 days away; a preview names all, and the same ones go', async () => {
    const { run, ids } = shop((add) => {
      for (let index = 10; index < 30; index++) add(`20260101_0000${index}_aaaaaa`, { source: 'telegram', at: seconds - index });
      add('20260201_000000_bbbbbb');
    });
    const dry = await run('sessions prune --source telegram --dry-run');
    expect(dry.out.match(/_aaaaaa {2}/g)).toHaveLength(20);
    expect(dry.out).toContain('Would prune 20 session(s).');
    const asked = await run('sessions prune --source telegram', { typed: [] });
    expect(asked.out.match(/_aaaaaa {2}/g)).toHaveLength(15);
    expect(asked.out).toContain('… and 5 more (--dry-run shows all)');
    expect(ids()).toHaveLength(21);
    expect((await run('sessions prune --source telegram -y')).out).toContain('Pruned 20 session(s).');
    expect(ids()).toEqual(['20260201_000000_bbbbbb']);
  });

  test('--include-pinned and --include-archived', async () => {
    const { run, ids } = shop(old);
    expect((await run('sessions prune --include-pinned --include-archived --yes')).out).toContain('Pruned 3 session(s).');
    expect(ids()).toHaveLength(4);
  });

  test('what changed while the question stood stays', async () => {
    const { store, ids } = shop((add) => {
      add('a');
      add('b');
    });
    const outcome: Outcome = { code: -1, out: '', err: '' };
    const context: ShellContext = {
      ...shellContext(store, outcome, { now: () => now }),
      readLine: () => {
        const db = new BetterSqlite3(store);
        db.exec(`UPDATE sessions SET pinned = 1 WHERE id = 'a'`);
        db.close();
        return Promise.resolve('y');
      },
    };
    await pruneSessions(context, {});
    expect(outcome.out).toContain('2 sessions match');
    expect(outcome.out).toContain('Pruned 1 session(s).');
    expect(outcome.err).toContain('1 session changed meanwhile and stayed.');
    expect(ids()).toEqual(['a']);
  });

  test('with --forever, and where the bin keeps nothing, it is for good', async () => {
    const { run } = shop(old);
    expect((await run('sessions prune --forever', { typed: ['n'] })).out + '').not.toContain('Pruned');
    expect((await run('sessions prune --forever --yes')).out).toContain('Pruned 1 session(s).\nerased for good\n');
    const again = shop(old);
    const config = { ...DEFAULTS, sessions: { ...DEFAULTS.sessions, trashDays: 0 } };
    expect((await again.run('sessions prune --yes', { config })).out).toContain('erased for good');
  });

  test('nothing fits: says so, exit 0', async () => {
    const { run } = shop((add) => add('a', { at: seconds }));
    expect(await run('sessions prune')).toMatchObject({ code: 0, out: 'No sessions match (older-than 90).\n' });
    const filtered = await run('sessions prune --source x --max-messages 3');
    expect(filtered.out).toBe('No sessions match (source x, max-messages 3).\n');
  });

  test.each([
    ['--newer-than 2d --older-than 5d', 1],
    ['--after 2026-07-05 --before 2026-07-05', 1],
    ['--min-messages 5 --max-messages 4', 1],
    ['--older-than soon', 2],
    ['--min-tokens 1.5', 2],
    ['--max-cost cheap', 2],
  ])('%s: exit %i, and nothing is deleted', async (flags, code) => {
    const { run, ids } = shop(old);
    const result = await run(`sessions prune ${flags} --yes`);
    expect(result.code).toBe(code);
    expect(result.error?.message).toMatch(/^[^\n]+\.$/);
    expect(ids()).toHaveLength(7);
  });
});

describe('hermes sessions archive, unarchive', () => {
  test('bare refuses, ids and filters do not mix', async () => {
    const { run } = shop(old);
    const bare = await run('sessions archive');
    expect(bare.code).toBe(1);
    expect(bare.error?.message).toMatch(/^Refusing to archive every ended session: /);
    expect((await run('sessions archive 20260101 --source cli')).code).toBe(2);
    expect((await run('sessions archive nobody')).error?.message).toBe("No session 'nobody'.");
  });

  test('by filter: whole lineages, by the title of any case', async () => {
    const { run, value } = shop((add) => {
      add('a', { end_reason: 'compression', title: 'Dry Run' });
      add('b', { parent_session_id: 'a' });
      add('c', { title: 'other' });
    });
    expect((await run('sessions archive --title "dry run" --dry-run')).out).toContain('Would archive 1 session(s).');
    expect(value('SELECT sum(archived) FROM sessions')).toBe(0);
    expect((await run('sessions archive --title "dry run" --yes')).out).toMatch(/^Archived 1 session\(s\)\. /);
    expect(value('SELECT group_concat(id) FROM (SELECT id FROM sessions WHERE archived = 1 ORDER BY id)')).toBe('a,b');
    expect((await run('sessions list')).out).not.toContain('Dry Run');
    expect((await run('sessions list --include-archived')).out).toContain('Dry Run');
    expect((await run('sessions unarchive --title "dry run" --yes')).out).toBe('Unarchived 1 session(s).\n');
    expect(value('SELECT sum(archived) FROM sessions')).toBe(0);
  });

  test('by id, an open one too', async () => {
    const { run, value } = shop(old);
    expect((await run('sessions archive 20260106')).out).toMatch(/^Archived 1 session\(s\)\. /);
    expect(value("SELECT archived FROM sessions WHERE id LIKE '20260106%'")).toBe(1);
    expect((await run('sessions unarchive 20260106 20260107')).out).toBe('Unarchived 2 session(s).\n');
  });
});

describe('hermes sessions pin, unpin, pinned', () => {
  test('by unique prefix, the whole lineage; what can not be found is said, the others are done', async () => {
    const { run, value } = shop(old);
    const { out, err, code } = await run('sessions pin 20260101 20260104 nobody 2026');
    expect(out).toBe("Pinned session '20260101_000000_aaaaaa'.  (Gone)\nPinned session '20260105_000000_eeeeee'.\n");
    expect(err).toMatch(
      /^No session 'nobody'\. Run: hermes sessions list to find the id\.\n'2026' is the beginning of 7 session ids: .* and 1 more/,
    );
    expect(code).toBe(1);
    expect(value('SELECT sum(pinned) FROM sessions')).toBe(4);
    expect(await run('sessions unpin 20260105')).toMatchObject({ code: 0, out: "Unpinned session '20260105_000000_eeeeee'.\n" });
    expect(value('SELECT sum(pinned) FROM sessions')).toBe(2);
  });

  test('pinned lists them as a table and as JSON', async () => {
    const { run } = shop(old);
    const { out } = await run('sessions pinned');
    expect(out.split('\n')[0]).toBe(`${'Title'.padEnd(32)}${'Last Active'.padEnd(13)}${'Src'.padEnd(9)}ID`);
    expect(out.split('\n')[1]).toBe('─'.repeat(100));
    expect(out.split('\n')[2]).toBe(`${'Kept'.padEnd(32)}${'2026-03-14'.padEnd(13)}${'cli'.padEnd(9)}20260102_000000_bbbbbb`);
    const entries = JSON.parse((await run('sessions pinned --json')).out) as unknown;
    expect(entries).toEqual([
      {
        id: '20260102_000000_bbbbbb',
        title: 'Kept',
        source: 'cli',
        last_active: expect.stringMatching(/^2026-03-1/) as string,
        message_count: 1,
      },
    ]);
    const empty = shop(() => undefined);
    expect((await empty.run('sessions pinned --json')).out).toBe('[]\n');
  });
});

describe('hermes sessions show', () => {
  const talk = (add: Add, connection: OpenConnection): void => {
    add('20260101_000000_aaaaaa', { end_reason: 'compression', title: 'Deploy' });
    add('20260102_000000_bbbbbb', { parent_session_id: '20260101_000000_aaaaaa', at: seconds - day });
    const say = (values: Record<string, unknown>): void =>
      void insertRow(connection, 'messages', { session_id: '20260102_000000_bbbbbb', timestamp: seconds - day + 1, ...values });
    const calls = [{ id: 'c1', type: 'function', function: { name: 'terminal', arguments: '{"command":"npm\\n test"}' } }];
    say({ role: 'assistant', content: 'On it \u001b[31mred', tool_calls: JSON.stringify(calls) });
    say({ role: 'tool', tool_call_id: 'c1', tool_name: 'terminal', content: `one\ntwo\nthree\nfour\n${'x'.repeat(5_000)}` });
    say({ role: 'assistant', content: 'Done.' });
    say({ role: 'assistant', content: 'taken back', active: 0 });
  };

  test('as text: segments in order, calls on one line, results cut, nothing a terminal would obey', async () => {
    const { run } = shop(talk);
    const { out, code } = await run('sessions show 20260101');
    expect(code).toBe(0);
    expect(out).toMatch(/^Deploy\n20260102_000000_bbbbbb · cli · 2026-03-14 \d\d:\d\d · 1 message · 2 segments\n\n● You/);
    expect(out.indexOf('words of 20260101')).toBeLessThan(out.indexOf('words of 20260102'));
    expect(out).toContain('On it ␛[31mred\n  ▸ terminal   npm test\n');
    expect(out).toContain('  ✓ terminal   4.9 kB\n    one\n    two\n    three\n    …\n');
    expect(out).toContain('◆ Hermes  2026-09-29 12:00\nDone.\n');
    expect(out).not.toContain('taken back');
    expect(out).not.toContain('\u001b');
  });

  test('as JSON: everything in full', async () => {
    const { run } = shop(talk);
    const shown = JSON.parse((await run('sessions show Deploy --json')).out) as {
      id: string;
      segments: string[];
      messages: { role: string; content: string }[];
    };
    expect(shown.segments).toEqual(['20260101_000000_aaaaaa', '20260102_000000_bbbbbb']);
    expect(shown.messages.map((message) => message.role)).toEqual(['user', 'user', 'assistant', 'tool', 'assistant']);
    expect(shown.messages[3]!.content).toHaveLength(5_019);
  });

  test('a conversation of several windows is shown once, in order', async () => {
    const { run } = shop((add, connection) => {
      add('long');
      for (let at = 0; at < 1_001; at++) {
        insertRow(connection, 'messages', {
          session_id: 'long',
          role: 'user',
          content: `line ${at}.`,
          timestamp: seconds - 199 * day + at,
        });
      }
    });
    const { out } = await run('sessions show long');
    expect([...out.matchAll(/^line (\d+)\.$/gm)].map((match) => Number(match[1]))).toEqual(Array.from({ length: 1_001 }, (_, at) => at));
  });

  test('unknown: one sentence, exit 1', async () => {
    const { run } = shop(talk);
    expect(await run('sessions show nobody')).toMatchObject({ code: 1, out: '' });
  });
});

describe('--json of listings', () => {
  test('list: every key is there', async () => {
    const { run } = shop(old);
    const rows = JSON.parse((await run('sessions list --json --limit 1')).out) as Record<string, unknown>[];
    expect(rows.map((row) => row['id'])).toEqual(['20260102_000000_bbbbbb', '20260103_000000_cccccc']);
    expect(rows[0]).toMatchObject({
      title: 'Kept',
      preview: 'words of 20260102_000000_bbbbbb',
      source: 'cli',
      pinned: true,
      archived: false,
      model: null,
      cwd: null,
      git_branch: null,
      message_count: 1,
      status: 'interrupted',
      segments: ['20260102_000000_bbbbbb'],
    });
    expect(String(rows[0]!['last_active'])).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect((await shop(() => undefined).run('sessions list --json')).out).toBe('[]\n');
  });

  test('list takes every filter', async () => {
    const { run } = shop(old);
    expect((await run('sessions list --model GPT')).out).toContain('20260101_000000_aaaaaa');
    expect((await run('sessions list --older-than 30 --model GPT --max-messages 0')).out).toBe('No sessions found.\n');
  });

  test('stats', async () => {
    const { run } = shop(old);
    const stats = JSON.parse((await run('sessions stats --json')).out) as Record<string, unknown>;
    expect(stats).toMatchObject({ sessions: 7, messages: 7, sources: [{ source: 'cli', sessions: 7 }] });
  });
});
