import type { AssistantContent, ModelMessage } from 'ai';

import type { Message, ToolCall } from '../session/types.ts';
import { agentText } from '../text/en/agent.ts';

/** A finish_reason of ours for an answer that a failed call left behind (state-db.md 2.3). */
export const FAILED = 'error';
/** A finish_reason of ours for an answer that was stopped by hand (product.md 8). */
export const INTERRUPTED = 'interrupted';

/** Arguments as the model wrote them → an object; what is not one becomes empty (its result already says so). */
export function parseArguments(text: string): Record<string, unknown> {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Ids of another provider may hold characters that the next one refuses (Anthropic: letters, digits, `_`, `-`). */
function safeId(id: string): string {
  const safe = id.replace(/[^A-Za-z0-9_-]/g, '_');
  return safe === '' ? 'call' : safe;
}

/** Text of a row for the model; images are only known by name here. */
function readText(message: Message): string {
  if (message.text !== '' || message.parts === undefined) return message.text;
  return message.parts
    .map((part) => (part.type === 'text' ? part.text : part.type === 'image' ? `[image: ${part.name}]` : `[${part.kind}]`))
    .join('\n');
}

/** One tool result as the model gets it. */
export function toolResultMessage(call: Pick<ToolCall, 'id' | 'name'>, text: string, isError = false): ModelMessage {
  return {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: call.id, toolName: call.name, output: { type: isError ? 'error-text' : 'text', value: text } },
    ],
  };
}

/** Whether the live rows end without an answer: a question, tool results, or an answer that failed or was interrupted. */
export function hasOpenQuestion(messages: readonly Message[]): boolean {
  const last = messages.findLast((row) => row.role === 'user' || row.role === 'assistant' || row.role === 'tool');
  if (last?.role !== 'assistant') return last !== undefined;
  return last.toolCalls.length > 0 || last.finishReason === FAILED || last.finishReason === INTERRUPTED;
}

/** A failed beginning that a later try replaced says nothing the model should see. */
function isSuperseded(message: Message, next: Message | undefined): boolean {
  return (
    message.role === 'assistant' &&
    message.toolCalls.length === 0 &&
    (message.finishReason === FAILED || message.finishReason === INTERRUPTED) &&
    next?.role === 'assistant'
  );
}

function pushText(target: ModelMessage[], role: 'user' | 'assistant', text: string): void {
  if (text.trim() === '') return; // Anthropic refuses blank text
  const last = target.at(-1);
  if (last?.role === role && typeof last.content === 'string') {
    last.content = `${last.content}\n\n${text}`;
    return;
  }
  target.push({ role, content: text });
}

/** An assistant row with tool calls, and the results that follow it up to the next other row; every call gets exactly one. */
function pushCalls(target: ModelMessage[], message: Message, results: readonly Message[]): void {
  const text = readText(message);
  const content: Exclude<AssistantContent, string> = text.trim() === '' ? [] : [{ type: 'text', text }];
  const waiting = [...results];
  const answers: ModelMessage[] = [];
  for (const [index, call] of message.toolCalls.entries()) {
    const id = safeId(call.id === '' ? `call_${index}` : call.id);
    content.push({ type: 'tool-call', toolCallId: id, toolName: call.name, input: parseArguments(call.arguments) });
    const at = waiting.findIndex((result) => result.toolCallId === call.id);
    const result = at < 0 ? undefined : waiting.splice(at, 1)[0];
    const said = result === undefined ? agentText.toolLost : readText(result);
    answers.push(toolResultMessage({ id, name: call.name }, said));
  }
  target.push({ role: 'assistant', content }, ...answers);
}

/**
 * Stored rows (active, oldest first) → what a model is sent. Roles alternate, every tool call has exactly one result and every
 * result its call, blank rows and what only the program reads are left out, reasoning of earlier turns is not sent again, and the
 * last message is one to answer: the rest of a failed try at the end is dropped.
 */
export function toModelMessages(messages: readonly Message[]): ModelMessage[] {
  const rows = messages.filter((row) => row.role === 'user' || row.role === 'assistant' || row.role === 'tool');
  const prompt: ModelMessage[] = [];
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index]!;
    if (row.role === 'user') pushText(prompt, 'user', readText(row));
    else if (row.role === 'assistant' && row.toolCalls.length > 0) {
      let end = index + 1;
      while (rows[end]?.role === 'tool') end++;
      pushCalls(prompt, row, rows.slice(index + 1, end));
      index = end - 1;
    } else if (row.role === 'assistant' && !isSuperseded(row, rows[index + 1])) pushText(prompt, 'assistant', readText(row));
    // A tool row that stands here follows no call: nothing the model could make sense of.
  }
  while (prompt.at(-1)?.role === 'assistant') prompt.pop();
  if (prompt[0] !== undefined && prompt[0].role !== 'user') prompt.unshift({ role: 'user', content: agentText.conversationGoesOn });
  return prompt;
}
