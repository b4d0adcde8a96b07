import { EventEmitter } from 'node:events';
import Element from 'neo-blessed/lib/widgets/element.js';
import Program from 'neo-blessed/lib/program.js';
import Screen from 'neo-blessed/lib/widgets/screen.js';
import { withoutVariables } from '../../terminal/capabilities.ts';
import type { Row } from './cells.ts';
import type { Surface } from './surface.ts';

/**
 * neo-blessed's Program and Screen as a shell: they own the cell buffer and the order of rendering, and nothing else. They get streams
 * that lead nowhere and no terminfo: bytes, modes, input and exits are ours (`terminal/tty.ts`), and so their handlers for signals,
 * exceptions and exit, which end the process with code 0, are taken off again. Without terminfo the start is 15 ms shorter.
 *
 * @param first the surface of the frames so far; its buffers are gone on with
 */
export function createShell(first: Surface, paint: () => void, draw: () => void): Surface {
  const size = { columns: first.lines[0]?.length ?? 0, rows: first.lines.length };
  const input = Object.assign(new EventEmitter(), { _blessedInput: 1 });
  const output = Object.assign(new EventEmitter(), { _blessedOutput: 1, columns: size.columns, rows: size.rows, write: () => true });
  // Inside tmux the constructor would run `tmux -V` and wait for it.
  const program = withoutVariables(['TMUX'], () => new Program({ input, output, terminal: 'xterm-256color', tput: false }));
  program._tputSetup = true;
  program.tput = { strings: {}, numbers: {}, bools: {}, features: { unicode: true }, unicode: true };
  program.put = new Proxy({}, { get: () => () => undefined });
  const screen = new Screen({ program, fullUnicode: true });
  takeOffHandlers();
  const surface = new Element({ parent: screen, top: 0, left: 0, width: '100%', height: '100%' });
  surface.render = paint;
  screen.draw = draw;
  screen.lines = first.lines;
  screen.olines = first.shown;

  return {
    get lines() {
      return screen.lines;
    },
    get shown() {
      return screen.olines as Row[];
    },
    allocate(columns, rows) {
      program.cols = columns;
      program.rows = rows;
      screen.alloc();
    },
    render: () => screen.render(),
    destroy() {
      screen.destroy();
      program.destroy();
    },
  };
}

function takeOffHandlers(): void {
  const handlers = [
    ['uncaughtException', Screen._exceptionHandler],
    ['SIGTERM', Screen._sigtermHandler],
    ['SIGINT', Screen._sigintHandler],
    ['SIGQUIT', Screen._sigquitHandler],
    ['exit', Screen._exitHandler],
    ['exit', Program._exitHandler],
  ] as const;
  for (const [event, handler] of handlers) if (handler !== undefined) process.removeListener(event, handler);
}
