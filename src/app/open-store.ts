import { openStore } from '../store/client.ts';
import type { Reads } from '../store/reads/index.ts';
import { openLiveRegister, type LiveRegister } from '../terminal/live-register.ts';
import type { ProgramWrites } from './program-writes.ts';
import type { SessionStore } from './recorder.ts';
import type { Run } from './run.ts';

/** The store of this home; neither of its threads runs before its first call. */
export function openSessionStore(run: Run): SessionStore {
  return openStore<Reads, ProgramWrites>({
    path: run.home.storePath,
    journalMode: run.loaded().config.database.journalMode,
    workers: run.workers,
    now: run.now,
  });
}

/** This process's side of the live register; nothing is written before its first claim. */
export function openRegister(run: Run): LiveRegister {
  const { host, boot, identity, label } = run.terminal();
  return openLiveRegister({
    home: run.home.path,
    self: { pid: process.pid, start: run.processes.read(process.pid)?.start ?? 0, host, boot, identity, label },
    proc: run.processes,
    now: run.now,
  });
}
