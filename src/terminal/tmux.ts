import { execFile, execFileSync } from 'node:child_process';
import type { TmuxPane } from './claims.ts';

/** A window as people know it: names and numbers survive a restart of the server, pids and pane numbers don't. */
export interface TerminalWindow {
  readonly name: string;
  readonly index: number;
  /** tmux itself gave the name (it is the running program's): it tells windows apart no more. */
  readonly isAutomatic: boolean;
}

const TIMEOUT_MS = 1000;

/**
 * The tty of a pane, asked from its server: 3 ms, so only where nothing else can tell. Absent when the pane isn't there or the
 * server doesn't answer within a second.
 */
export function askPaneTty(tmux: TmuxPane): string | undefined {
  try {
    const answer = execFileSync('tmux', ['-S', tmux.socket, 'display-message', '-p', '-t', tmux.pane, '#{pane_tty}'], {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return answer.trim() || undefined;
  } catch {
    // No such pane, no such server, no tmux: not this pane.
    return undefined;
  }
}

/** Name and number of the pane's window; absent when tmux doesn't answer. Never rejects. */
export function askWindow(tmux: TmuxPane): Promise<TerminalWindow | undefined> {
  const format = '#{window_index} #{automatic-rename} #{window_name}';
  return new Promise((resolve) => {
    execFile(
      'tmux',
      ['-S', tmux.socket, 'display-message', '-p', '-t', tmux.pane, format],
      { encoding: 'utf8', timeout: TIMEOUT_MS },
      (error, stdout) => resolve(error === null ? parseWindow(stdout) : undefined),
    );
  });
}

/** One line `index automatic name`. */
export function parseWindow(line: string): TerminalWindow | undefined {
  const match = /^(\d+) ([01]?) (.*)$/.exec(line.replace(/\n$/, ''));
  if (match === null) return undefined;
  return { index: Number(match[1]), isAutomatic: match[2] === '1', name: match[3] as string };
}
