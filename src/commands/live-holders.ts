import { hostname } from 'node:os';
import type { SessionId } from '../session/types.ts';
import { readLiveRecords } from '../terminal/live-records.ts';
import { openProcessTable } from '../terminal/process-tree.ts';
import type { ShellContext } from './context.ts';

/** Sessions that a running program has open, and who that is: `tmux %3 (pid 812)`. */
export function liveHolders(context: ShellContext): Record<SessionId, string> {
  const processes = openProcessTable();
  const self = { host: hostname(), boot: processes.boot };
  const { records } = readLiveRecords(context.home.path, processes, self, context.now());
  const entries = records.flatMap(({ label, pid, sessions }) => {
    const who = label === `pid ${pid}` || label === '' ? `pid ${pid}` : `${label} (pid ${pid})`;
    return sessions.map(({ id }) => [id, who] as const);
  });
  return Object.fromEntries(entries);
}
