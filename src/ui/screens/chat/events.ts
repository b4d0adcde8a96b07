import type { ConversationEvent, TurnEvent } from '../../../agent/events.ts';
import type { Message } from '../../../session/types.ts';
import { chatText } from '../../../text/en/chat.ts';
import {
  agentBlock,
  appendBlocks,
  appendDelta,
  indexOfBlock,
  messageBlocks,
  removeBlock,
  replaceBlock,
  summarizeArguments,
  updateBlock,
  type Block,
  type ToolBlock,
  type Transcript,
} from '../../transcript/index.ts';
import type { Update } from '../../screen.ts';
import { composerText, fill } from './composer.ts';
import { flashMs, type ChatEffect, type ChatState, type Turn } from './state.ts';

type Result = Update<ChatState, ChatEffect>;
const none: readonly ChatEffect[] = [];
const draft: readonly ChatEffect[] = [{ type: 'draft' }];

/** What a running conversation says, as changes of the screen. Deltas cost as much as the open end of one block. */
export function receiveEvent(state: ChatState, event: ConversationEvent, now: number): Result {
  switch (event.type) {
    case 'queued':
      return { state: withQueue({ ...state, queue: event.queue }), effects: draft };
    case 'user':
      return { state: receiveUser(state, event.message, event.sessionId), effects: draft };
    case 'turn-started':
      // What was said before is read; that the message is being worked on is news.
      return { state: { ...state, turn: newTurn(event.at), canRetry: false, flash: undefined }, effects: none };
    case 'turn':
      return { state: receiveTurn(state, event.event, now), effects: none };
    case 'message':
      return { state: receiveMessage(state, event.message), effects: none };
    case 'turn-ended':
      return { state: endTurn(state, event.reason), effects: none };
    case 'unsent':
      return {
        state: { ...takeBack(state, event.texts), flash: { text: chatText.unsent, isError: false, until: now + flashMs } },
        effects: draft,
      };
    case 'store-trouble': {
      const noticed = addNotice(state, 'error', event.message, event.hint);
      return {
        state: event.text === undefined || isStreamed(state, event.text) ? noticed : takeBack(noticed, [event.text]),
        effects: draft,
      };
    }
  }
}

/** An answer that could not be stored stands on the screen; only the person's own text goes back into the line. */
const isStreamed = (state: ChatState, text: string): boolean =>
  state.transcript.blocks.some((block) => block.kind === 'agent' && block.text === text);

const newTurn = (since: number): Turn => ({ since, agent: undefined, reasoning: undefined, tools: new Map() });

/** Adds a block at the end, before the messages that wait. */
export function addBlock(state: ChatState, block: Block): ChatState {
  const waiting = state.transcript.blocks.filter(isQueued);
  const bare = waiting.reduce((transcript, each) => removeBlock(transcript, each.id), state.transcript);
  return { ...state, transcript: appendBlocks(bare, [block, ...waiting], state.transcript.hasLater) };
}

const isQueued = (block: Block): boolean => block.kind === 'user' && block.isQueued === true;

export function addNotice(state: ChatState, tone: 'info' | 'error', text: string, hint?: string): ChatState {
  const id = `n${state.serial}`;
  const block: Block = { kind: 'notice', id, tone, text, ...(hint === undefined ? {} : { hint }) };
  return addBlock({ ...state, serial: state.serial + 1 }, block);
}

/** Texts return into the line, in front of what stands there. */
export function takeBack(state: ChatState, texts: readonly string[]): ChatState {
  const parts = [...texts, composerText(state.composer)].filter((text) => text !== '');
  return { ...state, composer: fill(state.composer, parts.join('\n\n')) };
}

function withQueue(state: ChatState): ChatState {
  const bare = state.transcript.blocks.filter(isQueued).reduce((transcript, each) => removeBlock(transcript, each.id), state.transcript);
  const blocks = state.queue.map((text, index): Block => ({ kind: 'user', id: `q${index}`, text, isQueued: true }));
  return { ...state, transcript: blocks.length === 0 ? bare : appendBlocks(bare, blocks, bare.hasLater) };
}

function receiveUser(state: ChatState, message: Message, sessionId: string): ChatState {
  const isFirst = state.backlog.isRecap && state.backlog.cursor === undefined;
  const backlog = isFirst ? { ...state.backlog, cursor: { sessionId, order: message.id } } : state.backlog;
  const [block] = messageBlocks([message]);
  const next = { ...state, backlog, session: { ...state.session, id: sessionId }, canRetry: false };
  return block === undefined || indexOfBlock(state.transcript, block.id) !== -1 ? next : addBlock(next, block);
}

function receiveTurn(state: ChatState, event: TurnEvent, now: number): ChatState {
  const turn = state.turn ?? newTurn(now);
  switch (event.type) {
    case 'text':
      return stream(state, turn, 'agent', event.delta);
    case 'reasoning':
      return stream(state, turn, 'reasoning', event.delta);
    case 'tool-call': {
      const id = `s${state.serial}`;
      const { call } = event;
      const block: ToolBlock = { kind: 'tool', id, name: call.name, summary: summarizeArguments(call.arguments), state: 'running' };
      const tools = new Map(turn.tools).set(call.id, id);
      return addBlock({ ...state, serial: state.serial + 1, turn: { ...turn, tools, agent: undefined, reasoning: undefined } }, block);
    }
    case 'tool-result': {
      const id = turn.tools.get(event.callId);
      if (id === undefined) return state;
      const finish = (block: Block): Block =>
        block.kind === 'tool' ? { ...block, state: event.isError ? 'failed' : 'ok', result: event.text, ms: event.ms } : block;
      return { ...state, turn, transcript: updateBlock(state.transcript, id, finish) };
    }
    case 'usage': {
      const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = event.usage;
      const used = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
      const limit = state.context?.limit;
      return { ...state, turn, context: { used, ...(limit === undefined ? {} : { limit }) } };
    }
    case 'error':
      return addNotice({ ...state, turn }, 'error', event.message, event.hint);
    default:
      return { ...state, turn };
  }
}

/** Appends streamed text to the open block of its kind, or opens one. */
function stream(state: ChatState, turn: Turn, kind: 'agent' | 'reasoning', delta: string): ChatState {
  const open = turn[kind];
  if (open !== undefined) return { ...state, turn, transcript: appendDelta(state.transcript, open, delta) };
  const id = `s${state.serial}`;
  const block: Block = kind === 'agent' ? agentBlock(id, delta, { isStreaming: true }) : { kind, id, text: delta, isStreaming: true };
  // Words after a thought end it; a thought after words ends those.
  const next: Turn = { ...turn, agent: undefined, reasoning: undefined, [kind]: id };
  const closed = closeStreams(state, turn);
  return addBlock({ ...closed, serial: state.serial + 1, turn: next }, block);
}

function closeStreams(state: ChatState, turn: Turn): ChatState {
  let { transcript } = state;
  for (const id of [turn.agent, turn.reasoning]) {
    if (id === undefined) continue;
    transcript = updateBlock(transcript, id, (block) =>
      block.kind === 'agent' || block.kind === 'reasoning' ? { ...block, isStreaming: false } : block,
    );
  }
  return transcript === state.transcript ? state : { ...state, transcript };
}

/** A row reached its final form: the streamed blocks become those of the stored message, so that a window of the store knows them. */
function receiveMessage(state: ChatState, message: Message): ChatState {
  if (message.role !== 'assistant') return state;
  const turn = state.turn ?? newTurn(message.timestamp);
  const tools = new Map(turn.tools);
  let transcript: Transcript = closeStreams(state, turn).transcript;
  const streamed = transcript.blocks.filter((block) => /^s\d+$/.test(block.id));
  for (const block of messageBlocks([message])) {
    const callId = block.kind === 'tool' ? block.id.slice(`m${message.id}:`.length) : undefined;
    const from = streamed.find((each) => (callId === undefined ? each.kind === block.kind : each.id === tools.get(callId)));
    if (from === undefined) continue;
    const known = from.kind === 'tool' && block.kind === 'tool' ? { ...from, id: block.id, messageId: message.id } : block;
    transcript = replaceBlock(transcript, from.id, [known]);
    if (callId !== undefined) tools.set(callId, block.id);
  }
  return { ...state, transcript, turn: { ...turn, agent: undefined, reasoning: undefined, tools } };
}

function endTurn(state: ChatState, reason: string): ChatState {
  const closed = state.turn === undefined ? state : closeStreams(state, state.turn);
  const isOpen = reason === 'interrupted' || reason === 'failed' || reason === 'error';
  const ended: ChatState = { ...closed, turn: undefined, canRetry: isOpen, serial: state.serial + 1 };
  return reason === 'interrupted' ? addBlock(ended, { kind: 'interrupted', id: `i${state.serial}` }) : ended;
}
