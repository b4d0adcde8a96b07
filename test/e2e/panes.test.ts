import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { about, makePlace, program, type Place } from '../support/place.ts';
import { startTmux, type Tmux } from '../support/tmux.ts';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) console.warn('tmux is not installed: the tests of panes in a real tmux do not run');

/** `hermes` on the PATH of the panes. */
function installProgram(place: Place): Record<string, string> {
  const bin = place.directory('bin');
  writeFileSync(join(bin, 'hermes'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(join(bin, 'hermes'), 0o755);
  return { HERMES_HOME: place.home, PATH: `${bin}:${process.env['PATH']}`, PS1: '$ ' };
}

const joined = (lines: string[]): string => lines.join('\n');

/** What a person does in one pane of a server. */
function pane(tmux: Tmux, target: string) {
  const until = (predicate: (text: string) => boolean, what: string): Promise<string> =>
    tmux.until((lines) => predicate(joined(lines)), what, { target }).then(joined);
  const send = (...keys: string[]): Promise<string> => tmux.command('send-keys', '-t', target, ...keys);
  const type = (text: string): Promise<string> => tmux.command('send-keys', '-t', target, '-l', text);
  return {
    until,
    /** Types a command line and waits for the composer. */
    async start(line: string): Promise<string> {
      await type(line);
      await send('Enter');
      return until((text) => text.includes('❯') && text.includes('F1'), `the composer of ${line}`);
    },
    async say(text: string): Promise<void> {
      await type(text);
      await until((screen) => screen.includes(text), `the typed ${text}`);
      await send('Enter');
      await until((screen) => screen.includes(`Answer to: ${text}`) && !screen.includes('working'), `the answer to ${text}`);
    },
    async quit(): Promise<string> {
      await send('C-d');
      return until((text) => !text.includes('F1') && text.trimEnd().endsWith('$'), 'the shell');
    },
    send,
    type,
  };
}

async function twoPanes(place: Place, cwd: string) {
  const tmux = await startTmux({ cwd, cols: 160, env: installProgram(place), command: '/bin/sh' });
  const right = (await tmux.command('split-window', '-h', '-P', '-F', '#{pane_id}', '-c', cwd, '/bin/sh')).trim();
  return { tmux, left: pane(tmux, '%0'), right: pane(tmux, right), rightId: right };
}

/** The crumbs of the place, to be bent by a test. */
function crumbs(place: Place): { path: string; read(): Record<string, unknown>; write(text: string): void }[] {
  const folder = join(place.home, 'terminal-sessions');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return {
      path,
      read: () => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>,
      write: (text: string) => writeFileSync(path, text),
    };
  });
}

describe.runIf(hasTmux && process.platform === 'linux')('panes of a real tmux', () => {
  it('two side by side in one directory each go on with their own session, started either way', async () => {
    const place = await makePlace();
    const cwd = place.directory('proj');
    const { left, right } = await twoPanes(place, cwd);
    await left.start('hermes');
    await left.say('said on the left');
    await right.start('hermes');
    await right.say('said on the right');
    await left.quit();
    await right.quit();
    for (const line of ['hermes -c', 'hermes --tui -c']) {
      const onLeft = await left.start(line);
      expect(onLeft).toContain('said on the left');
      expect(onLeft).not.toContain('said on the right');
      expect(onLeft).toContain("this pane's session");
      const onRight = await right.start(line);
      expect(onRight).toContain('said on the right');
      expect(onRight).not.toContain('said on the left');
      await left.quit();
      await right.quit();
    }
  });

  it('`hermes` and quit does not cost a pane its session', async () => {
    const place = await makePlace();
    const cwd = place.directory('proj');
    const { left, right } = await twoPanes(place, cwd);
    await left.start('hermes');
    await left.say('said on the left');
    await left.quit();
    await right.start('hermes');
    await right.say('said on the right');
    await right.quit();
    await left.start('hermes');
    await left.quit();
    expect(await left.start('hermes -c')).toContain('said on the left');
    await left.quit();
  });

  it('a respawned pane keeps what it was: the same pane of the same server', async () => {
    const place = await makePlace();
    const cwd = place.directory('proj');
    const { tmux, left, right } = await twoPanes(place, cwd);
    await left.start('hermes');
    await left.say('said on the left');
    await right.start('hermes');
    await right.say('said on the right');
    await right.quit();
    await tmux.command('respawn-pane', '-k', '-t', '%0', '-c', cwd, '/bin/sh');
    await left.until((text) => text.trimEnd().endsWith('$'), 'the new shell');
    const text = await left.start('hermes -c');
    expect(text).toContain('said on the left');
    expect(text).toContain("this pane's session");
    await left.quit();
    // The killed program was closed by SIGHUP.
    expect(place.rows("SELECT end_reason FROM sessions WHERE title = 'said on the left'")).toHaveLength(1);
  });

  it('a second server has a %0 of its own', async () => {
    const place = await makePlace();
    const cwd = place.directory('proj');
    const env = installProgram(place);
    const first = await startTmux({ cwd, env, command: '/bin/sh' });
    const second = await startTmux({ cwd, env, command: '/bin/sh' });
    const one = pane(first, '%0');
    const two = pane(second, '%0');
    await one.start('hermes');
    await one.say('said in the first');
    await one.quit();
    await two.start('hermes');
    await two.say('said in the second');
    await two.quit();
    expect(await one.start('hermes -c')).toContain('said in the first');
    await one.quit();
    expect(await two.start('hermes -c')).toContain('said in the second');
    await two.quit();
  });

  it('a %0 of a second server that has no session yet says so and takes the newest of the directory', async () => {
    const place = await makePlace();
    const env = installProgram(place);
    const first = await startTmux({ cwd: place.directory('a'), env, command: '/bin/sh' });
    const one = pane(first, '%0');
    await one.start('hermes');
    await one.say('said in a');
    await one.quit();
    const second = await startTmux({ cwd: place.directory('b'), env, command: '/bin/sh' });
    const text = await pane(second, '%0').start('hermes -c');
    expect(text).not.toContain("this pane's session\n");
    expect(text).toContain('this pane has no session yet; no session of b; the newest of all');
  });

  it('after a restart of the server %0 and %1 are not taken for the old ones; the one that fits is offered', async () => {
    const place = await makePlace();
    const cwd = place.directory('proj');
    const env = installProgram(place);
    const folder = place.directory('tmux');
    const server = await startTmux({ cwd, env: { ...env, TMUX_TMPDIR: folder }, command: '/bin/sh' });
    await server.command('rename-window', 'work');
    const first = pane(server, '%0');
    await first.start('hermes');
    await first.say('said before');
    await first.quit();
    // Something newer in another window: following the directory alone would be seen.
    const otherId = (await server.command('new-window', '-P', '-F', '#{pane_id}', '-n', 'other', '-c', cwd, '/bin/sh')).trim();
    expect(otherId).toBe('%1');
    const other = pane(server, '%1');
    await other.start('hermes');
    await other.say('said in the other window');
    await other.quit();
    await server.command('kill-server');
    const run = (...args: string[]) =>
      execFileSync('tmux', ['-u', '-L', server.socket, '-f', '/dev/null', ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...env, TMUX_TMPDIR: folder, HOME: place.folder, TERM: 'xterm-256color', LANG: 'C.UTF-8', SHELL: '/bin/sh' },
      });
    // The old server may still be on its way out.
    await expect.poll(() => run('new-session', '-d', '-x', '100', '-y', '30', '-n', 'work', '-c', cwd, '/bin/sh').length, {}).toBe(0);
    const again = pane(server, '%0');
    const offered = await again.start('hermes');
    expect(offered).not.toContain('Answer to: said before');
    await again.until((text) => text.includes('This window had “said before” open'), 'the offer');
    await again.send('n');
    await again.until((text) => !text.includes('This window had'), 'the question to close');
    await again.quit();
    const text = (await again.start('hermes -c')).replaceAll(/\s+/g, ' ');
    expect(text).not.toContain("↻ this pane's session");
    expect(text).toContain('Answer to: said in the other window');
    expect(text).toContain('the newest session of proj');
    await again.quit();
    // Now it is this pane's own.
    expect(await again.start('hermes -c')).toContain("↻ this pane's session");
    await again.quit();
    run('new-window', '-n', 'third', '-c', place.directory('b'), '/bin/sh');
    const third = await pane(server, '%1').start('hermes -c');
    expect(third).not.toContain("↻ this pane's session");
    await pane(server, '%1').quit();
  });

  it('what stands in the breadcrumb is checked: a deleted session, half a file, 31 days, the future', async () => {
    const place = await makePlace();
    const cwd = place.directory('proj');
    place.seed([about('of the directory', { cwd, age: 90 })]);
    const tmux = await startTmux({ cwd, env: installProgram(place), command: '/bin/sh' });
    const only = pane(tmux, '%0');
    await only.start('hermes');
    await only.say('said here');
    await only.quit();
    const good = crumbs(place).map((crumb) => ({ ...crumb, content: crumb.read() }));
    expect(good.length).toBeGreaterThan(0);
    const bend = (change: (content: Record<string, unknown>) => string) => {
      for (const crumb of good) crumb.write(change(crumb.content));
    };
    const day = 86_400;
    const cases: readonly [string, (content: Record<string, unknown>) => string, string][] = [
      ['a deleted session', (c) => JSON.stringify({ ...c, session_id: '20200101_000000_abcdef' }), 'not in the store'],
      ['half a file', (c) => JSON.stringify(c).slice(0, 40), 'newest session of proj'],
      ['31 days', (c) => JSON.stringify({ ...c, ts: (c['ts'] as number) - 31 * day }), 'newest session of proj'],
      ['the future', (c) => JSON.stringify({ ...c, ts: (c['ts'] as number) + 400 * day }), 'newest session of proj'],
      ['no JSON at all', () => '\u0000\u0001', 'newest session of proj'],
    ];
    for (const [name, change, said] of cases) {
      bend(change);
      const text = await only.start('hermes -c');
      expect(text.replaceAll(/\s+/g, ' '), name).toContain(said);
      expect(text.replaceAll(/\s+/g, ' '), name).not.toMatch(/↻ this pane's session (?!\d)/);
      expect(text.replaceAll(/\s+/g, ' '), name).not.toMatch(/\w the newest session/);
      await only.quit();
      bend((content) => JSON.stringify(content));
    }
    expect(await only.start('hermes -c')).toContain("this pane's session");
    await only.quit();
  });
});

describe.runIf(process.platform === 'linux')('a terminal without a multiplexer', () => {
  it('whose tty is used again by another shell does not go on with the session of the one before', async () => {
    const place = await makePlace();
    const cwd = place.directory('proj');
    place.seed([about('older of the directory', { cwd, age: 60 }), about('newest of the directory', { cwd, age: 1 })]);
    mkdirSync(join(place.home, 'terminal-sessions'), { recursive: true });
    const inShell = async (work: (tui: ReturnType<Place['open']>) => Promise<void>): Promise<string> => {
      const tui = place.open([], { cwd, shell: 'tty; exec /bin/sh -i', env: { ...installProgram(place), PS1: '$ ' } });
      await tui.until((shown) => /\/dev\/pts\/\d+/.test(shown.text()) && shown.text().includes('$ '), 'the shell');
      const tty = /\/dev\/pts\/\d+/.exec(tui.text())![0];
      await work(tui);
      await tui.close();
      return tty;
    };
    const start = async (tui: ReturnType<Place['open']>, line: string): Promise<string> => {
      tui.write(`${line}\r`);
      await tui.until((shown) => shown.modes().alternateScreen && shown.text().includes('F1'), line);
      return tui.text();
    };
    let tty = '';
    // The same shell: its own session, twice.
    tty = await inShell(async (tui) => {
      expect(await start(tui, 'hermes -r "older of the directory"')).toContain('This of older');
      tui.press('ctrl+d');
      await tui.until((shown) => !shown.modes().alternateScreen && shown.lines()[shown.cursor().y]?.trimEnd() === '$', 'the shell again');
      expect(await start(tui, 'hermes -c')).toContain("this pane's session");
    });
    let again = '';
    for (let attempt = 0; attempt < 10 && again !== tty; attempt++) {
      again = await inShell(async (tui) => {
        const text = await start(tui, 'hermes -c');
        expect(text).toContain('This of newest of the directory.');
        expect(text.replaceAll(/\s+/g, ' ')).toMatch(/(no session yet|of an earlier terminal); the newest session of proj/);
      });
    }
    expect(again).toBe(tty);
  });
});
