import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/** One process as identity needs it. */
export interface ProcessInfo {
  readonly pid: number;
  /** The kernel's name of it: 15 bytes at most on Linux, spaces and brackets possible (`tmux: server`). */
  readonly name: string;
  /** 0 when the parent is outside of what this process may see. */
  readonly parent: number;
  /** Pid of the session leader. */
  readonly session: number;
  /** Device path of the controlling terminal; absent = none. */
  readonly tty?: string;
  /** Start time: clock ticks since boot from /proc, seconds since the epoch from `ps`. Unique per pid and boot. */
  readonly start: number;
}

/** What can be asked about processes. Everything is synchronous: it runs before the first frame. */
export interface ProcessTable {
  readonly source: 'proc' | 'ps';
  /** Names this boot, and the pid namespace when it isn't the machine's own; absent when the system doesn't tell. */
  readonly boot: string | undefined;
  /** Absent: no such process, not visible, or dead and not yet reaped. */
  read(pid: number): ProcessInfo | undefined;
  /** The environment a process was started with, one variable of it; absent: it may not be read. */
  startVariable(pid: number, name: string): { readonly value: string | undefined } | undefined;
}

/** True when a process of that pid and start time runs. */
export function isRunning(table: ProcessTable, pid: number, start: number): boolean {
  return table.read(pid)?.start === start;
}

/** The table of this machine: /proc where there is one, else one run of `ps` when first asked. */
export function openProcessTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  return platform === 'linux' ? procTable() : psTable();
}

/** Inode of the machine's own pid namespace, fixed in the kernel (PROC_PID_INIT_INO). */
const ROOT_PID_NAMESPACE = 'pid:[4026531836]';

/** Reads `root` (`/proc`) anew at every question: about 20 µs each. */
export function procTable(root = '/proc'): ProcessTable {
  let boot: string | undefined | null = null;
  return {
    source: 'proc',
    get boot() {
      if (boot === null) boot = readBoot(root);
      return boot;
    },
    read(pid) {
      if (!Number.isInteger(pid) || pid <= 0) return undefined;
      const text = readOrAbsent(`${root}/${pid}/stat`);
      return text === undefined ? undefined : parseStat(text);
    },
    startVariable(pid, name) {
      const text = readOrAbsent(`${root}/${pid}/environ`);
      if (text === undefined) return undefined;
      const entry = text.split('\0').find((line) => line.startsWith(`${name}=`));
      return { value: entry?.slice(name.length + 1) };
    },
  };
}

/** Pids mean nothing in another pid namespace, so a container's boot is told apart from its host's. */
function readBoot(root: string): string | undefined {
  const id = readOrAbsent(`${root}/sys/kernel/random/boot_id`)?.trim();
  if (id === undefined || id === '') return undefined;
  const namespace = linkOrAbsent(`${root}/self/ns/pid`);
  return namespace === undefined || namespace === ROOT_PID_NAMESPACE ? id : `${id}/${namespace}`;
}

/**
 * One line of /proc/<pid>/stat (proc(5)): the name stands between the first `(` and the last `)`, whatever it holds.
 * Absent when the line is not of that form, and for a zombie: a killed process whose parent is busy holds nothing any more.
 */
export function parseStat(text: string): ProcessInfo | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open === -1 || close < open) return undefined;
  const pid = Number.parseInt(text, 10);
  // state, ppid, pgrp, session, tty_nr, … starttime is field 22, the 20th after the name.
  const fields = text.slice(close + 2).split(' ');
  const [parent, session, ttyNumber, start] = [fields[1], fields[3], fields[4], fields[19]].map(Number);
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  if (![pid, parent, session, ttyNumber, start].every(Number.isFinite)) return undefined;
  const tty = ttyPath(ttyNumber as number);
  return {
    pid,
    name: text.slice(open + 1, close),
    parent: parent as number,
    session: session as number,
    start: start as number,
    ...(tty === undefined ? {} : { tty }),
  };
}

/** Device number of a tty (tty_nr of proc(5)) → its path; absent for 0, `char:<major>:<minor>` where the name can't be known. */
export function ttyPath(number: number): string | undefined {
  if (number === 0) return undefined;
  const major = (number >>> 8) & 0xfff;
  const minor = (number & 0xff) | ((number >>> 12) & 0xfff00);
  if (major === 136) return `/dev/pts/${minor}`;
  if (major > 136 && major <= 143) return `/dev/pts/${(major - 136) * 256 + minor}`;
  if (major === 4) return minor < 64 ? `/dev/tty${minor}` : `/dev/ttyS${minor - 64}`;
  const link = linkOrAbsent(`/dev/char/${major}:${minor}`);
  return link === undefined ? `char:${major}:${minor}` : `/dev/${link.slice(link.lastIndexOf('/') + 1)}`;
}

const PS_COLUMNS = ['-A', '-o', 'pid=,ppid=,tty=,stat=,lstart=,comm='];

/**
 * The table from one run of `ps` (10 to 20 ms), taken when first asked and kept: macOS and the BSDs have no /proc.
 * `ps` tells no session there, so the leader is the process of the same tty whose state carries `s`.
 */
export function psTable(run: (command: string, args: readonly string[]) => string | undefined = runQuietly): ProcessTable {
  let rows: ReadonlyMap<number, ProcessInfo> | undefined;
  let boot: string | undefined | null = null;
  return {
    source: 'ps',
    get boot() {
      if (boot === null) boot = run('sysctl', ['-n', 'kern.bootsessionuuid'])?.trim() || undefined;
      return boot;
    },
    read(pid) {
      rows ??= parsePs(run('ps', PS_COLUMNS) ?? '');
      return rows.get(pid);
    },
    startVariable: () => undefined,
  };
}

/** Lines of `ps -A -o pid=,ppid=,tty=,stat=,lstart=,comm=` with LC_ALL=C and TZ=UTC. */
export function parsePs(text: string): ReadonlyMap<number, ProcessInfo> {
  const rows: (Omit<ProcessInfo, 'session'> & { isLeader: boolean })[] = [];
  const leaders = new Map<string, number>();
  for (const line of text.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+\w{3}\s+(\w{3}\s+\d+\s+[\d:]+\s+\d{4})\s+(.*)$/.exec(line);
    if (match === null) continue;
    const [, pid, parent, device, state, started, command] = match as unknown as [string, string, string, string, string, string, string];
    const tty = /^\?+$|^-$/.test(device) ? undefined : `/dev/${device}`;
    if (state.startsWith('Z')) continue;
    const isLeader = state.includes('s');
    if (tty !== undefined && isLeader) leaders.set(tty, Number(pid));
    rows.push({
      pid: Number(pid),
      parent: Number(parent),
      start: Date.parse(`${started} UTC`) / 1000,
      name: command.slice(command.lastIndexOf('/') + 1),
      isLeader,
      ...(tty === undefined ? {} : { tty }),
    });
  }
  return new Map(
    rows.map(({ isLeader, ...row }) => {
      const session = isLeader ? row.pid : row.tty === undefined ? 0 : (leaders.get(row.tty) ?? 0);
      return [row.pid, { ...row, session }];
    }),
  );
}

function runQuietly(command: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(command, args, {
      encoding: 'utf8',
      timeout: 2000,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
    });
  } catch {
    // No such program or it failed: the question stays unanswered, and whatever hangs on it is not trusted.
    return undefined;
  }
}

function readOrAbsent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process is gone, or its files are not ours to read: both mean that nothing is known.
    return undefined;
  }
}

function linkOrAbsent(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // As above.
    return undefined;
  }
}
