import { spawn as spawnPty } from 'node-pty';
import { onTestFinished } from 'vitest';
import { createEmulator } from './emulator.ts';
import type { Cell, Emulator, EmulatorModes } from './emulator.ts';
import { keyBytes } from './key-bytes.ts';
import type { KeyProtocol } from './key-bytes.ts';

/**
 * Drives a real program under a pseudo-terminal and shows its screen through a terminal emulator. Used as
 *
 *     const tui = spawnTui({ command: process.execPath, args: ['bin/hermes'], env: { HERMES_HOME: home } });
 *     await tui.until((t) => t.text().includes('❯'), 'the prompt');
 *     tui.press('ctrl+x'); await tui.waitIdle();
 *     await tui.kill('SIGTERM');
 *
 * Within a test the program is killed when the test ends; elsewhere call `close()`.
 */
export interface TuiOptions {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to a clean environment (PATH, HOME, LANG=C.UTF-8, TERM=xterm-256color, COLORTERM=truecolor); undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly cols?: number;
  readonly rows?: number;
  /** The emulator answers the kitty keyboard query, and `press` sends kitty sequences. */
  readonly kitty?: boolean;
  /** Answer to OSC 11, e.g. `rgb:ffff/ffff/ffff`. */
  readonly background?: string;
  /** False: DA, CPR and the like stay unanswered. */
  readonly answers?: boolean;
}

export interface ExitStatus {
  /** Exit code; 128 + signal where a signal ended it. */
  readonly code: number;
  readonly signal: number;
}

export interface Tui {
  readonly pid: number;
  readonly emulator: Emulator;
  write(bytes: string | Uint8Array): void;
  /** Keys by name (`ctrl+x`, `shift+tab`, `enter`, `a`), in the protocol the terminal speaks unless one is named. */
  press(...keys: string[]): void;
  pressAs(protocol: KeyProtocol, ...keys: string[]): void;
  /** As a terminal pastes: LF becomes CR, with markers if the program asked for them. */
  paste(text: string): void;
  /** Press and release at a cell counted from 0; buttons 0 left, 1 middle, 2 right. */
  click(x: number, y: number, button?: number): void;
  drag(from: readonly [number, number], to: readonly [number, number]): void;
  /** Wheel notches at a cell: negative is up. */
  wheel(x: number, y: number, notches: number): void;
  resize(cols: number, rows: number): void;
  lines(): string[];
  /** The screen as one text. */
  text(): string;
  cell(x: number, y: number): Cell;
  cursor(): { x: number; y: number };
  modes(): EmulatorModes;
  /** Milliseconds until the predicate held. Fails with the last screen after `timeoutMs` (default 8 s). */
  until(predicate: (tui: Tui) => boolean, what: string, timeoutMs?: number): Promise<number>;
  /**
   * Waits for the idle signal (`OSC 7777 ; idle ; frames ; bytes read BEL`, sent under HERMES_TEST_IDLE=1) that follows the last thing sent
   * to the program. One that was under way when it was sent doesn't count: the program says how many bytes it has read.
   */
  waitIdle(timeoutMs?: number): Promise<void>;
  /** Waits until nothing has arrived for `ms` since this call; only where no idle signal can be had. */
  quiet(ms?: number): Promise<void>;
  kill(signal?: NodeJS.Signals): Promise<ExitStatus>;
  /** Takes the terminal away, as closing a pane does: SIGHUP, and end of input. */
  hangUp(): void;
  readonly exited: Promise<ExitStatus>;
  exitStatus(): ExitStatus | undefined;
  /** Every byte the program sent. */
  raw(): Buffer;
  /** Bytes sent so far, how many of them are on the screen, and idle signals seen. */
  readonly stats: { readonly bytes: number; readonly shownBytes: number; readonly idle: number };
  close(): Promise<void>;
}

/** Nothing of the terminal or the test runner this run stands in may leak into the program. */
function cleanEnvironment(added: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const env: Record<string, string> = { LANG: 'C.UTF-8', TERM: 'xterm-256color', COLORTERM: 'truecolor', HERMES_TEST_IDLE: '1' };
  for (const name of ['PATH', 'HOME', 'USER', 'SHELL', 'TMPDIR', 'TZ']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  for (const [name, value] of Object.entries(added)) {
    if (value === undefined) delete env[name];
    else env[name] = value;
  }
  return env;
}

/** The process may be gone a moment before the pseudo-terminal tells. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export function spawnTui(options: TuiOptions): Tui {
  const cols = options.cols ?? 100;
  const rows = options.rows ?? 30;
  const env = cleanEnvironment(options.env ?? {});
  const pty = spawnPty(options.command, [...(options.args ?? [])], {
    name: env['TERM'] ?? 'xterm-256color',
    cols,
    rows,
    env,
    encoding: null,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });

  const chunks: Buffer[] = [];
  let bytes = 0;
  let lastOutput = Date.now();
  let idle = 0;
  let idleAtLastWrite = 0;
  /** Bytes sent, as the program on the screen counts them; undefined until it has said how many it has read, for what came before went to others. */
  let sent: number | undefined;
  /** What of them it has to have read, and has read. */
  let toRead = 0;
  let hasRead = 0;
  let status: ExitStatus | undefined;

  const emulator = createEmulator({
    cols,
    rows,
    ...(options.kitty === undefined ? {} : { kitty: options.kitty }),
    ...(options.background === undefined ? {} : { background: options.background }),
    onReply: (reply) => {
      if (status !== undefined || options.answers === false) return;
      if (sent !== undefined) sent += Buffer.byteLength(reply);
      pty.write(reply);
    },
    onPrivate: (payload) => {
      if (!payload.startsWith('idle;')) return;
      idle += 1;
      const count = payload.split(';')[2];
      if (count === undefined) return;
      hasRead = Number(count);
      sent ??= hasRead;
    },
    onAlternateScreen: () => {
      sent = undefined;
      toRead = 0;
    },
  });
  // With `encoding: null` the bytes arrive as they were sent.
  pty.onData((data) => {
    const chunk = typeof data === 'string' ? Buffer.from(data) : data;
    chunks.push(chunk);
    bytes += chunk.length;
    lastOutput = Date.now();
    void emulator.write(chunk);
  });
  const exited = new Promise<ExitStatus>((resolve) => {
    pty.onExit(({ exitCode, signal = 0 }) => {
      status = { code: signal > 0 ? 128 + signal : exitCode, signal };
      void emulator.write('').then(() => resolve(status as ExitStatus));
    });
  });

  const fail = (what: string): Error => {
    const frame = emulator.lines().map((text) => `│${text.padEnd(emulator.cols)}│`);
    const ended = status === undefined ? '' : ` (the program had exited with ${status.code})`;
    return new Error(`${what}${ended}\nlast screen, ${emulator.cols}×${emulator.rows}:\n${frame.join('\n')}`);
  };

  const write = (data: string | Uint8Array) => {
    idleAtLastWrite = idle;
    if (sent !== undefined) toRead = sent += Buffer.byteLength(data);
    pty.write(data);
  };
  const mouse = (code: number, x: number, y: number, final: 'M' | 'm') => `\x1b[<${code};${x + 1};${y + 1}${final}`;

  const tui: Tui = {
    pid: pty.pid,
    emulator,
    exited,
    write,
    press: (...keys) => tui.pressAs(options.kitty === true ? 'kitty' : 'legacy', ...keys),
    pressAs: (protocol, ...keys) => write(keys.map((key) => keyBytes(key, protocol)).join('')),
    paste(text) {
      const body = text.replace(/\r?\n/gu, '\r');
      write(emulator.modes().bracketedPaste ? `\x1b[200~${body}\x1b[201~` : body);
    },
    click: (x, y, button = 0) => write(mouse(button, x, y, 'M') + mouse(button, x, y, 'm')),
    drag(from, to) {
      write(mouse(0, ...from, 'M') + mouse(32, ...to, 'M') + mouse(0, ...to, 'm'));
    },
    wheel: (x, y, notches) => write(mouse(notches < 0 ? 64 : 65, x, y, 'M').repeat(Math.abs(notches))),
    resize(newCols, newRows) {
      idleAtLastWrite = idle;
      emulator.resize(newCols, newRows);
      pty.resize(newCols, newRows);
    },
    lines: () => emulator.lines(),
    text: () => emulator.lines().join('\n'),
    cell: (x, y) => emulator.cell(x, y),
    cursor: () => emulator.cursor(),
    modes: () => emulator.modes(),
    async until(predicate, what, timeoutMs = 8000) {
      const start = Date.now();
      for (;;) {
        await emulator.write('');
        if (predicate(tui)) return Date.now() - start;
        if (Date.now() - start > timeoutMs) throw fail(`waited ${timeoutMs} ms for ${what}`);
        await pause(5);
      }
    },
    async waitIdle(timeoutMs = 8000) {
      const target = idleAtLastWrite;
      const isIdle = (): boolean => idle > target && hasRead >= toRead;
      await tui.until(() => isIdle() || status !== undefined, 'the program to be idle', timeoutMs);
      if (!isIdle()) throw fail('the program ended before it was idle');
    },
    async quiet(ms = 60) {
      lastOutput = Date.now();
      while (Date.now() - lastOutput < ms) await pause(5);
      await emulator.write('');
    },
    async kill(signal = 'SIGTERM') {
      if (status === undefined) signalIfThere(pty.pid, signal);
      const timeout = setTimeout(() => {
        if (status === undefined) signalIfThere(pty.pid, 'SIGKILL');
      }, 8000);
      const result = await exited;
      clearTimeout(timeout);
      return result;
    },
    hangUp: () => pty.destroy(),
    exitStatus: () => status,
    raw: () => Buffer.concat(chunks),
    get stats() {
      return { bytes, shownBytes: emulator.shownBytes, idle };
    },
    async close() {
      if (status === undefined) await tui.kill('SIGKILL');
      emulator.dispose();
    },
  };
  try {
    onTestFinished(() => tui.close());
  } catch {
    // Outside a test body (hooks, scripts) vitest refuses to register; there the caller closes.
  }
  return tui;
}
