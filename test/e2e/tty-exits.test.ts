import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundleProgram } from '../support/bundle.ts';
import { spawnTui } from '../support/tui.ts';
import type { Tui, TuiOptions } from '../support/tui.ts';

let program: Awaited<ReturnType<typeof bundleProgram>>;
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dirname, '../support/tty-fixture.ts'));
});
afterAll(() => program.remove());

/** The program under a shell, which notes the tty settings before and after it. */
function start(env: Record<string, string> = {}, options: Partial<TuiOptions> = {}): { tui: Tui; note: (name: string) => string } {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-tty-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const note = (name: string) => join(folder, name);
  const script =
    'echo before; stty -a > "$NOTES/before"; "$NODE" "$PROGRAM"; echo "rc=$?"; stty -a > "$NOTES/after"; echo after; read line';
  const tui = spawnTui({
    command: '/bin/sh',
    args: ['-c', script],
    cols: 100,
    rows: 16,
    env: { NODE: process.execPath, PROGRAM: program.path, NOTES: folder, FIXTURE_STORED: note('stored'), ...env },
    ...options,
  });
  return { tui, note };
}

const pidOf = (tui: Tui): number => Number(/pid (\d+)/u.exec(tui.text())?.[1]);
const ready = (tui: Tui) => tui.until((t) => /pid \d+/u.test(t.text()) && t.text().includes('answers'), 'the program to be ready');

/** Screen, modes and tty settings are as they were; returns the exit code. */
async function expectRestored({ tui, note }: ReturnType<typeof start>): Promise<number> {
  await tui.until((t) => t.lines().includes('after'), 'the shell to go on');
  expect(tui.modes()).toEqual({
    alternateScreen: false,
    cursorVisible: true,
    bracketedPaste: false,
    mouse: 'none',
    mouseSgr: false,
    focus: false,
    synchronized: false,
    modifyOtherKeys: 0,
    kittyDepth: 0,
  });
  expect(tui.lines()[0]).toBe('before');
  // Nothing of the full screen is left, on the screen or above it.
  expect(tui.emulator.history().join('\n')).not.toMatch(/fixture|dialog|│/u);
  expect(readFileSync(note('after'), 'utf8')).toBe(readFileSync(note('before'), 'utf8'));
  return Number(/rc=(\d+)/u.exec(tui.text())?.[1]);
}

describe('the terminal is as before, whatever ended the program', () => {
  test.each<[string, (tui: Tui) => void, number]>([
    ['leaving', (tui) => tui.write('q'), 0],
    ['an exception', (tui) => tui.write('t'), 1],
    ['an unhandled rejection', (tui) => tui.write('r'), 1],
    ...(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGPIPE'] as const).map(
      (signal, i) =>
        [signal, (tui: Tui) => void process.kill(pidOf(tui), signal), [143, 129, 130, 131, 141][i]] as [string, (tui: Tui) => void, number],
    ),
  ])('%s', async (_name, end, code) => {
    const started = start();
    await ready(started.tui);
    expect(started.tui.modes()).toMatchObject({
      alternateScreen: true,
      bracketedPaste: true,
      mouse: 'drag',
      mouseSgr: true,
      focus: true,
      modifyOtherKeys: 1,
    });
    end(started.tui);
    expect(await expectRestored(started)).toBe(code);
  });

  test.each([
    ['early', 'before the first paint'],
    ['entered', 'after entering'],
    ['painted', 'after the first paint'],
  ])('an exception at the start: %s', async (moment, message) => {
    const started = start({ FIXTURE_THROW: moment });
    expect(await expectRestored(started)).toBe(1);
    expect(started.tui.text()).toContain(`crashed: ${message}`);
  });

  test('kitty keys are taken back too', async () => {
    const started = start({}, { kitty: true, background: 'rgb:ffff/ffff/ffff' });
    const { tui } = started;
    await tui.until((t) => t.text().includes('kitty=true background=light'), 'the answers');
    await tui.until((t) => t.modes().kittyDepth === 1, 'kitty keys');
    tui.press('shift+enter');
    await tui.until((t) => t.text().includes('key shift+enter'), 'Shift+Enter');
    tui.write('q');
    expect(await expectRestored(started)).toBe(0);
  });
});

describe('what must not be lost is stored on the way out', () => {
  test('within the grace, and the terminal is restored before that', async () => {
    const { tui, note } = start({ FIXTURE_STORE_MS: '400' });
    await ready(tui);
    process.kill(pidOf(tui), 'SIGTERM');
    await tui.until((t) => !t.modes().alternateScreen, 'the shell screen');
    expect(existsSync(note('stored'))).toBe(false);
    await tui.until((t) => t.text().includes('rc=143'), 'the exit');
    expect(readFileSync(note('stored'), 'utf8')).toBe('signal');
  });

  test('a second signal does not wait', async () => {
    const { tui, note } = start({ FIXTURE_STORE_MS: '5000' });
    await ready(tui);
    const pid = pidOf(tui);
    process.kill(pid, 'SIGTERM');
    await tui.until((t) => !t.modes().alternateScreen, 'the shell screen');
    process.kill(pid, 'SIGINT');
    expect(await tui.until((t) => t.text().includes('rc=130'), 'the exit')).toBeLessThan(1500);
    expect(existsSync(note('stored'))).toBe(false);
  });

  test('storing that takes too long is cut off after two seconds', async () => {
    const { tui } = start({ FIXTURE_STORE_MS: '60000' });
    await ready(tui);
    process.kill(pidOf(tui), 'SIGTERM');
    const waited = await tui.until((t) => t.text().includes('rc=143'), 'the exit');
    expect(waited).toBeGreaterThan(1500);
    expect(waited).toBeLessThan(4000);
  });

  test('a closed pane is an end like any other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hermes-tty-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const stored = join(folder, 'stored');
    const tui = spawnTui({
      command: process.execPath,
      args: [program.path],
      cols: 100,
      rows: 16,
      env: { FIXTURE_STORED: stored, FIXTURE_STORE_MS: '200' },
    });
    await ready(tui);
    tui.hangUp();
    expect((await tui.exited).code).toBe(129);
    expect(existsSync(stored)).toBe(true);
  });
});
