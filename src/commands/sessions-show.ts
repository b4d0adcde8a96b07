import type { Message, SessionRow } from '../session/types.ts';
import type { Connection } from '../store/connection.ts';
import { lazySource, lineageOf, nodeById } from '../store/reads/lineages.ts';
import { fullMessage } from '../store/reads/messages.ts';
import { sessionRows } from '../store/reads/row-details.ts';
import { messagesAfter, type Position } from '../store/reads/transcript.ts';
import { isoTime } from '../transfer/times.ts';
import type { ShellContext } from './context.ts';
import { findSession, unknownSession } from './find-session.ts';
import type { Flags } from './parse.ts';
import { readStore } from './read-store.ts';
import { sessionJson } from './session-json.ts';
import { headerLines, messageLines } from './transcript-text.ts';

/** Messages held at a time. */
const batch = 200;

/**
 * `hermes sessions show ID [--json]`: what a reader saw of a conversation, its segments in order, of any length in constant memory. It only
 * reads. Signals end it at once: nothing can be left half done.
 *
 * @returns the exit code
 * @throws NotFoundError, AmbiguousIdError, StoreError
 */
export async function showSession(context: ShellContext, name: string, flags: Flags): Promise<number> {
  const print = flags['json'] === true ? printJson : printText;
  const isShown = readStore(context, (connection) => {
    const { tip } = findSession(connection, name);
    const row = rowOf(connection, tip.id);
    if (row === undefined) throw unknownSession(name);
    print(context, row, transcript(connection, tip.id));
    return true;
  });
  if (isShown === undefined) throw unknownSession(name);
  return 0;
}

function rowOf(connection: Connection, id: string): SessionRow | undefined {
  const node = nodeById(connection, id);
  if (node === undefined) return undefined;
  return sessionRows(connection, [lineageOf(connection, node, lazySource(connection))], { previews: 'none' })[0];
}

/** Oldest first. Long texts come whole; a tool's long result stays cut, with its size. */
function* transcript(connection: Connection, id: string): Generator<{ message: Message; whole: () => Message }> {
  let from: Position | undefined;
  for (;;) {
    const window = messagesAfter(connection, id, from, batch);
    for (const message of window.messages) {
      yield { message, whole: () => (message.cut === undefined ? message : (fullMessage(connection, message.id) ?? message)) };
    }
    if (!window.hasAfter || window.end === undefined) return;
    from = window.end;
  }
}

type Transcript = ReturnType<typeof transcript>;

function printText({ out }: ShellContext, row: SessionRow, messages: Transcript): void {
  out.write(`${headerLines(row).join('\n')}\n`);
  for (const { message, whole } of messages) {
    const lines = messageLines(message.role === 'tool' ? message : whole());
    if (lines.length > 0) out.write(`${lines.join('\n')}\n`);
  }
}

/** One object; its messages are written as they are read. */
function printJson({ out }: ShellContext, row: SessionRow, messages: Transcript): void {
  const head = JSON.stringify({ ...sessionJson(row), preview: undefined }, null, 2);
  out.write(`${head.slice(0, -2)},\n  "messages": [`);
  let separator = '\n';
  for (const { whole } of messages) {
    out.write(`${separator}    ${JSON.stringify(messageJson(whole()))}`);
    separator = ',\n';
  }
  out.write(`${separator === '\n' ? '' : '\n  '}]\n}\n`);
}

function messageJson(message: Message): Record<string, unknown> {
  return {
    id: message.id,
    session_id: message.sessionId,
    role: message.role,
    content: message.text,
    timestamp: isoTime(message.timestamp) ?? null,
    ...(message.toolCalls.length === 0 ? {} : { tool_calls: message.toolCalls }),
    ...(message.toolCallId === undefined ? {} : { tool_call_id: message.toolCallId }),
    ...(message.toolName === undefined ? {} : { tool_name: message.toolName }),
    ...(message.reasoning === undefined ? {} : { reasoning: message.reasoning }),
    ...(message.finishReason === undefined ? {} : { finish_reason: message.finishReason }),
    ...(message.isSummary ? { is_summary: true } : {}),
  };
}
