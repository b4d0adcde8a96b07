import type { Message, Session } from '../session/types.ts';
import { printable } from '../text/printable.ts';
import { closed, fenced } from './fence.ts';
import { isoSeconds } from './times.ts';
import type { Output } from './types.ts';

/**
 * The Markdown of `/save md` (state-db.md 6.2, shared renderer): title, facts, then what was said under `## User - time`, answers of tools
 * folded. Rows of the system are left out. Messages come in batches, so that a session of any size takes constant memory.
 */
export async function writeSavedMarkdown(
  session: Session,
  messages: AsyncIterable<readonly Message[]> | Iterable<readonly Message[]>,
  output: Output,
): Promise<void> {
  const facts = [
    ['Session ID', `\`${session.id}\``],
    ['Source', session.source],
    ['Model', session.model],
    ['Title', session.title],
    ['Started', isoSeconds(session.startedAt)],
    ['Messages', String(session.messageCount)],
  ].flatMap(([name, value]) => (value === undefined || value === '' ? [] : [`- ${name}: ${oneLine(value)}`]));
  await output.write(`# Session: ${oneLine(session.title ?? session.id)}\n\n${facts.join('\n')}\n`);
  for await (const batch of messages) {
    for (const message of batch) {
      const part = partOf(message);
      if (part !== '') await output.write(`\n${part}\n`);
    }
  }
}

const oneLine = (text: string): string => printable(text).replace(/\s+/g, ' ');

function partOf(message: Message): string {
  const time = isoSeconds(message.timestamp);
  const heading = (name: string): string => `## ${oneLine(name)}${time === undefined ? '' : ` - ${time}`}`;
  const text = message.text.trim() === '' ? [] : [closed(message.text)];
  switch (message.role) {
    case 'user':
      return text.length === 0 ? '' : [heading('User'), ...text].join('\n\n');
    case 'assistant': {
      const calls = message.toolCalls.map((call) => folded(`Tool call: ${oneLine(call.name)}`, fenced(call.arguments, 'json')));
      return text.length + calls.length === 0 ? '' : [heading('Assistant'), ...text, ...calls].join('\n\n');
    }
    case 'tool':
      return [heading(`Tool: ${message.toolName ?? 'unknown'}`), folded('Result', fenced(message.text))].join('\n\n');
    default:
      return '';
  }
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const folded = (summary: string, body: string): string => `<details>\n<summary>${escaped(summary)}</summary>\n\n${body}\n\n</details>`;
