import { takeCharacters } from './recap.ts';
import type { Message } from './types.ts';

/** What went on lately in a session, for `/status` (state-db.md 5): its last 20 messages of people and the agent, and what lies between. */
export interface Digest {
  readonly asks: number;
  readonly replies: number;
  readonly results: number;
  /** Most called first, at most five; `more` = distinct tools beyond them. */
  readonly tools: readonly { readonly name: string; readonly count: number }[];
  readonly moreTools: number;
  /** Files named in calls, newest first, at most five, as they were written. */
  readonly files: readonly string[];
  readonly lastAsk?: string;
  readonly lastReply?: string;
}

const turns = 20;
const mostTools = 5;
const mostFiles = 5;
const askCharacters = 140;
const replyCharacters = 200;
/** Arguments longer than this are content, not the name of a file; they are not parsed. */
const longestArguments = 100_000;

/** @param messages oldest first; a window of the newest is enough */
export function digestSession(messages: readonly Message[]): Digest {
  const isTurn = (message: Message): boolean => (message.role === 'user' || message.role === 'assistant') && !message.isSummary;
  let from = messages.length;
  for (let left = turns; from > 0 && left > 0;) if (isTurn(messages[--from]!)) left--;
  const recent = messages.slice(from);
  const calls = recent.flatMap((message) => message.toolCalls);
  const counts = new Map<string, number>();
  for (const { name } of calls) counts.set(name, (counts.get(name) ?? 0) + 1);
  const tools = [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);
  const files = new Set(calls.reverse().flatMap(({ arguments: json }) => fileIn(json) ?? []));
  const lastAsk = lastText(recent, 'user', askCharacters);
  const lastReply = lastText(recent, 'assistant', replyCharacters);
  return {
    asks: recent.filter((message) => message.role === 'user' && isTurn(message)).length,
    replies: recent.filter((message) => message.role === 'assistant' && isTurn(message)).length,
    results: recent.filter(({ role }) => role === 'tool').length,
    tools: tools.slice(0, mostTools),
    moreTools: Math.max(0, tools.length - mostTools),
    files: [...files].slice(0, mostFiles),
    ...(lastAsk === undefined ? {} : { lastAsk }),
    ...(lastReply === undefined ? {} : { lastReply }),
  };
}

function lastText(messages: readonly Message[], role: string, limit: number): string | undefined {
  const said = messages.findLast((message) => message.role === role && !message.isSummary && message.text.trim() !== '');
  if (said === undefined) return undefined;
  const { text, isCut } = takeCharacters(
    said.text
      .slice(0, limit * 40)
      .replace(/\s+/gu, ' ')
      .trim(),
    limit,
  );
  return isCut ? `${text.trimEnd()}…` : text;
}

function fileIn(json: string): string | undefined {
  if (json.length > longestArguments) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    // Arguments are the model's text; half a call names no file.
    return undefined;
  }
  if (parsed === null || typeof parsed !== 'object') return undefined;
  const values = parsed as Record<string, unknown>;
  const found = values['path'] ?? values['file_path'];
  return typeof found === 'string' && found !== '' ? found : undefined;
}
