import { describe, expect, test } from 'vitest';
import type { TerminalError } from '../../src/errors.ts';
import {
  backgroundFromEnvironment,
  backgroundOfColour,
  colourDepth,
  createProbe,
  escapeDelayMs,
  isDumb,
  requireFullScreen,
  withoutVariables,
} from '../../src/terminal/capabilities.ts';
import type { ReplyEvent } from '../../src/terminal/input-event.ts';
import { createTokenizer } from '../../src/terminal/tokenizer.ts';
import { createEmulator } from '../support/emulator.ts';

describe('colours by the environment', () => {
  test.each<[Record<string, string>, string]>([
    [{ TERM: 'xterm-256color', COLORTERM: 'truecolor' }, 'truecolor'],
    [{ TERM: 'xterm-256color', COLORTERM: '24bit' }, 'truecolor'],
    [{ TERM: 'xterm-kitty' }, 'truecolor'],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, 'truecolor'],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' }, '256'],
    [{ TERM: 'tmux-256color' }, '256'],
    [{ TERM: 'xterm' }, '16'],
    [{ TERM: 'linux' }, '16'],
    [{ TERM: 'dumb', COLORTERM: 'truecolor' }, 'none'],
    [{ TERM: 'xterm-kitty', NO_COLOR: '1' }, 'none'],
    [{ TERM: 'xterm-kitty', NO_COLOR: '' }, 'truecolor'],
    [{ TERM: 'xterm-kitty', NO_COLOR: '1', FORCE_COLOR: '3' }, 'none'],
    [{ TERM: 'xterm', FORCE_COLOR: '3' }, 'truecolor'],
    [{ TERM: 'xterm-kitty', FORCE_COLOR: '2' }, '256'],
    [{ TERM: 'xterm-kitty', FORCE_COLOR: '1' }, '16'],
    [{ TERM: 'xterm-kitty', FORCE_COLOR: '0' }, 'none'],
  ])('%o → %s', (env, depth) => {
    expect(colourDepth(env)).toBe(depth);
  });
});

test('the background by COLORFGBG and by colour', () => {
  expect(backgroundFromEnvironment({ COLORFGBG: '0;15' })).toBe('light');
  expect(backgroundFromEnvironment({ COLORFGBG: '15;default;0' })).toBe('dark');
  expect(backgroundFromEnvironment({ COLORFGBG: '15;8' })).toBe('dark');
  expect(backgroundFromEnvironment({})).toBeUndefined();
  expect(backgroundOfColour('rgb:1616/1616/1a1a')).toBe('dark');
  expect(backgroundOfColour('rgb:ff/ff/ee')).toBe('light');
  expect(backgroundOfColour('rgba:fdfd/f6f6/e3e3/ffff')).toBe('light');
  expect(backgroundOfColour('#002b36')).toBe('dark');
  expect(backgroundOfColour('unknown')).toBeUndefined();
});

test('where there is no full screen it is said with the right exit code', () => {
  const terminal = { isTTY: true };
  const thrown = (run: () => void) => {
    try {
      run();
    } catch (error) {
      return error as TerminalError;
    }
    return undefined;
  };
  expect(thrown(() => requireFullScreen({ stdin: {}, stdout: terminal }, { TERM: 'xterm' }))).toMatchObject({
    code: 'terminal-not-a-tty',
    exitCode: 2,
  });
  expect(thrown(() => requireFullScreen({ stdin: terminal, stdout: {} }, { TERM: 'xterm' }))).toMatchObject({
    code: 'terminal-not-a-tty',
    exitCode: 2,
  });
  expect(thrown(() => requireFullScreen({ stdin: terminal, stdout: terminal }, { TERM: 'dumb' }))).toMatchObject({
    code: 'terminal-dumb',
    exitCode: 1,
  });
  expect(thrown(() => requireFullScreen({ stdin: terminal, stdout: terminal }, { TERM: 'xterm' }))).toBeUndefined();
  expect(isDumb({ INSIDE_EMACS: '29.1' })).toBe(true);
  expect(isDumb({ INSIDE_EMACS: '29.1', TERM: 'eterm-color' })).toBe(false);
});

test('a lone Esc waits longer over ssh, not at all with kitty keys', () => {
  expect(escapeDelayMs({ kittyKeys: false }, {})).toBe(30);
  expect(escapeDelayMs({ kittyKeys: false }, { SSH_CONNECTION: '1 2 3 4' })).toBe(100);
  expect(escapeDelayMs({ kittyKeys: true }, { SSH_CONNECTION: '1 2 3 4' })).toBe(0);
});

describe('what the terminal answers', () => {
  const timers = {
    set: (run: () => void, ms: number) => setTimeout(run, ms),
    clear: (handle: unknown) => clearTimeout(handle as NodeJS.Timeout),
  };
  const csi = (data: string): ReplyEvent => ({ type: 'reply', kind: 'csi', data });

  test.each<[string, ReplyEvent[], object]>([
    ['nothing but DA1', [csi('[?62;22c')], { kittyKeys: false, background: undefined, ambiguousWide: undefined, syncUpdate: undefined }],
    [
      'everything',
      [
        { type: 'reply', kind: 'cpr', data: '[2;3R' },
        csi('[?0u'),
        { type: 'reply', kind: 'osc', data: ']11;rgb:ffff/ffff/ffff' },
        csi('[?2026;2$y'),
        csi('[?62c'),
      ],
      { kittyKeys: true, background: 'light', ambiguousWide: true, syncUpdate: true },
    ],
    [
      'no to both',
      [{ type: 'reply', kind: 'cpr', data: '[2;2R' }, csi('[?2026;0$y'), csi('[?6c')],
      { kittyKeys: false, ambiguousWide: false, syncUpdate: false },
    ],
  ])('%s', async (_name, replies, answers) => {
    const probe = createProbe({ timers, env: { TERM: 'xterm' } });
    for (const reply of replies) expect(probe.take(reply)).toBe(true);
    expect(await probe.answers).toMatchObject(answers);
  });

  test('answers to other questions are left to others', () => {
    const probe = createProbe({ timers, timeoutMs: 1, env: { TERM: 'xterm' } });
    expect(probe.take(csi('[8;24;80t'))).toBe(false);
    expect(probe.take({ type: 'reply', kind: 'osc', data: ']52;c;aGk=' })).toBe(false);
  });

  test('silence ends with time', async () => {
    const probe = createProbe({ timers, timeoutMs: 5, env: { TERM: 'xterm' } });
    expect(await probe.answers).toMatchObject({ kittyKeys: false });
  });

  test('the Linux console is asked only what it knows', () => {
    expect(createProbe({ timers, timeoutMs: 1, env: { TERM: 'linux' } }).query).not.toMatch(/\]11|2026|\?u/u);
  });

  test('a real terminal answers through the tokenizer', async () => {
    const probe = createProbe({ timers, env: { TERM: 'xterm' } });
    const tokenizer = createTokenizer({
      timers,
      now: () => performance.now(),
      escapeDelayMs: 30,
      emit: (event) => expect(event.type === 'reply' && probe.take(event)).toBe(true),
    });
    const emulator = createEmulator({
      cols: 40,
      rows: 5,
      kitty: true,
      background: 'rgb:0000/0000/0000',
      onReply: (bytes) => tokenizer.feed(Buffer.from(bytes)),
    });
    await emulator.write(probe.query);
    expect(await probe.answers).toMatchObject({ kittyKeys: true, background: 'dark', ambiguousWide: false });
    emulator.dispose();
  });
});

test('variables are hidden for a moment only, even if something fails', () => {
  process.env['HERMES_TEST_HIDDEN'] = 'x';
  expect(() =>
    withoutVariables(['HERMES_TEST_HIDDEN', 'HERMES_TEST_NONE'], () => {
      expect(process.env['HERMES_TEST_HIDDEN']).toBeUndefined();
      throw new Error('failed');
    }),
  ).toThrow('failed');
  expect(process.env['HERMES_TEST_HIDDEN']).toBe('x');
  expect('HERMES_TEST_NONE' in process.env).toBe(false);
  delete process.env['HERMES_TEST_HIDDEN'];
});
