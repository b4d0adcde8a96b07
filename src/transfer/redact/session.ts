import type { Message, Session } from '../../session/types.ts';
import type { StoredRow, StoredValue, TransferSession } from '../types.ts';
import type { Finding } from './finding.ts';
import type { JsonOptions } from './json.ts';
import type { Redactor } from './redactor.ts';

/** One secret that was struck, and where: a column of the store or a field of the session. */
export interface Struck {
  readonly sessionId: string;
  /** Row id; absent for the session itself and its usage. */
  readonly messageId?: number;
  readonly field: string;
  readonly finding: Finding;
}

/** Ids tie rows to each other and to what the agent sent; they are never changed. */
const idColumns = new Set(
  (
    'id session_id parent_session_id system_prompt_hash tool_call_id message_uid absorbed_message_uids tool_call_uids tool_call_uid ' +
    'platform_message_id display_identity'
  ).split(' '),
);
/** JSON whose `id` keys are answered by other rows. */
const callColumns = new Set(['tool_calls', 'codex_reasoning_items', 'codex_message_items', 'reasoning_details']);
/** A stored list of parts begins with it (state-db.md 2.8). */
const partsPrefix = '\u0000json:';

/**
 * The session as it may leave the machine: every text of it redacted, those of columns nobody knows included, JSON inside of texts without
 * harm to its structure; ids, times, numbers and flags stay. `report` is called for each secret as rows are read; what is read twice
 * (`rows` and `messages`) is reported twice.
 */
export async function redactedSession(
  session: TransferSession,
  redactor: Redactor,
  report: (struck: Struck) => void = () => {},
): Promise<TransferSession> {
  const sessionId = session.session.id;
  const strike = async (text: string, field: string, options?: JsonOptions, messageId?: number): Promise<string> => {
    const { text: redacted, found } = await redactor.redact(text, options);
    for (const finding of found) report({ sessionId, ...(messageId === undefined ? {} : { messageId }), field, finding });
    return redacted;
  };
  const usage: StoredRow[] = [];
  for (const row of session.usage) usage.push(await redactRow(row, strike, redactor));
  const { preview } = session;
  return {
    ...session,
    session: await redactSession(session.session, strike),
    ...(preview === undefined ? {} : { preview: await strike(preview, 'preview') }),
    row: await redactRow(session.row, strike, redactor),
    usage,
    rows: () => mapBatches(session.rows(), (row) => redactRow(row, strike, redactor)),
    messages: () => mapBatches(session.messages(), (message) => redactMessage(message, strike)),
  };
}

type Strike = (text: string, field: string, options?: JsonOptions, messageId?: number) => Promise<string>;

async function* mapBatches<T>(batches: AsyncIterable<readonly T[]>, change: (item: T) => Promise<T>): AsyncGenerator<readonly T[]> {
  for await (const batch of batches) {
    const changed: T[] = [];
    for (const item of batch) changed.push(await change(item));
    yield changed;
  }
}

async function redactRow(row: StoredRow, strike: Strike, redactor: Redactor): Promise<StoredRow> {
  const messageId = 'role' in row && typeof row['id'] === 'number' ? row['id'] : undefined;
  let changed: Record<string, StoredValue> | undefined;
  for (const column of Object.keys(row)) {
    const value = row[column];
    if (value === null || value === undefined || typeof value === 'number' || typeof value === 'bigint' || idColumns.has(column)) continue;
    const options: JsonOptions = { keepIds: callColumns.has(column) };
    const text = typeof value === 'string' ? value : decodeUtf8(value);
    if (text === undefined || redactor.isClean(text)) continue;
    const isParts = text.startsWith(partsPrefix);
    const redacted = isParts
      ? partsPrefix + (await strike(text.slice(partsPrefix.length), column, options, messageId))
      : await strike(text, column, options, messageId);
    if (redacted !== text) (changed ??= { ...row })[column] = typeof value === 'string' ? redacted : new TextEncoder().encode(redacted);
  }
  return changed ?? row;
}

/** Bytes that are text; undefined for pictures and hashes, which hold no readable secret. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function redactSession(session: Session, strike: Strike): Promise<Session> {
  const result: Session = { ...session };
  const texts = [
    'source', 'createdSource', 'title', 'titleSource', 'model', 'sessionKey', 'endReason', 'cwd', 'gitRepoRoot', 'gitBranch', 'handoffState',
    'handoffPlatform',
  ] as const; // prettier-ignore
  for (const field of texts) {
    const value = session[field];
    if (value !== undefined) result[field] = await strike(value, field);
  }
  // The object is one column of the row; as JSON its keys count.
  const config = JSON.stringify(session.modelConfig);
  const redacted = await strike(config, 'modelConfig');
  if (redacted !== config) result.modelConfig = JSON.parse(redacted) as Session['modelConfig'];
  return result;
}

async function redactMessage(message: Message, strike: Strike): Promise<Message> {
  const { id } = message;
  const result: Message = { ...message, text: await strike(message.text, 'text', undefined, id) };
  for (const field of ['toolName', 'reasoning', 'finishReason', 'displayKind'] as const) {
    const value = message[field];
    if (value !== undefined) result[field] = await strike(value, field, undefined, id);
  }
  if (message.parts !== undefined) {
    result.parts = [];
    const parts: NonNullable<Message['parts']>[number][] = [];
    for (const part of message.parts) {
      if (part.type === 'text') parts.push({ type: 'text', text: await strike(part.text, 'parts', undefined, id) });
      else if (part.type === 'image') parts.push({ type: 'image', name: await strike(part.name, 'parts', undefined, id) });
      else parts.push(part);
    }
    result.parts = parts;
  }
  const toolCalls: Message['toolCalls'][number][] = [];
  for (const call of message.toolCalls) {
    const name = await strike(call.name, 'toolCalls', undefined, id);
    toolCalls.push({ ...call, name, arguments: await strike(call.arguments, 'toolCalls', undefined, id) });
  }
  result.toolCalls = toolCalls;
  if (message.cut !== undefined) result.cut = { ...message.cut, tail: await strike(message.cut.tail, 'text', undefined, id) };
  return result;
}
