import { join } from 'node:path';
import type { ShellContext } from '../../src/commands/context.ts';
import { runDoctor } from '../../src/commands/doctor.ts';
import type { Outside } from '../../src/commands/doctor/outside.ts';
import { shellContext } from './shell.ts';
import type { TerminalFacts } from '../../src/terminal/identity.ts';
import type { ProcessInfo, ProcessTable } from '../../src/terminal/process-tree.ts';

export const doctorNow = Date.UTC(2026, 10, 30, 12);

const processes: ProcessInfo[] = [
  { pid: 100, name: 'tmux: server', parent: 1, session: 100, start: 1000 },
  { pid: 200, name: 'bash', parent: 100, session: 200, tty: '/dev/pts/4', start: 2000 },
  { pid: 900, name: 'node', parent: 200, session: 200, tty: '/dev/pts/4', start: 9000 },
  { pid: 901, name: 'node', parent: 200, session: 200, tty: '/dev/pts/4', start: 9010 },
];

export const processTable: ProcessTable = {
  source: 'proc',
  boot: 'boot-1',
  read: (pid) => processes.find((process) => process.pid === pid),
  startVariable: () => ({ value: undefined }),
};

export const tmuxVariables = { TMUX: '/tmp/tmux-0/default,100,0', TMUX_PANE: '%3' };

/** A pane of tmux in which all is well; `env` and `facts` are laid over it. */
export function wellOutside({
  env,
  facts,
  ...changes
}: Omit<Partial<Outside>, 'facts'> & { env?: Record<string, string | undefined>; facts?: Partial<TerminalFacts> } = {}): Outside {
  return {
    facts: {
      env: { TERM: 'tmux-256color', LANG: 'ko_KR.UTF-8', PATH: '', ...tmuxVariables, ...env },
      pid: 900,
      stdinTty: '/dev/pts/4',
      stdoutTty: '/dev/pts/4',
      proc: processTable,
      host: 'here',
      ttyCtime: () => 1000,
      paneTty: () => '/dev/pts/4',
      ...facts,
    },
    platform: 'linux',
    uid: process.getuid?.(),
    size: { columns: 120, rows: 40 },
    file: '/opt/hermes/bin/hermes',
    nodeVersion: '20.20.2',
    askTmux: (_socket, option) => ({ 'escape-time': '10', 'extended-keys': 'on' })[option],
    listModels: () => Promise.reject(new Error('no endpoint should be asked')),
    findServers: () => Promise.resolve([]),
    isOnNetworkDisk: () => false,
    canWrite: () => true,
    ...changes,
  };
}

export interface DoctorRun {
  readonly code: number;
  readonly out: string;
}

export function contextOf(home: string, write: (text: string) => void = () => undefined, columns?: number): ShellContext {
  const context = shellContext(join(home, 'state.db'), { code: -1, out: '', err: '' }, { now: () => doctorNow });
  return { ...context, out: { write, ...(columns === undefined ? {} : { isTTY: true, columns }) } };
}

/** `columns`: the report goes to a terminal of that width; absent: into a pipe. */
export async function runDoctorOn(home: string, outside: Outside, columns?: number): Promise<DoctorRun> {
  let out = '';
  const code = await runDoctor(
    contextOf(home, (text) => (out += text), columns),
    [],
    {},
    outside,
  );
  return { code, out };
}
