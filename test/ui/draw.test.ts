import { describe, expect, test } from 'vitest';
import { plainAttr } from '../../src/ui/attr.ts';
import { span } from '../../src/ui/frame.ts';
import type { Line } from '../../src/ui/frame.ts';
import { createStyler } from '../../src/ui/style.ts';
import { themes } from '../../src/ui/theme.ts';
import { putLine } from '../../src/ui/widgets/cells.ts';
import type { Cell, Row } from '../../src/ui/widgets/cells.ts';
import { drawChanges } from '../../src/ui/widgets/draw.ts';
import { createEmulator } from '../support/emulator.ts';

const styler = createStyler(themes.dark, 'truecolor');
const rowOf = (columns: number): Row =>
  Object.assign(
    Array.from({ length: columns }, (): Cell => [plainAttr, ' ']),
    { dirty: true },
  );
const textOf = (row: Row): string => row.map(([, text]) => (text === '' ? '‹' : text)).join('');
const line = (text: string): Line => [span(text)];

describe('a line becomes cells', () => {
  const put = (columns: number, ...lines: Array<[left: number, width: number, text: string]>): string => {
    const row = rowOf(columns);
    for (const [left, width, text] of lines) putLine(row, left, width, line(text), styler);
    return textOf(row);
  };

  test.each<[string, string, string]>([
    ['wide glyphs take two cells', put(6, [0, 6, '가a나']), '가‹a나‹ '],
    ['what does not fit is cut, never half a glyph', put(6, [0, 5, '가나다']), '가‹나‹  '],
    ['the edge of the row cuts', put(5, [2, 10, '가나']), '  가‹ '],
    ['what begins left of the row is cut', put(5, [-1, 5, '가나다']), ' 나‹  '],
    ['entirely outside is nothing', put(4, [9, 4, 'abcd'], [-9, 4, 'abcd']), '    '],
    ['an overlay that covers the second half of a glyph blanks the first', put(6, [0, 6, '가나다'], [1, 2, 'xy']), ' xy ' + '다‹'],
    ['an overlay that covers the first half blanks the second', put(6, [0, 6, '가나다'], [0, 1, 'x']), 'x 나‹다‹'],
    ['an overlay of wide glyphs over wide glyphs, one off', put(7, [0, 7, '가나다'], [1, 4, '라마']), ' 라‹마‹ ' + ' '],
    ['decomposed text is composed', put(4, [0, 4, '한'.normalize('NFD')]), '한‹  '],
    ['control characters are symbols', put(6, [0, 6, '\x1b[2J\n']), '␛[2J␊ '],
    ['a family is one glyph of two cells', put(4, [0, 4, '👨‍👩‍👧‍👦x']), '👨‍👩‍👧‍👦‹x '],
  ])('%s', (_name, cells, expected) => {
    expect(cells).toBe(expected);
  });

  test('what a line leaves over is plain: no ground, no underline runs on to the edge', () => {
    const row = rowOf(6);
    putLine(row, 0, 6, [span('a', 'accent'), span('b', 'accent bold on-select')], styler);
    expect((row[5] as Cell)[0]).toBe(styler(undefined));
    expect((row[1] as Cell)[0]).toBe(styler('accent bold on-select'));
  });
});

describe('only what differs is sent', () => {
  /** Draws rows one after the other on one screen; returns what was sent each time, and the screen. */
  const draw = async (columns: number, ...texts: string[]) => {
    const emulator = createEmulator({ cols: columns, rows: 1 });
    const shown = [rowOf(columns)];
    const lines = [rowOf(columns)];
    const sent: string[] = [];
    for (const text of texts) {
      putLine(lines[0] as Row, 0, columns, line(text), styler);
      (lines[0] as Row).dirty = true;
      const out = drawChanges(lines, shown);
      sent.push(out);
      await emulator.write(out);
    }
    const [screen] = emulator.lines();
    emulator.dispose();
    return { sent, screen };
  };

  test('nothing for nothing', async () => {
    const { sent } = await draw(20, 'hello', 'hello');
    expect(sent[1]).toBe('');
  });

  test('one cell for one letter', async () => {
    const { sent } = await draw(20, 'hello', 'hallo');
    expect(sent[1]).toBe('\x1b[1;2H\x1b[0ma\x1b[0m');
  });

  test('unchanged wide glyphs are not sent again', async () => {
    const { sent, screen } = await draw(20, '가나다라', '가나다마');
    expect(sent[1]).toBe('\x1b[1;7H\x1b[0m마\x1b[0m');
    expect(screen).toBe('가나다마');
  });

  test('an emptied end of a row is erased, not overwritten with blanks', async () => {
    const { sent, screen } = await draw(40, 'a line of some length', 'a');
    expect(sent[1]).toContain('\x1b[K');
    expect((sent[1] as string).length).toBeLessThan(24);
    expect(screen).toBe('a');
  });

  test('behind an emoji the cursor is placed anew and what a wide terminal overwrote comes again', async () => {
    const { sent, screen } = await draw(20, '👨‍👩‍👧‍👦abcdefgh');
    expect(sent[0]).toContain('\x1b[1;3H');
    expect(screen).toBe('👨‍abcdefgh'.replace('👨‍', '👨‍'));
  });

  test('an emoji that could run over the edge is cut to its first character', async () => {
    const { sent, screen } = await draw(6, 'abcd👨‍👩‍👧‍👦');
    expect(sent[0]).toContain('👨');
    expect(sent[0]).not.toContain('👩');
    expect(screen).toBe('abcd👨');
  });

  test('a flag fits at the edge', async () => {
    expect((await draw(6, 'abcd🇰🇷')).screen).toBe('abcd🇰🇷');
  });
});
