import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { compressionLock, turnLease, type Holder } from '../reads/facts.ts';
import { segmentIds } from '../reads/sessions.ts';
import { first, writeTime } from '../rows.ts';
import { isDeadHolder } from './holder.ts';

/** A lease lasts this long unless it is refreshed (state-db.md 2.10). Milliseconds. */
const leaseDuration = 300_000;

/** Leases this far past their end are swept at any claim. */
const sweepAfter = 24 * 3_600_000;

export type Claim = { isOurs: true } | { isOurs: false; by: Holder };

/**
 * Claims the turn of a conversation: both programs run one turn at a time in a lineage (state-db.md 2.10). The key is the root of the
 * lineage. Claiming what is ours already refreshes it.
 */
export function claimTurn(connection: Connection, id: SessionId, holder: string): Claim {
  if (!connection.has('session_turn_leases')) return { isOurs: true };
  const root = rootOf(connection, id);
  const now = connection.now();
  connection.statement('DELETE FROM session_turn_leases WHERE expires_at < ?').run(writeTime(now - sweepAfter));
  connection.statement('DELETE FROM session_turn_leases WHERE conversation_id = ? AND expires_at <= ?').run(root, writeTime(now));
  const sql = 'SELECT holder FROM session_turn_leases WHERE conversation_id = ?';
  const known = first(connection, sql, root)?.['holder'];
  if (typeof known === 'string' && known !== holder && isDeadHolder(known)) releaseTurn(connection, id, known);
  connection
    .statement(
      `INSERT INTO session_turn_leases (conversation_id, holder, acquired_at, expires_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (conversation_id) DO UPDATE SET expires_at = excluded.expires_at WHERE holder = excluded.holder`,
    )
    .run(root, holder, writeTime(now), writeTime(now + leaseDuration));
  const by = turnLease(connection, root);
  return by === undefined || by.holder === holder ? { isOurs: true } : { isOurs: false, by };
}

/** @returns false when the lease is not ours any more */
export function refreshTurn(connection: Connection, id: SessionId, holder: string): boolean {
  if (!connection.has('session_turn_leases')) return true;
  const sql = 'UPDATE session_turn_leases SET expires_at = ? WHERE conversation_id = ? AND holder = ?';
  return connection.statement(sql).run(writeTime(connection.now() + leaseDuration), rootOf(connection, id), holder).changes > 0;
}

/** Only its holder can let a lease go. */
export function releaseTurn(connection: Connection, id: SessionId, holder: string): void {
  if (!connection.has('session_turn_leases')) return;
  connection.statement('DELETE FROM session_turn_leases WHERE conversation_id = ? AND holder = ?').run(rootOf(connection, id), holder);
}

/** Claims the right to compress one session; stale at `expires_at < now` (store-v31.md B1, 2.10). */
export function claimCompression(connection: Connection, id: SessionId, holder: string): Claim {
  if (!connection.has('compression_locks')) return { isOurs: true };
  const now = connection.now();
  connection.statement('DELETE FROM compression_locks WHERE session_id = ? AND expires_at < ?').run(id, writeTime(now));
  const known = first(connection, 'SELECT holder FROM compression_locks WHERE session_id = ?', id)?.['holder'];
  if (typeof known === 'string' && known !== holder && isDeadHolder(known)) releaseCompression(connection, id, known);
  connection
    .statement(
      `INSERT INTO compression_locks (session_id, holder, acquired_at, expires_at) VALUES (?, ?, ?, ?)
        ON CONFLICT (session_id) DO UPDATE SET expires_at = excluded.expires_at WHERE holder = excluded.holder`,
    )
    .run(id, holder, writeTime(now), writeTime(now + leaseDuration));
  const by = compressionLock(connection, id);
  return by === undefined || by.holder === holder ? { isOurs: true } : { isOurs: false, by };
}

/** Only its holder can let a lock go. */
export function releaseCompression(connection: Connection, id: SessionId, holder: string): void {
  if (!connection.has('compression_locks')) return;
  connection.statement('DELETE FROM compression_locks WHERE session_id = ? AND holder = ?').run(id, holder);
}

function rootOf(connection: Connection, id: SessionId): SessionId {
  return segmentIds(connection, id)[0] ?? id;
}
