import { processEnvironment, userHome } from '../config/environment.ts';
import { resolveHome } from '../config/home.ts';
import { loadConfig } from '../config/load.ts';
import type { Home, LoadedConfig } from '../config/types.ts';
import type { Flags } from '../commands/parse.ts';
import type { ModelEnvironment } from '../agent/models.ts';
import { identifyTerminal, readTerminalFacts, type Terminal } from '../terminal/identity.ts';
import { openProcessTable, type ProcessTable } from '../terminal/process-tree.ts';
import { leaveGoneDirectory } from './follow-directory.ts';

/** One run of the program: where it lives, what it goes by, which terminal it stands in. Made once, before anything is shown. */
export interface Run {
  readonly home: Home;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
  /** Directory the program was started in. */
  readonly startedIn: string;
  readonly flags: Flags;
  readonly workers: { readonly reader: URL; readonly writer: URL };
  /** Milliseconds since the epoch. */
  now(): number;
  /** config.yaml as read last. */
  loaded(): LoadedConfig;
  reload(): Promise<LoadedConfig>;
  modelEnvironment(): ModelEnvironment;
  /** Which terminal this is; worked out at the first call. */
  terminal(): Terminal;
  readonly processes: ProcessTable;
}

/** @throws UsageError, NotFoundError, ConfigError for a profile that is not there */
export async function startRun(flags: Flags, workers: Run['workers']): Promise<Run> {
  const env = processEnvironment();
  const startedIn = currentDirectory(env);
  const profile = flags['profile'];
  const home = resolveHome({ env, userHome: userHome(), cwd: startedIn, profile: typeof profile === 'string' ? profile : undefined });
  let loaded = await loadConfig(home, { env, now: Date.now() });
  const processes = openProcessTable();
  let terminal: Terminal | undefined;
  return {
    home,
    env,
    userHome: userHome(),
    startedIn,
    flags,
    workers,
    processes,
    now: Date.now,
    loaded: () => loaded,
    async reload() {
      loaded = await loadConfig(home, { env, now: Date.now() });
      return loaded;
    },
    modelEnvironment: () => ({ process: env, dotenv: loaded.env }),
    terminal: () => (terminal ??= identifyTerminal(readTerminalFacts(processes))),
  };
}

/** The directory as the shell names it (symbolic links kept) where that is the same one; `/` when it is gone. */
function currentDirectory(env: Run['env']): string {
  let real: string;
  try {
    real = process.cwd();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    leaveGoneDirectory();
    return env['PWD'] ?? '/';
  }
  return real;
}
