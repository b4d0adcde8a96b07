import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { openForWriting } from '../../src/store/open.ts';
import { insertRow } from '../../src/store/writes/rows.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { runShell, type Outcome, type ShellOptions } from '../support/shell.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const now = Date.UTC(2026, 10, 30, 12);
const seconds = now / 1000;
const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

interface Home {
  readonly path: string;
  readonly store: string;
  run(...line: string[]): Promise<Outcome>;
  runWith(options: ShellOptions, ...line: string[]): Promise<Outcome>;
  sql(text: string, ...values: unknown[]): void;
  ids(): string[];
}

/**
 * A chain root → mid → tip with a sub-agent below the root and one below that; a branch of the tip; one open and one with a secret in every place.
 */
function makeHome(): Home {
  const path = temporaryFolder();
  const store = join(path, 'state.db');
  const connection = openForWriting(store, { now: () => now });
  const session = (id: string, fields: Record<string, unknown> = {}, texts: string[] = [`said in ${id}`]): void => {
    const order = ['root', 'mid', 'tip', 'agent', 'agent2', 'branch', 'open', 'leaky'].indexOf(id);
    const startedAt = seconds - 864_000 + order * 3600;
    insertRow(connection, 'sessions', {
      id,
      source: 'cli',
      started_at: startedAt,
      ended_at: startedAt + 60,
      end_reason: 'cli_close',
      message_count: texts.length,
      model_config: '{}',
      ...fields,
    });
    texts.forEach((content, at) =>
      insertRow(connection, 'messages', { session_id: id, role: at % 2 === 0 ? 'user' : 'assistant', content, timestamp: startedAt + at }),
    );
  };
  connection.db.transaction(() => {
    session('root', { end_reason: 'compression', title: 'Long work' });
    session('mid', { end_reason: 'compression', parent_session_id: 'root' });
    session('tip', { parent_session_id: 'mid', title: 'Long work #3' });
    session('agent', { parent_session_id: 'root', source: 'subagent', model_config: '{"_delegate_from": "root"}' });
    session('agent2', { parent_session_id: 'agent', source: 'subagent', model_config: '{"_delegate_from": "agent"}' });
    session('branch', { parent_session_id: 'tip', model_config: '{"_branched_from": "tip"}', title: 'Other way' });
    session('open', { ended_at: undefined, end_reason: undefined, title: 'Still going' });
    session('leaky', { source: 'telegram', title: `key ${secret}`, cwd: `/x/${secret}`, archived: 1 }, [`use ${secret}`, 'I will']);
  })();
  connection.close();
  const runWith: Home['runWith'] = (options, ...line) => runShell(['sessions', 'export', ...line], store, { now: () => now, ...options });
  return {
    path,
    store,
    run: (...line) => runWith({}, ...line),
    runWith,
    sql(text, ...values) {
      const db = new Database(store);
      db.prepare(text).run(...values);
      db.close();
    },
    ids() {
      const db = new Database(store, { readonly: true });
      const ids = db.prepare('SELECT id FROM sessions ORDER BY id').pluck().all() as string[];
      db.close();
      return ids;
    },
  };
}

/** Even reading leaves -wal and -shm beside a store. */
const filesOf = (home: Home): string[] => readdirSync(home.path).filter((name) => !name.startsWith('state.db'));

const linesOf = (text: string): Record<string, unknown>[] =>
  text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>); // prettier-ignore
const idsOf = (text: string): unknown[] => linesOf(text).map((line) => line['id']);

describe('which sessions', () => {
  test('without filters everything, oldest first, open ones included', async () => {
    const home = makeHome();
    const outcome = await home.run('-');
    expect(idsOf(outcome.out)).toEqual(['root', 'mid', 'tip', 'agent', 'agent2', 'branch', 'open', 'leaky']);
    expect(outcome.err).toBe('');
  });

  test('filters mean ended conversations, whole, with their sub-agents; archived ones too', async () => {
    const home = makeHome();
    expect(idsOf((await home.run('-', '--source', 'cli')).out)).toEqual(['root', 'mid', 'tip', 'agent', 'agent2', 'branch']);
    expect(idsOf((await home.run('-', '--title', 'work')).out)).toEqual(['root', 'mid', 'tip', 'agent', 'agent2']);
    expect(idsOf((await home.run('-', '--source', 'telegram')).out)).toEqual(['leaky']);
  });

  test('an id means that session, `--lineage logical` its whole conversation', async () => {
    const home = makeHome();
    expect(idsOf((await home.run('-', '--session-id', 'mid')).out)).toEqual(['mid']);
    expect(idsOf((await home.run('-', '--session-id', 'mi')).out)).toEqual(['tip']);
    expect(idsOf((await home.run('-', '--session-id', 'mid', '--lineage', 'logical')).out)).toEqual(['root', 'mid', 'tip']);
    expect(await home.run('-', '--session-id', 'nobody')).toMatchObject({
      code: 1,
      error: { code: 'not-found', message: "No session 'nobody'." },
    });
  });

  test('the same for a dry run as for the run, which a dry run writes nothing of', async () => {
    const home = makeHome();
    for (const filter of [
      ['--source', 'cli'],
      ['--older-than', '1d'],
      ['--max-messages', '1'],
      ['--before', '2026-11-21'],
    ]) {
      const before = filesOf(home);
      const preview = await home.run('--dry-run', ...filter);
      const run = await home.run('-', ...filter);
      const previewed = preview.out.split('\n').filter((line) => line.startsWith('  ')).map((line) => line.trim().split('  ')[0]); // prettier-ignore
      expect(previewed).toEqual(idsOf(run.out));
      expect(filesOf(home)).toEqual(before);
    }
  });

  test('nothing that fits is said with the filters', async () => {
    const home = makeHome();
    expect(await home.run('x.jsonl', '--source', 'nowhere')).toMatchObject({ code: 0, err: 'No sessions match (source nowhere).\n' });
    expect(existsSync(join(home.path, 'x.jsonl'))).toBe(false);
  });

  test('a home without a store has nothing to export, and gets none', async () => {
    const store = join(temporaryFolder(), 'state.db');
    expect(await runShell(['sessions', 'export', 'x.jsonl'], store)).toMatchObject({ code: 0, err: 'No sessions to export.\n' });
    expect(await runShell(['sessions', 'export', 'x.jsonl', '--session-id', 'a'], store)).toMatchObject({ code: 1 });
    expect(existsSync(store)).toBe(false);
  });
});

describe('what does not go together is refused before anything is written', () => {
  test.each([
    [[], 'JSONL export requires an output path (use - for stdout).'],
    [['--only', 'user-prompts'], 'JSONL export requires an output path (use - for stdout).'],
    [['--format', 'html'], 'HTML export requires the path of a file.'],
    [['-', '--format', 'html'], 'HTML export requires the path of a file.'],
    [['--format', 'md'], /^Refusing to export every session as md/],
    [['out', '--format', 'qmd'], /^Refusing to export every session as qmd/],
    [['-', '--format', 'md', '--session-id', 'tip'], /can't go to stdout/],
    [['-', '--format', 'trace', '--source', 'cli'], /can't go to stdout/],
    [['x', '--format', 'pdf'], "'pdf' is no format."],
    [['x', '--only', 'answers'], /nothing --only knows/],
    [['x', '--only', 'user-prompts', '--format', 'html'], /jsonl or md/],
    [['x', '--lineage', 'both'], /no lineage mode/],
    [['x', '--session-id', 'tip', '--source', 'cli'], /filters go without it/],
    [['x', '--redact', '--no-redact'], /contradict/],
    [['-', '--force'], /--force replaces files/],
    [['--format', 'trace', '--upload', '--force'], /--force replaces files/],
    [['x', '--upload'], /goes with --format trace/],
    [['--public', '--format', 'trace'], /goes with --upload/],
    [['x', '--format', 'trace', '--upload'], /one session/],
    [['x', '--delete-after-verified', '--session-id', 'tip', '--yes'], /needs --session-id and --yes, and --format md or qmd/],
    [['x', '--format', 'md', '--delete-after-verified', '--session-id', 'tip'], /needs --session-id and --yes/],
    [['x', '--format', 'md', '--delete-after-verified', '--source', 'cli', '--yes'], /needs --session-id and --yes/],
  ] as [string[], string | RegExp][])('%j', async (line, message) => {
    const home = makeHome();
    const before = readdirSync(home.path);
    const outcome = await home.run(...line);
    expect(outcome).toMatchObject({ code: 2, out: '' });
    expect(outcome.error?.message).toMatch(message);
    expect(readdirSync(home.path)).toEqual(before);
  });

  test('an empty window has exit code 1', async () => {
    expect(await makeHome().run('x', '--after', '2026-07-02', '--before', '2026-07-01')).toMatchObject({
      code: 1,
      error: { code: 'empty-window' },
    });
  });
});

describe('where it goes', () => {
  test('a file, said; not overwritten without --force', async () => {
    const home = makeHome();
    const path = join(home.path, 'b.jsonl');
    expect(await home.run('b.jsonl')).toMatchObject({ code: 0, out: `Exported 8 session(s) to ${path}\n` });
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
    expect(await home.run('b.jsonl')).toMatchObject({ code: 1, error: { code: 'export-exists' } });
    expect(await home.run('b.jsonl', '--force', '--source', 'telegram')).toMatchObject({ out: `Exported 1 session(s) to ${path}\n` });
  });

  test.each([
    [['--session-id', 'tip'], 'hermes_session_tip.jsonl'],
    [[], 'hermes_sessions.jsonl'],
    [['--format', 'html'], 'hermes_sessions.html'],
    [['--format', 'html', '--session-id', 'tip'], 'hermes_session_tip.html'],
    [['--only', 'user-prompts', '--format', 'md'], 'hermes_sessions.md'],
    [['--format', 'trace', '--session-id', 'tip'], 'tip.trace.jsonl'],
  ])('a directory gets a file of a default name: %j', async (line, name) => {
    const home = makeHome();
    mkdirSync(join(home.path, 'there'));
    await home.run('there', ...line);
    await home.run('new/', ...line);
    expect(readdirSync(join(home.path, 'there'))).toEqual([name]);
    expect(readdirSync(join(home.path, 'new'))).toEqual([name]);
  });

  test('an export by filters names what it leaves out, a dry run stands in straight columns', async () => {
    const home = makeHome();
    const written = await home.run('some.jsonl', '--newer-than', '100d');
    expect(written.err).toBe('Left out: 1 not ended.\n');
    const { out } = await home.run('--dry-run', 'some.jsonl', '--newer-than', '100d');
    const rows = out.split('\n').filter((line) => line.startsWith('  '));
    expect(out).toContain('Left out: 1 not ended.');
    expect(new Set(rows.map((line) => line.indexOf(' msgs'))).size).toBe(1);
  });

  test('Markdown that meets a file half way says how many were written before it', async () => {
    const home = makeHome();
    await home.run('--format', 'md', '--session-id', 'tip');
    const { code, error } = await home.run('--format', 'md', '--title', 'work');
    expect(code).toBe(1);
    expect(error?.message).toMatch(/^Export already exists: .*tip-long-work-3\.md\. Pass --force to overwrite it\.$/);
    expect(error?.hint).toBe('2 files were written before it; --force writes them anew, with the rest.');
    expect(readdirSync(join(home.path, 'session-exports'))).toHaveLength(4);
  });

  test('Markdown: a file each and a manifest, in session-exports unless said', async () => {
    const home = makeHome();
    expect(await home.run('--format', 'md', '--title', 'work')).toMatchObject({
      out: `Exported 5 session(s) to ${home.path}/session-exports\n`,
    });
    const folder = join(home.path, 'session-exports');
    expect(readdirSync(folder).sort()).toEqual(
      ['agent-session.md', 'agent2-session.md', 'manifest.jsonl', 'mid-session.md', 'root-long-work.md', 'tip-long-work-3.md'].sort(),
    );
    for (const entry of linesOf(readFileSync(join(folder, 'manifest.jsonl'), 'utf8'))) {
      const bytes = readFileSync(String(entry['path']));
      expect(entry['sha256']).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(entry).toMatchObject({ format: 'md', message_count: 1, exported_at: seconds, lineage_session_ids: [entry['session_id']] });
      expect(lstatSync(String(entry['path'])).mode & 0o777).toBe(0o600);
    }
  });

  test('a logical document holds the whole conversation, a heading for each segment', async () => {
    const home = makeHome();
    await home.run('d', '--format', 'md', '--session-id', 'root', '--lineage', 'logical');
    expect(readdirSync(join(home.path, 'd')).sort()).toEqual(['manifest.jsonl', 'tip-long-work-3.md']);
    const text = readFileSync(join(home.path, 'd/tip-long-work-3.md'), 'utf8');
    expect(text.match(/^(?:## Compression segment: .*|said in .*)$/gm)).toEqual(
      ['root', 'mid', 'tip'].flatMap((id) => [`## Compression segment: ${id}`, `said in ${id}`]),
    );
    expect(linesOf(readFileSync(join(home.path, 'd/manifest.jsonl'), 'utf8'))[0]).toMatchObject({
      lineage_session_ids: ['root', 'mid', 'tip'],
    });
  });

  test('a link planted where a document goes is not written through', async () => {
    const home = makeHome();
    mkdirSync(join(home.path, 'd'));
    writeFileSync(join(home.path, 'victim'), 'precious');
    symlinkSync(join(home.path, 'victim'), join(home.path, 'd/tip-long-work-3.md'));
    expect(await home.run('d', '--format', 'md', '--session-id', 'tip')).toMatchObject({ code: 1, error: { code: 'export-exists' } });
    await home.run('d', '--format', 'md', '--session-id', 'tip', '--force');
    expect(readFileSync(join(home.path, 'victim'), 'utf8')).toBe('precious');
  });

  test('traces: the newest to stdout, one to a file, many into a directory', async () => {
    const home = makeHome();
    expect(linesOf((await home.run('--format', 'trace')).out)[0]).toMatchObject({ sessionId: 'open', type: 'user' });
    await home.run('t.jsonl', '--format', 'trace', '--session-id', 'tip');
    expect(linesOf(readFileSync(join(home.path, 't.jsonl'), 'utf8'))).toMatchObject([
      { sessionId: 'tip', message: { role: 'user', content: 'said in tip' } },
    ]);
    await home.run('many', '--format', 'trace', '--title', 'work');
    expect(readdirSync(join(home.path, 'many')).sort()).toEqual(['mid.trace.jsonl', 'root.trace.jsonl', 'tip.trace.jsonl']);
  });

  test('prompts: only what was typed, sub-agents left out', async () => {
    const home = makeHome();
    const { out } = await home.run('-', '--only', 'user-prompts', '--title', 'work');
    expect(linesOf(out).map((line) => line['text'])).toEqual(['said in root', 'said in mid', 'said in tip']);
    expect((await home.run('p.md', '--only', 'user-prompts', '--format', 'md')).out).toMatch(
      /^Exported 6 prompt\(s\) of 6 session\(s\) to /,
    );
  });

  test('a terminal gets pictures of what it would obey', async () => {
    const home = makeHome();
    home.sql("UPDATE messages SET content = ? WHERE session_id = 'tip'", 'red \u001b[31m');
    const { out } = await home.runWith({ columns: 80 }, '-', '--only', 'user-prompts', '--format', 'md', '--session-id', 'tip');
    expect(out).toContain('red');
    expect(out).not.toContain('\u001b');
  });
});

describe('redaction', () => {
  const places: [string, string[]][] = [
    ['jsonl', ['o']], ['html', ['o', '--format', 'html']], ['md', ['o/', '--format', 'md', '--source', 'telegram']],
    ['qmd', ['o/', '--format', 'qmd', '--session-id', 'leaky']], ['prompts', ['o', '--only', 'user-prompts']],
  ]; // prettier-ignore
  test.each(places)('%s: the key is in no file and in no name', async (_name, line) => {
    const home = makeHome();
    await home.run(...line);
    expect(everyText(join(home.path, 'o'))).toContain(secret);
    await home.run(...line.map((word) => word.replace(/^o/, 'clean')), '--redact');
    const text = everyText(join(home.path, 'clean'));
    expect(text.length).toBeGreaterThan(100);
    expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
  });

  test('traces strike by themselves, unless told not to', async () => {
    const home = makeHome();
    expect((await home.run('-', '--format', 'trace', '--session-id', 'leaky')).out).not.toContain(secret);
    expect((await home.run('-', '--format', 'trace', '--session-id', 'leaky', '--no-redact')).out).toContain(secret);
  });

  test('a dry run shows what would be struck, masked', async () => {
    const { out } = await makeHome().run('--dry-run', '--redact', '--source', 'telegram');
    expect(out).toMatch(/Would strike \d+ secret\(s\):\n/);
    expect(out).toMatch(/ {2}leaky {2}content of message \d+ {2}vendor-key {2}ghp_01\.\.\.2345\n/);
    const struck = out.split('\n').filter((each) => each.startsWith('  leaky') && each.includes('ghp_01...'));
    expect(out).toContain(`Would strike ${struck.length} secret(s):`);
    expect(new Set(struck).size).toBe(struck.length);
    expect(out.replace(/^ {2}leaky .*telegram.*$/m, '')).not.toContain(secret);
  });
});

function everyText(path: string): string {
  if (!lstatSync(path).isDirectory()) return readFileSync(path, 'utf8');
  return readdirSync(path).map((name) => `${name}\n${everyText(join(path, name))}`).join('\n'); // prettier-ignore
}

describe('deleting what was exported and verified', () => {
  const line = (id: string, ...more: string[]): string[] => [
    'd',
    '--format',
    'md',
    '--session-id',
    id,
    '--delete-after-verified',
    '--yes',
    ...more,
  ];

  test.each([[[]], [['--lineage', 'logical']]])(
    'takes the conversation with its sub-agents, each in a file; branches stay %j',
    async (more) => {
      const home = makeHome();
      const outcome = await home.run(...line('tip', ...more));
      expect(outcome).toMatchObject({
        code: 0,
        out: expect.stringMatching(/Verified \d file\(s\)\.\nDeleted session 'tip'\.\nin the bin until /) as string,
      });
      expect(home.ids()).toEqual(['branch', 'leaky', 'open']);
      const text = everyText(join(home.path, 'd'));
      for (const id of ['root', 'mid', 'tip', 'agent', 'agent2']) expect(text).toContain(`said in ${id}`);
    },
  );

  test('what the bin keeps not at all is erased', async () => {
    const home = makeHome();
    const config = { ...DEFAULTS, sessions: { ...DEFAULTS.sessions, trashDays: 0 } };
    expect((await home.runWith({ config }, ...line('leaky'))).out).toContain('erased for good');
    expect(readFileSync(home.store).includes(secret)).toBe(false);
  });

  const manifestLines = (home: Home): number => {
    const path = join(home.path, 'd/manifest.jsonl');
    return existsSync(path) ? linesOf(readFileSync(path, 'utf8')).length : 0;
  };

  /** Something happens after the last file was written, before the deletion: at the first look at the clock since then. */
  async function runWithChange(home: Home, id: string, change: () => void): Promise<Outcome> {
    let isDone = false;
    const outcome = await runShell(['sessions', 'export', ...line(id)], home.store, {
      now: () => {
        if (!isDone && manifestLines(home) === 5) {
          isDone = true;
          change();
        }
        return now;
      },
    });
    expect(isDone).toBe(true);
    return outcome;
  }

  test.each<[string, (home: Home) => void]>([
    ['a new message', (home) => home.sql("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('tip', 'user', 'more', 1)")],
    ['a message edited', (home) => home.sql("UPDATE messages SET content = 'other' WHERE session_id = 'root'")],
    ['a message taken back', (home) => home.sql("UPDATE messages SET active = 0 WHERE session_id = 'mid'")],
    ['a message gone', (home) => home.sql("DELETE FROM messages WHERE session_id = 'mid'")],
    ['a new title', (home) => home.sql("UPDATE sessions SET title = 'x' WHERE id = 'tip'")],
    ['a pin', (home) => home.sql("UPDATE sessions SET pinned = 1 WHERE id = 'mid'")],
    ['a message of a sub-agent', (home) => home.sql("UPDATE messages SET content = 'other' WHERE session_id = 'agent2'")],
    ['usage counted', (home) => home.sql("INSERT INTO session_model_usage (session_id, model) VALUES ('tip', 'm')")],
    [
      'a new sub-agent',
      (home) =>
        home.sql(
          `INSERT INTO sessions (id, source, started_at, parent_session_id, model_config) VALUES ('late', 'subagent', 1, 'mid', '{"_delegate_from": "mid"}')`,
        ),
    ],
    ['a sub-agent let go', (home) => home.sql("UPDATE sessions SET parent_session_id = NULL WHERE id = 'agent'")],
    [
      'a new segment',
      (home) =>
        home.sql("INSERT INTO sessions (id, source, started_at, parent_session_id, model_config) VALUES ('next', 'cli', 2e9, 'mid', '{}')"),
    ],
    ['a file changed', (home) => writeFileSync(join(home.path, 'd/tip-long-work-3.md'), 'x')],
    [
      'a file cut',
      (home) => writeFileSync(join(home.path, 'd/root-long-work.md'), readFileSync(join(home.path, 'd/root-long-work.md')).subarray(0, -1)),
    ],
  ])('%s in between refuses, and everything stays', async (_what, change) => {
    const home = makeHome();
    const before = home.ids();
    const outcome = await runWithChange(home, 'tip', () => change(home));
    expect(outcome).toMatchObject({
      code: 1,
      error: { code: 'changed', message: expect.stringMatching(/nothing was deleted\.$/) as string },
    });
    expect(home.ids().filter((id) => before.includes(id))).toEqual(before);
  });

  test('a change of another session is none of its business', async () => {
    const home = makeHome();
    const outcome = await runWithChange(home, 'tip', () => home.sql("UPDATE sessions SET title = 'x' WHERE id = 'branch'"));
    expect(outcome.code).toBe(0);
  });

  test('a file that was there refuses before anything is deleted', async () => {
    const home = makeHome();
    await home.run('d', '--format', 'md', '--session-id', 'tip');
    expect(await home.run(...line('tip'))).toMatchObject({ code: 1, error: { code: 'export-exists' } });
    expect(home.ids()).toHaveLength(8);
  });

  test('a session with a turn running is refused by name', async () => {
    const home = makeHome();
    home.sql('INSERT INTO session_turn_leases VALUES (?, ?, ?, ?)', 'root', 'somebody', seconds, seconds + 300);
    expect(await home.run(...line('tip'))).toMatchObject({
      code: 1,
      error: { message: expect.stringMatching(/^Cannot delete active session: /) as string },
    });
    expect(home.ids()).toHaveLength(8);
  });
});

describe('interrupted', () => {
  test.each([[['x.jsonl']], [['x.html', '--format', 'html']], [['d/', '--format', 'trace', '--source', 'cli']]])(
    '%j, before it began and while a file is under way, leaves no half file',
    async (line) => {
      const home = makeHome();
      const outcome = await home.runWith({ signal: AbortSignal.abort(130) }, ...line);
      expect(outcome).toMatchObject({ code: 130, error: { code: 'interrupted' } });
      expect(filesOf(home)).toEqual([]);

      // The progress looks at the clock after each session, with its file open or just named.
      const stop = new AbortController();
      let looks = 0;
      const late = await home.runWith({ signal: stop.signal, now: () => ((looks += 1) > 6 && stop.abort(130), now) }, ...line);
      expect(late).toMatchObject({ code: 130, error: { code: 'interrupted' } });
      const left = everyText(home.path).split('\n').filter((name) => /^x\.|hermes-export/.test(name)); // prettier-ignore
      expect(left).toEqual([]);
    },
  );
});
