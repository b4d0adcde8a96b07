import type { Recap } from '../../session/recap.ts';
import { splitThoughts } from '../../session/thoughts.ts';
import type { Message } from '../../session/types.ts';
import { summarizeArguments } from '../../text/summarize-arguments.ts';
import { appendSource, emptySource } from '../markdown/source.ts';
import type { Source } from '../markdown/source.ts';

/** What the transcript shows, one after the other. `id` is unique in it and stays the same while the block changes. */
export type Block = UserBlock | AgentBlock | ReasoningBlock | ToolBlock | NoticeBlock | InterruptedBlock | RecapBlock;

interface BlockBase {
  readonly id: string;
  /** Row of the store it came from. */
  readonly messageId?: number;
  /** Tool results, reasoning and summaries are folded unless this is set; elsewhere long lines are shortened. */
  readonly isUnfolded?: boolean;
}

export interface UserBlock extends BlockBase {
  readonly kind: 'user';
  readonly text: string;
  /** Not sent yet: waits for the turn that runs. */
  readonly isQueued?: boolean;
}

export interface AgentBlock extends BlockBase {
  readonly kind: 'agent';
  readonly text: string;
  /** Kept while text arrives; otherwise made when the block is first looked at. */
  readonly source?: Source;
  readonly isStreaming: boolean;
}

export interface ReasoningBlock extends BlockBase {
  readonly kind: 'reasoning';
  readonly text: string;
  readonly isStreaming: boolean;
}

export interface ToolBlock extends BlockBase {
  readonly kind: 'tool';
  readonly name: string;
  /** What it was called with, on one line. */
  readonly summary: string;
  readonly state: 'running' | 'ok' | 'failed';
  /** Milliseconds it took, where known. */
  readonly ms?: number;
  readonly result?: string;
  /** Row of the store the result came from, where that is another one than the call's. */
  readonly resultId?: number;
}

export interface NoticeBlock extends BlockBase {
  readonly kind: 'notice';
  readonly tone: 'info' | 'error';
  readonly text: string;
  /** What to do about it. */
  readonly hint?: string;
}

export interface InterruptedBlock extends BlockBase {
  readonly kind: 'interrupted';
}

export interface RecapBlock extends BlockBase {
  readonly kind: 'recap';
  readonly recap: Recap;
  readonly when: string;
  readonly messageCount: number;
  readonly readKey: string;
  readonly isMinimal?: boolean;
  /** Rows of the screen that other things take beside it. */
  readonly reservedRows?: number;
}

export const agentBlock = (id: string, text: string, more: { isStreaming?: boolean; messageId?: number } = {}): AgentBlock => ({
  kind: 'agent',
  id,
  text,
  isStreaming: more.isStreaming ?? false,
  ...(more.messageId === undefined ? {} : { messageId: more.messageId }),
});

/** The text of an answer cut into what is laid out. */
export const sourceOf = (block: AgentBlock): Source => block.source ?? appendSource(emptySource, block.text);

/** The block with text added, as it streams; blocks without streaming text stay as they are. */
export function appendToBlock(block: Block, delta: string): Block {
  if (block.kind === 'agent') return { ...block, text: block.text + delta, source: appendSource(sourceOf(block), delta) };
  if (block.kind === 'reasoning' || block.kind === 'user') return { ...block, text: block.text + delta };
  if (block.kind === 'tool') return { ...block, result: (block.result ?? '') + delta };
  return block;
}

/**
 * Stored messages, oldest first, as blocks: results go to the call that asked for them, reasoning before the answer; system rows and
 * hidden ones are left out; events (a switch of the model) are notices, since nobody said them. A window that begins between a call and its
 * result shows the result by itself. `isOngoing`: somebody else's turn is writing the newest one, which is marked as cut off until it is whole.
 */
export function messageBlocks(messages: readonly Message[], { isOngoing = false }: { isOngoing?: boolean } = {}): Block[] {
  const blocks: Block[] = [];
  const growing = isOngoing ? messages.at(-1) : undefined;
  const calls = new Map<string, number>();
  for (const message of messages) {
    if (message.displayKind === 'hidden') continue;
    const id = `m${message.id}`;
    const messageId = message.id;
    if (message.role === 'tool') {
      const place = message.toolCallId === undefined ? undefined : calls.get(message.toolCallId);
      const call = place === undefined ? undefined : blocks[place];
      if (place !== undefined && call?.kind === 'tool') {
        blocks[place] = { ...call, state: 'ok', result: message.text, resultId: messageId };
      } else {
        blocks.push({ kind: 'tool', id, messageId, name: message.toolName ?? 'tool', summary: '', state: 'ok', result: message.text });
      }
      continue;
    }
    const isEvent = (message.displayKind ?? '') !== '';
    if (isEvent && message.role === 'user') blocks.push({ kind: 'notice', id, tone: 'info', text: message.text });
    else if (message.role === 'user' && !message.isSummary) blocks.push({ kind: 'user', id, messageId, text: message.text });
    else if (message.isSummary) blocks.push({ kind: 'reasoning', id, messageId, text: message.text, isStreaming: false });
    else if (message.role === 'assistant') {
      const { thoughts, answer } = splitThoughts(message.text);
      const reasoning = [message.reasoning ?? '', thoughts].filter((part) => part !== '').join('\n\n');
      const isCut = message.finishReason === 'interrupted';
      const isStreaming = isCut && message === growing;
      if (reasoning !== '') blocks.push({ kind: 'reasoning', id: `${id}:reasoning`, messageId, text: reasoning, isStreaming: false });
      if (answer.trim() !== '') blocks.push(agentBlock(id, answer, { messageId, isStreaming }));
      for (const call of message.toolCalls) {
        calls.set(call.id, blocks.length);
        const block: ToolBlock = {
          kind: 'tool',
          id: `${id}:${call.id}`,
          messageId,
          name: call.name,
          summary: summarizeArguments(call.arguments),
          state: isStreaming ? 'running' : isCut ? 'failed' : 'ok',
        };
        blocks.push(block);
      }
      if (isCut && !isStreaming) blocks.push({ kind: 'interrupted', id: `${id}:interrupted`, messageId });
    }
  }
  return blocks;
}
