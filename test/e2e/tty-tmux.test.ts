import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleProgram } from '../support/bundle.ts';
import { startTmux } from '../support/tmux.ts';
import type { Tmux } from '../support/tmux.ts';
import { seededRandom } from '../support/wide-text.ts';

let program: Awaited<ReturnType<typeof bundleProgram>>;
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dirname, '../support/tty-fixture.ts'));
});
afterAll(() => program.remove());

const command = () => `'${process.execPath}' '${program.path}'`;
const isReady = (lines: string[]) => lines.join('\n').includes('answers');

/** The screen, once two looks at it agree. */
async function settled(tmux: Tmux): Promise<string[]> {
  let before = '';
  for (;;) {
    const lines = await tmux.capture({ escapes: true });
    const now = lines.join('\n');
    if (now === before) return lines;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
}

test('in tmux, after scrolling, overlays and resizes, the pane shows what a full repaint shows', async () => {
  const random = seededRandom(7);
  const tmux = await startTmux({ cols: 90, rows: 24, command: command() });
  await tmux.until(isReady, 'the program');
  for (let step = 0; step < 24; step++) {
    const action = random.below(4);
    if (action < 3) await tmux.type(random.pick(['c', 'o', 'c', '한', 'oo']));
    else await tmux.command('resize-window', '-x', String(60 + random.below(50)), '-y', String(14 + random.below(14)));
    if (step % 3 !== 2) continue;
    const incremental = await settled(tmux);
    await tmux.send('C-l');
    expect(await settled(tmux), `step ${step}`).toEqual(incremental);
  }
});

test('Ctrl+Z gives the shell back, fg draws everything again', async () => {
  const tmux = await startTmux({ cols: 100, rows: 16, command: 'bash --norc -i' });
  await tmux.type(`PS1='$ '; clear; echo marker; ${command()}\n`);
  await tmux.until(isReady, 'the program');
  const before = await settled(tmux);
  await tmux.send('C-z');
  await tmux.until((lines) => lines.some((line) => /Stopped/u.test(line)), 'the shell');
  expect((await tmux.command('display-message', '-p', '#{mouse_any_flag}#{alternate_on}#{cursor_flag}')).trim()).toBe('001');
  expect((await tmux.capture()).join('\n')).toContain('marker');
  await tmux.type('fg\n');
  await tmux.until(isReady, 'the program again');
  expect(await settled(tmux)).toEqual(before);
  await tmux.type('x');
  await tmux.until((lines) => lines.join('\n').includes('text x'), 'a key after fg');
  await tmux.type('q');
  await tmux.until((lines) => lines.join('\n').includes('marker') && !lines.join('\n').includes('fixture'), 'the shell at the end');
  expect((await tmux.capture({ history: true })).join('\n')).not.toMatch(/│|▌/u);
});

test('kill -TSTP from elsewhere leaves the screen first, and stopping it from outside is repaired by fg', async () => {
  const tmux = await startTmux({ cols: 100, rows: 16, command: 'bash --norc -i' });
  await tmux.type(`PS1='$ '; clear; ${command()}\n`);
  const lines = await tmux.until(isReady, 'the program');
  const pid = Number(/pid (\d+)/u.exec(lines.join('\n'))?.[1]);
  process.kill(pid, 'SIGTSTP');
  await tmux.until((seen) => seen.some((line) => /Stopped/u.test(line)), 'the shell');
  expect((await tmux.command('display-message', '-p', '#{alternate_on}')).trim()).toBe('0');
  await tmux.type('fg\n');
  await tmux.until(isReady, 'the program again');
  process.kill(pid, 'SIGSTOP');
  await tmux.type('\n');
  await new Promise((resolve) => setTimeout(resolve, 100));
  await tmux.type('fg\n');
  await tmux.type('z');
  await tmux.until((seen) => seen.join('\n').includes('text z'), 'keys after SIGSTOP');
});

test('where nothing can take over the terminal, Ctrl+Z says so and the screen comes back', async () => {
  const tmux = await startTmux({ cols: 100, rows: 16, command: `exec ${command()}` });
  await tmux.until(isReady, 'the program');
  await tmux.send('C-z');
  await tmux.until((lines) => lines.join('\n').includes('refused'), 'the refusal');
});

test('a paste through tmux is one event', async () => {
  const tmux = await startTmux({ cols: 100, rows: 16, command: command() });
  await tmux.until(isReady, 'the program');
  const text = Array.from({ length: 300 }, (_, i) => `줄 ${i}`).join('\n');
  await tmux.command('set-buffer', text);
  await tmux.command('paste-buffer', '-p');
  await tmux.until((lines) => lines.join('\n').includes(`paste ${text.length} 300`), 'the paste');
});
