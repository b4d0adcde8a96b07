import { expect, test } from 'vitest';
import { spawnTui } from '../support/tui.ts';

const program = `
process.stdin.setRawMode(true);
process.stdout.write('\\x1b[?1049h\\x1b[?2004h\\x1b[2;3H\\x1b[1;38;2;255;136;0m한글\\x1b[0m ready');
let n = 0;
process.stdin.on('data', (d) => {
  process.stdout.write('\\x1b[4;1H\\x1b[K' + JSON.stringify(d.toString()) + '\\x1b]7777;idle;' + ++n + '\\x07');
  if (d.toString() === 'q') process.exit(7);
});`;

test('a program is driven by keys and seen cell by cell', async () => {
  const tui = spawnTui({ command: process.execPath, args: ['-e', program], cols: 60, rows: 12 });
  await tui.until((t) => t.text().includes('ready'), 'the first paint');
  expect(tui.cell(2, 1)).toMatchObject({ text: '한', width: 2, bold: true, foreground: '#ff8800' });
  expect(tui.cell(3, 1)).toMatchObject({ text: '', width: 0 });
  tui.press('ctrl+x', 'alt+ㅊ', 'up', 'f1');
  await tui.waitIdle();
  expect(tui.lines()[3]).toBe(JSON.stringify('\x18\x1bㅊ\x1b[A\x1bOP'));
  tui.paste('가\n나');
  await tui.waitIdle();
  expect(tui.lines()[3]).toBe(JSON.stringify('\x1b[200~가\r나\x1b[201~'));
  tui.press('q');
  expect(await tui.exited).toEqual({ code: 7, signal: 0 });
});

test('a failed wait shows the last screen', async () => {
  const tui = spawnTui({ command: process.execPath, args: ['-e', program], cols: 60, rows: 4 });
  await tui.until((t) => t.text().includes('ready'), 'the first paint');
  await expect(tui.until(() => false, 'what never comes', 50)).rejects.toThrow(/what never comes[^]*한글 ready/u);
  expect((await tui.kill('SIGTERM')).code).toBe(143);
});
