import { createHash } from 'node:crypto';
import type { Message } from '../session/types.ts';
import { exportText } from '../text/en/export.ts';
import { closed, fenced } from './fence.ts';
import { isoTime } from './times.ts';
import type { Output, TransferSession } from './types.ts';

export interface MarkdownOptions {
  readonly format: 'md' | 'qmd';
  /** `logical`: `messages()` walks over the whole lineage, and each of its segments gets a heading. */
  readonly span: 'single' | 'logical';
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const pendingHash = 'pending';

/**
 * One session as a readable document (state-db.md 6.2): front matter, messages, and at its end the numbers to verify it by. Streams.
 * @returns how many messages stand in it
 */
export async function writeMarkdown(session: TransferSession, output: Output, options: MarkdownOptions): Promise<{ messages: number }> {
  const hash = createHash('sha256');
  const write = (text: string): Promise<void> | void => {
    hash.update(text);
    return output.write(text);
  };
  await write(frontMatter(session, options) + heading(session));
  const hasSegments = options.span === 'logical' && session.lineageIds.length > 1;
  let segment: string | undefined;
  let messages = 0;
  for await (const batch of session.messages()) {
    for (const message of batch) {
      if (hasSegments && message.sessionId !== segment) await write(`## Compression segment: ${oneLine(message.sessionId)}\n\n`);
      segment = message.sessionId;
      await write(`${renderMessage(message)}\n`);
      messages += 1;
    }
  }
  if (messages === 0) await write(`${exportText.noMessages}\n\n`);

  const before = verification(session, messages, options.now);
  await write(before);
  hash.update(`${pendingHash}\`\n`);
  await output.write(`${hash.digest('hex')}\`\n`);
  return { messages };
}

function frontMatter({ session, row, lineageIds }: TransferSession, { format, span, now }: MarkdownOptions): string {
  const provider = row['billing_provider'] ?? session.modelConfig['provider'];
  const fields: readonly (readonly [string, unknown])[] = [
    ['session_id', session.id],
    ['title', session.title],
    ['source', session.source],
    ['created_at', isoTime(session.startedAt)],
    ['updated_at', isoTime(session.lastActive)],
    ['ended_at', isoTime(session.endedAt)],
    ['model', session.model],
    ['provider', typeof provider === 'string' ? provider : undefined],
    ['cwd', session.cwd],
    ['archived', session.archived],
    ['message_count', session.messageCount],
    ['tool_call_count', session.toolCallCount],
    ...(span === 'logical' ? [['lineage_session_ids', lineageIds] as const] : []),
    ['format', format],
    ['exported_at', isoTime(now)],
    ['exporter', `hermes sessions export (${format}) v1`],
  ];
  return `---\n${fields.map(([name, value]) => `${name}: ${yamlValue(value)}`).join('\n')}\n---\n\n`;
}

/** JSON is YAML once the characters are escaped that YAML calls unprintable. */
function yamlValue(value: unknown): string {
  return JSON.stringify(value ?? null).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function heading({ session }: TransferSession): string {
  const lines = [
    `# ${oneLine(session.title ?? exportText.untitled)}`,
    '',
    `Session ID: ${codeSpan(session.id)}`,
    `Source: ${oneLine(session.source)}`,
    ...(session.cwd === undefined ? [] : [`Working directory: ${codeSpan(session.cwd)}`]),
    '',
    '## Messages',
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function renderMessage(message: Message): string {
  const time = isoTime(message.timestamp) ?? exportText.unknownTime;
  const isTool = message.role === 'tool';
  const name = isTool ? `Tool — ${oneLine(message.toolName ?? 'unknown')}` : capitalised(oneLine(message.role));
  const parts = [`### ${name} — ${time}`, ''];
  // What a tool printed is no Markdown.
  if (message.text !== '') parts.push(isTool ? fenced(message.text) : closed(message.text), '');
  if (message.toolCalls.length > 0) {
    const calls = message.toolCalls.map((call) => ({ id: call.id, name: call.name, arguments: readArguments(call.arguments) }));
    parts.push('## Tool calls', '', fenced(JSON.stringify(calls, null, 2), 'json'), '');
  }
  return parts.join('\n');
}

function verification({ session, rowCount }: TransferSession, messages: number, now: number): string {
  const hidden = (rowCount ?? messages) - messages;
  return [
    '## Export verification',
    '',
    `- Session ID: ${codeSpan(session.id)}`,
    `- Exported message count: ${messages}`,
    `- Database message count: ${rowCount ?? messages}`,
    ...(hidden === 0 ? [] : [`- Not shown: ${hidden} (undone, hidden, or copied by a compression)`]),
    `- Exported at: ${isoTime(now) ?? exportText.unknownTime}`,
    '- SHA256: `',
  ].join('\n');
}

function readArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A model's half call is shown as it was written.
    return text;
  }
}

/** Headings and list entries end with their line. */
const oneLine = (text: string): string => text.replace(/[\s\u0000-\u001f\u007f]+/gu, ' ').trim();

function codeSpan(text: string): string {
  const line = oneLine(text);
  const longest = (line.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const ticks = '`'.repeat(longest + 1);
  return longest === 0 ? `\`${line}\`` : `${ticks} ${line} ${ticks}`;
}

const capitalised = (role: string): string => role.slice(0, 1).toUpperCase() + role.slice(1);
