import path from 'node:path';
import type { ShellContext } from '../../src/commands/context.ts';
import { parseArguments } from '../../src/commands/parse.ts';
import { shellCommands, type PrintingCommandId } from '../../src/commands/shell-commands.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import type { Config } from '../../src/config/types.ts';
import { HermesError } from '../../src/errors.ts';

export interface Outcome {
  code: number;
  out: string;
  err: string;
  error?: HermesError;
}

export interface ShellOptions {
  /** Milliseconds since the epoch; default the real clock. */
  readonly now?: () => number;
  /** Given: standard output and error are a terminal that wide. */
  readonly columns?: number;
  /** Typed lines, in order; then the end of input. */
  readonly typed?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly config?: Config;
  readonly signal?: AbortSignal;
}

/** A shell context on the store at `storePath`, whose folder is the home; what is written is collected in `outcome`. */
export function shellContext(storePath: string, outcome: Outcome, options: ShellOptions = {}): ShellContext {
  const home = path.dirname(storePath);
  const typed = [...(options.typed ?? [])];
  const terminal = options.columns === undefined ? {} : { isTTY: true, columns: options.columns };
  return {
    out: { write: (text) => (outcome.out += text), ...terminal },
    err: { write: (text) => (outcome.err += text), ...terminal },
    home: { path: home, storePath },
    cwd: options.cwd ?? home,
    userHome: path.dirname(home),
    env: options.env ?? {},
    loaded: { config: options.config ?? DEFAULTS, problems: [], env: {}, configPath: path.join(home, 'config.yaml') },
    signal: options.signal ?? new AbortController().signal,
    readLine: () => Promise.resolve(typed.shift()),
    now: options.now ?? Date.now,
  };
}

/** Runs `hermes <line>` in this process, parser and all; an error of the program's is in the outcome, any other is thrown. */
export async function runShell(line: readonly string[], storePath: string, options: ShellOptions = {}): Promise<Outcome> {
  const outcome: Outcome = { code: -1, out: '', err: '' };
  const parsed = parseArguments(line);
  if (parsed.kind !== 'run') throw new Error(`not a command: ${line.join(' ')}`);
  try {
    const run = shellCommands[parsed.id as PrintingCommandId];
    outcome.code = await run(shellContext(storePath, outcome, options), parsed.args, parsed.flags);
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    outcome.error = error;
    outcome.code = error.exitCode;
  }
  return outcome;
}
