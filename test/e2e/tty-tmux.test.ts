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

test.each([
  [90, 24],
  [80, 24],
  [41, 12],
  [20, 5],
])('in tmux, %d×%d: after scrolling, overlays and resizes the pane shows what a full repaint shows', async (cols, rows) => {
  const random = seededRandom(cols);
  const tmux = await startTmux({ cols, rows, command: command() });
  await tmux.until((lines) => lines.join('\n').includes('fixture'), 'the program');
  for (let step = 0; step < 15; step++) {
    const action = random.below(5);
    if (action < 4) await tmux.type(random.pick(['c', 'o', 'c', '한', 'oo']));
    else {
      const [x, y] = [cols + random.below(9), rows + random.below(5)];
      await tmux.command('resize-window', '-x', String(x), '-y', String(y));
      // tmux tells the program up to 250 ms later.
      await tmux.until((lines) => (lines[0] as string).includes(`fixture ${x}×${y}`), `the size ${x}×${y}`);
    }
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
