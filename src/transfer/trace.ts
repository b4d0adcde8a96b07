import { createHash } from 'node:crypto';
import type { Message } from '../session/types.ts';
import { isoTime } from './times.ts';
import type { Output, TransferSession } from './types.ts';

type Block = Readonly<Record<string, unknown>>;

/**
 * A session as Claude Code writes its transcripts (state-db.md 6.2): one object a line, each naming the one before. Ids are made from the
 * stored ones, so that the same session gives the same trace.
 *
 * @param now stands where a message has no believable time; milliseconds since the epoch
 */
export async function writeTrace(session: TransferSession, output: Output, now: number): Promise<{ messages: number }> {
  const { id, cwd = '', gitBranch = '', model = '' } = session.session;
  let parentUuid: string | null = null;
  let messages = 0;
  for await (const batch of session.messages()) {
    for (const message of batch) {
      const content = contentOf(message);
      if (content === undefined) continue;
      const isAgent = message.role === 'assistant';
      const uuid = uuidOf(`${id}/${message.id}`);
      const line: Block = {
        parentUuid,
        isSidechain: false,
        userType: 'external',
        cwd,
        sessionId: id,
        version: 'hermes-agent',
        gitBranch,
        uuid,
        timestamp: isoTime(message.timestamp) ?? isoTime(now),
        type: isAgent ? 'assistant' : 'user',
        message: isAgent ? { role: 'assistant', model, content } : { role: 'user', content },
      };
      await output.write(`${JSON.stringify(line)}\n`);
      parentUuid = uuid;
      messages += 1;
    }
  }
  return { messages };
}

/** @returns undefined for what no trace has: system rows, events, answers without a word or a call */
function contentOf(message: Message): string | Block[] | undefined {
  if (message.role === 'tool') return [{ type: 'tool_result', tool_use_id: message.toolCallId ?? '', content: textOf(message) }];
  if (message.displayKind !== undefined) return undefined;
  if (message.role === 'user') return message.parts === undefined ? message.text : userBlocks(message);
  if (message.role !== 'assistant') return undefined;
  const text = textOf(message);
  const blocks: Block[] = [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...message.toolCalls.map((call, index) => ({
      type: 'tool_use',
      id: call.id === '' ? `call_${message.id}_${index}` : call.id,
      name: call.name === '' ? 'unknown' : call.name,
      input: inputOf(call.arguments),
    })),
  ];
  return blocks.length === 0 ? undefined : blocks;
}

function userBlocks({ parts = [] }: Message): Block[] {
  return parts.map((part) => ({ type: 'text', text: partText(part) }));
}

function textOf(message: Message): string {
  return message.parts === undefined ? message.text : message.parts.map(partText).join('\n');
}

function partText(part: NonNullable<Message['parts']>[number]): string {
  if (part.type === 'text') return part.text;
  return part.type === 'image' ? '[image omitted]' : `[${part.kind} omitted]`;
}

/** An input is an object; what the model wrote instead stands in one. */
function inputOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // A half call, shown as it was written.
  }
  return { arguments: text };
}

/** A UUID of version 8 (RFC 9562): what it holds is our own choice, here the beginning of a SHA-256. */
function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  const variant = ((parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`;
}
