import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleProgram } from '../support/bundle.ts';
import { spawnTui } from '../support/tui.ts';
import type { Tui, TuiOptions } from '../support/tui.ts';

let program: Awaited<ReturnType<typeof bundleProgram>>;
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dirname, '../support/tty-fixture.ts'));
});
afterAll(() => program.remove());

async function start(options: Partial<TuiOptions> = {}): Promise<Tui> {
  const tui = spawnTui({ command: process.execPath, args: [program.path], cols: 120, rows: 24, ...options });
  await tui.until((t) => t.text().includes('answers'), 'the program to be ready');
  return tui;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const heard = (tui: Tui, what: string) => tui.until((t) => t.text().includes(what), what);

describe('bytes of a real terminal', () => {
  test('the terminal answers, and no answer is typed', async () => {
    const tui = await start({ background: 'rgb:1616/1616/1a1a' });
    expect(tui.text()).toContain('answers kitty=false background=dark wide=false sync=');
    expect(tui.text()).not.toMatch(/│ (text|reply)/u);
  });

  test('a terminal that answers nothing is not waited for', async () => {
    const tui = spawnTui({ command: process.execPath, args: [program.path], cols: 120, rows: 24, answers: false });
    await tui.until((t) => t.text().includes('▌fixture'), 'the first frame');
    tui.press('x');
    await heard(tui, 'text x');
    await heard(tui, 'answers kitty=false background=undefined wide=undefined');
  });

  test('a lone Esc is Esc; sequences split by 150 ms are never typed', async () => {
    const tui = await start();
    tui.press('escape');
    await heard(tui, 'key escape');
    for (const part of ['\x1b', '[1;', '5C']) {
      await pause(150);
      tui.write(part);
    }
    for (const part of ['\x1b[', '1;5', 'D']) {
      await pause(150);
      tui.write(part);
    }
    await heard(tui, 'key ctrl+left');
    tui.write('끝');
    await heard(tui, 'text 끝');
    expect(tui.text()).not.toMatch(/text (\[|1|5|C|D)/u);
  });

  test('10,000 pasted lines are one event, shown within 300 ms', async () => {
    const tui = await start();
    const text = Array.from({ length: 10_000 }, (_, i) => `줄 ${i} of the paste`).join('\n');
    const waited: number[] = [];
    for (let time = 0; time < 3; time++) {
      // Another length each time, so that the line seen is that of this paste.
      const pasted = text + '!'.repeat(time);
      tui.paste(pasted);
      waited.push(await heard(tui, `paste ${pasted.length} 10000`));
    }
    expect(Math.min(...waited)).toBeLessThan(300);
  });

  test('mouse, wheel, focus; the mouse can be given back', async () => {
    const tui = await start();
    tui.click(7, 5);
    await heard(tui, 'mouse release left 7,5');
    tui.wheel(3, 4, -1);
    await heard(tui, 'mouse wheel-up none 3,4');
    tui.write('\x1b[O');
    await heard(tui, 'focus false');
    tui.write('m');
    await tui.until((t) => t.modes().mouse === 'none', 'the mouse to be off');
    tui.write('m');
    await tui.until((t) => t.modes().mouse === 'drag', 'the mouse to be on');
  });
});

describe('the window changes', () => {
  test('a storm of sizes ends in a right screen, even where the last size is the first', async () => {
    const tui = await start();
    for (let i = 0; i < 60; i++) tui.resize(60 + ((i * 7) % 70), 12 + (i % 15));
    tui.resize(120, 24);
    await tui.quiet(250);
    const settled = tui.emulator.snapshot();
    expect(tui.lines()[0]).toContain('fixture 120×24');
    tui.press('ctrl+l');
    await tui.quiet(100);
    expect(tui.emulator.snapshot()).toEqual(settled);
  });

  test('nothing is sent while nothing happens', async () => {
    const tui = await start();
    await tui.quiet(150);
    const { bytes } = tui.stats;
    await pause(400);
    expect(tui.stats.bytes).toBe(bytes);
  });
});
