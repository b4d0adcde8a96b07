import { cpSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { buildEra } from '../../fixtures/eras/build.ts';
import { createRandom } from '../../fixtures/random.ts';
import { runShell, type Outcome, type ShellOptions } from '../support/shell.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const fixtures = path.join(import.meta.dirname, '../../fixtures/transcripts');
const now = Date.UTC(2026, 5, 1, 12);

interface Place {
  readonly home: string;
  readonly store: string;
  readonly claude: string;
  run(line: readonly string[], options?: ShellOptions): Promise<Outcome>;
  rows(sql: string, ...values: unknown[]): Record<string, unknown>[];
  change(sql: string, ...values: unknown[]): void;
}

/** A user with a home of ours and logs of other agents beside it. */
function makePlace(): Place {
  const user = temporaryFolder();
  const home = path.join(user, '.hermes');
  const claude = path.join(user, '.claude/projects/-home-ann-code-shop');
  mkdirSync(home);
  mkdirSync(claude, { recursive: true });
  const store = path.join(home, 'state.db');
  const ask = <Result>(use: (db: BetterSqlite3.Database) => Result): Result => {
    const db = new BetterSqlite3(store);
    try {
      return use(db);
    } finally {
      db.close();
    }
  };
  return {
    home,
    store,
    claude,
    run: (line, options) => runShell(['sessions', 'import', ...line], store, { now: () => now, ...options }),
    rows: (sql, ...values) => ask((db) => db.prepare(sql).all(...values) as Record<string, unknown>[]),
    change: (sql, ...values) => ask((db) => void db.prepare(sql).run(...values)),
  };
}

/** A log of Claude Code with these words, one after the other. */
function writeLog(file: string, words: readonly string[], cwd = '/home/ann/code/shop'): void {
  const lines = words.map((text, index) => {
    const type = index % 2 === 0 ? 'user' : 'assistant';
    const content = type === 'user' ? text : [{ type: 'text', text }];
    return {
      type,
      uuid: `u${index}`,
      parentUuid: index === 0 ? null : `u${index - 1}`,
      sessionId: 's',
      cwd,
      timestamp: new Date(Date.UTC(2026, 2, 1, 9, index)).toISOString(),
      message: { role: type, content },
    };
  });
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

test('a log becomes a session of its source, with its directory, its times and where it is from', async () => {
  const place = makePlace();
  const file = path.join(place.claude, '5e1f0c1a.jsonl');
  cpSync(path.join(fixtures, 'claude-code.jsonl'), file);
  const before = readFileSync(file);
  const outcome = await place.run([file]);
  expect(outcome).toMatchObject({ code: 0, err: '' });
  const [row] = place.rows('SELECT * FROM sessions');
  expect(outcome.out).toBe(
    `Imported as ${String(row!['id'])}: Imported from Claude Code: The cart total is one cent off when three items are reduced. (4 messages)\n`,
  );
  expect(row).toMatchObject({
    source: 'claude-code',
    created_source: 'claude-code',
    cwd: '/home/ann/code/shop',
    git_branch: 'cart-total',
    title: 'Imported from Claude Code: The cart total is one cent off when three items are reduced.',
    title_source: 'derived',
    message_count: 4,
    tool_call_count: 0,
    ended_at: null,
    model: null,
  });
  expect(JSON.parse(String(row!['origin_json']))).toEqual({
    imported_from: { tool: 'claude-code', path: file, foreign_session_id: '5e1f0c1a', imported_at: now / 1000, model: 'claude-opus-4-5' },
  });
  expect(String(row!['id'])).toMatch(/^\d{8}_\d{6}_[0-9a-f]{6}$/);
  const messages = place.rows('SELECT role, timestamp, display_order, length(message_uid) AS uid FROM messages ORDER BY id');
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(messages[0]).toMatchObject({ timestamp: Date.parse('2026-03-02T08:14:11.120Z') / 1000, uid: 32 });
  expect(row!['last_activity_at']).toBe(messages.at(-1)!['timestamp']);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('the title is the first line a person said, at most 60 characters of it, and the next number where it is taken', async () => {
  const place = makePlace();
  for (const name of ['a', 'b', 'c'])
    writeLog(path.join(place.claude, `${name}.jsonl`), [`\n  ${'하나둘셋넷'.repeat(20)}\nsecond line`, 'yes']);
  await place.run([place.claude]);
  const base = `Imported from Claude Code: ${'하나둘셋넷'.repeat(12)}`;
  expect(place.rows('SELECT title FROM sessions ORDER BY rowid').map(({ title }) => title)).toEqual([base, `${base} #2`, `${base} #3`]);
});

describe('the same log again', () => {
  const file = (place: Place): string => path.join(place.claude, 'log.jsonl');
  const first = ['one', 'two'];

  async function imported(): Promise<Place> {
    const place = makePlace();
    writeLog(file(place), first);
    await place.run([file(place)]);
    return place;
  }
  const contents = (place: Place): unknown[] => place.rows('SELECT content FROM messages ORDER BY id').map(({ content }) => content);

  test('is the copy that was made of it', async () => {
    const place = await imported();
    expect((await place.run([file(place)])).out).toMatch(/^Already imported as \S+: /);
    expect(contents(place)).toEqual(first);
  });

  test('adds what was said since to a copy nobody continued', async () => {
    const place = await imported();
    writeLog(file(place), [...first, 'three', 'four']);
    expect((await place.run([file(place)])).out).toMatch(/^Added 2 messages to /);
    expect(contents(place)).toEqual(['one', 'two', 'three', 'four']);
    expect(place.rows('SELECT message_count FROM sessions')).toEqual([{ message_count: 4 }]);
  });

  test('goes on with an answer that was under way', async () => {
    const place = await imported();
    const more = {
      type: 'assistant',
      uuid: 'more',
      parentUuid: 'u1',
      message: { role: 'assistant', content: [{ type: 'tool_use', name: 'Read' }] },
    };
    writeFileSync(file(place), `${JSON.stringify(more)}\n`, { flag: 'a' });
    expect((await place.run([file(place)])).out).toMatch(/^Added 1 message to /);
    expect(contents(place)).toEqual(['one', 'two\n\n[ran tool: Read]']);
    expect(place.rows('SELECT count(*) AS n FROM messages WHERE display_order IS NULL')).toEqual([{ n: 0 }]);
  });

  test('leaves a copy alone that was continued here, and says so', async () => {
    const place = await imported();
    place.change("INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', 'mine', 1900000000 FROM sessions");
    expect((await place.run([file(place)])).out).toMatch(/^Already imported/);
    writeLog(file(place), [...first, 'three']);
    expect((await place.run([file(place)])).out).toMatch(/^Left as it is: /);
    expect(contents(place)).toEqual(['one', 'two', 'mine']);
  });

  test('waits while somebody’s turn is running on it', async () => {
    const place = await imported();
    writeLog(file(place), [...first, 'three']);
    place.change("INSERT INTO session_turn_leases SELECT id, 'somebody', ?, ? FROM sessions", now / 1000, now / 1000 + 300);
    expect((await place.run([file(place)])).out).toMatch(/^Left as it is: another program is at work/);
    expect(contents(place)).toEqual(first);
  });

  test('is known again in a store from before origins were kept', async () => {
    const place = makePlace();
    buildEra(place.store, 17);
    writeLog(file(place), first);
    expect((await place.run([file(place)])).code).toBe(0);
    expect((await place.run([file(place)])).out).toMatch(/^Already imported/);
    expect(place.rows('SELECT version FROM schema_version')).toEqual([{ version: 17 }]);
  });
});

describe('choosing a log', () => {
  function withLogs(): Place {
    const place = makePlace();
    for (let index = 0; index < 30; index++) {
      const at = path.join(place.claude, `log${index}.jsonl`);
      writeLog(at, [`question ${index}`, 'answer'], index === 7 ? '/here' : '/home/ann/code/shop');
      utimesSync(at, now / 1000 - index * 3600, now / 1000 - index * 3600);
    }
    return place;
  }

  test('the 25 newest are numbered, those of this directory first', async () => {
    const place = withLogs();
    const outcome = await place.run(['--from', 'claude'], { columns: 100, typed: ['2'], cwd: '/here' });
    const lines = outcome.out.split('\n');
    expect(lines[0]).toMatch(/^ +Age +Directory +Conversation$/);
    expect(lines[1]).toMatch(/^ 1 {2}7h +\/here +question 7$/);
    expect(lines[2]).toMatch(/^ 2 {2}now +\/home\/ann\/code\/shop +question 0$/);
    expect(lines.filter((line) => /question \d+$/.test(line))).toHaveLength(25);
    expect(outcome.out).toContain('Number of the one to import, 1 to 25 (Enter: none): Imported as');
    expect(place.rows('SELECT title FROM sessions')).toEqual([{ title: 'Imported from Claude Code: question 0' }]);
    const again = await place.run(['--from', 'claude'], { columns: 100, typed: [''] });
    expect(again.out).toMatch(/question 0 \(imported as \S+\)/);
  });

  test.each([
    ['Enter', ['']],
    ['the end of input', []],
  ])('%s chooses none: exit code 1, and nothing is made', async (_what, typed) => {
    const place = withLogs();
    const outcome = await place.run(['--from', 'claude'], { columns: 80, typed });
    expect(outcome.code).toBe(1);
    expect(outcome.out).toContain('Nothing chosen, nothing imported.');
    expect(statSync(place.store, { throwIfNoEntry: false })).toBeUndefined();
  });

  test('what is no number of the list is asked for again', async () => {
    const outcome = await withLogs().run(['--from', 'claude'], { columns: 80, typed: ['26', 'x', '0', '1'] });
    expect(outcome.code).toBe(0);
    expect(outcome.err.split('\n').filter((line) => line.includes('is no number from 1 to 25'))).toHaveLength(3);
  });

  test('without a terminal nothing is asked', async () => {
    const outcome = await withLogs().run([]);
    expect(outcome).toMatchObject({ code: 1, out: '' });
    expect(outcome.error?.hint).toContain('--all');
  });

  test('a path and --all are refused together', async () => {
    const place = withLogs();
    const outcome = await place.run(['--all', place.claude]);
    expect(outcome).toMatchObject({ code: 2, out: '' });
    expect(outcome.error?.message).toMatch(/--all goes without it/);
    expect(statSync(place.store, { throwIfNoEntry: false })).toBeUndefined();
  });

  test('where there are no logs, the folder that was looked into is named', async () => {
    const outcome = await makePlace().run(['--from', 'codex'], { columns: 80 });
    expect(outcome.error?.message).toBe('No logs of Codex CLI in ~/.codex/sessions.');
  });
});

describe('many at once', () => {
  test('--all imports every log, oldest first; a second time nothing', async () => {
    const place = makePlace();
    for (const index of [0, 1, 2]) writeLog(path.join(place.claude, `${index}.jsonl`), [`q${index}`, 'a']);
    writeFileSync(path.join(place.claude, 'empty.jsonl'), '');
    const dry = await place.run(['--all', '--dry-run']);
    expect(dry.out.trimEnd().split('\n').at(-1)).toBe('3 to import, 0 already here.');
    const outcome = await place.run(['--all']);
    expect(outcome.out.trimEnd().split('\n').at(-1)).toBe('3 imported, 0 already here.');
    expect((await place.run(['--all'])).out.trimEnd().split('\n').at(-1)).toBe('0 imported, 3 already here.');
  });

  test('a folder of good and damaged files of every kind: the good ones are imported', async () => {
    const place = makePlace();
    const folder = path.join(place.home, 'mixed');
    cpSync(fixtures, folder, { recursive: true });
    const random = createRandom(5);
    for (let index = 0; index < 40; index++) {
      const bytes = Buffer.from(Array.from({ length: random.between(0, 500) }, () => random.between(0, 255)));
      writeFileSync(path.join(folder, `bad${index}.json${random.chance(0.5) ? 'l' : ''}`), bytes);
    }
    const outcome = await place.run([folder]);
    expect(outcome).toMatchObject({ code: 0, err: '' });
    expect(place.rows('SELECT source, count(*) AS n FROM sessions GROUP BY source ORDER BY source')).toEqual([
      { source: 'claude-code', n: 1 },
      { source: 'codex-cli', n: 1 },
      { source: 'gemini-cli', n: 2 },
      { source: 'opencode', n: 2 },
      { source: 'pi', n: 1 },
    ]);
  });

  test('--dry-run says what there is and makes no store; --json says it for programs', async () => {
    const place = makePlace();
    writeLog(path.join(place.claude, 'a.jsonl'), ['q', 'a']);
    const outcome = await place.run(['--all', '--dry-run', '--json']);
    expect(JSON.parse(outcome.out)).toEqual([
      {
        path: path.join(place.claude, 'a.jsonl'),
        tool: 'claude-code',
        foreign_session_id: 'a',
        outcome: 'planned',
        messages: 2,
        broken: [],
      },
    ]);
    expect(statSync(place.store, { throwIfNoEntry: false })).toBeUndefined();
    const done = JSON.parse((await place.run(['--all', '--json'])).out) as Record<string, unknown>[];
    expect(done[0]).toMatchObject({ outcome: 'imported', messages: 2, title: 'Imported from Claude Code: q' });
  });

  test('a log with a second name in the folder is imported once', async () => {
    const place = makePlace();
    writeLog(path.join(place.claude, 'a.jsonl'), ['q', 'a']);
    symlinkSync('a.jsonl', path.join(place.claude, 'b.jsonl'));
    linkSync(path.join(place.claude, 'a.jsonl'), path.join(place.claude, 'c.jsonl'));
    await place.run([place.claude]);
    expect(place.rows('SELECT count(*) AS n FROM sessions')).toEqual([{ n: 1 }]);
  });

  test('Ctrl+C stops between two sessions, and says how many are done', async () => {
    const place = makePlace();
    for (const index of [0, 1, 2]) writeLog(path.join(place.claude, `${index}.jsonl`), [`q${index}`, 'a']);
    const stop = new AbortController();
    stop.abort(130);
    const outcome = await place.run(['--all'], { signal: stop.signal });
    expect(outcome.code).toBe(130);
    expect(outcome.error?.message).toBe('Stopped after 1; nothing is half done.');
    expect(place.rows('SELECT count(*) AS n FROM sessions')).toEqual([{ n: 1 }]);
  });

  test('broken lines are said with their file, on standard error', async () => {
    const place = makePlace();
    const file = path.join(place.claude, 'a.jsonl');
    writeLog(file, ['q', 'a']);
    writeFileSync(file, 'nonsense\n{"cut', { flag: 'a' });
    expect(await place.run([file])).toMatchObject({ code: 0, err: `${file}: 2 lines could not be read: 3, 4\n` });
  });
});

test.each([
  ['a relative one', 'code/shop'],
  ['one with a control character', '/tmp/\u0000x'],
  ['one longer than any path', `/${'x'.repeat(5000)}`],
  ['an empty one', ''],
])('a directory that could not be gone back to is left out: %s', async (_what, cwd) => {
  const place = makePlace();
  writeLog(path.join(place.claude, 'a.jsonl'), ['q', 'a'], cwd);
  await place.run([place.claude]);
  expect(place.rows('SELECT cwd FROM sessions')).toEqual([{ cwd: null }]);
});

test('a backup of a session that lies in the bin takes nothing out of it', async () => {
  const place = makePlace();
  const log = path.join(place.claude, 'a.jsonl');
  const backup = path.join(place.home, 'backup.jsonl');
  writeLog(log, ['q', 'a']);
  await place.run([log]);
  const shell = (...line: string[]): Promise<Outcome> => runShell(['sessions', ...line], place.store, { now: () => now });
  await shell('export', backup);
  const id = String(place.rows('SELECT id FROM sessions')[0]?.['id']);
  place.change("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', 'said since', 1790000000)", id);
  await shell('delete', id, '--yes');
  const refused = await place.run([backup]);
  expect(refused.out).toContain(`\`hermes sessions restore ${id}\` brings it back, then import it again.`);
  await shell('restore', id);
  expect(await place.run([backup])).toMatchObject({ code: 0 });
  expect(place.rows('SELECT content FROM messages ORDER BY timestamp').at(-1)).toEqual({ content: 'said since' });
});

test.each([
  ['a path below a file', ['/dev/null/x'], 'There is nothing at /dev/null/x.', 1],
  ['a path where nothing is', ['/nowhere/at/all'], 'There is nothing at /nowhere/at/all.', 1],
  ['an agent nobody knows', ['--from', 'emacs'], "'emacs' is no agent whose logs can be imported.", 2],
  ['our own format without a path', ['--from', 'hermes', '--all'], 'An export of this program is imported from a file.', 2],
])('%s is refused in a sentence', async (_what, line, message, code) => {
  const outcome = await makePlace().run(line);
  expect(outcome).toMatchObject({ code, out: '' });
  expect(outcome.error?.message).toBe(message);
});

test('a file of something else is refused, and so is a log in which nobody said anything', async () => {
  const place = makePlace();
  const file = path.join(place.home, 'notes.txt');
  writeFileSync(file, 'just some notes\n');
  expect((await place.run([file])).error?.code).toBe('unknown-format');
  expect(await place.run(['--from', 'claude', file])).toMatchObject({ code: 1, out: `Nothing was said in ${file}.\n` });
  expect(statSync(place.store, { throwIfNoEntry: false })).toBeUndefined();
});
