import unicode11 from '@xterm/addon-unicode11';
import headless from '@xterm/headless';
import type { Terminal } from '@xterm/headless';

/**
 * A terminal without a window: bytes in, cells out. Unicode 11 widths make it a hostile one for emoji (a ZWJ family is 8 cells, as in
 * xterm), which is what the drawing rules are tested against.
 */
export interface Cell {
  /** What stands in the cell; '' in the second half of a wide character. */
  readonly text: string;
  readonly width: number;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly strike: boolean;
  readonly inverse: boolean;
  /** `#rrggbb`, a palette number, or undefined for the terminal's own colour. */
  readonly foreground: string | number | undefined;
  readonly background: string | number | undefined;
}

export interface EmulatorModes {
  readonly alternateScreen: boolean;
  readonly cursorVisible: boolean;
  readonly bracketedPaste: boolean;
  readonly mouse: 'none' | 'x10' | 'vt200' | 'drag' | 'any';
  /** DEC 1006. */
  readonly mouseSgr: boolean;
  readonly focus: boolean;
  readonly synchronized: boolean;
  /** Level set by `CSI > 4 ; n m`. */
  readonly modifyOtherKeys: number;
  /** Depth of the kitty keyboard stack. */
  readonly kittyDepth: number;
}

export interface EmulatorOptions {
  readonly cols: number;
  readonly rows: number;
  /** Lines kept above the screen. */
  readonly scrollback?: number;
  /** What the terminal answers (DA, CPR, DECRQM …). */
  readonly onReply?: (bytes: string) => void;
  /** Answer `CSI ? u` and take `CSI > n u` as kitty does. */
  readonly kitty?: boolean;
  /** Answer OSC 11 with this X11 colour (`rgb:1010/1010/1010`). */
  readonly background?: string;
  /** Every private OSC 7777 the program sends, payload only. */
  readonly onPrivate?: (payload: string) => void;
  /** The program has gone to the alternate screen: it is there, or back. */
  readonly onAlternateScreen?: () => void;
}

export interface Emulator {
  readonly cols: number;
  readonly rows: number;
  /** Bytes that are on the screen: what `write` was given, less what waits its turn. */
  readonly shownBytes: number;
  /** Resolves when the bytes are on the screen. */
  write(bytes: string | Uint8Array): Promise<void>;
  resize(cols: number, rows: number): void;
  /** The screen, top to bottom, trailing blanks removed. */
  lines(): string[];
  /** Scrollback and screen of the normal buffer. */
  history(): string[];
  cell(x: number, y: number): Cell;
  cursor(): { x: number; y: number };
  modes(): EmulatorModes;
  /** Every cell as one comparable string per row (text, width, attributes). */
  snapshot(): string[];
  dispose(): void;
}

export function createEmulator(options: EmulatorOptions): Emulator {
  const terminal: Terminal = new headless.Terminal({
    cols: options.cols,
    rows: options.rows,
    scrollback: options.scrollback ?? 200,
    allowProposedApi: true,
  });
  terminal.loadAddon(new unicode11.Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  const reply = options.onReply ?? (() => undefined);
  terminal.onData(reply);

  let cursorVisible = true;
  let mouseSgr = false;
  let modifyOtherKeys = 0;
  let kittyDepth = 0;
  let shownBytes = 0;
  terminal.buffer.onBufferChange((buffer) => {
    if (buffer.type === 'alternate') options.onAlternateScreen?.();
  });
  const privateMode = (on: boolean) => (params: (number | number[])[]) => {
    if (params.includes(25)) cursorVisible = on;
    if (params.includes(1006)) mouseSgr = on;
    return false;
  };
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, privateMode(true));
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'l' }, privateMode(false));
  terminal.parser.registerCsiHandler({ prefix: '>', final: 'm' }, (params) => {
    if (params[0] === 4) modifyOtherKeys = Number(params[1] ?? 0);
    return true;
  });
  terminal.parser.registerCsiHandler({ prefix: '>', final: 'u' }, () => {
    if (options.kitty === true) kittyDepth += 1;
    return true;
  });
  terminal.parser.registerCsiHandler({ prefix: '<', final: 'u' }, (params) => {
    if (options.kitty === true) kittyDepth = Math.max(0, kittyDepth - Math.max(1, Number(params[0] ?? 1)));
    return true;
  });
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'u' }, () => {
    if (options.kitty === true) reply(`\x1b[?${kittyDepth > 0 ? 1 : 0}u`);
    return true;
  });
  terminal.parser.registerOscHandler(11, (data) => {
    if (data === '?' && options.background !== undefined) reply(`\x1b]11;${options.background}\x1b\\`);
    return true;
  });
  terminal.parser.registerOscHandler(7777, (data) => {
    options.onPrivate?.(data);
    return true;
  });

  const line = (y: number) => {
    const buffer = terminal.buffer.active;
    const found = buffer.getLine(buffer.baseY + y);
    if (found === undefined) throw new RangeError(`row ${y} is outside the ${terminal.cols}×${terminal.rows} screen`);
    return found;
  };

  const cell = (x: number, y: number): Cell => {
    const found = line(y).getCell(x);
    if (found === undefined) throw new RangeError(`column ${x} is outside the ${terminal.cols}×${terminal.rows} screen`);
    const hex = (value: number) => `#${value.toString(16).padStart(6, '0')}`;
    return {
      text: found.getChars(),
      width: found.getWidth(),
      bold: found.isBold() !== 0,
      dim: found.isDim() !== 0,
      italic: found.isItalic() !== 0,
      underline: found.isUnderline() !== 0,
      strike: found.isStrikethrough() !== 0,
      inverse: found.isInverse() !== 0,
      foreground: found.isFgRGB() ? hex(found.getFgColor()) : found.isFgPalette() ? found.getFgColor() : undefined,
      background: found.isBgRGB() ? hex(found.getBgColor()) : found.isBgPalette() ? found.getBgColor() : undefined,
    };
  };

  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return {
    get cols() {
      return terminal.cols;
    },
    get rows() {
      return terminal.rows;
    },
    get shownBytes() {
      return shownBytes;
    },
    write: (bytes) =>
      new Promise((resolve) => {
        // The emulator's own decoder loses some characters (`…`) whose bytes come in two pieces.
        terminal.write(typeof bytes === 'string' ? bytes : decoder.decode(bytes, { stream: true }), () => {
          shownBytes += Buffer.byteLength(bytes);
          resolve();
        });
      }),
    resize: (cols, rows) => terminal.resize(cols, rows),
    lines: () => Array.from({ length: terminal.rows }, (_, y) => line(y).translateToString(true)),
    history() {
      const buffer = terminal.buffer.normal;
      return Array.from({ length: buffer.length }, (_, y) => buffer.getLine(y)?.translateToString(true) ?? '');
    },
    cell,
    cursor: () => ({ x: terminal.buffer.active.cursorX, y: terminal.buffer.active.cursorY }),
    modes: () => ({
      alternateScreen: terminal.buffer.active.type === 'alternate',
      cursorVisible,
      bracketedPaste: terminal.modes.bracketedPasteMode,
      mouse: terminal.modes.mouseTrackingMode,
      mouseSgr,
      focus: terminal.modes.sendFocusMode,
      synchronized: terminal.modes.synchronizedOutputMode,
      modifyOtherKeys,
      kittyDepth,
    }),
    snapshot: () =>
      Array.from({ length: terminal.rows }, (_, y) => {
        const parts: string[] = [];
        for (let x = 0; x < terminal.cols; x++) {
          const c = cell(x, y);
          const flags = `${c.bold ? 'b' : ''}${c.dim ? 'd' : ''}${c.italic ? 'i' : ''}${c.underline ? 'u' : ''}${c.strike ? 's' : ''}${c.inverse ? 'v' : ''}`;
          parts.push(`${c.text === '' && c.width === 1 ? ' ' : c.text}/${c.width}/${c.foreground ?? ''}/${c.background ?? ''}/${flags}`);
        }
        return parts.join('|');
      }),
    dispose: () => terminal.dispose(),
  };
}
