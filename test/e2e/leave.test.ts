import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { about, after, command, leave, makePlace, program, ready, restored, say, type Place } from '../support/place.ts';
import { startTmux } from '../support/tmux.ts';
import type { Tui } from '../support/tui.ts';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) console.warn('tmux is not installed: suspending in a real tmux is not tried');

/** How a person or the system ends the program, and the exit code that follows. */
const waysOut: readonly [string, (tui: Tui) => void | Promise<void>, number | 'gone'][] = [
  ['Ctrl+C twice', async (tui) => void (await leave(tui)), 0],
  ['Ctrl+D', (tui) => tui.press('ctrl+d'), 0],
  ['/quit', (tui) => tui.write('/quit\r'), 0],
  ['/exit', (tui) => tui.write('/exit\r'), 0],
  ['SIGTERM', (tui) => void tui.kill('SIGTERM'), 143],
  ['SIGHUP', (tui) => void tui.kill('SIGHUP'), 129],
  ['SIGINT', (tui) => void tui.kill('SIGINT'), 130],
  ['SIGQUIT', (tui) => void tui.kill('SIGQUIT'), 131],
  ['kill -9', (tui) => void tui.kill('SIGKILL'), 137],
  ['a closed pane', (tui) => tui.hangUp(), 'gone'],
];

/** A store with what makes a careless program write: an open row, a compressed chain, one archived, sources of others. */
function seed(place: Place): string[] {
  const cwd = place.directory('proj');
  return place.seed([
    about('oldest', { cwd, age: 5000, endReason: 'compression', source: 'cli' }),
    about('telegram thing', { source: 'telegram', age: 400 }),
    about('archived thing', { cwd, isArchived: true, age: 300 }),
    about('open elsewhere once', { cwd, isOpen: true, age: 100 }),
    about('newest', { cwd, age: 5, parent: { index: 0, kind: 'compression' } }),
  ]);
}

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

describe('a session that is resumed and left without a word', () => {
  it.each(waysOut)('is as it was after %s', async (name, wayOut, code) => {
    const place = await makePlace();
    const [, , , , newest] = seed(place);
    const hash = place.hash();
    const tui = place.open(['--resume', newest!]);
    await ready(tui);
    expect(tui.text()).toContain('This of newest.');
    await wayOut(tui);
    if (code === 'gone') await expect.poll(() => isAlive(tui.pid), { timeout: 8000 }).toBe(false);
    else expect((await tui.exited).code).toBe(code);
    expect(place.hash()).toBe(hash);
    if (code === 'gone' || name === 'kill -9') return;
    expect(tui.modes()).toEqual(restored);
    expect(after(tui)).toEqual([]);
  });

  it('is as it was after the list, reading back, a look at other sessions and Esc', async () => {
    const place = await makePlace();
    seed(place);
    const hash = place.hash();
    const tui = place.open(['--resume', 'open elsewhere once']);
    await ready(tui);
    tui.press('pageup');
    await tui.waitIdle();
    tui.press('ctrl+x');
    await tui.until((shown) => shown.text().includes('open elsewhere once') && shown.text().includes('F1 all'), 'the list');
    tui.press('tab');
    await tui.until((shown) => shown.text().includes('telegram thing'), 'the sessions of everywhere');
    tui.press('down', 'down');
    await tui.waitIdle();
    tui.press('escape');
    await tui.until((shown) => !shown.text().includes('telegram thing'), 'the conversation again');
    await command(tui, '/resume telegram thing');
    await tui.until((shown) => shown.text().includes('This of telegram thing.'), 'the other session');
    await command(tui, '/new');
    await tui.until((shown) => !shown.text().includes('This of telegram thing.'), 'a new conversation');
    expect(await leave(tui)).toBe(0);
    expect(after(tui)).toEqual([]);
    expect(place.hash()).toBe(hash);
  });
});

describe('a conversation without a message', () => {
  it('leaves no row after five starts and three times /new', async () => {
    const place = await makePlace();
    seed(place);
    const hash = place.hash();
    for (let start = 0; start < 5; start++) {
      const tui = place.open([]);
      await ready(tui);
      for (let count = 0; count < 3 && start === 0; count++) await command(tui, '/new');
      expect(await leave(tui)).toBe(0);
      expect(after(tui)).toEqual([]);
    }
    expect(place.hash()).toBe(hash);
  });

  it('makes no store on a fresh machine', async () => {
    const place = await makePlace();
    const tui = place.open([]);
    await ready(tui);
    tui.press('ctrl+x');
    await tui.waitIdle();
    tui.press('escape');
    await tui.waitIdle();
    expect(await leave(tui)).toBe(0);
    expect(existsSync(place.store)).toBe(false);
  });
});

describe('a conversation with a message', () => {
  it.each([
    ['Ctrl+C twice', 'tui_close'],
    ['/quit', 'tui_close'],
    ['SIGTERM', 'tui_shutdown'],
    ['SIGHUP', 'tui_shutdown'],
    ['a closed pane', 'tui_shutdown'],
    ['kill -9', null],
  ])('is ended by %s as %s', async (name, reason) => {
    const place = await makePlace();
    const tui = place.open([]);
    await ready(tui);
    await say(tui, 'hello there');
    const [, wayOut] = waysOut.find(([way]) => way === name)!;
    await wayOut(tui);
    await expect.poll(() => isAlive(tui.pid), { timeout: 8000 }).toBe(false);
    const rows = place.rows<{ source: string; ended_at: number | null; end_reason: string | null; title: string }>(
      'SELECT * FROM sessions',
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ source: 'tui', end_reason: reason });
    expect(rows[0]!.ended_at === null).toBe(reason === null);
    expect(place.rows('SELECT role, content, finish_reason FROM messages ORDER BY id')).toEqual([
      { role: 'user', content: 'hello there', finish_reason: null },
      { role: 'assistant', content: 'Answer to: hello there', finish_reason: 'stop' },
    ]);
  });

  it('is ended by a running turn that a signal interrupts, and keeps what arrived', async () => {
    const place = await makePlace();
    const tui = place.open([]);
    await ready(tui);
    tui.write('slow one\r');
    await tui.until((shown) => shown.text().includes('word5'), 'some words');
    expect((await tui.kill('SIGTERM')).code).toBe(143);
    expect(tui.modes()).toEqual(restored);
    expect(place.rows('SELECT end_reason FROM sessions')).toEqual([{ end_reason: 'tui_shutdown' }]);
    const [, answer] = place.rows<{ content: string; finish_reason: string }>('SELECT content, finish_reason FROM messages ORDER BY id');
    expect(answer!.finish_reason).toBe('interrupted');
    expect(answer!.content).toContain('word5');
  });
});

describe.runIf(hasTmux)('suspended with Ctrl+Z, taken back with fg, and left', () => {
  it('the session is as it was, and the shell has its screen and its keys back', async () => {
    const place = await makePlace();
    seed(place);
    const hash = place.hash();
    const tmux = await startTmux({ cwd: place.folder, command: '/bin/sh', env: { HERMES_HOME: place.home, PS1: '$ ' } });
    await tmux.until((lines) => lines[0]?.trimEnd() === '$', 'the prompt of the shell');
    await tmux.type(`echo line before; ${process.execPath} ${program} -r newest`);
    await tmux.send('Enter');
    await tmux.until((lines) => lines.join().includes('This of newest.'), 'the session');
    await tmux.until((lines) => lines.join().includes('F1 help'), 'the hints');
    await tmux.send('C-z');
    await tmux.until((lines) => lines.includes('line before') && !lines.join().includes('F1 help'), 'the shell');
    await tmux.type('fg');
    await tmux.send('Enter');
    await tmux.until((lines) => lines.join().includes('This of newest.') && lines.join().includes('F1 help'), 'the session again');
    await tmux.send('C-d');
    await tmux.until((lines) => lines.includes('line before') && lines.findLast((line) => line !== '') === '$', 'the shell after leaving');
    await tmux.type('echo still $((40+2))');
    await tmux.send('Enter');
    await tmux.until((lines) => lines.includes('still 42'), 'the echo');
    expect(place.hash()).toBe(hash);
  });
});
