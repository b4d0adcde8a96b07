import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import type { ModelChoice } from '../../agent/events.ts';
import type { LocalServer } from '../../agent/local-servers.ts';
import { isOnNetworkDisk } from '../../store/pragmas.ts';
import { readTerminalFacts, type TerminalFacts } from '../../terminal/identity.ts';
import type { ShellContext } from '../context.ts';

/** Everything the checks ask of the world beyond the files of the home; a test may answer instead. */
export interface Outside {
  readonly facts: TerminalFacts;
  readonly platform: NodeJS.Platform;
  /** Absent where the system has no user numbers. */
  readonly uid: number | undefined;
  /** Cells; absent when the output is no terminal. */
  readonly size: { readonly columns: number; readonly rows: number } | undefined;
  /** File this program was started from. */
  readonly file: string | undefined;
  /** `20.11.0` */
  readonly nodeVersion: string;
  /** Value of a server option of tmux; absent: tmux has no such option or does not answer. */
  askTmux(socket: string, option: string): string | undefined;
  /** @throws AgentError */
  listModels(choice: ModelChoice): Promise<string[]>;
  findServers(): Promise<LocalServer[]>;
  isOnNetworkDisk(path: string): boolean;
  canWrite(path: string): boolean;
}

const tmuxMs = 1000;
const endpointMs = 2000;

/** The world as it is. Nothing is asked before a check asks; the clients are loaded then. */
export function readOutside(context: ShellContext): Outside {
  const { columns, rows } = process.stdout;
  return {
    facts: readTerminalFacts(),
    platform: process.platform,
    uid: process.getuid?.(),
    size: process.stdout.isTTY ? { columns, rows } : undefined,
    file: process.argv[1],
    nodeVersion: process.versions.node,
    askTmux,
    listModels: async (choice) => {
      const { listProviderModels } = await import('../../agent/model-listing.ts');
      return listProviderModels(choice, { timeoutMs: endpointMs, now: context.now });
    },
    findServers: async () => (await import('../../agent/local-servers.ts')).findLocalServers(),
    isOnNetworkDisk,
    canWrite,
  };
}

function askTmux(socket: string, option: string): string | undefined {
  try {
    const answer = execFileSync('tmux', ['-S', socket, 'show-options', '-sv', option], {
      encoding: 'utf8',
      timeout: tmuxMs,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return answer.trim() || undefined;
  } catch {
    // No such option in this version, no server, no tmux: the check says that it is not known.
    return undefined;
  }
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    // Whatever the reason, it is what writing would meet too.
    return false;
  }
}
