import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const run = promisify(execFile);

/** A tmux server of its own, without the user's configuration; killed when the test ends. */
export interface Tmux {
  readonly socket: string;
  /** Any tmux command; returns what it prints. */
  command(...args: string[]): Promise<string>;
  /** Keys as `tmux send-keys` names them. */
  send(...keys: string[]): Promise<void>;
  /** Text exactly as it is. */
  type(text: string): Promise<void>;
  /** The pane's rows; with `escapes`, colours and attributes too. */
  capture(options?: { escapes?: boolean; target?: string; history?: boolean }): Promise<string[]>;
  /** Waits for rows that satisfy the predicate and returns them; fails with the last screen. */
  until(predicate: (lines: string[]) => boolean, what: string, options?: { target?: string; timeoutMs?: number }): Promise<string[]>;
  kill(): Promise<void>;
}

let count = 0;

interface Process {
  readonly pid: number;
  readonly parent: number;
}

/** Every process but those that have ended and wait to be collected. */
async function listProcesses(): Promise<Process[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/u))
    .filter(([, , state]) => state?.startsWith('Z') !== true)
    .map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }));
}

async function withDescendants(pids: readonly number[]): Promise<Set<number>> {
  const found = new Set(pids);
  const all = await listProcesses();
  // A set grows while it is walked: children of children come too.
  for (const pid of found) for (const child of all) if (child.parent === pid) found.add(child.pid);
  return found;
}

/** Waits for processes that were told to end; one that doesn't is killed, and that is a failure. */
async function untilEnded(pids: ReadonlySet<number>, timeoutMs = 10_000): Promise<void> {
  const start = Date.now();
  while (pids.size > 0) {
    const left = (await listProcesses()).filter(({ pid }) => pids.has(pid));
    if (left.length === 0) return;
    if (Date.now() - start > timeoutMs) {
      for (const { pid } of left) process.kill(pid, 'SIGKILL');
      throw new Error(`still running ${timeoutMs} ms after its terminal was closed: ${left.map(({ pid }) => pid).join(', ')}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function startTmux(
  options: { cols?: number; rows?: number; command?: string; env?: Readonly<Record<string, string>>; cwd?: string } = {},
): Promise<Tmux> {
  const socket = `hermes-test-${process.pid}-${++count}`;
  const folder = mkdtempSync(join(tmpdir(), 'hermes-tmux-'));
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    SHELL: '/bin/sh',
    HISTFILE: '/dev/null',
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    TERM: 'xterm-256color',
    TMUX_TMPDIR: folder,
    ...options.env,
  };
  const command = async (...args: string[]) => (await run('tmux', ['-u', '-L', socket, '-f', '/dev/null', ...args], { env })).stdout;

  const tmux: Tmux = {
    socket,
    command,
    send: async (...keys) => void (await command('send-keys', ...keys)),
    type: async (text) => void (await command('send-keys', '-l', text)),
    async capture({ escapes = false, target, history = false } = {}) {
      const args = [
        'capture-pane',
        '-p',
        ...(escapes ? ['-e'] : []),
        ...(history ? ['-S', '-'] : []),
        ...(target === undefined ? [] : ['-t', target]),
      ];
      return (await command(...args)).replace(/\n$/u, '').split('\n');
    },
    async until(predicate, what, { target, timeoutMs = 10_000 } = {}) {
      const start = Date.now();
      for (;;) {
        const lines = await tmux.capture(target === undefined ? {} : { target });
        if (predicate(lines)) return lines;
        if (Date.now() - start > timeoutMs) throw new Error(`waited ${timeoutMs} ms for ${what}\nlast screen:\n${lines.join('\n')}`);
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    },
    async kill() {
      // The server is gone already where its last pane has ended.
      const panes = await command('list-panes', '-a', '-F', '#{pane_pid}').catch(() => '');
      const processes = await withDescendants(panes.split('\n').filter(Boolean).map(Number));
      await command('kill-server').catch(() => undefined);
      // What ran in the panes still writes (history, drafts) while it goes; folders can be removed behind it.
      await untilEnded(processes);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await command(
    ...['new-session', '-d', '-x', String(options.cols ?? 100), '-y', String(options.rows ?? 30)],
    ...(options.cwd === undefined ? [] : ['-c', options.cwd]),
    ...(options.command === undefined ? [] : [options.command]),
  );
  try {
    onTestFinished(() => tmux.kill());
  } catch {
    // Outside a test body the caller kills.
  }
  return tmux;
}
