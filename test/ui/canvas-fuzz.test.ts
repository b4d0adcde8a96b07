import { describe, expect, test } from 'vitest';
import { ambiguousWidth, setAmbiguousWidth } from '../../src/terminal/width.ts';
import { span } from '../../src/ui/frame.ts';
import type { Frame, Layer, Line } from '../../src/ui/frame.ts';
import { themes } from '../../src/ui/theme.ts';
import { mountCanvas } from '../../src/ui/widgets/canvas.ts';
import { createEmulator } from '../support/emulator.ts';
import { seededRandom, widePieces } from '../support/wide-text.ts';

const styles = [
  undefined,
  'soft',
  'faint dim',
  'accent bold',
  'on-select',
  'on-code link',
  'error italic',
  '#aa55ee underline',
  'inverse',
  'strike',
];

/** A screen like ours: a list between borders, a preview, sometimes a dialog, a caret; changed step by step. */
function createWorld(seed: number) {
  const random = seededRandom(seed);
  const size = { columns: 62, rows: 20 };
  const line = (): Line => Array.from({ length: 1 + random.below(5) }, () => span(random.pick(widePieces), random.pick(styles)));
  const content = Array.from({ length: 60 }, line);
  let top = 0;
  let overlay: { x: number; y: number; width: number; lines: Line[] } | undefined;
  let caret = { x: 0, y: 0 };

  const step = () => {
    switch (random.below(7)) {
      case 0:
        top = Math.max(0, Math.min(content.length - 1, top + random.below(7) - 3));
        break;
      case 1:
        overlay = {
          x: random.below(70) - 8,
          y: random.below(18) - 2,
          width: 1 + random.below(30),
          lines: Array.from({ length: 1 + random.below(6) }, line),
        };
        break;
      case 2:
        overlay = undefined;
        break;
      case 3:
        content[random.below(content.length)] = line();
        break;
      case 4:
        if (overlay !== undefined) overlay = { ...overlay, x: overlay.x + random.below(5) - 2 };
        break;
      case 5: {
        // Typing: one piece more at the end of a visible line.
        const at = Math.min(content.length - 1, top + random.below(size.rows));
        content[at] = [...(content[at] as Line), span(random.pick(widePieces), random.pick(styles))];
        caret = { x: random.below(size.columns), y: random.below(size.rows) };
        break;
      }
      default:
        if (random.below(3) === 0) {
          size.columns = 30 + random.below(50);
          size.rows = 6 + random.below(20);
        } else content[top + random.below(5)] = line();
    }
  };

  const frame = (): Frame => {
    const { columns, rows } = size;
    const rule: Line = [span('─'.repeat(columns), 'rule')];
    const listWidth = Math.floor(columns * 0.6);
    const body = Array.from({ length: rows - 2 }, (_, i): Line => content[top + i] ?? []);
    const border = Array.from({ length: rows - 2 }, (): Line => [span('│', 'rule')]);
    const layers: Layer[] = [
      { x: 0, y: 0, width: columns, lines: [rule] },
      { x: 0, y: 1, width: 1, lines: border },
      { x: 1, y: 1, width: listWidth - 1, lines: body },
      { x: listWidth, y: 1, width: 1, lines: border },
      { x: listWidth + 1, y: 1, width: columns - listWidth - 2, lines: body.slice(1) },
      { x: columns - 1, y: 1, width: 1, lines: border },
      { x: 0, y: rows - 1, width: columns, lines: [rule] },
    ];
    if (overlay !== undefined) layers.push({ ...overlay, lines: overlay.lines.map((each) => [span('▌', 'accent'), ...each]) });
    return { layers, cursor: caret };
  };
  return { size, step, frame, hasOverlay: () => overlay !== undefined, listWidth: () => Math.floor(size.columns * 0.6) };
}

async function run(seed: number, steps: number) {
  const world = createWorld(seed);
  const first = createEmulator({ cols: world.size.columns, rows: world.size.rows });
  const second = createEmulator({ cols: world.size.columns, rows: world.size.rows });
  const size = () => ({ ...world.size });
  let pending: Promise<void> = Promise.resolve();
  const canvas = mountCanvas({
    tty: { size, write: (data) => void (pending = first.write(data)) },
    theme: themes.dark,
    depth: 'truecolor',
  });
  const full = mountCanvas({ tty: { size, write: (data) => void (pending = second.write(data)) }, theme: themes.dark, depth: 'truecolor' });
  let bytes = 0;
  for (let step = 0; step < steps; step++) {
    if (step > 0) world.step();
    if (first.cols !== world.size.columns || first.rows !== world.size.rows) {
      first.resize(world.size.columns, world.size.rows);
      second.resize(world.size.columns, world.size.rows);
    }
    canvas.render(world.frame());
    await pending;
    if (step === 5) await canvas.loadShell();
    await second.write('\x1bc');
    full.invalidate();
    full.render(world.frame());
    await pending;
    const where = `seed ${seed}, step ${step}`;
    expect(first.snapshot(), where).toEqual(second.snapshot());
    const { cursorVisible } = first.modes();
    expect(second.modes().cursorVisible, where).toBe(cursorVisible);
    if (cursorVisible) expect(first.cursor(), where).toEqual(second.cursor());
    if (!world.hasOverlay() && ambiguousWidth() === 'narrow') {
      for (let y = 1; y < world.size.rows - 1; y++) {
        for (const x of [0, world.listWidth(), world.size.columns - 1])
          expect(first.cell(x, y).text, `${where}, border at ${x},${y}`).toBe('│');
      }
    }
  }
  bytes = canvas.stats.bytes;
  const whole = full.stats.bytes;
  canvas.unmount();
  full.unmount();
  first.dispose();
  second.dispose();
  return { bytes, whole };
}

describe('after any change the screen is what a full repaint would show', () => {
  const extra = Number(process.env['FUZZ_SEED'] ?? Date.now() & 0xffff);
  test.each([1, 2, 3, 4, 5, 6, 7, 8, extra])('seed %d, 150 steps', { timeout: 60_000 }, async (seed) => {
    const { bytes, whole } = await run(seed, 150);
    expect(bytes).toBeLessThan(whole);
  });

  test('where ambiguous characters count as wide, even on a terminal that draws them narrow', async () => {
    setAmbiguousWidth('wide');
    try {
      await run(9, 60);
    } finally {
      setAmbiguousWidth('narrow');
    }
  });
});
