import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agent, you, type Conversation } from '../../fixtures/stores/conversation.ts';
import { composerOf, hermesBin, makeMachine, startHermes, untilComposer, untilText, type Machine } from '../support/hermes.ts';
import { spawnTui, type Tui } from '../support/tui.ts';

const conversations = (work: string): Conversation[] => [
  { title: '결제 모듈', source: 'tui', cwd: work, age: 1, messages: [you('q'), agent('a')] },
];

/** Nothing of the program is left: shell screen, modes, no trace of a fault's insides. */
function expectRestored(tui: Tui): void {
  expect(tui.modes()).toMatchObject({
    alternateScreen: false,
    cursorVisible: true,
    bracketedPaste: false,
    mouse: 'none',
    focus: false,
    modifyOtherKeys: 0,
    kittyDepth: 0,
  });
  expect(tui.text()).not.toMatch(/^\s+at .*(:\d+:\d+)/mu);
}

const outside = (machine: Machine, args: readonly string[], options: { input?: string; env?: Record<string, string> } = {}) =>
  spawnSync(process.execPath, [hermesBin, ...args], {
    cwd: machine.work,
    env: { PATH: process.env['PATH'], HOME: machine.home, TERM: 'xterm-256color', HERMES_HOME: machine.home, ...options.env },
    input: options.input ?? '',
    encoding: 'utf8',
    timeout: 20_000,
  });

describe('before anything is drawn', () => {
  test.each([
    ['a store that is none', (file: string) => writeFileSync(file, 'this is no database at all, only text of some length '.repeat(50))],
    ['a directory in its place', (file: string) => mkdirSync(file)],
  ])('%s: one sentence, what to try, exit code 1, the screen as it was', async (_name, damage) => {
    const machine = await makeMachine({ isFresh: true });
    damage(join(machine.home, 'state.db'));
    const tui = spawnTui({ command: process.execPath, args: [hermesBin, '-c'], cwd: machine.work, env: { HERMES_HOME: machine.home } });
    expect((await tui.exited).code).toBe(1);
    expectRestored(tui);
    expect(tui.lines()[0]).toMatch(/^hermes: \S/u);
    expect(tui.text()).toContain('state.db');
    expect(tui.raw().includes('\x1b[?1049h')).toBe(false);
  });

  test.each([
    [['--resume', 'no such thing'], 1, 'No session found matching'],
    [['--in', '/no/such/directory'], 1, '--in directory not found'],
    [['--no-such-option'], 2, '--no-such-option'],
  ])('%j', async (args, code, sentence) => {
    const machine = await makeMachine({ conversations });
    const tui = spawnTui({ command: process.execPath, args: [hermesBin, ...args], cwd: machine.work, env: { HERMES_HOME: machine.home } });
    expect((await tui.exited).code).toBe(code);
    expectRestored(tui);
    expect(tui.text()).toContain(sentence);
  });
});

describe('after the first frame', () => {
  test('a fault restores the screen, names the report without a word of the conversation, and exits with 1', async () => {
    const machine = await makeMachine({ conversations });
    const fault = join(machine.home, 'fault.mjs');
    // A fault that no part of the program expects, in the running program.
    writeFileSync(
      fault,
      "process.on('SIGUSR2', () => setImmediate(() => { throw new TypeError('secret words of the conversation'); }));\n",
    );
    const tui = await startHermes(machine, { args: ['-c'], env: { NODE_OPTIONS: `--import=${fault}` } });
    await untilText(tui, 'Previous conversation');
    tui.write('초안');
    await untilComposer(tui, '초안');
    process.kill(tui.pid, 'SIGUSR2');
    expect((await tui.exited).code).toBe(1);
    expectRestored(tui);
    expect(tui.text()).not.toContain('secret words');
    const [, report] = /(\/\S+crash-\S+\.txt)/u.exec(tui.text().replaceAll('\n', '')) ?? [];
    expect(report, tui.text()).toBeDefined();
    expect(readFileSync(report!, 'utf8')).toContain('TypeError');
    expect(readFileSync(report!, 'utf8')).not.toContain('secret words');
    const again = await startHermes(machine, { args: ['-c'] });
    await untilComposer(again, '초안');
  });

  test.each(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const)('%s: restored, the draft kept, 128 + signal', async (signal) => {
    const machine = await makeMachine({ conversations });
    const tui = await startHermes(machine, { args: ['-c'] });
    tui.write('초안');
    await untilComposer(tui, '초안');
    const { code } = await tui.kill(signal);
    expect(code).toBe({ SIGTERM: 143, SIGHUP: 129, SIGINT: 130, SIGQUIT: 131 }[signal]);
    expectRestored(tui);
    const again = await startHermes(machine, { args: ['-c'] });
    await untilComposer(again, '초안');
  });

  test('a storm of window changes ends in a screen of the last size, right in every cell', async () => {
    const machine = await makeMachine({ conversations });
    const tui = await startHermes(machine, { args: ['-c'], cols: 100, rows: 30 });
    await untilText(tui, 'Previous conversation');
    tui.write('한글 text');
    await untilComposer(tui, '한글 text');
    for (let index = 0; index < 60; index++) {
      tui.resize(40 + ((index * 37) % 90), 12 + ((index * 11) % 30));
      if (index % 7 === 0) process.kill(tui.pid, 'SIGWINCH');
      if (index % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    tui.resize(100, 30);
    await tui.until((t) => composerOf(t).text === '한글 text' && t.lines().at(-1)!.includes('F1 help'), 'the screen of the last size');
    await tui.quiet(200);
    const before = tui.emulator.snapshot();
    tui.press('ctrl+l');
    await tui.waitIdle();
    await tui.quiet(50);
    expect(before).toEqual(tui.emulator.snapshot());
  });
});

describe('terminals', () => {
  test.each([
    'xterm',
    'xterm-256color',
    'screen-256color',
    'tmux-256color',
    'wezterm',
    'xterm-ghostty',
    'xterm-kitty',
    'alacritty',
    'foot',
    'linux',
    'bogus',
    undefined,
  ])('TERM=%s: the same screen, restored at the end', async (TERM) => {
    const machine = await makeMachine({ conversations });
    const tui = await startHermes(machine, { args: ['-c'], env: { TERM, COLORTERM: undefined } });
    await untilText(tui, 'Previous conversation');
    expect(tui.text()).toContain('결제 모듈');
    expect(tui.text()).toContain('╭─');
    expect(tui.text()).not.toMatch(/Error on|plab_norm|lqqk/u);
    tui.press('ctrl+d');
    expect((await tui.exited).code).toBe(0);
    expectRestored(tui);
  });

  test('NO_COLOR: no colour at all, everything still told apart by signs', async () => {
    const machine = await makeMachine({ conversations });
    const tui = await startHermes(machine, { args: ['-c'], env: { NO_COLOR: '1' } });
    await untilText(tui, 'Previous conversation');
    tui.press('ctrl+x');
    await untilText(tui, 'Sessions');
    await tui.waitIdle();
    const sent = tui.raw().toString('latin1');
    expect(sent).not.toMatch(/\x1b\[[0-9;]*\b(?:3[0-7]|4[0-7]|9[0-7]|10[0-7]|38|48)\b[0-9;]*m/u);
    expect(tui.lines().some((line, y) => y > 3 && line.startsWith('▌'))).toBe(true);
  });

  test('TERM=dumb: no full screen is forced on it', async () => {
    const machine = await makeMachine({ conversations });
    const tui = spawnTui({
      command: process.execPath,
      args: [hermesBin, '--tui'],
      cwd: machine.work,
      env: { HERMES_HOME: machine.home, TERM: 'dumb' },
    });
    expect((await tui.exited).code).toBe(1);
    expect(tui.raw().includes('\x1b[?1049h')).toBe(false);
    expect(tui.text()).toContain('TERM=dumb');
    expect(tui.text()).toContain('hermes --cli');
  });
});

describe('not a terminal', () => {
  test.each([[['--tui']], [['--tui', '-c']], [['sessions', 'browse']]])(
    'hermes %j with pipes: exit code 2, one sentence, what to use instead',
    async (args) => {
      const machine = await makeMachine({ conversations });
      const { status, stdout, stderr } = outside(machine, args);
      expect(status).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^hermes: .*terminal/u);
      expect(stderr).not.toMatch(/^\s+at /mu);
      expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    },
  );

  test('stdout is a pipe and there is nothing to ask: exit code 2', async () => {
    const machine = await makeMachine({ conversations });
    const script = `"${process.execPath}" "${hermesBin}" | cat; exit "\${PIPESTATUS:-$?}"`;
    const tui = spawnTui({
      command: '/bin/bash',
      args: ['-c', script],
      cwd: machine.work,
      env: { HERMES_HOME: machine.home },
    });
    expect((await tui.exited).code).toBe(2);
    expect(tui.text()).toMatch(/hermes: \S/u);
    expectRestored(tui);
  });
});

test('a home that can’t be written still opens, and says nothing worse than it has to', async () => {
  const machine = await makeMachine({ conversations });
  chmodSync(machine.home, 0o500);
  try {
    const tui = await startHermes(machine, { args: ['-c'] });
    await untilText(tui, 'Previous conversation');
    tui.press('ctrl+d');
    expect((await tui.exited).code).toBe(0);
    expectRestored(tui);
  } finally {
    chmodSync(machine.home, 0o700);
  }
});
