import { randomUUID } from 'node:crypto';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomic } from '../text/write-atomic.ts';
import { createExclusive, takeAway, type Creation } from './exclusive-file.ts';
import {
  liveFolder,
  readJson,
  readLiveRecords,
  recordName,
  removeWithRequests,
  type LiveReading,
  type LiveSelf,
  type LiveSession,
} from './live-records.ts';
import { isRunning, type ProcessTable } from './process-tree.ts';

/** Who has a session open. */
export interface LiveHolder extends LiveSelf {
  readonly session: LiveSession;
}

export interface LiveRegister {
  readonly home: string;
  readonly self: LiveSelf;
  /** What this process has open. */
  sessions(): readonly LiveSession[];
  /** Everyone who runs, this process included. */
  read(): LiveReading;
  /** Who else has one of these sessions (a lineage's ids) open; absent = nobody. */
  ownerOf(ids: string | readonly string[]): LiveHolder | undefined;
  /**
   * Opens a session for this process, unless somebody else has one of `ids` (its lineage): then that holder is returned and nothing
   * changes. Two processes that claim at the same moment can't both get it.
   */
  claim(id: string, state?: string, ids?: readonly string[]): LiveHolder | undefined;
  /** What the session is doing now; no effect on one this process has not claimed. */
  setState(id: string, state: string): void;
  /** Gives one session up; the record goes with the last. */
  release(id: string): void;
  /** Gives everything up. Synchronous, for exit handlers; may be called again. */
  remove(): void;
  /** Shows that this process lives to those who can't look at it; called every 5 minutes. */
  touch(): void;
}

export interface LiveOptions {
  readonly home: string;
  readonly self: LiveSelf;
  readonly proc: ProcessTable;
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * This process's side of the live register. Nothing is written before the first `claim`. Where the home can't be written claims succeed
 * unseen: then the store can't be written either.
 */
export function openLiveRegister({ home, self, proc, now }: LiveOptions): LiveRegister {
  const folder = liveFolder(home);
  const path = join(folder, recordName(self));
  let sessions: readonly LiveSession[] = [];

  const read = (): LiveReading => readLiveRecords(home, proc, self, now());

  function save(next: readonly LiveSession[]): void {
    sessions = next;
    if (sessions.length === 0) removeWithRequests(folder, recordName(self));
    else tolerateReadOnly(() => writeAtomic(path, `${JSON.stringify({ v: 1, ...self, sessions })}\n`));
  }

  function ownerOf(ids: string | readonly string[]): LiveHolder | undefined {
    const wanted = typeof ids === 'string' ? [ids] : ids;
    for (const { sessions: theirs, ...holder } of read().records) {
      if (holder.pid === self.pid && holder.start === self.start && holder.host === self.host) continue;
      const session = theirs.find((candidate) => wanted.includes(candidate.id));
      if (session !== undefined) return { ...holder, session };
    }
    return undefined;
  }

  return {
    home,
    self,
    sessions: () => sessions,
    read,
    ownerOf,
    claim(id, state = 'idle', ids = []) {
      return withLock(folder, { self, proc }, () => {
        const owner = ownerOf([id, ...ids]);
        if (owner !== undefined) return owner;
        const known = sessions.find((session) => session.id === id);
        save([...sessions.filter((session) => session.id !== id), { id, since: known?.since ?? now(), state }]);
        return undefined;
      });
    },
    setState(id, state) {
      const known = sessions.find((session) => session.id === id);
      if (known !== undefined && known.state !== state)
        save(sessions.map((session) => (session.id === id ? { ...session, state } : session)));
    },
    release(id) {
      if (sessions.some((session) => session.id === id)) save(sessions.filter((session) => session.id !== id));
    },
    remove() {
      if (sessions.length > 0) save([]);
    },
    touch() {
      if (sessions.length > 0) tolerateReadOnly(() => utimesSync(path, now() / 1000, now() / 1000));
    },
  };
}

const LOCK_STEP_MS = 2;
const LOCK_STEPS = 500;

/**
 * Runs `work` (synchronous, about 1 ms) while no other process of this home does. A lock whose owner died is broken; one that nobody lets
 * go within a second is passed over, because a session that can't be opened at all is worse than one opened twice.
 */
function withLock<T>(folder: string, { self, proc }: Pick<LiveOptions, 'self' | 'proc'>, work: () => T): T {
  const lock = join(folder, 'claim.lock');
  const { pid, start, host, boot } = self;
  const token = randomUUID();
  let creation: Creation = 'exists';
  for (let step = 0; step < LOCK_STEPS; step += 1) {
    creation = createExclusive(lock, { v: 1, token, pid, start, host, boot });
    if (creation !== 'exists') break;
    const owner = readJson(lock);
    const isDead = owner?.['host'] === host && owner['boot'] === boot && !isRunning(proc, Number(owner['pid']), Number(owner['start']));
    if (isDead) takeAway(lock, owner['token']);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_STEP_MS);
  }
  try {
    return work();
  } finally {
    if (creation === 'created') takeAway(lock, token);
  }
}

/** A register that can't be written is a register nobody sees; opening sessions goes on. */
function tolerateReadOnly(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (
      !['EROFS', 'EACCES', 'EPERM', 'EEXIST', 'ENOENT', 'ENOTDIR', 'ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
    )
      throw error;
  }
}
