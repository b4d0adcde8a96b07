import type { SessionId } from '../../session/types.ts';
import { binText } from '../../text/en/bin.ts';
import type { Connection } from '../connection.ts';
import { forgetKeptOf } from '../retention/kept.ts';
import type { Going } from './plan.ts';
import { followingRows, followingTables } from './rows.ts';
import type { Refusal } from './types.ts';
import { unlessRefused } from './unless-refused.ts';

/** Kilobytes of pages kept while many rows go: full-text segments are read and written all over the file. */
const CACHE_KILOBYTES = 64_000;

/** For fewer the usual settings of a connection do. */
const manySessions = 100;

/** Tables nothing empties by itself; those of other programs follow by a rule of theirs. */
const rowsOfTheirOwn = new Set(['session_model_usage', 'async_delegations', 'state_meta']);

export interface Removal {
  readonly removed: readonly Going[];
  readonly refused: readonly Refusal[];
}

/**
 * Deletes lineages from the store, inside the caller's transaction: all in one pass, and where the file refuses that (a guard of a newer
 * program's, store-v31.md B4.4) one by one, so that only those it holds on to stay, whole.
 *
 * @throws SqliteError for everything that is no refusal
 */
export function removeLineages(connection: Connection, going: readonly Going[]): Removal {
  if (going.length === 0) return { removed: [], refused: [] };
  return inBulk(connection, going, () => {
    const ids = going.flatMap((one) => one.all);
    if (unlessRefused(connection, () => removeRows(connection, ids)) !== 'refused') return { removed: going, refused: [] };
    const removed: Going[] = [];
    const refused: Refusal[] = [];
    for (const one of going) {
      const { id } = one.lineage.tip;
      const outcome = unlessRefused(connection, () => removeRows(connection, one.all));
      if (outcome === 'refused') refused.push({ id, message: binText.refusedByFile(id) });
      else removed.push(one);
    }
    return { removed, refused };
  });
}

/**
 * Messages go before their sessions: the trigram triggers look at the session row to know what is indexed (store-v31.md B4.3.2). Leases that
 * ran out go too, as nobody could claim them any more. Children that stay lose their parent, which has no rule of its own for that.
 */
function removeRows(connection: Connection, ids: readonly SessionId[]): void {
  const { db } = connection;
  db.exec('CREATE TEMP TABLE IF NOT EXISTS going (id TEXT PRIMARY KEY) WITHOUT ROWID; DELETE FROM temp.going');
  db.prepare('INSERT INTO temp.going SELECT DISTINCT value FROM json_each(?)').run(JSON.stringify(ids));
  const all = 'SELECT id FROM temp.going';
  db.exec(`DELETE FROM messages WHERE session_id IN (${all})`);
  for (const one of followingTables(connection)) {
    if (!rowsOfTheirOwn.has(one.table)) continue;
    db.exec(`DELETE FROM ${one.table} WHERE rowid IN (SELECT r.rowid ${followingRows(one, one.table, 'going')})`);
  }
  forgetKeptOf(connection, all);
  if (connection.has('session_turn_leases')) db.exec(`DELETE FROM session_turn_leases WHERE conversation_id IN (${all})`);
  if (connection.has('compression_locks')) db.exec(`DELETE FROM compression_locks WHERE session_id IN (${all})`);
  if (connection.has('sessions', 'parent_session_id')) {
    db.exec(`UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id IN (${all}) AND id NOT IN (${all})`);
  }
  db.exec(`DELETE FROM sessions WHERE id IN (${all})`);
}

function inBulk<Result>(connection: Connection, going: readonly Going[], work: () => Result): Result {
  if (going.length < manySessions) return work();
  const before = Number(connection.db.pragma('cache_size', { simple: true }));
  connection.db.pragma(`cache_size = -${CACHE_KILOBYTES}`);
  try {
    return work();
  } finally {
    connection.db.pragma(`cache_size = ${before}`);
  }
}
