import type { LastRuns } from '../../session/retention.ts';
import type { Connection } from '../connection.ts';
import { all, writeTime } from '../rows.ts';

/** Shared with Hermes Agent: epoch seconds as text (store-v31.md, part A). */
const KEYS = { prune: 'last_auto_prune', archive: 'last_auto_archive', vacuum: 'last_vacuum' } as const;

/** When each kind of work was last done; what is no time is left out. */
export function readLastRuns(connection: Connection): LastRuns {
  if (!connection.has('state_meta')) return {};
  const rows = all(
    connection,
    'SELECT key, value FROM state_meta WHERE key IN (SELECT value FROM json_each(?))',
    JSON.stringify(Object.values(KEYS)),
  );
  const stamps = new Map(rows.map((row) => [String(row['key']), Number(row['value'] ?? NaN) * 1000]));
  const known = Object.entries(KEYS).map(([kind, key]) => [kind, stamps.get(key)] as const);
  return Object.fromEntries(known.filter(([, time]) => time !== undefined && Number.isFinite(time) && time > 0)) as LastRuns;
}

/** Notes that this kind of work was done now. */
export function stampRun(connection: Connection, kind: keyof LastRuns): void {
  if (!connection.has('state_meta')) return;
  const sql = 'INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value';
  connection.statement(sql).run(KEYS[kind], String(writeTime(connection.now())));
}
