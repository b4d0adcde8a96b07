import { afterEach, describe, expect, test } from 'vitest';
import { setAmbiguousWidth } from '../../src/terminal/width.ts';
import { span } from '../../src/ui/frame.ts';
import type { Frame, Line } from '../../src/ui/frame.ts';
import { themes } from '../../src/ui/theme.ts';
import { mountCanvas } from '../../src/ui/widgets/canvas.ts';
import type { CanvasOptions } from '../../src/ui/widgets/canvas.ts';
import { createEmulator } from '../support/emulator.ts';

const open: Array<() => void> = [];
afterEach(() => {
  setAmbiguousWidth('narrow');
  for (const close of open.splice(0)) close();
});

function setUp(columns = 40, rows = 6, options: Partial<CanvasOptions> = {}) {
  const emulator = createEmulator({ cols: columns, rows });
  const size = { columns, rows };
  const sent: string[] = [];
  let done: Promise<void> = Promise.resolve();
  const write = (data: string) => {
    sent.push(data);
    done = emulator.write(data);
  };
  const canvas = mountCanvas({ tty: { size: () => ({ ...size }), write }, theme: themes.dark, depth: 'truecolor', ...options });
  open.push(() => {
    canvas.unmount();
    emulator.dispose();
  });
  const show = async (frame: Frame) => {
    canvas.render(frame);
    await done;
    return emulator.lines();
  };
  return { canvas, emulator, size, sent, show, settle: () => done };
}

const lines = (...texts: string[]): Line[] => texts.map((text) => [span(text)]);

describe('frames', () => {
  test('later layers cover earlier ones, and uncover them again', async () => {
    const { show } = setUp(12, 3);
    const base = { x: 0, y: 0, width: 12, lines: lines('가나다라마바', 'abcdefghijkl', '가나다라마바') };
    expect(await show({ layers: [base, { x: 3, y: 0, width: 4, lines: lines('│..│', '│..│', '│..│') }] })).toEqual([
      '가 │..│ 마바',
      'abc│..│hijkl',
      '가 │..│ 마바',
    ]);
    expect(await show({ layers: [base] })).toEqual(['가나다라마바', 'abcdefghijkl', '가나다라마바']);
  });

  test('the hardware cursor stands where the frame says, or is hidden', async () => {
    const { show, emulator } = setUp();
    await show({ layers: [{ x: 0, y: 0, width: 40, lines: lines('❯ 안녕') }], cursor: { x: 6, y: 0 } });
    expect(emulator.cursor()).toEqual({ x: 6, y: 0 });
    expect(emulator.modes().cursorVisible).toBe(true);
    await show({ layers: [{ x: 0, y: 0, width: 40, lines: lines('❯ 안녕') }] });
    expect(emulator.modes().cursorVisible).toBe(false);
    await show({ layers: [], cursor: { x: 99, y: 0 } });
    expect(emulator.modes().cursorVisible).toBe(false);
  });

  test('neo-blessed takes the first frame over as it stands, sending nothing', async () => {
    const { show, sent, canvas, emulator } = setUp(12, 3);
    const base = { x: 0, y: 0, width: 12, lines: lines('가나다라마바', 'abcdefghijkl') };
    await show({ layers: [base] });
    const before = sent.length;
    await canvas.loadShell();
    canvas.render({ layers: [base] });
    expect(sent.length).toBe(before);
    expect(await show({ layers: [base, { x: 3, y: 0, width: 4, lines: lines('│..│') }] })).toEqual(['가 │..│ 마바', 'abcdefghijkl', '']);
    expect(emulator.lines()).toEqual(['가 │..│ 마바', 'abcdefghijkl', '']);
  });

  test('a frame without a change sends nothing; a moved caret only itself', async () => {
    const { show, sent, canvas } = setUp();
    const layers = [{ x: 0, y: 0, width: 40, lines: lines('text') }];
    await show({ layers, cursor: { x: 4, y: 0 } });
    const before = sent.length;
    await show({ layers: [{ x: 0, y: 0, width: 40, lines: lines('text') }], cursor: { x: 4, y: 0 } });
    expect(sent.length).toBe(before);
    await show({ layers, cursor: { x: 3, y: 0 } });
    expect(sent.at(-1)).toBe('\x1b[1;4H');
    expect(canvas.stats.frames).toBe(2);
    expect(canvas.stats.bytes).toBe(sent.reduce((sum, data) => sum + Buffer.byteLength(data), 0));
  });

  test('a frame is one synchronized update, unless the terminal is hurt by it', async () => {
    const frame = { layers: [{ x: 0, y: 0, width: 9, lines: lines('a') }] };
    const first = setUp();
    await first.show(frame);
    expect(first.sent[0]).toMatch(/^\x1b\[\?2026h[^]*\x1b\[\?2026l$/u);
    const second = setUp(40, 6, { syncUpdate: false });
    await second.show(frame);
    expect(second.sent[0]).not.toContain('2026');
  });

  test('a frame larger than the window is cut', async () => {
    const { show } = setUp(5, 2);
    expect(await show({ layers: [{ x: -1, y: -1, width: 90, lines: lines('no', '가나다라', 'abcdefgh', 'no') }] })).toEqual([
      ' 나다',
      'bcdef',
    ]);
  });
});

describe('the screen is made anew', () => {
  const frame: Frame = { layers: [{ x: 0, y: 0, width: 40, lines: lines('한글 👨‍👩‍👧 text', 'second') }], cursor: { x: 1, y: 1 } };

  test('after something else wrote on it', async () => {
    const { show, canvas, emulator, settle } = setUp();
    await show(frame);
    const before = emulator.snapshot();
    await emulator.write('\x1b[Hgarbage from elsewhere\x1b[5;5Hmore');
    canvas.redrawAll();
    await settle();
    expect(emulator.snapshot()).toEqual(before);
    expect(emulator.cursor()).toEqual({ x: 1, y: 1 });
  });

  test('after the size changed, also back and forth between two frames', async () => {
    const { show, canvas, emulator, size } = setUp();
    await show(frame);
    size.columns = 30;
    size.rows = 4;
    emulator.resize(30, 4);
    await show(frame);
    expect(emulator.lines()[1]).toBe('second');
    emulator.resize(10, 2);
    emulator.resize(30, 4);
    canvas.invalidate();
    await show(frame);
    expect(emulator.lines()[1]).toBe('second');
  });

  test('in another theme', async () => {
    const { show, canvas, emulator, settle } = setUp();
    const gold: Frame = { layers: [{ x: 0, y: 0, width: 40, lines: [[span('●', 'accent')]] }] };
    await show(gold);
    expect(emulator.cell(0, 0).foreground).toBe('#e3b45a');
    canvas.setTheme(themes.light);
    await show(gold);
    expect(emulator.cell(0, 0).foreground).toBe('#946200');
    canvas.setTheme(themes.none, 'none');
    canvas.redrawAll();
    await settle();
    expect(emulator.cell(0, 0)).toMatchObject({ foreground: undefined, bold: true });
  });

  test('where ambiguous characters turn out to be wide', async () => {
    const { show, canvas, emulator, settle } = setUp();
    await show({ layers: [{ x: 0, y: 0, width: 40, lines: lines('●x') }] });
    expect(emulator.cell(1, 0).text).toBe('x');
    setAmbiguousWidth('wide');
    canvas.redrawAll();
    await settle();
    expect(emulator.cell(2, 0).text).toBe('x');
  });
});

test('nothing is left on the process: no handler of the library ends it or swallows an exception', () => {
  const count = () => ['SIGTERM', 'SIGINT', 'SIGQUIT', 'uncaughtException', 'exit'].map((event) => process.listenerCount(event as 'exit'));
  const before = count();
  setUp();
  expect(count()).toEqual(before);
});

test('views that keep their lines cost less than building them again', async () => {
  const { canvas, show } = setUp(250, 70);
  const kept = {
    x: 0,
    y: 0,
    width: 250,
    lines: Array.from({ length: 70 }, (_, i): Line => [span(`한글 ${i} `.repeat(20), 'soft'), span('tail', 'accent')]),
  };
  await show({ layers: [kept] });
  const time = (frame: () => Frame) => {
    const start = performance.now();
    for (let i = 0; i < 40; i++) canvas.render(frame());
    return (performance.now() - start) / 40;
  };
  const same = time(() => ({ layers: [kept] }));
  const anew = time(() => ({ layers: [{ ...kept, lines: kept.lines.map((each) => [...each]) }] }));
  expect(same).toBeLessThan(anew);
});
