import { StoreError } from '../../errors.ts';
import type { Message, Role, Session, SessionId, ToolCall } from '../../session/types.ts';
import { storeWriteText } from '../../text/en/store-writes.ts';
import type { Connection } from '../connection.ts';
import { decodeToolCalls, encodeContent, encodeToolCalls, scrubText } from '../content.ts';
import { columnOr, liveSql } from '../reads/columns.ts';
import { contextMessages, fullMessage } from '../reads/messages.ts';
import { first, newestMessageSql, readTime, writeTime } from '../rows.ts';
import { demandWritable, demandSession, insertRow, touch, updateRow } from './rows.ts';
import { createSession, reopenSession, type NewSession } from './sessions.ts';

export interface NewMessage {
  role: Role;
  content: string | readonly unknown[];
  toolCalls?: readonly ToolCall[];
  /** Of a tool's result. */
  toolCallId?: string;
  toolName?: string;
  reasoning?: string;
  finishReason?: string;
  tokenCount?: number;
  displayKind?: string;
  displayMetadata?: Readonly<Record<string, unknown>>;
  /** Milliseconds; default now. Moved forward where needed: every message of a session has a time of its own, later than the one before. */
  at?: number;
}

const oneDay = 86_400_000;

/**
 * Stores a message at the end of a session. A user's message reopens an ended one. The row's uid, display identity and order are left to the
 * triggers and to Hermes (store-v31.md B4.3.1). Two rows with equal role, content and time are one in the display, so that times are distinct.
 *
 * @throws StoreError `refused`: the session was deleted, or compressed elsewhere meanwhile
 */
export function appendMessage(connection: Connection, sessionId: SessionId, message: NewMessage): Message {
  const session = demandSession(connection, sessionId);
  demandWritable(connection, session);
  const isClosed = session.endedAt !== undefined || session.endReason !== undefined || session.autoArchived;
  if (message.role === 'user' && isClosed) reopenSession(connection, sessionId);
  const at = ownTime(connection, sessionId, message.at ?? connection.now());
  const calls = message.toolCalls ?? [];
  const id = insertRow(connection, 'messages', {
    session_id: sessionId,
    role: message.role,
    content: encodeContent(message.content),
    tool_calls: encodeToolCalls(calls),
    tool_call_id: message.toolCallId,
    tool_name: message.toolName,
    reasoning: optionalText(message.reasoning),
    finish_reason: message.finishReason,
    token_count: message.tokenCount,
    display_kind: message.displayKind,
    display_metadata: message.displayMetadata === undefined ? undefined : JSON.stringify(message.displayMetadata),
    timestamp: writeTime(at),
  });
  count(connection, sessionId, 1, calls.length);
  touch(connection, sessionId, at);
  return demandMessage(connection, id);
}

/** The session and its first message at once: a conversation without a message leaves no row (product.md 1). */
export function startSession(connection: Connection, session: NewSession, message: NewMessage): { session: Session; message: Message } {
  const { id } = createSession(connection, session);
  const stored = appendMessage(connection, id, message);
  return { session: demandSession(connection, id), message: stored };
}

export interface MessageState {
  content: string;
  reasoning?: string;
  toolCalls: readonly ToolCall[];
  /** While an answer streams: `interrupted`, so that the row says the truth after a kill -9. */
  finishReason?: string;
  tokenCount?: number;
}

/**
 * Writes the newest state of an answer into its row; counters and heartbeat follow. A change of the text empties `display_order` (trigger
 * messages_display_identity_update); the row gets its place back, or it would be counted as missing until Hermes reads the session.
 *
 * @throws StoreError `refused` when the row is gone, or was compacted or undone meanwhile
 */
export function checkpointMessage(connection: Connection, id: number, state: MessageState): void {
  const live = liveSql(connection, 'm');
  const order = columnOr(connection, 'messages', 'm', 'display_order');
  const row = first(connection, `SELECT m.session_id, m.tool_calls, ${order} AS place FROM messages AS m WHERE m.id = ? AND ${live}`, id);
  if (row === undefined) throw new StoreError('refused', storeWriteText.messageGone(id));
  const sessionId = String(row['session_id']);
  demandWritable(connection, demandSession(connection, sessionId));
  updateRow(connection, 'messages', id, {
    content: encodeContent(state.content),
    tool_calls: encodeToolCalls(state.toolCalls) ?? null,
    reasoning: optionalText(state.reasoning) ?? null,
    finish_reason: state.finishReason,
    token_count: state.tokenCount,
  });
  if (typeof row['place'] === 'number') updateRow(connection, 'messages', id, { display_order: row['place'] });
  count(connection, sessionId, 0, state.toolCalls.length - decodeToolCalls(row['tool_calls']).length);
  touch(connection, sessionId);
}

/** The final state of an answer. */
export function finishMessage(connection: Connection, id: number, state: MessageState): Message {
  checkpointMessage(connection, id, state);
  return demandMessage(connection, id);
}

/**
 * Answers the calls of the last assistant row that no tool answered (an interrupt, a kill -9) with a stub, since a model refuses a history
 * with open calls. Only at the end of the conversation: earlier ones can't be put in their place any more.
 *
 * @returns the rows that were added
 */
export function retireOpenToolCalls(connection: Connection, sessionId: SessionId): Message[] {
  const live = contextTail(connection, sessionId);
  const last = live.findLastIndex((message) => message.role !== 'tool');
  const asked = live[last];
  if (asked?.role !== 'assistant' || asked.toolCalls.length === 0) return [];
  const answered = new Set(live.slice(last + 1).map((message) => message.toolCallId));
  return asked.toolCalls
    .filter((call) => !answered.has(call.id))
    .map((call) =>
      appendMessage(connection, sessionId, {
        role: 'tool',
        content: storeWriteText.callWithoutResult,
        toolCallId: call.id,
        toolName: call.name,
      }),
    );
}

/** Messages from the last one that is no tool's result. */
function contextTail(connection: Connection, sessionId: SessionId): Message[] {
  const sql = `SELECT max(m.id) AS id FROM messages AS m
    WHERE m.session_id = ? AND m.role NOT IN ('tool', 'session_meta') AND ${liveSql(connection, 'm')}`;
  const id = first(connection, sql, sessionId)?.['id'];
  return typeof id === 'number' ? contextMessages(connection, sessionId, id) : [];
}

function demandMessage(connection: Connection, id: number): Message {
  const stored = fullMessage(connection, id);
  if (stored === undefined) throw new StoreError('refused', storeWriteText.messageGone(id));
  return stored;
}

const optionalText = (text: string | undefined): string | undefined => (text === undefined || text === '' ? undefined : scrubText(text));

/** Later than every message of the session by at least a millisecond; a clock that once ran ahead by more than a day is not followed. */
function ownTime(connection: Connection, sessionId: SessionId, at: number): number {
  const newest = readTime(
    first(connection, `SELECT ${newestMessageSql('s')} AS newest FROM sessions AS s WHERE s.id = ?`, sessionId)?.['newest'],
  );
  if (newest === undefined || at > newest) return at;
  return newest > at + oneDay ? at : newest + 1;
}

function count(connection: Connection, sessionId: SessionId, messages: number, toolCalls: number): void {
  if (messages === 0 && toolCalls === 0) return;
  const sql = `UPDATE sessions SET message_count = COALESCE(message_count, 0) + ?,
    tool_call_count = max(0, COALESCE(tool_call_count, 0) + ?) WHERE id = ?`;
  connection.statement(sql).run(messages, toolCalls, sessionId);
}
