import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { copyText, describeClipboard, osc52 } from '../../src/terminal/clipboard.ts';
import { createEmulator } from '../support/emulator.ts';
import { startTmux } from '../support/tmux.ts';

/** What is tried, in order, where each way works or fails as told. */
async function copy(
  text: string,
  env: Record<string, string>,
  works: { tmux?: boolean; system?: boolean } = {},
  platform: NodeJS.Platform = 'linux',
) {
  const tried: string[] = [];
  let sent = '';
  const result = await copyText(text, {
    env,
    platform,
    write: (sequence) => {
      tried.push('osc52');
      sent += sequence;
    },
    run: (command, args) => {
      tried.push([command, ...args].join(' '));
      return Promise.resolve(works.tmux === true);
    },
    loadSystem: () => {
      tried.push('system');
      return Promise.resolve({ write: () => (works.system === true ? Promise.resolve() : Promise.reject(new Error('no display'))) });
    },
  });
  return { result, tried, sent };
}

describe('the ways of copying, in order', () => {
  test.each<[string, Parameters<typeof copy>, string[], object]>([
    [
      'inside tmux through tmux',
      ['a', { TMUX: 's,1,0' }, { tmux: true }],
      ['tmux load-buffer -w -'],
      { ok: true, way: 'tmux', isConfirmed: true },
    ],
    [
      'inside a tmux that fails, the terminal',
      ['a', { TMUX: 's,1,0' }],
      ['tmux load-buffer -w -', 'osc52'],
      { ok: true, way: 'osc52', isConfirmed: false },
    ],
    ['a plain terminal', ['a', {}], ['osc52'], { ok: true, way: 'osc52', isConfirmed: false }],
    [
      'with a display the system as well',
      ['a', { DISPLAY: ':0' }, { system: true }],
      ['osc52', 'system'],
      { ok: true, way: 'system', isConfirmed: true },
    ],
    ['a display that is dead', ['a', { DISPLAY: ':9' }], ['osc52', 'system'], { ok: true, way: 'osc52', isConfirmed: false }],
    ['macOS', ['a', {}, { system: true }, 'darwin'], ['osc52', 'system'], { ok: true, way: 'system' }],
    [
      'over ssh never the clipboard of the far machine',
      ['a', { SSH_CONNECTION: 'x', DISPLAY: ':0' }, { system: true }],
      ['osc52'],
      { way: 'osc52' },
    ],
    ['too long for the terminal', ['x'.repeat(800_000), {}], [], { ok: false, way: undefined, reason: 'too-long' }],
    [
      'too long for the terminal, not for the system',
      ['x'.repeat(800_000), { DISPLAY: ':0' }, { system: true }],
      ['system'],
      { ok: true, way: 'system' },
    ],
  ])('%s', async (_name, args, tried, result) => {
    const copied = await copy(...args);
    expect(copied.tried).toEqual(tried);
    expect(copied.result).toMatchObject(result);
  });
});

test('what is sent is the text as UTF-8 in base64', () => {
  const found = /^\x1b\]52;c;(.*)\x07$/u.exec(osc52('한글 👍', {}));
  expect(Buffer.from(found?.[1] ?? '', 'base64').toString()).toBe('한글 👍');
});

test('GNU screen gets it in parts it passes on', () => {
  const parts = osc52('x'.repeat(3000), { STY: '1.pts' }).split('\x1b\\');
  expect(parts.pop()).toBe('');
  const inner = parts.map((part) => {
    expect(part.startsWith('\x1bP')).toBe(true);
    expect(part.length).toBeLessThanOrEqual(768);
    return part.slice(2);
  });
  expect(inner.join('')).toBe(osc52('x'.repeat(3000), {}));
});

test('OSC 52 leaves the screen alone', async () => {
  const emulator = createEmulator({ cols: 20, rows: 3 });
  await emulator.write(`a${osc52('secret', {})}b`);
  expect(emulator.lines()[0]).toBe('ab');
  emulator.dispose();
});

test('a real tmux takes the text, Korean included', async () => {
  const tmux = await startTmux({ command: 'cat' });
  const socketPath = (await tmux.command('display-message', '-p', '#{socket_path}')).trim();
  const result = await copyText('복사한 글\nsecond line', {
    env: { TMUX: `${socketPath},1,0` },
    write: () => expect.unreachable(),
    run: (command, args, input) => Promise.resolve(spawnSync(command, ['-S', socketPath, ...args], { input }).status === 0),
  });
  expect(result).toEqual({ ok: true, way: 'tmux', isConfirmed: true });
  expect(await tmux.command('show-buffer')).toBe('복사한 글\nsecond line');
});

test('doctor names the ways of this machine', () => {
  expect(describeClipboard({ TMUX: 'x' }, 'linux').map(({ isAvailable }) => isAvailable)).toEqual([true, false, true]);
  expect(describeClipboard({ DISPLAY: ':0' }, 'linux').map(({ isAvailable }) => isAvailable)).toEqual([false, true, true]);
  expect(describeClipboard({ DISPLAY: ':0', SSH_CONNECTION: 'x' }, 'linux').map(({ isAvailable }) => isAvailable)).toEqual([
    false,
    false,
    true,
  ]);
});
