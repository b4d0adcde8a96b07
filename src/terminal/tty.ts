import { writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import { requireFullScreen } from './capabilities.ts';
import { enterSequence, kittyOff, kittyOn, leaveSequence, mouseOff, mouseOn } from './modes.ts';

/** The terminal this process stands on: raw bytes in, bytes out, modes, size. One for each process. */
export interface Tty {
  /** Asked of the kernel each time: a resize shows at once. */
  size(): { columns: number; rows: number };
  /** Sends bytes; dropped while the terminal is left or gone, so that no late frame lands in the shell. */
  write(data: string): void;
  /** Bytes the terminal has not taken yet (it is stopped with Ctrl+S, or slow): frames can wait. */
  pendingBytes(): number;
  /** Raw mode and our screen. Throws TerminalError where that can't be (`requireFullScreen`). Does nothing when already entered. */
  enter(): void;
  /** Everything back as it was before `enter`. May be called at any time, any number of times, and never throws. */
  leave(): void;
  /** After a stop by somebody else (SIGSTOP): the shell has changed the modes, so all are set anew. */
  reenter(): void;
  isEntered(): boolean;
  isGone(): boolean;
  setMouse(on: boolean): void;
  /** Once the terminal has answered the kitty query. */
  setKittyKeys(on: boolean): void;
  onInput(listener: (bytes: Uint8Array) => void): void;
  /** The window changed, even if its size is the old one again (the terminal has reflowed all the same). */
  onResize(listener: () => void): void;
  /** The terminal is no more: pane closed, connection lost. */
  onGone(listener: () => void): void;
  /** Leaves, and stops listening. */
  close(): void;
}

export interface TtyOptions {
  readonly stdin?: ReadStream;
  readonly stdout?: WriteStream & { readonly fd: number };
  readonly mouse?: boolean;
}

/** Dragging a window edge sends dozens of SIGWINCH; one repaint after the last is enough, but not later than the second figure. */
const resizeQuietMs = 30;
const resizeLatestMs = 150;

export function openTty(options: TtyOptions = {}): Tty {
  const stdin = options.stdin ?? process.stdin;
  const stdout = options.stdout ?? process.stdout;
  let mouse = options.mouse ?? true;
  let kittyKeys = false;
  let isEntered = false;
  let isGone = false;
  const inputListeners: Array<(bytes: Uint8Array) => void> = [];
  const resizeListeners: Array<() => void> = [];
  const goneListeners: Array<() => void> = [];

  const gone = () => {
    if (isGone) return;
    isGone = true;
    for (const listener of goneListeners) listener();
  };
  const onData = (bytes: Uint8Array) => {
    for (const listener of inputListeners) listener(bytes);
  };

  let resizeTimer: NodeJS.Timeout | undefined;
  let resizeSince = 0;
  const resized = () => {
    resizeTimer = undefined;
    for (const listener of resizeListeners) listener();
  };
  // Node's own 'resize' event is not sent when the size is the old one again by the time it looks.
  const onWindowChange = () => {
    const now = performance.now();
    if (resizeTimer === undefined) resizeSince = now;
    clearTimeout(resizeTimer);
    resizeTimer = setTimeout(resized, Math.max(0, Math.min(resizeQuietMs, resizeSince + resizeLatestMs - now)));
  };

  const setRaw = (on: boolean) => {
    if (isGone) return;
    try {
      stdin.setRawMode(on);
    } catch {
      // EIO: the terminal went away under us, and with it the mode.
      gone();
    }
  };

  const leave = () => {
    if (!isEntered) return;
    isEntered = false;
    clearTimeout(resizeTimer);
    resizeTimer = undefined;
    if (!isGone) {
      const sequence = leaveSequence({ mouse, kittyKeys });
      if (stdout.writableLength > 0) writeNow(stdout.fd, sequence);
      else stdout.write(sequence);
    }
    setRaw(false);
    stdin.pause();
  };

  const enter = () => {
    if (isEntered || isGone) return;
    requireFullScreen({ stdin, stdout });
    isEntered = true;
    setRaw(true);
    stdin.resume();
    stdout.write(enterSequence({ mouse, kittyKeys }));
  };

  stdin.on('data', onData);
  stdin.on('end', gone);
  stdin.on('error', gone);
  stdout.on('error', gone);
  process.on('SIGWINCH', onWindowChange);
  stdin.pause();

  return {
    size() {
      const [columns, rows] = stdout.isTTY ? stdout.getWindowSize() : [80, 24];
      // A pty nobody has sized reports 0×0.
      return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
    },
    write(data) {
      if (isEntered && !isGone) stdout.write(data);
    },
    pendingBytes: () => stdout.writableLength,
    enter,
    leave,
    reenter() {
      if (!isEntered) return;
      setRaw(false);
      isEntered = false;
      enter();
    },
    isEntered: () => isEntered,
    isGone: () => isGone,
    setMouse(on) {
      if (on === mouse) return;
      mouse = on;
      if (isEntered && !isGone) stdout.write(on ? mouseOn : mouseOff);
    },
    setKittyKeys(on) {
      if (on === kittyKeys) return;
      kittyKeys = on;
      if (isEntered && !isGone) stdout.write(on ? kittyOn : kittyOff);
    },
    onInput: (listener) => void inputListeners.push(listener),
    onResize: (listener) => void resizeListeners.push(listener),
    onGone: (listener) => void goneListeners.push(listener),
    close() {
      leave();
      stdin.removeListener('data', onData);
      stdin.removeListener('end', gone);
      stdin.removeListener('error', gone);
      process.removeListener('SIGWINCH', onWindowChange);
      // A late EIO of stdout must still find a listener, or it would end the process.
    },
  };
}

/** The terminal takes nothing at the moment: what counts now may not queue behind the frames it has not taken. */
function writeNow(fd: number, data: string): void {
  const bytes = Buffer.from(data);
  const until = performance.now() + 100;
  let sent = 0;
  while (sent < bytes.length && performance.now() < until) {
    try {
      sent += writeSync(fd, bytes, sent);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') continue;
      return; // EIO or EPIPE: nobody is there to be restored.
    }
  }
}
