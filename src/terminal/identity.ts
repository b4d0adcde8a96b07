import { createHash } from 'node:crypto';
import { readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { isatty } from 'node:tty';
import { terminalText as text } from '../text/en/terminal.ts';
import { claimTerminal, type Claim, type Environment, type Reason, type TerminalKind, type TmuxPane } from './claims.ts';
import { openProcessTable, type ProcessInfo, type ProcessTable } from './process-tree.ts';
import { askPaneTty } from './tmux.ts';

/** A process that can't be mistaken for a later one of the same pid (within one boot). */
export interface ProcessMark {
  readonly pid: number;
  readonly start: number;
}

export interface TerminalTty {
  /** Device path, `/dev/pts/4`. */
  readonly path: string;
  /** Change time of the device, milliseconds: when it was created, unless chmod or mesg touched it since. */
  readonly ctimeMs?: number;
  /** File name Hermes Agent uses for this tty, `tty-dev-pts-4`. */
  readonly crumbName: string;
}

/** Which terminal this process runs in (product.md 4). */
export interface Terminal {
  readonly kind: TerminalKind;
  /** Canonical text; the same terminal gives the same one, two never do. Empty for kind `none`. */
  readonly identity: string;
  /** As shown: `tmux %3`, `pts/4`. */
  readonly label: string;
  /** How it was found, in order. */
  readonly why: readonly Reason[];
  readonly tty?: TerminalTty;
  /** Leader of the session on `tty`. */
  readonly leader?: ProcessMark;
  /** Present inside tmux: ask for window and panes with it. */
  readonly tmux?: TmuxPane;
  readonly isLasting: boolean;
  readonly host: string;
  readonly boot: string | undefined;
}

/** What identity is worked out from; everything is injected, so that any machine can be described in a test. */
export interface TerminalFacts {
  readonly env: Environment;
  readonly pid: number;
  /** Path of the terminal behind standard input and output; absent when it is none. */
  readonly stdinTty?: string | undefined;
  readonly stdoutTty?: string | undefined;
  readonly proc: ProcessTable;
  readonly host: string;
  /** Change time of a device in milliseconds; absent when it can't be read. */
  ttyCtime(path: string): number | undefined;
  /** The tty of a tmux pane, asked from tmux; costs a process, so it is called only where nothing else can tell. */
  paneTty(tmux: TmuxPane): string | undefined;
}

/** The facts of this process. About 0.2 ms on Linux, no child process. */
export function readTerminalFacts(proc: ProcessTable = openProcessTable()): TerminalFacts {
  return {
    env: process.env,
    pid: process.pid,
    stdinTty: ttyOfDescriptor(0),
    stdoutTty: ttyOfDescriptor(1),
    proc,
    host: hostname(),
    ttyCtime,
    paneTty: askPaneTty,
  };
}

/**
 * Programs that run a shell on a tty of their own inside somebody else's terminal. Only through these the search goes on: an emulator
 * started from a tmux pane sits on that pane's tty too, and is a terminal of its own.
 */
const PASS_THROUGH = /^(sudo|su|doas|runuser|pkexec|script|scriptlive|unbuffer|expect|rlwrap|asciinema|ttyrec)$/;

/** Nobody nests terminals deeper; a table that loops must end too. */
const MAX_CLIMB = 16;

/**
 * Works out which terminal this is. The parent of the tty's session leader is the terminal; a variable counts only if it names that
 * process, otherwise it was inherited and the tty decides. Never throws; costs about 0.3 ms with /proc.
 */
export function identifyTerminal(facts: TerminalFacts): Terminal {
  const { proc, host } = facts;
  const why: Reason[] = [];
  const self = proc.read(facts.pid);
  const path = [facts.stdinTty, facts.stdoutTty].find((tty) => tty !== undefined && tty !== '/dev/tty') ?? self?.tty;
  if (path === undefined) {
    why.push({ id: 'no-tty', text: text.noTty });
    return { kind: 'none', identity: '', label: text.noTerminal, isLasting: false, why, host, boot: proc.boot };
  }
  const ctimeMs = facts.ttyCtime(path);
  const tty = { path, crumbName: ttyCrumbName(path), ...(ctimeMs === undefined ? {} : { ctimeMs }) };
  const { claim, leader, outermost } = climb(facts, path, self, why);
  const shared = { tty, ...(leader === undefined ? {} : { leader: { pid: leader.pid, start: leader.start } }), why, host, boot: proc.boot };
  if (claim !== undefined) return { ...claim, ...shared };
  const place = outermost?.tty ?? path;
  const anchor =
    outermost !== undefined ? `leader=${outermost.pid}@${outermost.start}` : ctimeMs !== undefined ? `ctime=${ctimeMs}` : undefined;
  if (anchor === undefined) {
    // The next terminal on this tty would look the same: better no memory than somebody else's.
    why.push({ id: 'no-leader', text: text.nothingTells(path) });
    return { kind: 'none', identity: '', label: shortTty(place), isLasting: false, ...shared };
  }
  why.push({ id: 'tty-decides', text: text.ttyDecides(place) });
  return { kind: 'tty', identity: `tty ${place} ${anchor}`, label: shortTty(place), isLasting: false, ...shared };
}

interface Climb {
  claim?: Claim;
  /** Leader of the session on the tty asked about. */
  leader?: ProcessInfo;
  /** Leader of the last session reached that has a tty. */
  outermost?: ProcessInfo;
}

/** From session leader to session leader, upwards, until a terminal is named or the way ends. */
function climb(facts: TerminalFacts, path: string, self: ProcessInfo | undefined, why: Reason[]): Climb {
  const { proc, env } = facts;
  const reached: Climb = {};
  let session = self === undefined ? undefined : proc.read(self.session);
  if (session === undefined) why.push({ id: 'no-leader', text: text.noLeader });
  for (let step = 0; session !== undefined && step < MAX_CLIMB; step += 1) {
    if (session.tty === path) reached.leader ??= session;
    if (session.tty !== undefined) reached.outermost = session;
    const above = proc.read(session.parent);
    if (above === undefined) {
      why.push({ id: 'no-parent', text: text.noParent(session.name, session.pid) });
      break;
    }
    why.push({ id: 'parent', text: text.parent(session.name, session.pid, above.name, above.pid) });
    // A session without a tty (setsid) is in no pane, whoever started it.
    const claim = session.tty === undefined ? undefined : claimTerminal(env, above, why);
    if (claim !== undefined) {
      if (isOwnPane(facts, claim, session, why)) reached.claim = claim;
      break;
    }
    if (!leadsOn(session, above, path)) break;
    why.push({ id: 'passed-through', text: text.passedThrough(above.name, above.pid, above.tty as string) });
    session = proc.read(above.session);
  }
  return reached;
}

/** True when `above` is no terminal itself but runs in one. */
function leadsOn(session: ProcessInfo, above: ProcessInfo, path: string): boolean {
  if (above.tty === undefined) return false;
  return session.tty === undefined ? above.tty === path : above.tty !== session.tty && PASS_THROUGH.test(above.name);
}

/**
 * A tmux server that was itself started inside a tmux pane hands that pane's TMUX_PANE to its popups and `run-shell` jobs, whose parent
 * is the server as well (seen with 3.3a). Only where the server carries the same number, or can't be looked into, tmux is asked.
 */
function isOwnPane(facts: TerminalFacts, claim: Claim, session: ProcessInfo, why: Reason[]): boolean {
  const { tmux } = claim;
  if (tmux === undefined) return true;
  const atStart = facts.proc.startVariable(tmux.server, 'TMUX_PANE');
  if (atStart !== undefined && atStart.value !== tmux.pane) return true;
  const paneTty = facts.paneTty(tmux);
  if (paneTty === session.tty) return true;
  why.push({ id: 'stale-pane', text: text.stalePane(tmux.pane, paneTty, session.tty as string) });
  return false;
}

/** Hermes Agent's file name for a tty (state-db.md 4). */
export function ttyCrumbName(path: string): string {
  const name = path
    .trim()
    .replace(/^\/+|\/+$/g, '')
    .replace(/[^A-Za-z0-9._-]/g, '-');
  return `tty-${name.slice(0, 120)}`;
}

/** Our own file name: the identity itself may hold anything. */
export function paneCrumbName(identity: string): string {
  return `pane-${createHash('sha256').update(identity).digest('hex').slice(0, 24)}`;
}

function shortTty(path: string): string {
  return path.replace(/^\/dev\//, '');
}

/** Path of the terminal behind a file descriptor; absent when it is none or the system doesn't say (macOS: the process table does). */
function ttyOfDescriptor(descriptor: number): string | undefined {
  if (!isatty(descriptor)) return undefined;
  try {
    const target = readlinkSync(`/proc/self/fd/${descriptor}`);
    return target.startsWith('/dev/') ? target : undefined;
  } catch {
    // No /proc: the controlling terminal is taken instead.
    return undefined;
  }
}

function ttyCtime(path: string): number | undefined {
  try {
    return statSync(path).ctimeMs;
  } catch {
    // The device is outside of this container's /dev: its age is unknown, and nothing is trusted for it.
    return undefined;
  }
}
