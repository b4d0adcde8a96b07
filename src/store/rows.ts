import { isSaneTime } from '../session/order.ts';
import type { Message, Session } from '../session/types.ts';
import type { Connection } from './connection.ts';
import { decodeContent, decodeToolCalls, parseObject } from './content.ts';

/** A row as better-sqlite3 hands it out. snake_case, null and float seconds end in this file. */
export type Row = Readonly<Record<string, unknown>>;

/** Seconds of the store → milliseconds; a value no clock could have shown is undefined (state-db.md 2.6). */
export function readTime(value: unknown): number | undefined {
  if (typeof value !== 'number') return undefined;
  const time = value * 1000;
  return isSaneTime(time) ? time : undefined;
}

/** Milliseconds → seconds, as the store has them. */
export function writeTime(time: number): number {
  return time / 1000;
}

export function readText(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value as number);
}

export function readNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

const isSet = (value: unknown): boolean => value === 1 || value === 1n || value === '1';

/** Columns a session is made of, with what stands for one that this file's era does not have yet. */
const sessionColumns: readonly (readonly [column: string, missing: string])[] = [
  ['id', 'NULL'],
  ['source', "''"],
  ['created_source', 'NULL'],
  ['title', 'NULL'],
  ['title_source', 'NULL'],
  ['model', 'NULL'],
  ['model_config', 'NULL'],
  ['parent_session_id', 'NULL'],
  ['session_key', 'NULL'],
  ['started_at', 'NULL'],
  ['ended_at', 'NULL'],
  ['end_reason', 'NULL'],
  ['last_activity_at', 'NULL'],
  ['message_count', '0'],
  ['tool_call_count', '0'],
  ['input_tokens', '0'],
  ['output_tokens', '0'],
  ['estimated_cost_usd', 'NULL'],
  ['actual_cost_usd', 'NULL'],
  ['cwd', 'NULL'],
  ['git_repo_root', 'NULL'],
  ['git_branch', 'NULL'],
  ['archived', '0'],
  ['auto_archived', '0'],
  ['pinned', '0'],
  ['hidden', '0'],
  ['handoff_state', 'NULL'],
  ['handoff_platform', 'NULL'],
];

/** The newest believable time of a session's messages, seconds, for `sessions AS <alias>`; one seek in idx_messages_session. */
export const newestMessageSql = (alias: string): string => `(SELECT t.timestamp FROM messages AS t WHERE t.session_id = ${alias}.id
  AND t.timestamp > 0 AND t.timestamp <= 4200000000 ORDER BY t.timestamp DESC LIMIT 1)`;

/** The columns of `sessions AS s` that `readSession` wants, built from what this file has; unknown columns are left alone. */
export function sessionSelect(connection: Connection): string {
  const list = sessionColumns.map(([column, missing]) => (connection.has('sessions', column) ? `s.${column}` : `${missing} AS ${column}`));
  return `${list.join(', ')}, ${newestMessageSql('s')} AS newest_message`;
}

/** Last activity: the later of heartbeat and newest message, else the start; 0 when none can be believed (state-db.md 2.6). */
export function lastActiveOf(heartbeat: unknown, newestMessage: unknown, started: unknown): number {
  return Math.max(readTime(heartbeat) ?? 0, readTime(newestMessage) ?? 0) || (readTime(started) ?? 0);
}

export function readSession(row: Row): Session {
  const session: Session = {
    id: String(row['id']),
    source: readText(row['source']) ?? '',
    modelConfig: parseObject(row['model_config']),
    startedAt: readTime(row['started_at']) ?? 0,
    lastActive: lastActiveOf(row['last_activity_at'], row['newest_message'], row['started_at']),
    messageCount: readNumber(row['message_count']) ?? 0,
    toolCallCount: readNumber(row['tool_call_count']) ?? 0,
    inputTokens: readNumber(row['input_tokens']) ?? 0,
    outputTokens: readNumber(row['output_tokens']) ?? 0,
    archived: isSet(row['archived']),
    autoArchived: isSet(row['auto_archived']),
    pinned: isSet(row['pinned']),
    hidden: isSet(row['hidden']),
  };
  put(session, 'createdSource', readText(row['created_source']));
  put(session, 'title', readText(row['title']));
  put(session, 'titleSource', readText(row['title_source']));
  put(session, 'model', readText(row['model']));
  put(session, 'parentId', readText(row['parent_session_id']));
  put(session, 'sessionKey', readText(row['session_key']));
  put(session, 'endedAt', readTime(row['ended_at']) ?? (row['ended_at'] === null ? undefined : 0));
  put(session, 'endReason', readText(row['end_reason']));
  put(session, 'costUsd', readNumber(row['actual_cost_usd']) ?? readNumber(row['estimated_cost_usd']));
  put(session, 'cwd', readText(row['cwd']));
  put(session, 'gitRepoRoot', readText(row['git_repo_root']));
  put(session, 'gitBranch', readText(row['git_branch']));
  put(session, 'handoffState', readText(row['handoff_state']));
  put(session, 'handoffPlatform', readText(row['handoff_platform']));
  return session;
}

/** Sets a property only when there is a value: absent is absent. */
export function put<T extends object, K extends keyof T>(target: T, key: K, value: T[K] | undefined): void {
  if (value !== undefined) target[key] = value;
}

/** A stored 0 is a value; NULL (a column added nullable by an older program) counts as live (state-db.md 1.2). */
const isActive = (value: unknown): boolean => value === null || value === undefined || isSet(value);

export function readMessage(row: Row): Message {
  const { text, parts } = decodeContent(row['content']);
  const message: Message = {
    id: Number(row['id']),
    sessionId: String(row['session_id']),
    role: readText(row['role']) ?? '',
    text,
    toolCalls: decodeToolCalls(row['tool_calls']),
    timestamp: readTime(row['timestamp']) ?? 0,
    active: isActive(row['active']),
    compacted: isSet(row['compacted']),
    isSummary: isSet(row['_compressed_summary']) || /^\[CONTEXT (?:COMPACTION|SUMMARY\]:)/.test(text),
  };
  put(message, 'parts', parts);
  put(message, 'toolCallId', readText(row['tool_call_id']));
  put(message, 'toolName', readText(row['tool_name']));
  put(message, 'reasoning', readText(row['reasoning']) ?? readText(row['reasoning_content']));
  put(message, 'finishReason', readText(row['finish_reason']));
  put(message, 'tokenCount', readNumber(row['token_count']));
  put(message, 'displayKind', readText(row['display_kind']));
  const tail = row['content_tail'];
  if (tail !== null && tail !== undefined) message.cut = { tail: readText(tail) ?? '', bytes: Number(row['content_bytes']) };
  return message;
}

/** Runs one statement and returns its rows. */
export function all(connection: Connection, sql: string, ...values: readonly unknown[]): Row[] {
  return connection.statement(sql).all(...values) as Row[];
}

/** Runs one statement and returns its first row. */
export function first(connection: Connection, sql: string, ...values: readonly unknown[]): Row | undefined {
  return connection.statement(sql).get(...values) as Row | undefined;
}
