import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readPlainFile } from '../text/plain-file.ts';
import { isObject } from './crumb.ts';
import type { ProcessMark } from './identity.ts';
import { isRunning, type ProcessTable } from './process-tree.ts';

/** A session one process has open. */
export interface LiveSession {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** `idle`, `working`, `reading` … as shown; other texts are kept. */
  readonly state: string;
}

/** `<home>/tui/live/<pid>-<start>.json`, version 1: one running program and what it has open (product.md 4). */
export interface LiveRecord extends ProcessMark {
  readonly host: string;
  readonly boot: string | undefined;
  readonly identity: string;
  /** How its terminal is called, `tmux %3`. */
  readonly label: string;
  readonly sessions: readonly LiveSession[];
}

/** Who is asking: this process, or the one a test plays. */
export interface LiveSelf extends ProcessMark {
  readonly host: string;
  readonly boot: string | undefined;
  readonly identity: string;
  readonly label: string;
}

/** A holder this process can't look at (another machine or container) is believed for that long after its last sign of life. */
export const UNSEEN_LIFE_MS = 15 * 60_000;

export const liveFolder = (home: string): string => join(home, 'tui', 'live');
export const recordName = (mark: ProcessMark): string => `${mark.pid}-${mark.start}.json`;

export interface LiveReading {
  /** Records of programs that run, as far as can be told. */
  readonly records: readonly LiveRecord[];
  /** Files with a version this program does not know: left alone. */
  readonly newer: readonly string[];
}

/**
 * Reads the register. Records of processes of this machine and boot that are gone are removed, and requests that went to them; what can't
 * be judged is left: damaged files, and those of other machines, which count while their time is fresh. Never throws.
 */
export function readLiveRecords(
  home: string,
  proc: ProcessTable,
  self: { host: string; boot: string | undefined },
  now: number,
): LiveReading {
  const folder = liveFolder(home);
  const records: LiveRecord[] = [];
  const newer: string[] = [];
  for (const name of listNames(folder)) {
    const path = join(folder, name);
    // A writer killed between writing and renaming; a living one needs no minute.
    if (name.startsWith('.tmp-') && (ageOf(path, now) ?? 0) > 60_000) rmSync(path, { force: true });
    if (!/^\d+-[\d.]+\.json$/.test(name)) continue;
    const record = readRecord(path);
    if (record === 'newer') newer.push(name);
    if (record === undefined || record === 'newer') continue;
    const state = judge(record, path, proc, self, now);
    if (state === 'running') records.push(record);
    else if (state === 'dead') removeWithRequests(folder, name);
  }
  return { records, newer };
}

function judge(
  record: LiveRecord,
  path: string,
  proc: ProcessTable,
  self: { host: string; boot: string | undefined },
  now: number,
): 'running' | 'dead' | 'unknown' {
  if (record.host === self.host && record.boot === self.boot) return isRunning(proc, record.pid, record.start) ? 'running' : 'dead';
  // Same machine, other boot: either before a reboot or in a container; both show only in whether it still gives signs of life.
  const age = ageOf(path, now);
  return age !== undefined && age <= UNSEEN_LIFE_MS ? 'running' : 'unknown';
}

function ageOf(path: string, now: number): number | undefined {
  try {
    return now - statSync(path).mtimeMs;
  } catch {
    // Removed in between: its owner has left.
    return undefined;
  }
}

/** Takes a record away with everything beside it that belongs to it. */
export function removeWithRequests(folder: string, record: string): void {
  for (const name of listNames(folder)) {
    if (name === record || name.startsWith(`${record}.`)) rmSync(join(folder, name), { force: true });
  }
}

function readRecord(path: string): LiveRecord | 'newer' | undefined {
  const fields = readJson(path);
  if (fields === undefined) return undefined;
  if (fields['v'] !== 1) return 'newer';
  const { pid, start, host, boot, identity, label, sessions } = fields;
  if (typeof pid !== 'number' || typeof start !== 'number' || typeof host !== 'string') return undefined;
  return {
    pid,
    start,
    host,
    boot: typeof boot === 'string' ? boot : undefined,
    identity: typeof identity === 'string' ? identity : '',
    label: typeof label === 'string' ? label : `pid ${pid}`,
    sessions: (Array.isArray(sessions) ? sessions : []).flatMap((session: unknown) =>
      isObject(session) && typeof session['id'] === 'string'
        ? [{ id: session['id'], since: Number(session['since']) || 0, state: String(session['state'] ?? 'idle') }]
        : [],
    ),
  };
}

/** A JSON object in a file; absent: no such file, not readable, or half a file of a program that died. */
export function readJson(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readPlainFile(path).replace(/^\uFEFF/, ''));
    return isObject(value) ? value : undefined;
  } catch {
    // The register is a hint that is rebuilt by those who run: a file that tells nothing is nothing.
    return undefined;
  }
}

/** Names in a folder; empty when there is none yet. */
function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nobody registered yet, or the home can't be read: nobody is known to be live.
    return [];
  }
}
