import { previewText } from '../../session/preview.ts';
import { statusOf, type LastMessage } from '../../session/status.ts';
import type { SessionId, SessionRow, SessionStatus } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { decodeContentStart } from '../content.ts';
import { put, readNumber, readText } from '../rows.ts';
import { columnOr, contentStartSql, indexedBy, isEventSql, visibleSql } from './columns.ts';
import { isDelegate, type Lineage } from './lineages.ts';

/** Enough of an opener to fill a preview after its white space is collapsed. */
const openerCharacters = 240;

/**
 * First message of the user's that a reader saw, as stored (state-db.md 2.9), for `s.id`. `role` stands before the content in the row, so
 * that rows of others are passed over without reading what they say.
 */
function openerSql(connection: Connection): string {
  const summary = connection.has('messages', '_compressed_summary') ? 'COALESCE(m._compressed_summary, 0) = 0' : '1';
  return `(SELECT ${contentStartSql('m', openerCharacters, 8192)} FROM messages AS m ${indexedBy(connection, 'idx_messages_session')}
    WHERE m.session_id = s.id AND m.role = 'user' AND m.content IS NOT NULL AND m.content <> ''
      AND NOT (${isEventSql(connection, 'm')}) AND ${summary} AND substr(m.content, 1, 18) NOT IN ('[CONTEXT COMPACTIO', '[CONTEXT SUMMARY]:')
      AND ${visibleSql(connection, 'm')}
    ORDER BY m.timestamp, m.id LIMIT 1)`;
}

/** Role, finish reason and open calls of the last visible message of `s.id`, joined by U+001F. */
function lastMessageSql(connection: Connection): string {
  const byId = connection.shape.indexes.has('idx_messages_session_id');
  const calls = `CASE WHEN m.tool_calls IS NULL OR m.tool_calls IN ('', '[]') THEN '0' ELSE '1' END`;
  const reason = `COALESCE(${columnOr(connection, 'messages', 'm', 'finish_reason')}, '')`;
  return `(SELECT m.role || char(31) || ${reason} || char(31) || ${calls} FROM messages AS m
    ${indexedBy(connection, byId ? 'idx_messages_session_id' : 'idx_messages_session')}
    WHERE m.session_id = s.id AND m.role <> 'session_meta' AND ${visibleSql(connection, 'm')}
    ORDER BY ${byId ? 'm.id DESC' : 'm.timestamp DESC, m.id DESC'} LIMIT 1)`;
}

function readLast(value: unknown): LastMessage | undefined {
  if (typeof value !== 'string') return undefined;
  const [role = '', reason = '', calls] = value.split('\u001f');
  return { role, hasToolCalls: calls === '1', ...(reason === '' ? {} : { finishReason: reason }) };
}

/** One statement per question for any number of ids: a round trip per row costs more than the look-up. */
function forIds(connection: Connection, columns: string, ids: readonly SessionId[]): unknown[][] {
  const sql = `SELECT s.id, ${columns} FROM json_each(?) AS wanted CROSS JOIN sessions AS s ON s.id = wanted.value`;
  return connection.statement(sql).raw(true).all(JSON.stringify(ids)) as unknown[][];
}

/** Previews by session; a session that says nothing has no entry. */
export function previewOf(connection: Connection, ids: readonly SessionId[]): Map<SessionId, string> {
  const found = new Map<SessionId, string>();
  for (const [id, opener] of forIds(connection, openerSql(connection), ids)) {
    const preview = opener === null ? undefined : previewText(decodeContentStart(opener));
    if (preview !== undefined) found.set(String(id), preview);
  }
  return found;
}

/** How the last turn of each session stands. */
export function statusesOf(connection: Connection, ids: readonly SessionId[]): Map<SessionId, SessionStatus> {
  return new Map(forIds(connection, lastMessageSql(connection), ids).map(([id, last]) => [String(id), statusOf(readLast(last))]));
}

export interface RowOptions {
  /** Which rows get a preview; it is the dearest column. */
  previews: 'all' | 'untitled' | 'none';
}

/** Lineages as lists show them, in the order given. */
export function sessionRows(connection: Connection, lineages: readonly Lineage[], options: RowOptions): SessionRow[] {
  const column = (name: string, missing = 'NULL'): string => columnOr(connection, 'sessions', 's', name, missing);
  const details = ['title', 'created_source', 'git_branch', 'model', 'handoff_state'].map((name) => column(name)).join(', ');
  const opener = options.previews === 'none' ? 'NULL' : openerSql(connection);
  const wanted = options.previews === 'untitled' ? `CASE WHEN ${column('title')} IS NULL THEN ${opener} END` : opener;
  // Earlier segments lend their title to an untitled tip, the root its opener (state-db.md 2.5).
  const ids = lineages.flatMap((lineage) => lineage.segments.map((segment) => segment.id));
  const byId = new Map(forIds(connection, `${details}, ${wanted}, ${lastMessageSql(connection)}`, ids).map((row) => [String(row[0]), row]));
  return lineages.map((lineage) => toRow(lineage, byId));
}

function toRow(lineage: Lineage, byId: ReadonlyMap<SessionId, readonly unknown[]>): SessionRow {
  const { tip, root } = lineage;
  const details = byId.get(tip.id) ?? [];
  const row: SessionRow = {
    id: tip.id,
    rootId: root.id,
    source: tip.source,
    startedAt: root.startedAt,
    lastActive: lineage.lastActive,
    messageCount: readNumber(tip.messageCount) ?? 0,
    pinned: tip.pinned,
    archived: tip.archived,
    hidden: tip.hidden,
    class: lineage.class,
    segments: lineage.segments.length,
    ids: lineage.segments.map((segment) => segment.id),
    status: statusOf(readLast(details[7])),
  };
  const newestFirst = [...lineage.segments].reverse();
  const lent = (index: number): unknown =>
    newestFirst.map((segment) => byId.get(segment.id)?.[index]).find((value) => typeof value === 'string' || value instanceof Uint8Array);
  put(row, 'title', readText(lent(1)));
  const opener = details[6] ?? lent(6);
  if (opener !== null && opener !== undefined) put(row, 'preview', previewText(decodeContentStart(opener)));
  put(row, 'createdSource', readText(details[2]));
  put(row, 'gitBranch', readText(details[3]));
  put(row, 'model', readText(details[4]));
  put(row, 'handoffState', readText(details[5]));
  put(row, 'cwd', tip.cwd);
  put(row, 'gitRepoRoot', tip.gitRepoRoot);
  if (tip.endedAt !== undefined) row.ended = true;
  if (isDelegate(lineage)) row.isDelegate = true;
  return row;
}
