import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readPlainFile } from '../text/plain-file.ts';
import { breadcrumbText as text } from '../text/en/terminal.ts';
import { writeAtomic } from '../text/write-atomic.ts';
import { parseCrumb, type Crumb, type CrumbMark } from './crumb.ts';
import { paneCrumbName, type Terminal } from './identity.ts';
import { isRunning, type ProcessTable } from './process-tree.ts';
import type { TerminalWindow } from './tmux.ts';

export type RejectionId =
  | 'unreadable'
  | 'not-json'
  | 'no-session'
  | 'no-time'
  | 'too-old'
  | 'future'
  | 'newer-format'
  | 'no-evidence'
  | 'other-terminal'
  | 'other-host'
  | 'before-reboot'
  | 'other-leader'
  | 'older-than-tty'
  | 'unknown-tty-age';

/** A breadcrumb that was there and was not followed. */
export interface Rejection {
  readonly id: RejectionId;
  /** File name in `terminal-sessions/`. */
  readonly file: string;
  /** The session it names, where that could be read: a line can say which one was not taken. */
  readonly sessionId?: string;
  readonly text: string;
}

export interface FoundBreadcrumb {
  readonly kind: 'found';
  readonly sessionId: string;
  /** Directory at the time; absent when the file names none. Never compared. */
  readonly cwd?: string;
  readonly from: 'pane' | 'tty';
  readonly ageMs: number;
  /** The other file, if it was there and did not fit. */
  readonly rejected: readonly Rejection[];
}

export interface NoBreadcrumb {
  readonly kind: 'none';
  /** Empty: this terminal has no breadcrumb at all. */
  readonly rejected: readonly Rejection[];
}

const DAY_MS = 86_400_000;
/** A breadcrumb of a terminal unused for that long is dead (state-db.md 4). */
export const CRUMB_LIFE_MS = 30 * DAY_MS;
/** Clocks of one machine are corrected by less. */
const CLOCK_SLACK_MS = 60_000;

export const crumbFolder = (home: string): string => join(home, 'terminal-sessions');

/**
 * The session last used in this terminal: the newer of our breadcrumb and Hermes Agent's whose evidence fits (product.md 4). `home` is
 * the folder of the store, `now` milliseconds. Bad files are answers, not errors: nothing is thrown, nothing written.
 */
export function readBreadcrumb(home: string, terminal: Terminal, now: number): FoundBreadcrumb | NoBreadcrumb {
  const rejected: Rejection[] = [];
  const fitting: { from: 'pane' | 'tty'; crumb: Crumb }[] = [];
  for (const { name, from } of crumbsOf(terminal)) {
    const crumb = readCrumb(crumbFolder(home), name);
    if (crumb === undefined) continue;
    const reason = 'id' in crumb ? crumb.id : (judgeAge(crumb, now) ?? judgeEvidence(from, crumb, terminal));
    if (reason === undefined) fitting.push({ from, crumb: crumb as Crumb });
    else rejected.push(reject(reason, name, 'id' in crumb ? undefined : crumb));
  }
  const best = fitting.sort((a, b) => b.crumb.timeMs - a.crumb.timeMs)[0];
  if (best === undefined) return { kind: 'none', rejected };
  const { crumb, from } = best;
  return {
    kind: 'found',
    sessionId: crumb.sessionId,
    from,
    ageMs: Math.max(0, now - crumb.timeMs),
    rejected,
    ...(crumb.cwd === undefined ? {} : { cwd: crumb.cwd }),
  };
}

/** The files this terminal's session may stand in, our own first. */
function crumbsOf(terminal: Terminal): { name: string; from: 'pane' | 'tty' }[] {
  return [
    ...(terminal.identity === '' ? [] : [{ name: paneCrumbName(terminal.identity), from: 'pane' as const }]),
    ...(terminal.tty === undefined ? [] : [{ name: terminal.tty.crumbName, from: 'tty' as const }]),
  ];
}

function readCrumb(folder: string, name: string): Crumb | { id: RejectionId } | undefined {
  let source: string;
  try {
    source = readPlainFile(join(folder, name));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : { id: 'unreadable' };
  }
  return parseCrumb(source);
}

function judgeAge(crumb: Crumb, now: number): RejectionId | undefined {
  if (crumb.timeMs > now + CLOCK_SLACK_MS) return 'future';
  return now - crumb.timeMs > CRUMB_LIFE_MS ? 'too-old' : undefined;
}

function judgeEvidence(from: 'pane' | 'tty', crumb: Crumb, terminal: Terminal): RejectionId | undefined {
  if (crumb.mark === 'newer') return 'newer-format';
  const { mark } = crumb;
  if (from === 'pane') {
    // The name of the file is a hash, and files get copied: the identity inside decides.
    if (mark === undefined) return 'no-evidence';
    if (mark.identity !== terminal.identity) return 'other-terminal';
    return terminal.isLasting ? undefined : judgePlace(mark, terminal);
  }
  if (mark?.leader !== undefined && terminal.leader !== undefined) {
    const place = judgePlace(mark, terminal);
    if (place !== undefined) return place;
    return mark.leader.pid === terminal.leader.pid && mark.leader.start === terminal.leader.start ? undefined : 'other-leader';
  }
  if (terminal.tty?.ctimeMs === undefined) return 'unknown-tty-age';
  return crumb.timeMs < terminal.tty.ctimeMs ? 'older-than-tty' : undefined;
}

/** Pids and start times mean something on one machine between two boots only. */
function judgePlace(mark: CrumbMark, terminal: Terminal): RejectionId | undefined {
  if (mark.host !== terminal.host) return 'other-host';
  return mark.boot === terminal.boot ? undefined : 'before-reboot';
}

function reject(id: RejectionId, file: string, crumb: Crumb | undefined): Rejection {
  const sessionId = crumb?.sessionId;
  return { id, file, text: text.rejected[id](file, sessionId), ...(sessionId === undefined ? {} : { sessionId }) };
}

export interface NewBreadcrumb {
  readonly sessionId: string;
  readonly cwd: string;
  /** All sessions open in this terminal's window, the focused one first; just `sessionId` while there is one. */
  readonly sessions?: readonly string[];
  /** From `askWindow`, where it is known. */
  readonly window?: TerminalWindow | undefined;
}

export interface BreadcrumbWriting {
  readonly written: readonly string[];
  /** Left alone: a newer program's format. */
  readonly left: readonly string[];
  /** Code of the first file system error (`EACCES`, `EROFS` …): the pane won't be remembered, nothing else is lost. */
  readonly failed?: string;
}

/**
 * Remembers `sessionId` for this terminal, in both files (product.md 4): when a stored session is opened and when a conversation gets
 * its first message. Files 0600, folder 0700, each replaced at once; files unused for 30 days go. Throws nothing.
 */
export function writeBreadcrumb(home: string, terminal: Terminal, crumb: NewBreadcrumb, now: number): BreadcrumbWriting {
  const folder = crumbFolder(home);
  const written: string[] = [];
  const left: string[] = [];
  const line = JSON.stringify({
    session_id: crumb.sessionId,
    cwd: crumb.cwd,
    ts: now / 1000,
    hermes_tui: {
      v: 1,
      identity: terminal.identity,
      leader: terminal.leader,
      tty_ctime: terminal.tty?.ctimeMs,
      host: terminal.host,
      boot: terminal.boot,
      sessions: crumb.sessions ?? [crumb.sessionId],
      window: crumb.window && { name: crumb.window.name, index: crumb.window.index, automatic: crumb.window.isAutomatic },
    },
  });
  try {
    for (const { name } of crumbsOf(terminal)) {
      const present = readCrumb(folder, name);
      if (present !== undefined && 'mark' in present && present.mark === 'newer') {
        left.push(name);
        continue;
      }
      writeAtomic(join(folder, name), `${line}\n`);
      written.push(name);
    }
    if (written.length > 0) pruneBreadcrumbs(folder, now);
  } catch (error) {
    return { written, left, failed: (error as NodeJS.ErrnoException).code ?? 'unknown' };
  }
  return { written, left };
}

/** Takes away breadcrumbs whose terminal was not used for 30 days, and temporary files of writers that died. */
function pruneBreadcrumbs(folder: string, now: number): void {
  for (const name of readdirSync(folder)) {
    const life = name.startsWith('.tmp-') ? DAY_MS : /^(pane|tty)-/.test(name) ? CRUMB_LIFE_MS : Infinity;
    if (life === Infinity) continue;
    const path = join(folder, name);
    try {
      const facts = statSync(path);
      if (facts.isFile() && now - facts.mtimeMs > life) rmSync(path);
    } catch {
      // Another process pruned it in between, or it is not ours to remove: it is looked at again at the next write.
    }
  }
}

export interface RestartOffer {
  readonly sessionId: string;
  readonly cwd: string;
  readonly ageMs: number;
  readonly window: { readonly name: string; readonly index: number };
}

export type RestartAnswer =
  | { readonly kind: 'offer'; readonly offer: RestartOffer }
  | { readonly kind: 'none'; readonly reason: 'no-window' | 'nothing-fits' }
  /** More than one conversation fits: none is offered. */
  | { readonly kind: 'none'; readonly reason: 'several-fit'; readonly sessionIds: readonly string[] };

/**
 * After a reboot or a restart of the tmux server: the session whose breadcrumb fits this window's name, number and directory, if there is
 * exactly one. To be offered, never followed. Only terminals that are gone count: their host is this one, and the boot or the session
 * leader is not running any more. A name tmux gave itself is that of the running program and is not compared.
 */
export function offerAfterRestart(
  home: string,
  terminal: Terminal,
  here: { readonly cwd: string; readonly window: TerminalWindow | undefined; readonly proc: ProcessTable },
  now: number,
): RestartAnswer {
  const { window } = here;
  if (window === undefined || terminal.isLasting) return { kind: 'none', reason: 'no-window' };
  const fitting = new Map<string, RestartOffer>();
  for (const name of listPaneCrumbs(crumbFolder(home))) {
    const crumb = readCrumb(crumbFolder(home), name);
    if (crumb === undefined || 'id' in crumb || crumb.mark === undefined || crumb.mark === 'newer') continue;
    if (judgeAge(crumb, now) !== undefined || crumb.cwd !== here.cwd) continue;
    const { mark } = crumb;
    if (mark.window === undefined || mark.identity === terminal.identity || mark.host !== terminal.host) continue;
    if (mark.identity.split(' ')[0] !== terminal.kind || !isGone(mark, terminal, here.proc)) continue;
    const isSameName = mark.window.isAutomatic && window.isAutomatic ? true : mark.window.name === window.name;
    if (mark.window.index !== window.index || !isSameName) continue;
    const known = fitting.get(crumb.sessionId);
    const ageMs = Math.max(0, now - crumb.timeMs);
    if (known !== undefined && known.ageMs <= ageMs) continue;
    fitting.set(crumb.sessionId, {
      sessionId: crumb.sessionId,
      cwd: here.cwd,
      ageMs,
      window: { name: mark.window.name, index: mark.window.index },
    });
  }
  const [first, ...others] = [...fitting.values()];
  if (first === undefined) return { kind: 'none', reason: 'nothing-fits' };
  return others.length === 0 ? { kind: 'offer', offer: first } : { kind: 'none', reason: 'several-fit', sessionIds: [...fitting.keys()] };
}

function isGone(mark: CrumbMark, terminal: Terminal, proc: ProcessTable): boolean {
  if (mark.boot === undefined || terminal.boot === undefined) return false;
  if (mark.boot !== terminal.boot) return true;
  return mark.leader !== undefined && !isRunning(proc, mark.leader.pid, mark.leader.start);
}

function listPaneCrumbs(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith('pane-'));
  } catch {
    // No folder yet, or none that may be read: nothing fits.
    return [];
  }
}
