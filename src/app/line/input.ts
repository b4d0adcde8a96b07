import { createInterface, emitKeypressEvents, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { installSuspend, type Suspend } from '../../terminal/suspend.ts';
import { lineText } from '../../text/en/line.ts';

/** Where the line mode writes: standard output, until it is gone. */
export interface LineOutput {
  readonly isTTY: boolean;
  columns(): number;
  write(text: string): void;
}

export interface LineInputOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: LineOutput;
  /** A terminal that can do more than TERM=dumb: readline edits the line. Else the terminal itself does, or it is a pipe. */
  readonly isEditing: boolean;
  /** Newest first. */
  readonly history: readonly string[];
  readonly complete: (line: string) => readonly string[];
  /** A whole message: lines that end with `\` and pasted lines are joined. */
  readonly onMessage: (text: string) => void;
  /** Ctrl+C with nothing in the line. */
  readonly onInterrupt: () => void;
  /** Ctrl+D, or the end of the input. */
  readonly onEnd: () => void;
  /** The pane was closed. */
  readonly onGone: () => void;
  readonly onNotSuspended: () => void;
}

export interface LineInput {
  /** Shows the prompt with what is typed so far. */
  prompt(): void;
  /** Something is about to be printed: what is typed is hidden, and comes back with the prompt. */
  stepAside(): void;
  /** Puts a text back into the line, before what is typed. */
  fill(text: string): void;
  /** What is typed and not sent. */
  unsent(): string;
  /** Ctrl+C: clears the line. @returns false when there was nothing to clear */
  clear(): boolean;
  close(): void;
}

const pasteOn = '\x1b[?2004h';
const pasteOff = '\x1b[?2004l';

/** What node's readline has and its types leave out. */
type Editor = Interface & { line: string; cursor: number; prevRows?: number };

/**
 * Lines of a person or a pipe, as messages. On a terminal readline edits them; its echo is held back while something is printed, so that an
 * answer and the next question never mix, and nothing that stands on the terminal is written over. Bracketed paste is on only while reading;
 * lines of one paste, or of one burst, are one message.
 */
export function openLineInput(options: LineInputOptions): LineInput {
  const { input, output, isEditing } = options;
  let isMuted = true;
  let isShown = false;
  let isPasting = false;
  let isClosed = false;
  let isFlushDue = false;
  let arrived = 0;
  let pending: string[] = [];

  /** Readline's own output: nothing while it is muted. */
  const echo = Object.assign(
    new Writable({
      decodeStrings: false,
      write(chunk: string | Buffer, _encoding, done) {
        if (!isMuted) output.write(String(chunk));
        done();
      },
    }),
    { isTTY: true },
  );
  Object.defineProperty(echo, 'columns', { get: () => output.columns() });

  const editor = createInterface({
    input,
    output: isEditing ? echo : undefined,
    terminal: isEditing,
    history: [...options.history],
    historySize: 1000,
    removeHistoryDuplicates: true,
    tabSize: 4,
    // A tab inside of a paste is a tab.
    completer: (line: string): [string[], string] => (isPasting ? [['\t'], ''] : [[...options.complete(line)], line]),
  } as Parameters<typeof createInterface>[0]) as Editor;

  const setPaste = (isOn: boolean): void => {
    if (isEditing) output.write(isOn ? pasteOn : pasteOff);
  };
  const restore = (): void => setPaste(false);
  let suspend: Suspend | undefined;
  if (isEditing) {
    emitKeypressEvents(input);
    input.on('keypress', onKey);
    setPaste(true);
    process.on('exit', restore);
    let isEntered = true;
    const enter = (): void => {
      isEntered = true;
      input.setRawMode(true);
      setPaste(true);
    };
    suspend = installSuspend({
      tty: {
        isEntered: () => isEntered,
        enter,
        reenter: enter,
        leave() {
          isEntered = false;
          setPaste(false);
          input.setRawMode(false);
        },
      },
      redraw: () => {
        isShown = false;
        if (!isMuted) prompt();
      },
      refused: options.onNotSuspended,
    });
    editor.on('SIGTSTP', () => suspend?.suspend());
    editor.on('SIGINT', () => {
      if (!clear()) options.onInterrupt();
    });
  }

  function onKey(_text: string | undefined, key: { name?: string } | undefined): void {
    if (key?.name === 'paste-start') isPasting = true;
    if (key?.name === 'paste-end') isPasting = false;
  }

  /** Pasted lines, and lines that came together with more text, are not sent yet (product.md 2). */
  function flush(): void {
    isFlushDue = false;
    const isBurst = arrived > 1;
    arrived = 0;
    if (isPasting || (isBurst && editor.line !== '')) return;
    const last = pending.at(-1) ?? '';
    if (last.endsWith('\\') && !isClosed) {
      pending[pending.length - 1] = last.slice(0, -1);
      if (!isMuted) prompt();
      return;
    }
    send();
  }

  function send(): void {
    const text = pending.join('\n');
    pending = [];
    isShown = false;
    isMuted = isEditing;
    options.onMessage(text);
  }

  editor.on('line', (line) => {
    isShown = false;
    pending.push(line);
    arrived += 1;
    if (isEditing) {
      if (!isFlushDue) setImmediate(flush);
      isFlushDue = true;
      return;
    }
    arrived = 1;
    flush();
  });
  // Readline passes errors of its input on as its own: EIO when the terminal is gone.
  editor.on('error', () => options.onGone());
  editor.on('close', () => {
    if (isClosed) return;
    isClosed = true;
    // A terminal that is gone ends its input too, and is no terminal any more; nothing may be written to it.
    const isGone = input.isTTY === true && !isatty(0);
    if (isGone) options.onGone();
    takeDown();
    // A pipe that ends behind a `\` means what it said; what a person has not sent stays unsent.
    if (pending.length > 0 && input.isTTY !== true) send();
    if (!isGone) options.onEnd();
  });

  function takeDown(): void {
    input.removeListener('keypress', onKey);
    process.removeListener('exit', restore);
    suspend?.uninstall();
    setPaste(false);
  }

  function prompt(): void {
    if (isClosed || isShown || input.isTTY !== true) return;
    isMuted = false;
    isShown = true;
    const text = pending.length > 0 ? lineText.more : lineText.prompt;
    if (!isEditing) {
      output.write(text);
      return;
    }
    editor.setPrompt(text);
    // The rows above belong to what was printed since: readline must not go back to them.
    editor.prevRows = 0;
    editor.prompt(true);
  }

  function clear(): boolean {
    if (pending.length === 0 && editor.line === '') return false;
    pending = [];
    // Ctrl+U clears from the caret to the beginning; from the end that is all of it.
    if (isEditing) editor.write(null, { ctrl: true, name: 'e' });
    if (isEditing) editor.write(null, { ctrl: true, name: 'u' });
    if (isShown) output.write('\n');
    isShown = false;
    prompt();
    return true;
  }

  return {
    prompt,
    stepAside() {
      if (isShown) output.write('\n');
      isShown = false;
      isMuted = isEditing;
    },
    fill(text) {
      if (!isEditing || isClosed) return;
      const wasShown = isShown;
      if (wasShown) output.write('\n');
      isShown = false;
      isMuted = true;
      const lines = text.split('\n');
      const typed = editor.line;
      if (typed !== '') {
        editor.write(null, { ctrl: true, name: 'e' });
        editor.write(null, { ctrl: true, name: 'u' });
        lines.push(typed);
      }
      pending = [...lines.slice(0, -1), ...pending];
      editor.write(lines.at(-1) ?? '');
      if (wasShown) prompt();
    },
    unsent: () => [...pending, ...(editor.line === '' ? [] : [editor.line])].join('\n'),
    clear,
    close() {
      if (isClosed) return;
      isClosed = true;
      takeDown();
      editor.close();
    },
  };
}
