import { createInterface, type Interface } from 'node:readline';
import type { Home, LoadedConfig } from '../config/types.ts';
import type { ShellContext } from './context.ts';

export interface ShellFacts {
  readonly home: Home;
  readonly startedIn: string;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  loaded(): LoadedConfig;
}

/** The process as shell commands see it. */
export function makeShellContext(facts: ShellFacts): ShellContext {
  let stop: AbortController | undefined;
  let lines: LineReader | undefined;
  return {
    out: process.stdout,
    err: process.stderr,
    home: facts.home,
    cwd: facts.startedIn,
    userHome: facts.userHome,
    env: facts.env,
    loaded: facts.loaded(),
    // Handlers are set by whoever looks at it: a command that never does ends at once, as it always did.
    get signal() {
      stop ??= abortBySignals();
      return stop.signal;
    },
    readLine: () => (lines ??= openLines()).next(),
    now: Date.now,
  };
}

/** The first signal asks for an end and sets the exit code the shell expects; the second one ends the process. */
function abortBySignals(): AbortController {
  const stop = new AbortController();
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ] as const) {
    process.once(signal, () => stop.abort(128 + number));
  }
  return stop;
}

interface LineReader {
  next(): Promise<string | undefined>;
}

function openLines(): LineReader {
  let input: Interface | undefined;
  const waiting: string[] = [];
  let isOver = false;
  let wake: (() => void) | undefined;
  const ring = (): void => {
    wake?.();
    wake = undefined;
  };
  return {
    async next() {
      if (input === undefined) {
        input = createInterface({ input: process.stdin, terminal: false });
        input.on('line', (line) => {
          waiting.push(line);
          // Between two questions standard input keeps no process alive.
          input?.pause();
          ring();
        });
        input.on('close', () => {
          isOver = true;
          ring();
        });
      }
      input.resume();
      while (waiting.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve));
      return waiting.shift();
    },
  };
}
