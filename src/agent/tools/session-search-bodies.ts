import type { Recalled, RecalledSession } from '../../session/recall.ts';
import type { Snippet } from '../../session/found.ts';
import type { Message, SessionRow } from '../../session/types.ts';
import { toolText } from '../../text/en/tools.ts';

/** The bodies of `session_search`, key by key as Hermes Agent writes them (state-db.md 10). */
export type Body = Readonly<Record<string, unknown>>;

/**
 * UTF-16 units of one message, of all anchors of an answer together, and of all its other messages together, each of which has its share: what is
 * longer loses its middle, so that pastes can't fill a context. A narrower window shows more of each.
 */
const longestContent = 20_000;
const sharedContent = 120_000;

/** UTF-16 units of a message of an answer: its content, and once more the arguments of its calls. */
export interface Shares {
  readonly anchor: number;
  readonly other: number;
}

/** @param count messages of the answer; `anchors`: those of them that were asked for */
export const sharesOf = (count: number, anchors: number): Shares => ({
  anchor: Math.min(longestContent, Math.floor(sharedContent / Math.max(1, anchors))),
  other: Math.min(longestContent, Math.floor(sharedContent / Math.max(1, count - anchors))),
});

const seconds = (time: number): number => time / 1000;

/** `May 10, 2026 at 05:46 PM`, local. */
export function whenOf(time: number): string {
  if (time <= 0) return toolText.search.untimed;
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  const hour = date.getHours();
  const day = `${months[date.getMonth()]} ${two(date.getDate())}, ${date.getFullYear()}`;
  return `${day} at ${two(hour % 12 === 0 ? 12 : hour % 12)}:${two(date.getMinutes())} ${hour < 12 ? 'AM' : 'PM'}`;
}

const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

/** @param anchorId the one that was asked for; `mark`: words that must stay in it */
export function messageBodies(messages: readonly Message[], shares: Shares, anchorId?: number, mark?: string): Body[] {
  return messages.map((message) =>
    messageBody(message, message.id === anchorId ? { isAnchor: true, longest: shares.anchor, mark } : { longest: shares.other }),
  );
}

/** Null and absent values are left out, content excepted. */
function messageBody(message: Message, options: { isAnchor?: boolean; longest: number; mark?: string | undefined }): Body {
  const { id, role, text, timestamp, toolName, toolCalls, toolCallId } = message;
  const callShare = Math.ceil(options.longest / Math.max(1, toolCalls.length));
  const calls = toolCalls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: cutContent(call.arguments, callShare, options.mark) },
  }));
  return {
    id,
    role,
    content: cutContent(text, options.longest, options.mark),
    timestamp: seconds(timestamp),
    ...(toolName === undefined ? {} : { tool_name: toolName }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
    ...(options.isAnchor === true ? { anchor: true } : {}),
  };
}

/** @param mark words that must stay: the piece around them is kept, else beginning and end */
export function cutContent(text: string, longest: number, mark?: string): string {
  if (text.length <= longest) return text;
  const at = mark === undefined || mark === '' ? -1 : text.indexOf(mark);
  const half = Math.ceil(longest / 2);
  if (at <= half || at >= text.length - half) {
    return `${whole(text.slice(0, half))}\n${toolText.search.leftOut(text.length - 2 * half)}\n${whole(text.slice(-half))}`;
  }
  const from = at - half;
  const piece = whole(text.slice(from, at + half));
  return `${toolText.search.leftOut(from)}\n${piece}\n${toolText.search.leftOut(text.length - at - half)}`;
}

/** Without half a surrogate pair at either end. */
const whole = (text: string): string => text.replace(/^[\udc00-\udfff]/u, '').replace(/[\ud800-\udbff]$/u, '');

/** With `>>>` and `<<<` around the words, `...` where something was left out. */
function snippetText({ text, ranges, isCutBefore, isCutAfter }: Snippet): string {
  let marked = '';
  let at = 0;
  for (const { start, end } of ranges) {
    marked += `${text.slice(at, start)}>>>${text.slice(start, end)}<<<`;
    at = end;
  }
  return `${isCutBefore ? '...' : ''}${marked}${text.slice(at)}${isCutAfter ? '...' : ''}`;
}

export const metaBody = ({ startedAt, source, model, title }: RecalledSession): Body => ({
  when: whenOf(startedAt),
  source,
  model: model ?? null,
  title: title ?? null,
});

/** @param isFull else the anchor alone */
export function discoveredBody(
  hit: { readonly messageId: number; readonly role: string; readonly snippet: Snippet },
  { session, messages, before, after, first, last }: Recalled,
  options: { readonly isFull: boolean; readonly profile: string; readonly shares: Shares },
): Body {
  const { isFull, profile, shares } = options;
  const mark = markOf(hit.snippet);
  const at = messages.findIndex((message) => message.id === hit.messageId);
  const shown = isFull ? messages : messages.filter((message) => message.id === hit.messageId);
  const bodies = (some: readonly Message[]): Body[] => messageBodies(some, shares, hit.messageId, mark);
  return {
    session_id: session.id,
    ...metaBody(session),
    matched_role: hit.role,
    match_message_id: hit.messageId,
    snippet: snippetText(hit.snippet),
    detail: isFull ? 'full' : 'compact',
    bookend_start: isFull ? bodies(first) : [],
    messages: bodies(shown),
    bookend_end: isFull ? bodies(last) : [],
    messages_before: isFull ? before : before + Math.max(0, at),
    messages_after: isFull ? after : after + Math.max(0, messages.length - 1 - at),
    link: linkOf(profile, session.id),
    ...(session.rootId === session.id ? {} : { parent_session_id: session.rootId }),
  };
}

/** The words that were found first. */
export function markOf({ text, ranges }: Snippet): string | undefined {
  const [first] = ranges;
  return first === undefined ? undefined : text.slice(first.start, first.end);
}

export const linkOf = (profile: string, id: string): string => `@session:${profile}/${id}`;

export const browsedBody = (row: SessionRow): Body => ({
  session_id: row.id,
  title: row.title ?? null,
  source: row.source,
  started_at: seconds(row.startedAt),
  last_active: seconds(row.lastActive),
  message_count: row.messageCount,
  preview: row.preview ?? '',
});
