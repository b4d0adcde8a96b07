import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { you } from '../../fixtures/stores/conversation.ts';
import { about, after, command, leave, makePlace, program, ready, say, type Place } from '../support/place.ts';

/** The program without a terminal, as a script would call it; for what fails before anything is drawn. */
function refuse(place: Place, args: readonly string[], cwd = place.folder): { status: number | null; out: string } {
  const command = [process.execPath, program, '--tui', ...args].map((word) => `'${word}'`).join(' ');
  // `script` lends it a terminal, so that only the arguments can be at fault.
  const done = spawnSync('script', ['-qec', command, '/dev/null'], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: place.folder, HERMES_HOME: place.home, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { status: done.status, out: done.stdout.replaceAll('\r', '') };
}

describe('--resume latest --in DIRECTORY from elsewhere', () => {
  async function twoProjects() {
    const place = await makePlace();
    const proj = place.directory('proj');
    const other = place.directory('other');
    place.seed([about('work on proj', { cwd: proj, age: 300 }), about('work on other', { cwd: other, age: 1 })]);
    return { place, proj, other };
  }

  it('opens the newest session of that directory, though another one is newer', async () => {
    const { place, proj } = await twoProjects();
    const tui = place.open(['--tui', '--resume', 'latest', '--in', './proj']);
    await ready(tui);
    expect(tui.text()).toContain('This of work on proj.');
    expect(tui.text()).toContain('the newest session of proj');
    expect(tui.lines()[0]).toContain(proj);
    await leave(tui);
  });

  it('says that there is none and begins a new one there', async () => {
    const { place } = await twoProjects();
    const empty = place.directory('empty');
    const tui = place.open(['--tui', '--resume', 'latest', '--in', './empty']);
    await ready(tui);
    expect(tui.text()).toContain(`No session for ${empty}`);
    expect(tui.text()).not.toContain('This of');
    await say(tui, 'begin here');
    await leave(tui);
    expect(place.rows("SELECT cwd FROM sessions WHERE id IN (SELECT session_id FROM messages WHERE content = 'begin here')")).toEqual([
      { cwd: empty },
    ]);
  });

  it('finds the sessions of a directory that is named through a symbolic link', async () => {
    const { place, proj } = await twoProjects();
    symlinkSync(proj, join(place.folder, 'link'));
    const tui = place.open(['--tui', '--resume', 'latest', '--in', 'link']);
    await ready(tui);
    expect(tui.text()).toContain('This of work on proj.');
    await leave(tui);
  });

  it('finds them from a folder inside the repository, and not those of a neighbour', async () => {
    const place = await makePlace();
    const repository = place.directory('repo');
    execFileSync('git', ['init', '-q', repository]);
    const inner = place.directory('repo/deep/inside');
    const neighbour = place.directory('repo2');
    place.seed([
      about('of the repository', { cwd: repository, gitRoot: repository, age: 50 }),
      about('of the neighbour', { cwd: neighbour, age: 1 }),
    ]);
    const tui = place.open(['-r', 'LATEST', '--in', inner]);
    await ready(tui);
    expect(tui.text()).toContain('This of of the repository.');
    await leave(tui);
  });

  it('works as a `chat` subcommand, with the options on either side', async () => {
    const { place } = await twoProjects();
    const tui = place.open(['--in', 'proj', 'chat', '--tui', '-r', 'latest']);
    await ready(tui);
    expect(tui.text()).toContain('This of work on proj.');
    await leave(tui);
  });

  it('refuses a directory that does not exist', async () => {
    const { place } = await twoProjects();
    const { status, out } = refuse(place, ['--resume', 'latest', '--in', './nowhere']);
    expect(status).toBe(1);
    expect(out).toContain('--in directory not found: ./nowhere');
    expect(out).not.toContain('\x1b[?1049h');
  });
});

describe('which session opens', () => {
  async function several() {
    const place = await makePlace();
    const here = place.directory('here');
    const ids = place.seed([
      about('auth module', { cwd: here, age: 900 }),
      about('latest', { cwd: here, age: 800 }),
      about('made by a machine', { cwd: here, age: 2, source: 'cron' }),
      about('put away', { cwd: here, age: 3, isArchived: true }),
      about('from telegram', { age: 4, source: 'telegram' }),
      about('newest of here', { cwd: here, age: 20, source: 'cli' }),
      about('elsewhere', { cwd: place.directory('elsewhere'), age: 5 }),
    ]);
    return { place, here, ids };
  }
  const opened = async (place: Place, args: string[], cwd: string): Promise<string> => {
    const tui = place.open(args, { cwd });
    await ready(tui);
    const text = tui.text();
    await leave(tui);
    return text;
  };

  it('-c in a pane without a breadcrumb is the newest local one of this workspace, and says so', async () => {
    const { place, here } = await several();
    const text = await opened(place, ['-c'], here);
    expect(text).toContain('This of newest of here.');
    expect(text).toContain('this pane has no session yet; the newest session of here');
  });

  it('-c where the workspace has none is the newest local one, and says so', async () => {
    const { place } = await several();
    const text = await opened(place, ['-c'], place.directory('third'));
    expect(text).toContain('This of elsewhere.');
    expect(text).toContain('no session of third; the newest of all');
  });

  it.each([
    ['-c with a title', ['-c', 'auth module'], 'auth module'],
    ['-c latest, which is a title', ['-c', 'latest'], 'latest'],
    ['-r with a title', ['-r', 'auth module'], 'auth module'],
    ['-r latest, which is never a title', ['-r', 'latest'], 'newest of here'],
    ['-r Latest in any case', ['--resume=Latest'], 'newest of here'],
  ])('%s', async (_, args, expected) => {
    const { place, here } = await several();
    expect(await opened(place, args, here)).toContain(`This of ${expected}.`);
  });

  it('-r with an id and with a unique prefix of one', async () => {
    const { place, here, ids } = await several();
    expect(await opened(place, ['-r', ids[0]!], here)).toContain('This of auth module.');
    expect(await opened(place, ['-r', ids[0]!.slice(0, -2)], here)).toContain('This of auth module.');
  });

  it('an ambiguous prefix lists the candidates and opens nothing', async () => {
    const { place, here, ids } = await several();
    const prefix = ids[0]!.slice(0, 3);
    const { status, out } = refuse(place, ['-r', prefix], here);
    expect(status).toBe(1);
    const candidates = ids.filter((each) => each.startsWith(prefix));
    expect(candidates.filter((id) => out.includes(id))).toHaveLength(Math.min(6, candidates.length));
    if (candidates.length > 6) expect(out).toContain(`and ${candidates.length - 6} more`);
    expect(out).not.toContain('\x1b[?1049h');
  });

  it.each([
    ['an unknown name', ['-r', 'no such thing'], "No session found matching 'no such thing'."],
    ['an unknown title', ['-c', 'no such thing'], "No session found matching 'no such thing'."],
    ['an empty name', ['-r', ''], '--resume needs a value'],
  ])('%s is refused with one sentence', async (_, args, sentence) => {
    const { place, here } = await several();
    const { status, out } = refuse(place, args, here);
    expect(status).toBeGreaterThan(0);
    expect(out).toContain(sentence);
    expect(out).not.toMatch(/\n\s+at /);
  });

  it.each([
    [['-c'], 'No previous TUI session to continue.'],
    [['-r', 'latest'], 'No previous CLI session found to resume.'],
  ])('%j on a fresh machine is refused', async (args, sentence) => {
    const place = await makePlace();
    const { status, out } = refuse(place, args);
    expect(status).toBe(1);
    expect(out).toContain(sentence);
  });

  it('opens the tip of a compressed conversation', async () => {
    const place = await makePlace();
    const ids = place.seed([
      about('first part', { age: 500, endReason: 'compression' }),
      about('second part', { age: 400, parent: { index: 0, kind: 'compression' } }),
    ]);
    expect(await opened(place, ['-r', ids[0]!], place.folder)).toContain('This of second part.');
  });

  it('-p opens the session of that profile, and no other', async () => {
    const place = await makePlace();
    place.seed([about('of the main home')]);
    const profile = join(place.home, 'profiles', 'work');
    mkdirSync(profile, { recursive: true, mode: 0o700 });
    const { status, out } = refuse(place, ['-p', 'work', '-c']);
    expect(status).toBe(1);
    expect(out).toContain('No previous TUI session to continue.');
    writeFileSync(join(profile, 'config.yaml'), execFileSync('cat', [join(place.home, 'config.yaml')]));
    const tui = place.open(['-p', 'work']);
    await ready(tui);
    await say(tui, 'hello profile');
    await leave(tui);
    const [id] = place.rows<{ id: string }>('SELECT id FROM sessions');
    const lines = after(tui);
    expect(lines[0]).toMatch(/^Resume this session with: {2}hermes --resume \S+ -p work$/);
    expect(lines[0]).not.toContain(id!.id);
  });
});

describe('the directory of a session', () => {
  it('is restored, and said', async () => {
    const place = await makePlace();
    const proj = place.directory('proj');
    const elsewhere = place.directory('elsewhere');
    place.seed([about('one', { cwd: proj })]);
    const tui = place.open(['-r', 'one'], { cwd: elsewhere });
    await ready(tui);
    expect(tui.text()).toContain(`↪ restored workspace dir: ${proj}`);
    expect(tui.lines()[0]).toContain(proj);
    expect(execFileSync('readlink', [`/proc/${tui.pid}/cwd`], { encoding: 'utf8' }).trim()).toBe(proj);
    await leave(tui);
  });

  it('stays where one is with --no-restore-cwd', async () => {
    const place = await makePlace();
    const proj = place.directory('proj');
    const elsewhere = place.directory('elsewhere');
    place.seed([about('one', { cwd: proj })]);
    const tui = place.open(['-r', 'one', '--no-restore-cwd'], { cwd: elsewhere });
    await ready(tui);
    expect(tui.text()).not.toContain('restored workspace dir');
    expect(tui.lines()[0]).toContain(elsewhere);
    await leave(tui);
  });

  async function gone() {
    const place = await makePlace();
    const root = place.directory('repo');
    const worktree = join(place.folder, 'worktree');
    const elsewhere = place.directory('elsewhere');
    place.seed([about('in a worktree', { cwd: worktree, gitRoot: root })]);
    const hash = place.hash();
    const tui = place.open(['-r', 'in a worktree'], { cwd: elsewhere });
    await ready(tui);
    await tui.until((shown) => shown.text().includes('Enter chooses a directory'), 'the notice');
    for (const choice of ['/directory root', '/directory .', '/directory PATH']) expect(tui.text()).toContain(choice);
    expect(tui.text()).not.toContain('Directory gone');
    expect(place.hash()).toBe(hash);
    return { place, tui, root, worktree, elsewhere };
  }

  it('that is gone is asked about, and the repository root is one choice', async () => {
    const { tui, root } = await gone();
    tui.press('enter');
    await tui.until((shown) => shown.text().includes('Directory gone'), 'the question');
    tui.press('r');
    await tui.until((shown) => shown.text().includes(`Working directory: ${root}`), 'the repository root');
    expect(tui.lines()[0]).toContain(root);
    await leave(tui);
  });

  it('… staying here is another', async () => {
    const { tui, elsewhere } = await gone();
    await command(tui, '/directory .');
    await tui.until((shown) => shown.text().includes(`Working directory: ${elsewhere}`), 'the directory of the start');
    await leave(tui);
  });

  it('… and picking one is the third; a name that is no directory is refused', async () => {
    const { place, tui } = await gone();
    const picked = place.directory('picked');
    tui.press('enter');
    await tui.until((shown) => shown.text().includes('Pick another'), 'the question');
    tui.press('p');
    await tui.until((shown) => shown.text().includes('Path of the directory'), 'the field');
    tui.press('ctrl+u');
    tui.write('/no/such/place\r');
    await tui.until((shown) => shown.text().includes('there is no directory'), 'the refusal');
    tui.press('ctrl+u');
    tui.write(`${picked}\r`);
    await tui.until((shown) => shown.text().includes(`Working directory: ${picked}`), 'the picked directory');
    await leave(tui);
  });

  it('… and typing goes on without an answer', async () => {
    const { place, tui } = await gone();
    await say(tui, 'still here');
    expect(tui.text()).toContain('Enter chooses a directory');
    expect(await leave(tui)).toBe(0);
    expect(place.rows('SELECT count(*) AS n FROM messages')).toEqual([{ n: 4 }]);
  });
});

describe('what stands in the way of going on', () => {
  it('an archived session offers to be taken out of the archive', async () => {
    const place = await makePlace();
    place.seed([about('put away', { isArchived: true })]);
    const hash = place.hash();
    const tui = place.open(['-r', 'put away']);
    await ready(tui);
    await tui.until((shown) => shown.text().includes('Unarchive and resume'), 'the offer');
    expect(place.hash()).toBe(hash);
    tui.press('enter');
    await tui.until((shown) => shown.text().includes('Taken out of the archive'), 'the notice');
    expect(tui.text()).toContain('This of put away.');
    await leave(tui);
    expect(place.rows('SELECT archived FROM sessions')).toEqual([{ archived: 0 }]);
  });

  it('a session whose provider is not configured any more opens, and sending names what is missing and keeps the text', async () => {
    const place = await makePlace();
    const [id] = place.seed([about('with acme')]);
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(place.store);
    db.prepare('UPDATE sessions SET model = ?, model_config = ?, billing_provider = ? WHERE id = ?').run(
      'acme-large',
      JSON.stringify({ model: 'acme-large', provider: 'custom:acme' }),
      'custom:acme',
      id,
    );
    db.close();
    const hash = place.hash();
    const tui = place.open(['-r', id!]);
    await ready(tui);
    expect(tui.text()).toContain('This of with acme.');
    tui.write('go on\r');
    await tui.until((shown) => shown.text().includes('/model'), 'what to do');
    await tui.until((shown) => shown.text().includes('❯ go on'), 'the text to come back');
    expect(tui.lines().slice(1).join(' ').replaceAll('with acme', '')).toContain('acme');
    expect(place.hash()).toBe(hash);
    tui.press('ctrl+c');
    await tui.until((shown) => !shown.text().includes('❯ go on'), 'the line to be cleared');
    expect(await leave(tui)).toBe(0);
  });
});

describe('the lines after leaving', () => {
  it('are the words of the specification, and the printed command works in sh', async () => {
    const place = await makePlace();
    const title = `Q3 "alpha" & 雪's`;
    place.seed([about(title, { age: 60 }), about('newer', { age: 2 })]);
    const bin = place.directory('bin');
    writeFileSync(join(bin, 'hermes'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
    chmodSync(join(bin, 'hermes'), 0o755);
    const path = { PATH: `${bin}:${process.env['PATH']}` };
    const first = place.open(['-r', title]);
    await ready(first);
    await say(first, 'one more');
    expect(await leave(first)).toBe(0);
    const [byId, byTitle, count, ...rest] = after(first);
    expect(byId).toMatch(/^Resume this session with: {2}hermes --resume \S+$/);
    expect(byTitle).toMatch(/^ +or {2}hermes -c '?.*alpha/);
    expect(count).toMatch(/^[24] messages, \d+ (s|min)/);
    expect(rest).toEqual([]);
    for (const line of [byId!, byTitle!]) {
      const command = line.slice(line.indexOf('hermes '));
      const again = place.open([], { env: path, shell: command });
      await ready(again);
      expect(again.text()).toContain('one more');
      expect(again.text()).toContain('Answer to: one more');
      await leave(again);
    }
  });

  it('are none when nothing was said', async () => {
    const place = await makePlace();
    place.seed([about('quiet')]);
    const tui = place.open(['-r', 'quiet']);
    await ready(tui);
    await leave(tui);
    expect(after(tui)).toEqual([]);
  });
});

describe('a conversation that ended with a question nobody answered', () => {
  it('says that Enter asks again, and Enter does; an answered one offers nothing', async () => {
    const place = await makePlace();
    const [open, done] = place.seed([about('retries', { messages: [you('How often should we retry?')] }), about('done')]);
    const answered = place.open(['-r', done!]);
    await ready(answered);
    expect(answered.text()).not.toContain('Enter asks again');
    await leave(answered);
    const tui = place.open(['-r', open!]);
    await ready(tui);
    expect(tui.text()).toContain('Enter asks again');
    tui.press('enter');
    await tui.until((shown) => shown.text().includes('Answer to: How often should we retry?'), 'the answer');
    await tui.until((shown) => !/^ (working|waiting)/m.test(shown.text()), 'the turn to end');
    await tui.waitIdle();
    expect(place.rows('SELECT role FROM messages WHERE session_id = ? ORDER BY id', open).map((row) => row['role'])).toEqual([
      'user',
      'assistant',
    ]);
    await leave(tui);
  });
});
