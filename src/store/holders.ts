import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { basename } from 'node:path';
import DatabaseConstructor from 'better-sqlite3';
import { failureCode, isBusy } from './damage.ts';
import { isOnNetworkDisk } from './pragmas.ts';

/** A process that has the store open. */
export interface Holder {
  readonly pid: number;
  /** Program, and the script it runs: `node hermes.js`. */
  readonly command: string;
}

/** Who else has the store open. `nobody` is shown, never presumed. */
export type Holders =
  | { readonly kind: 'nobody' }
  /** Without entries: SQLite's locks say that somebody has it, and the system doesn't say who. */
  | { readonly kind: 'held'; readonly by: readonly Holder[] }
  /** None was found, but there are processes, or machines, that can't be looked at. */
  | { readonly kind: 'unsure' };

/** Where processes are looked up; the system's own by default. */
export interface ProcessView {
  /** Where the system shows its processes as files. */
  readonly proc: string;
  readonly platform: NodeJS.Platform;
}

const system: ProcessView = { proc: '/proc', platform: process.platform };

/** Number of the namespace a machine's own processes live in: inside of any other one, the rest of the machine is out of sight (Linux, fixed). */
const OUTERMOST_NAMESPACE = 'pid:[4026531836]';

/** Somebody may be looking at the locks at the same moment, as we do. */
const PROBES = 4;
const PROBE_PAUSE_MS = 30;

/**
 * Looks for other processes that have the store open. Two looks, since each misses what the other sees:
 *
 * - Open files (Linux: /proc, macOS: lsof) give names, and see connections that hold no lock: every idle one of a rollback-journal store, and in
 *   WAL one that has not read yet. They miss other users' processes and those outside of a container.
 * - SQLite's own locks: in WAL every connection that has read once holds one until it is closed, so an exclusive one can be had by nobody
 *   but the last. With a rollback journal only running transactions hold one. An attempt takes microseconds and leaves nothing behind, except
 *   that the last program to close a WAL store takes its WAL into the file, as always.
 *
 * This process's other connections count as another program's for the locks: close them first.
 *
 * @throws SqliteError when the file can't be opened for writing, or is damaged
 */
export function findHolders(path: string, view: ProcessView = system): Holders {
  const first = lookAtProcesses(path, view);
  if (first.holders.length > 0) return { kind: 'held', by: first.holders };
  const locks = probeLocks(path);
  if (locks === 'taken') return { kind: 'held', by: lookAtProcesses(path, view).holders };
  // Locks don't reach across machines.
  if (isOnNetworkDisk(path)) return { kind: 'unsure' };
  return locks === 'free-of-connections' || first.sawEverything ? { kind: 'nobody' } : { kind: 'unsure' };
}

/** Only those that can be seen and named, with no lock taken and no byte changed: for a store that is damaged. */
export function findNamedHolders(path: string, view: ProcessView = system): readonly Holder[] {
  return lookAtProcesses(path, view).holders;
}

/** @returns `free-of-connections`: a WAL store that no connection has in use; `free`: no transaction runs */
function probeLocks(path: string): 'taken' | 'free' | 'free-of-connections' {
  for (let attempt = 1; ; attempt += 1) {
    const db = new DatabaseConstructor(path, { fileMustExist: true, timeout: 0 });
    try {
      // Before anything is read: a WAL that was opened with its shared memory is locked by transaction, not by connection.
      db.pragma('locking_mode = EXCLUSIVE');
      db.exec('BEGIN EXCLUSIVE');
      const mode = db.pragma('journal_mode', { simple: true });
      db.exec('ROLLBACK');
      return mode === 'wal' ? 'free-of-connections' : 'free';
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (attempt === PROBES) return 'taken';
    } finally {
      db.close();
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PROBE_PAUSE_MS);
  }
}

interface Look {
  readonly holders: readonly Holder[];
  /** Every process that may open the file was looked into. */
  readonly sawEverything: boolean;
}

function lookAtProcesses(path: string, view: ProcessView): Look {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return { holders: [], sawEverything: true };
  if (view.platform === 'linux') return lookInProc(file, view.proc);
  if (view.platform === 'darwin') return { holders: askLsof(path), sawEverything: process.getuid?.() === 0 };
  return { holders: [], sawEverything: false };
}

function lookInProc(file: Stats, proc: string): Look {
  const holders: Holder[] = [];
  let sawEverything = isOutermostNamespace(proc);
  for (const name of namesIn(proc) ?? []) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const folder = `${proc}/${name}`;
    const descriptors = namesIn(`${folder}/fd`);
    if (descriptors === undefined) sawEverything &&= !mayOpen(folder, file);
    else if (descriptors.some((fd) => isSameFile(`${folder}/fd/${fd}`, file))) holders.push({ pid, command: commandOf(folder) });
  }
  return { holders, sawEverything };
}

function isOutermostNamespace(proc: string): boolean {
  try {
    return readlinkSync(`${proc}/self/ns/pid`) === OUTERMOST_NAMESPACE;
  } catch {
    // No /proc, or one without namespaces: nothing shows that all processes are in sight.
    return false;
  }
}

/** undefined: it may not be looked into. */
function namesIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder);
  } catch (error) {
    // ESRCH and ENOENT: the process ended in between.
    return ['ENOENT', 'ESRCH'].includes(failureCode(error) ?? '') ? [] : undefined;
  }
}

/** Whether the owner of that process could open the file at all; a process that is gone could not. */
function mayOpen(processFolder: string, file: Stats): boolean {
  const uid = statSync(processFolder, { throwIfNoEntry: false })?.uid;
  return uid !== undefined && (uid === 0 || uid === file.uid || (file.mode & 0o077) !== 0);
}

/** Looks through the link, which opens nothing: a file that this process has open would lose its locks when it is opened and closed. */
function isSameFile(link: string, file: Stats): boolean {
  try {
    const found = statSync(link, { throwIfNoEntry: false });
    return found !== undefined && found.ino === file.ino && found.dev === file.dev;
  } catch {
    // Closed in between, or a kind of file that can't be looked at: not a database either way.
    return false;
  }
}

/** `node hermes.js`: the program, and the script where that is what it runs. */
function commandOf(processFolder: string): string {
  const [program = '', script] = readOrEmpty(`${processFolder}/cmdline`).split('\0');
  if (program === '') return readOrEmpty(`${processFolder}/comm`).trim();
  const names = script === undefined || script === '' || script.startsWith('-') ? [program] : [program, script];
  return names.map((name) => basename(name)).join(' ');
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process ended in between: it is named by its number.
    return '';
  }
}

/** macOS shows no /proc; `lsof` prints a `p` line and a `c` line per process. It exits with 1 where nobody has the file. */
function askLsof(path: string): readonly Holder[] {
  let printed: string;
  try {
    printed = execFileSync('lsof', ['-w', '-F', 'pc', '--', path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    // Nobody, or no lsof: SQLite's locks decide.
    return [];
  }
  const holders: { pid: number; command: string }[] = [];
  for (const line of printed.split('\n')) {
    if (line.startsWith('p')) holders.push({ pid: Number(line.slice(1)), command: '' });
    const last = holders.at(-1);
    if (line.startsWith('c') && last !== undefined) last.command = line.slice(1);
  }
  return holders.filter((holder) => holder.pid !== process.pid);
}
