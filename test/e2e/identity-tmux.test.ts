import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { FoundBreadcrumb, NoBreadcrumb, RestartAnswer } from '../../src/terminal/breadcrumbs.ts';
import { procTable } from '../../src/terminal/process-tree.ts';
import type { Terminal } from '../../src/terminal/identity.ts';
import type { TerminalWindow } from '../../src/terminal/tmux.ts';
import { bundleProgram } from '../support/bundle.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

interface Probe {
  terminal: Terminal;
  window?: TerminalWindow;
  crumb: FoundBreadcrumb | NoBreadcrumb;
  offer: RestartAnswer;
}

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) console.warn('tmux is not installed: the tests of panes in a real tmux do not run');

describe.runIf(hasTmux && process.platform === 'linux')('panes of a real tmux', () => {
  let probe: string;
  beforeAll(async () => {
    const program = await bundleProgram(join(import.meta.dirname, '../support/terminal-probe.ts'));
    probe = program.path;
    return program.remove;
  });

  /** A place of its own: sockets, home, directory, and a count for the answers. */
  function place() {
    const folder = temporaryFolder();
    const home = join(folder, 'home');
    const cwd = join(folder, 'a');
    mkdirSync(home);
    mkdirSync(cwd);
    let count = 0;

    function server(name: string) {
      const socket = join(folder, name);
      // No variable of the terminal that runs the tests may reach the panes.
      const env = { PATH: process.env['PATH'], HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8', SHELL: '/bin/sh', PS1: '$ ' };
      const run = (...args: string[]): string =>
        execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
          encoding: 'utf8',
          env,
          stdio: ['ignore', 'pipe', 'pipe'],
        }).trim();
      onTestFinished(() => void spawnSync('tmux', ['-S', socket, 'kill-server']));
      return {
        socket,
        run,
        start: () => run('new-session', '-d', '-P', '-F', '#{pane_id}', '-x', '100', '-y', '30', '-c', cwd, '/bin/sh'),
        split: () => run('split-window', '-h', '-P', '-F', '#{pane_id}', '-c', cwd, '/bin/sh'),
        type: (pane: string, line: string) => run('send-keys', '-t', pane, line, 'Enter'),
        tty: (pane: string) => run('display-message', '-p', '-t', pane, '#{pane_tty}'),
        shell: (pane: string) => run('display-message', '-p', '-t', pane, '#{pane_pid}'),
        /** Runs the probe by typing it into a pane, wrapped in whatever stands around it. */
        async ask(pane: string, sessionId = '', around = (command: string) => command): Promise<Probe> {
          const { command, answer, done } = question(sessionId);
          run('send-keys', '-t', pane, `${around(command)}; : > ${done}`, 'Enter');
          const found = await answer();
          // Keys typed while script or su are still leaving would go to them.
          await expect.poll(() => existsSync(done), { timeout: 15_000, interval: 30 }).toBe(true);
          return found;
        },
      };
    }

    function question(sessionId: string): { command: string; done: string; answer(): Promise<Probe> } {
      count += 1;
      const out = join(folder, `answer-${count}`);
      return {
        done: `${out}.done`,
        command: `${process.execPath} ${probe} ${out} ${home} ${sessionId}`.trim(),
        async answer() {
          await expect.poll(() => existsSync(out), { timeout: 15_000, interval: 30 }).toBe(true);
          return JSON.parse(readFileSync(out, 'utf8')) as Probe;
        },
      };
    }
    return { folder, home, cwd, server, question };
  }

  const followed = ({ crumb }: Probe): string | undefined => (crumb.kind === 'found' ? crumb.sessionId : undefined);

  it('two panes side by side in one directory each go on with their own session', async () => {
    const tmux = place().server('one');
    const left = tmux.start();
    const right = tmux.split();
    expect(followed(await tmux.ask(left, 's-left'))).toBeUndefined();
    await tmux.ask(right, 's-right');
    const [again, other] = [await tmux.ask(left), await tmux.ask(right)];
    expect([followed(again), followed(other)]).toEqual(['s-left', 's-right']);
    expect([again.terminal.label, other.terminal.label]).toEqual([`tmux ${left}`, `tmux ${right}`]);
    expect(again.terminal).toMatchObject({ kind: 'tmux', tty: { path: tmux.tty(left) }, leader: { pid: Number(tmux.shell(left)) } });
  });

  it('a respawned pane goes on with its session', async () => {
    const tmux = place().server('one');
    const pane = tmux.start();
    tmux.split();
    await tmux.ask(pane, 's1');
    const shell = tmux.shell(pane);
    tmux.run('respawn-pane', '-k', '-t', pane, '/bin/sh');
    expect(tmux.shell(pane)).not.toBe(shell);
    const answer = await tmux.ask(pane);
    expect([followed(answer), answer.crumb.kind === 'found' && answer.crumb.from]).toEqual(['s1', 'pane']);
  });

  it('a second server with the same %0 is another terminal', async () => {
    const { server } = place();
    const [one, two] = [server('one'), server('two')];
    expect([one.start(), two.start()]).toEqual(['%0', '%0']);
    await one.ask('%0', 's1');
    expect(await two.ask('%0')).toMatchObject({ crumb: { kind: 'none', rejected: [] } });
  });

  it('a restarted server has the same %0 on the same tty: its session is named, offered, and not followed', async () => {
    const { server } = place();
    const tmux = server('one');
    tmux.start();
    tmux.run('rename-window', 'work');
    const tty = tmux.tty('%0');
    await tmux.ask('%0', 's1');
    const shell = tmux.shell('%0');
    const old = tmux.run('display-message', '-p', '#{pid}');
    tmux.run('kill-server');
    // While the old server still closes, a new one can't take its socket.
    for (const pid of [shell, old]) await expect.poll(() => procTable().read(Number(pid)), { timeout: 10_000 }).toBeUndefined();
    tmux.start();
    tmux.run('rename-window', 'work');
    const answer = await tmux.ask('%0');
    expect(answer.crumb.kind).toBe('none');
    // Another program may have taken the tty in between; then there is nothing to reject.
    const reused = tmux.tty('%0') === tty;
    expect(answer.crumb.rejected.map(({ id, sessionId }) => [id, sessionId])).toEqual(reused ? [['other-leader', 's1']] : []);
    expect(answer.offer).toMatchObject({ kind: 'offer', offer: { sessionId: 's1', window: { name: 'work', index: 0 } } });
    tmux.run('rename-window', 'play');
    expect((await tmux.ask('%0')).offer).toEqual({ kind: 'none', reason: 'nothing-fits' });
  });

  it('a tty that went to another pane takes no session along, not even one that Hermes Agent wrote', async () => {
    const { server, home } = place();
    const tmux = server('one');
    tmux.start();
    const closing = tmux.split();
    const tty = tmux.tty(closing);
    await tmux.ask(closing, 's1');
    const name = `tty-${tty.slice(1).replaceAll('/', '-')}`;
    const file = join(home, 'terminal-sessions', name);
    const { hermes_tui: _ours, ...theirs } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify(theirs));
    expect((await tmux.ask(closing)).crumb).toMatchObject({ kind: 'found' });
    tmux.run('kill-pane', '-t', closing);
    await expect.poll(() => existsSync(tty), { timeout: 10_000 }).toBe(false);
    const next = tmux.split();
    const answer = await tmux.ask(next);
    expect(answer.crumb.kind).toBe('none');
    expect(answer.crumb.rejected.map((rejection) => rejection.id)).toEqual(tmux.tty(next) === tty ? ['older-than-tty'] : []);
  });

  it('npm scripts, script and su in a pane are that pane', async () => {
    const tmux = place().server('one');
    const pane = tmux.start();
    await tmux.ask(pane, 's1');
    const through: Record<string, (command: string) => string> = {
      sh: (command) => `sh -c 'sh -c "${command}; true"; true'`,
      script: (command) => `script -qc '${command}' /dev/null`,
    };
    if (process.getuid?.() === 0) through['su'] = (command) => `su --pty root -c '${command}'`;
    for (const [name, around] of Object.entries(through)) {
      const answer = await tmux.ask(pane, '', around);
      expect([name, answer.terminal.label, followed(answer)]).toEqual([name, `tmux ${pane}`, 's1']);
    }
  });

  it('a terminal started from a pane inherits TMUX_PANE and is not that pane', async () => {
    const { server, question, folder } = place();
    const tmux = server('one');
    const pane = tmux.start();
    await tmux.ask(pane, 's1');
    // An emulator in a few lines: a process in the pane that runs a shell on a pseudo-terminal of its own.
    const emulator = join(folder, 'emulator.cjs');
    const pty = JSON.stringify(createRequire(import.meta.url).resolve('node-pty'));
    writeFileSync(
      emulator,
      `const shell = require(${pty}).spawn('/bin/sh', ['-c', process.argv[2] + '; sleep 1'], { env: { ...process.env } });\nshell.onExit(() => process.exit());`,
    );
    const { command, answer } = question('');
    tmux.type(pane, `${process.execPath} ${emulator} '${command}'`);
    const { terminal, crumb } = await answer();
    expect(terminal).toMatchObject({ kind: 'tty' });
    expect(terminal.why.map((step) => step.id)).toContain('inherited');
    expect(crumb).toEqual({ kind: 'none', rejected: [] });
  });

  it('tmux inside tmux: panes of the inner server, and its popups are no pane at all', async () => {
    const { server, question } = place();
    const [outer, inner] = [server('outer'), server('inner')];
    outer.start();
    outer.split();
    outer.type('%1', `env -u TMUX tmux -S ${inner.socket} -f /dev/null new-session /bin/sh`);
    await expect.poll(() => spawnSync('tmux', ['-S', inner.socket, 'has-session']).status, { timeout: 10_000 }).toBe(0);
    inner.split();
    expect((await inner.ask('%0', 's0')).terminal.label).toBe('tmux %0');
    // The server was started in %1 of the other one: only its own pane %1 must believe that number.
    const answer = await inner.ask('%1', 's1');
    expect([answer.terminal.label, answer.terminal.tty?.path]).toEqual(['tmux %1', inner.tty('%1')]);
    const popup = question('');
    const client = inner.run('list-clients', '-F', '#{client_name}');
    inner.run('display-popup', '-c', client, '-E', popup.command);
    const { terminal, crumb } = await popup.answer();
    expect(terminal.kind).toBe('tty');
    expect(terminal.why.map((step) => step.id)).toContain('stale-pane');
    expect(crumb.kind).toBe('none');
  });

  it('the window is known by name and number', async () => {
    const tmux = place().server('one');
    const pane = tmux.start();
    expect((await tmux.ask(pane)).window).toMatchObject({ index: 0, isAutomatic: true });
    tmux.run('rename-window', 'two words');
    expect((await tmux.ask(pane)).window).toEqual({ index: 0, isAutomatic: false, name: 'two words' });
  });
});
