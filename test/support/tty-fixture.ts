import { writeFileSync } from 'node:fs';
import { createProbe, colourDepth, escapeDelayMs } from '../../src/terminal/capabilities.ts';
import { installExits } from '../../src/terminal/exits.ts';
import type { InputEvent } from '../../src/terminal/input-event.ts';
import { installSuspend } from '../../src/terminal/suspend.ts';
import { createTokenizer } from '../../src/terminal/tokenizer.ts';
import { openTty } from '../../src/terminal/tty.ts';
import { span } from '../../src/ui/frame.ts';
import type { Line } from '../../src/ui/frame.ts';
import { chooseTheme } from '../../src/ui/theme.ts';
import { mountCanvas } from '../../src/ui/widgets/canvas.ts';
import { widePieces } from './wide-text.ts';

/**
 * A small program on the terminal layer, driven by the tests of `test/e2e/tty-*.test.ts`. It lists the events it gets; `q` leaves, `t`
 * throws, `r` rejects, `m` turns the mouse over, `c` scrolls, `o` shows an overlay, Ctrl+L redraws, Ctrl+Z suspends.
 */
const env = process.env;
const timers = {
  set: (run: () => void, ms: number) => setTimeout(run, ms),
  clear: (handle: unknown) => clearTimeout(handle as NodeJS.Timeout),
};
const isMouseOn = { value: true };
const notes: string[] = [];
let scroll = 0;
let overlay = 0;
let idle = 0;

const tty = openTty();
installExits({
  tty,
  exit: (code) => process.exit(code),
  report: (reason) => {
    if (reason.kind === 'crash') process.stderr.write(`crashed: ${(reason.error as Error).message}\n`);
  },
  store: async (reason) => {
    await new Promise((resolve) => setTimeout(resolve, Number(env['FIXTURE_STORE_MS'] ?? 20)));
    if (env['FIXTURE_STORED'] !== undefined) writeFileSync(env['FIXTURE_STORED'], reason.kind);
  },
});
if (env['FIXTURE_THROW'] === 'early') throw new Error('before the first paint');
tty.enter();
if (env['FIXTURE_THROW'] === 'entered') throw new Error('after entering');

const depth = colourDepth();
const canvas = mountCanvas({ tty, theme: chooseTheme('auto', { depth, background: undefined }), depth });
const probe = createProbe({ timers });

const content = Array.from({ length: 40 }, (_, i): Line =>
  [0, 1, 2].map((j) => span(`${widePieces[(i * 3 + j) % widePieces.length]}`, j === 1 ? 'accent' : 'soft')),
);
const paint = () => {
  const { width, height } = canvas.size();
  const rule: Line = [span('─'.repeat(width), 'rule')];
  const half = Math.max(10, Math.floor(width / 2));
  const list = Array.from({ length: Math.max(0, height - 2) }, (_, i) => content[(scroll + i) % content.length] as Line);
  const log = notes.slice(-(height - 2)).map((note): Line => [span(` ${note}`)]);
  canvas.render({
    layers: [
      { x: 0, y: 0, width, lines: [[span(`▌fixture ${width}×${height} pid ${process.pid}`, 'accent bold')]] },
      { x: 0, y: 1, width: half, lines: list },
      {
        x: half,
        y: 1,
        width: width - half,
        lines: Array.from({ length: Math.max(0, height - 2) }, (_, i): Line => [span('│', 'rule'), ...(log[i] ?? [])]),
      },
      { x: 0, y: height - 1, width, lines: [rule] },
      ...(overlay > 0
        ? [{ x: 2 + overlay, y: 3, width: 17, lines: Array.from({ length: 4 }, (): Line => [span('▌ dialog 대화상자', 'on-select')]) }]
        : []),
    ],
    cursor: { x: 1, y: 0 },
  });
};
let isDue = false;
const schedule = () => {
  if (isDue) return;
  isDue = true;
  setImmediate(() => {
    isDue = false;
    paint();
    tty.write(`\x1b]7777;idle;${++idle}\x07`);
  });
};

const note = (text: string) => {
  notes.push(text);
  schedule();
};
const suspend = installSuspend({ tty, redraw: () => canvas.redrawAll(), refused: () => note('refused') });

const describe = (event: InputEvent): string => {
  switch (event.type) {
    case 'key':
      return `key ${event.ctrl ? 'ctrl+' : ''}${event.alt ? 'alt+' : ''}${event.shift ? 'shift+' : ''}${event.name}`;
    case 'text':
      return `text ${event.text}`;
    case 'paste':
      return `paste ${event.text.length} ${event.text.split('\n').length}`;
    case 'mouse':
      return `mouse ${event.action} ${event.button} ${event.x},${event.y}`;
    case 'focus':
      return `focus ${event.focused}`;
    case 'reply':
      return `reply ${event.kind}`;
  }
};

const tokenizer = createTokenizer({
  timers,
  now: () => performance.now(),
  escapeDelayMs: escapeDelayMs({ kittyKeys: false }),
  emit: (event) => {
    if (event.type === 'reply' && probe.take(event)) return;
    if (event.type === 'text') {
      if (event.text === 'q') return process.exit(0);
      if (event.text === 't') throw new Error('on purpose');
      if (event.text === 'r') return void Promise.reject(new Error('rejected on purpose'));
      if (event.text === 'm') tty.setMouse((isMouseOn.value = !isMouseOn.value));
      if (event.text === 'c') scroll += 1;
      if (event.text === 'o') overlay = (overlay + 1) % 9;
    }
    if (event.type === 'key' && event.ctrl && event.name === 'z') return suspend.suspend();
    if (event.type === 'key' && event.ctrl && event.name === 'l') return canvas.redrawAll();
    note(describe(event));
  },
});
tty.onInput((bytes) => tokenizer.feed(bytes));
tty.onResize(() => {
  canvas.invalidate();
  schedule();
});

paint();
if (env['FIXTURE_THROW'] === 'painted') throw new Error('after the first paint');
tty.write(probe.query);
canvas.redrawAll();
void probe.answers.then((answers) => {
  if (answers.kittyKeys) {
    tty.setKittyKeys(true);
    tokenizer.setEscapeDelay(0);
  }
  note(`answers kitty=${answers.kittyKeys} background=${answers.background} wide=${answers.ambiguousWide} sync=${answers.syncUpdate}`);
});
