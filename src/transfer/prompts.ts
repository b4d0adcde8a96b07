import type { Message } from '../session/types.ts';
import { exportText } from '../text/en/export.ts';
import { closed } from './fence.ts';
import { isoSeconds } from './times.ts';
import type { Output, TransferSession } from './types.ts';

export interface PromptsOptions {
  readonly format: 'jsonl' | 'md';
  /** One session gets the headings of a document of its own. */
  readonly isSingle: boolean;
}

/** What the user wrote, and nothing else: no summaries, no events such as a switch of the model (state-db.md 6.2, `--only user-prompts`). */
export async function writePrompts(
  sessions: AsyncIterable<TransferSession>,
  output: Output,
  { format, isSingle }: PromptsOptions,
): Promise<{ sessions: number; prompts: number }> {
  const written = { sessions: 0, prompts: 0 };
  if (format === 'md' && !isSingle) await output.write('# User prompts export\n\n');
  const level = isSingle ? '#' : '##';
  for await (const session of sessions) {
    const { id } = session.session;
    let index = 0;
    if (format === 'md' && isSingle) await output.write(documentHeading(session, level));
    for await (const batch of session.messages()) {
      for (const prompt of batch.filter(isPrompt)) {
        index += 1;
        if (format === 'jsonl') {
          const record = {
            session_id: id,
            index,
            created_at: isoSeconds(prompt.timestamp) ?? null,
            role: 'user',
            text: prompt.text,
            message_id: prompt.id,
          };
          await output.write(`${JSON.stringify(record)}\n`);
          continue;
        }
        if (index === 1 && !isSingle) await output.write(documentHeading(session, level));
        const time = isoSeconds(prompt.timestamp) ?? exportText.unknownTime;
        await output.write(`${level}# ${index}. ${time}\n\nMessage ID: \`${prompt.id}\`\n\n${closed(prompt.text)}\n\n`);
      }
    }
    if (index === 0 && format === 'md' && isSingle) await output.write(`${exportText.noPrompts}\n`);
    written.sessions += 1;
    written.prompts += index;
  }
  return written;
}

function isPrompt(message: Message): boolean {
  return message.role === 'user' && !message.isSummary && message.displayKind === undefined && message.text !== '';
}

function documentHeading({ session }: TransferSession, level: string): string {
  const line = (text: string): string => text.replace(/[\s\u0000-\u001f\u007f]+/gu, ' ').trim();
  const facts = [
    ...(session.title === undefined ? [] : [`- Title: ${line(session.title)}`]),
    `- Source: ${line(session.source)}`,
    `- Started: ${isoSeconds(session.startedAt) ?? exportText.unknownTime}`,
  ];
  return `${level} User prompts for session ${line(session.id)}\n\n${facts.join('\n')}\n\n`;
}
