import type { Message, SessionRow, ToolCall } from '../session/types.ts';
import { drawable, expandTabs, truncateEnd } from '../terminal/width.ts';
import { sessionsText as text } from '../text/en/sessions.ts';
import { localMinute } from '../text/relative-time.ts';
import { formatBytes } from '../text/format-bytes.ts';

/** Cells of a tool call's argument, lines and cells of a tool's result. */
const argumentWidth = 100;
const resultLines = 3;
const resultWidth = 120;

/** Title, then what is known about the conversation on one line, then an empty one. */
export function headerLines(row: SessionRow): string[] {
  const parts = [
    row.id,
    row.source,
    ...(row.model === undefined ? [] : [row.model]),
    ...(row.gitRepoRoot || row.cwd ? [String(row.gitRepoRoot || row.cwd)] : []),
    minute(row.startedAt),
    text.messages(row.messageCount),
    ...(row.segments > 1 ? [text.segments(row.segments)] : []),
  ];
  return [drawable(row.title ?? text.untitled), drawable(text.header(parts)), '', ...(row.status === 'empty' ? [text.saidNothing] : [])];
}

/**
 * One message as text: who and when, what was said, each tool call on one line, of a tool's result the beginning and the size. What was
 * stored is data: control characters and escape sequences become symbols, also in a pipe.
 */
export function messageLines(message: Message): string[] {
  if (message.role === 'tool') return [...resultOf(message), ''];
  const body = message.text.trim() === '' ? [] : safeLines(message.text);
  const calls = message.toolCalls.map((call) => drawable(text.toolCall(call.name, argumentOf(call))));
  if (body.length + calls.length === 0) return [];
  const name = message.isSummary ? text.summary : (names[message.role] ?? drawable(message.role));
  return [`${name}  ${minute(message.timestamp)}`, ...body, ...calls, ''];
}

const names: Readonly<Record<string, string>> = { user: text.you, assistant: text.hermes, system: text.system };

const safeLines = (stored: string): string[] =>
  stored
    .trimEnd()
    .split(/\r\n|\r|\n/)
    .map((line) => drawable(expandTabs(line)));

function resultOf(message: Message): string[] {
  const bytes = message.cut?.bytes ?? Buffer.byteLength(message.text);
  const lines = message.text
    .slice(0, 4_000)
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '');
  const shown = lines.slice(0, resultLines).map((line) => `    ${truncateEnd(drawable(expandTabs(line)), resultWidth)}`);
  const head = drawable(text.toolResult(message.toolName ?? text.tool, formatBytes(bytes)));
  return [head, ...shown, ...(lines.length > resultLines ? ['    …'] : [])];
}

/** What a call is about, on one line: its only value, or all of them as they were written. */
function argumentOf(call: ToolCall): string {
  const flat = (value: string): string => truncateEnd(value.slice(0, 1_000).replace(/\s+/gu, ' ').trim(), argumentWidth);
  try {
    const values = Object.values(JSON.parse(call.arguments) as Record<string, unknown>);
    if (values.length === 1 && typeof values[0] === 'string') return flat(values[0]);
  } catch {
    // Cut or broken arguments are shown as they are.
  }
  return call.arguments.trim() === '{}' ? '' : flat(call.arguments);
}

const minute = (time: number): string => (time <= 0 ? text.missing : localMinute(time));
