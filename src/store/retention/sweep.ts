import type { RetentionPolicy } from '../../session/retention.ts';
import type { Selected } from '../../session/selection.ts';
import type { SessionId } from '../../session/types.ts';
import { emptyBin, eraseForever, moveToBin } from '../bin/index.ts';
import type { DeleteRequest } from '../bin/types.ts';
import type { Connection } from '../connection.ts';
import { turnLeases } from '../reads/facts.ts';
import { selectLineages } from '../reads/select.ts';
import { findDue } from './due.ts';
import { forgetKept, keptSince } from './kept.ts';
import { stampRun } from './stamps.ts';

/** What a sweep may not touch, as in a deletion. */
export type Held = DeleteRequest['held'];

/**
 * Moves idle lineages to the bin; where there is no bin (`trash_days: 0`) they are erased. Only ended ones, and open ones that nobody holds:
 * after a kill a row stays open (product.md 1). Never pinned, archived or in use. What is due is decided inside the transaction, and the run
 * is stamped in it: of two programs that start at once, one finds the other's stamp.
 *
 * @returns how many lineages went
 */
export function pruneIdle(connection: Connection, policy: RetentionPolicy, held: Held): { readonly pruned: number } {
  const { pruneBefore } = findDue(connection, policy);
  if (pruneBefore === undefined) return { pruned: 0 };
  stampRun(connection, 'prune');
  const ids = idleLineages(connection, pruneBefore, held).map((lineage) => lineage.id);
  forgetKept(connection);
  if (ids.length === 0) return { pruned: 0 };
  const remove = policy.trashDays === 0 ? eraseForever : moveToBin;
  return { pruned: remove(connection, { ids, held }).moved.length };
}

/**
 * Archives idle lineages, open ones among them, and marks that nobody did it by hand: a resume then shows them again (store-v31.md B2.5). A store
 * that has no place for that mark is left alone.
 *
 * @returns how many lineages are archived by this
 */
export function archiveIdle(connection: Connection, policy: RetentionPolicy, held: Held): { readonly archived: number } {
  if (!connection.has('sessions', 'auto_archived') || !connection.has('sessions', 'archived')) return { archived: 0 };
  const { archiveBefore } = findDue(connection, policy);
  if (archiveBefore === undefined) return { archived: 0 };
  stampRun(connection, 'archive');
  const lineages = idleLineages(connection, archiveBefore, held);
  forgetKept(connection);
  const ids = JSON.stringify(lineages.flatMap((lineage) => lineage.ids));
  const sql = `UPDATE sessions SET archived = 1, auto_archived = 1 WHERE archived = 0 AND id IN (SELECT value FROM json_each(?))`;
  connection.statement(sql).run(ids);
  return { archived: lineages.length };
}

/** Erases what was in the bin for `trash_days`. @returns how many lineages are gone for good */
export function purgeBin(connection: Connection, policy: RetentionPolicy): { readonly erased: number } {
  const { eraseBefore } = findDue(connection, policy);
  return eraseBefore === undefined ? { erased: 0 } : emptyBin(connection, { olderThan: eraseBefore });
}

/** Lineages idle since `before` (milliseconds) that may be put away: neither pinned nor archived nor anybody's at the moment, nor just brought here. */
function idleLineages(connection: Connection, before: number, held: Held): readonly Selected[] {
  const { lineages } = selectLineages(connection, {
    query: { type: 'test', test: { field: 'active', until: before } },
    endedOnly: false,
    includeArchived: false,
    includePinned: false,
  });
  const routed = routedSessions(connection);
  const special = botChats(connection);
  const working = turnLeases(connection);
  const fresh = new Set([...importedSince(connection, before), ...keptSince(connection, before)]);
  const isInUse = (id: SessionId): boolean =>
    Object.hasOwn(held, id) || working.has(id) || routed.has(id) || special.has(id) || fresh.has(id);
  return lineages.filter((lineage) => lineage.lastActive > 0 && ![...lineage.ids, ...lineage.delegates].some(isInUse));
}

/** Logs of other agents that were imported at `since` (milliseconds) or later: old as they are, somebody wanted them here now. */
function importedSince(connection: Connection, since: number): ReadonlySet<SessionId> {
  if (!connection.has('sessions', 'origin_json')) return new Set();
  const importedAt = `CASE WHEN json_valid(origin_json) THEN json_extract(origin_json, '$.imported_from.imported_at') END`;
  const sql = `SELECT id FROM sessions WHERE origin_json IS NOT NULL AND ${importedAt} >= ?`;
  return new Set(
    connection
      .statement(sql)
      .pluck()
      .all(since / 1000) as SessionId[],
  );
}

/** Sessions a messaging gateway goes on with when somebody writes again, however long that takes. */
function routedSessions(connection: Connection): ReadonlySet<SessionId> {
  if (!connection.has('gateway_routing', 'entry_json')) return new Set();
  const sql = `SELECT json_extract(entry_json, '$.session_id') FROM gateway_routing WHERE json_valid(entry_json)`;
  return new Set(connection.statement(sql).pluck().all() as SessionId[]);
}

/** The hidden session a bot talks in; it is not put away (store-v31.md B2.5). */
function botChats(connection: Connection): ReadonlySet<SessionId> {
  if (!connection.has('sessions', 'hidden') || !connection.has('sessions', 'title')) return new Set();
  return new Set(connection.statement(`SELECT id FROM sessions WHERE hidden = 1 AND title = 'Bot Chat'`).pluck().all() as SessionId[]);
}
