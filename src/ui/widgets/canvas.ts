import type { ColourDepth } from '../../terminal/capabilities.ts';
import type { Frame } from '../frame.ts';
import { createStyler } from '../style.ts';
import type { Theme } from '../theme.ts';
import { createComposer } from './cells.ts';
import { drawChanges } from './draw.ts';
import { createSurface } from './surface.ts';

/** What the canvas needs of the terminal; `terminal/tty.ts` has it. */
export interface CanvasTerminal {
  size(): { columns: number; rows: number };
  write(data: string): void;
}

export interface CanvasOptions {
  readonly tty: CanvasTerminal;
  readonly theme: Theme;
  readonly depth: ColourDepth;
  /** Wrap frames in DEC 2026, so that none is seen half drawn; harmless where unknown, so only off where it is known to hurt. */
  readonly syncUpdate?: boolean;
}

export interface Canvas {
  size(): { width: number; height: number };
  /**
   * Shows a frame: sends what differs from the last one, at once. The caller coalesces. A size that has changed since the last frame
   * makes it a full repaint.
   */
  render(frame: Frame): void;
  /** Sends the last frame again in full, whatever the terminal shows now (Ctrl+L, after a stop, after a resize). */
  redrawAll(): void;
  /** The next frame is sent in full; nothing is sent now. */
  invalidate(): void;
  /** Hands the buffers to neo-blessed; asked for once the first frame is on screen. What is shown stays as it is. */
  loadShell(): Promise<void>;
  setTheme(theme: Theme, depth?: ColourDepth): void;
  unmount(): void;
  /** Frames that sent something, and their bytes. */
  readonly stats: { readonly frames: number; readonly bytes: number };
}

const beginSync = '\x1b[?2026h';
const endSync = '\x1b[?2026l';
const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';

export function mountCanvas(options: CanvasOptions): Canvas {
  const { tty } = options;
  let { theme, depth } = options;
  let styler = createStyler(theme, depth);
  let frame: Frame = { layers: [] };
  let isStale = true;
  /** `row;column` of the visible cursor as last sent, '' = hidden. */
  let cursorShown = '';
  const stats = { frames: 0, bytes: 0 };
  let size = tty.size();
  const composer = createComposer();

  const send = (changes: string, clear: string) => {
    const { columns, rows } = size;
    const cursor = frame.cursor;
    const isInside = cursor !== undefined && cursor.x >= 0 && cursor.y >= 0 && cursor.x < columns && cursor.y < rows;
    const place = isInside ? `${cursor.y + 1};${cursor.x + 1}` : '';
    let out: string;
    if (changes === '' && clear === '') {
      if (place === cursorShown) return;
      out = place === '' ? hideCursor : `\x1b[${place}H${cursorShown === '' ? showCursor : ''}`;
    } else {
      const body = `${hideCursor}${clear}${changes}${place === '' ? '' : `\x1b[${place}H${showCursor}`}`;
      out = options.syncUpdate === false ? body : beginSync + body + endSync;
    }
    cursorShown = place;
    stats.frames += 1;
    stats.bytes += Buffer.byteLength(out);
    tty.write(out);
  };

  const paint = () => composer.compose(surface.lines, frame.layers, styler);
  const draw = () => {
    const clear = isStale ? '\x1b[0m\x1b[H\x1b[J' : '';
    isStale = false;
    send(drawChanges(surface.lines, surface.shown), clear);
  };
  let surface = createSurface(paint, draw);
  let isUnmounted = false;

  const invalidate = () => {
    isStale = true;
    cursorShown = '';
  };

  const render = (next: Frame) => {
    frame = next;
    const now = tty.size();
    if (now.columns !== size.columns || now.rows !== size.rows) invalidate();
    if (isStale) {
      size = now;
      surface.allocate(size.columns, size.rows);
      composer.forget();
    }
    surface.render();
  };

  return {
    stats,
    render,
    invalidate,
    size: () => {
      const { columns, rows } = tty.size();
      return { width: columns, height: rows };
    },
    redrawAll() {
      invalidate();
      render(frame);
    },
    setTheme(nextTheme, nextDepth = depth) {
      theme = nextTheme;
      depth = nextDepth;
      styler = createStyler(theme, depth);
    },
    async loadShell() {
      const { createShell } = await import('./shell.ts');
      if (!isUnmounted) surface = createShell(surface, paint, draw);
    },
    unmount() {
      isUnmounted = true;
      surface.destroy();
    },
  };
}
