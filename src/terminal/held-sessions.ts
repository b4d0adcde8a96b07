import { manageText } from '../text/en/manage.ts';
import type { LiveRecord } from './live-records.ts';

/** Sessions that somebody has open, by id, with who that is as it is shown: `tmux %3 (pid 812)`. */
export function heldSessions(records: readonly LiveRecord[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    records.flatMap(({ label, pid, sessions }) => sessions.map(({ id }) => [id, manageText.holder(label, pid)] as const)),
  );
}
