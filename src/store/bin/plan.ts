import type { LineageSource } from '../../session/lineage.ts';
import type { SessionId } from '../../session/types.ts';
import { binText } from '../../text/en/bin.ts';
import type { Connection } from '../connection.ts';
import { delegatesBelow } from '../reads/delegates.ts';
import { turnLeases } from '../reads/facts.ts';
import { lazySource, lineageOf, selectNodes, wholeSource, type Lineage, type Node } from '../reads/lineages.ts';
import { all } from '../rows.ts';
import { isDeadHolder, isProcessAlive } from '../writes/holder.ts';
import type { DeleteRequest, Refusal } from './types.ts';

/** One lineage that is to go, with everything that goes along. */
export interface Going {
  readonly lineage: Lineage;
  /** Sub-agents' sessions below any segment, theirs included. */
  readonly delegates: readonly SessionId[];
  /** Segments, then delegates. */
  readonly all: readonly SessionId[];
}

export interface Plan {
  readonly going: readonly Going[];
  readonly refused: readonly Refusal[];
}

/** From this many sessions on, one pass over the table is quicker than looking each of them up. */
const wholeFrom = 200;

/**
 * What a request takes away: each lineage once, whole, with its delegates; branches, resets and continuations that lost stay. A lineage in
 * use is refused by name: open in a program, in a turn, being compressed, or with a sub-agent at work.
 */
export function planDeletion(connection: Connection, request: DeleteRequest): Plan {
  const source = request.ids.length < wholeFrom ? lazySource(connection) : wholeSource(selectNodes(connection, ''));
  const refused: Refusal[] = [];
  const wanted = new Map<SessionId, Going>();
  for (const id of request.ids) {
    const node = source.node(id);
    if (node === undefined) {
      refused.push({ id, message: binText.notStored(id) });
      continue;
    }
    const lineage = lineageOf(connection, node, source);
    if (!wanted.has(lineage.root.id)) wanted.set(lineage.root.id, goingOf(lineage, source));
  }
  const use = readUse(connection, request.held);
  const free: Going[] = [];
  for (const going of wanted.values()) {
    const why = going.all.map(use).find((reason) => reason !== undefined);
    if (why === undefined) free.push(going);
    else refused.push({ id: going.lineage.tip.id, message: binText.active(going.lineage.tip.id, why) });
  }
  // A sub-agent's session that goes along with another one is no lineage of its own here.
  const along = new Set(free.flatMap((going) => going.delegates));
  return { going: free.filter((going) => !along.has(going.lineage.root.id)), refused };
}

function goingOf(lineage: Lineage, source: LineageSource<Node>): Going {
  const delegates = delegatesBelow(lineage.segments, source);
  return { lineage, delegates, all: [...lineage.segments.map((segment) => segment.id), ...delegates] };
}

/** Why a session can't go now, as a part of a sentence; undefined when nobody uses it. */
function readUse(connection: Connection, held: DeleteRequest['held']): (id: SessionId) => string | undefined {
  const turns = turnLeases(connection);
  const locks = compressionHolders(connection);
  const working = workingDelegations(connection);
  return (id) => {
    const holder = Object.hasOwn(held, id) ? held[id] : undefined;
    if (holder !== undefined) return binText.isOpen(holder);
    const turn = turns.get(id)?.holder;
    if (turn !== undefined && !isDeadHolder(turn)) return binText.hasTurn(turn);
    const lock = locks.get(id);
    if (lock !== undefined && !isDeadHolder(lock)) return binText.isCompressed(lock);
    const delegate = working.get(id);
    return delegate === undefined ? undefined : binText.hasDelegate(delegate);
  };
}

/** Stale at `expires_at < now` (store-v31.md B1, 2.10). */
function compressionHolders(connection: Connection): Map<SessionId, string> {
  if (!connection.has('compression_locks')) return new Map();
  const rows = all(connection, 'SELECT session_id, holder FROM compression_locks WHERE expires_at >= ?', connection.now() / 1000);
  return new Map(rows.map((row) => [String(row['session_id']), String(row['holder'])]));
}

/** States of a delegation that is over, whatever else they are called there. */
const over = ['completed', 'failed', 'cancelled', 'canceled', 'error', 'timeout', 'interrupted', 'lost', 'done'];

/** Sub-agents at work, by the sessions they work for. One whose process is gone works no more, whatever its row says. */
function workingDelegations(connection: Connection): Map<SessionId, string> {
  const found = new Map<SessionId, string>();
  if (!connection.has('async_delegations', 'owner_pid')) return found;
  const sql = `SELECT delegation_id, parent_session_id, origin_session, owner_pid FROM async_delegations
    WHERE completed_at IS NULL AND typeof(owner_pid) = 'integer' AND owner_pid > 0 AND state NOT IN (SELECT value FROM json_each(?))`;
  for (const row of all(connection, sql, JSON.stringify(over))) {
    if (!isProcessAlive(Number(row['owner_pid']))) continue;
    for (const id of [row['parent_session_id'], row['origin_session']]) {
      if (typeof id === 'string') found.set(id, String(row['delegation_id']));
    }
  }
  return found;
}
