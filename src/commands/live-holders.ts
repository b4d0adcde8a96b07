import { hostname } from 'node:os';
import type { SessionId } from '../session/types.ts';
import { heldSessions } from '../terminal/held-sessions.ts';
import { readLiveRecords } from '../terminal/live-records.ts';
import { openProcessTable } from '../terminal/process-tree.ts';
import type { ShellContext } from './context.ts';

/** Sessions that a running program has open, and who that is, as `heldSessions` of a process that has none itself. */
export function liveHolders(context: ShellContext): Readonly<Record<SessionId, string>> {
  const processes = openProcessTable();
  const self = { host: hostname(), boot: processes.boot };
  return heldSessions(readLiveRecords(context.home.path, processes, self, context.now()).records);
}
