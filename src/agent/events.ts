import type { AgentTrouble } from '../errors.ts';
import type { Message, SessionId, ToolCall } from '../session/types.ts';

/** Tokens of one model call. `inputTokens` are those not served from or written to a cache: the prompt's size is the sum of the three. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
}

/**
 * What one turn emits, in order. Deltas may be dropped or merged by a slow listener; every other event must arrive.
 * A turn ends with exactly one `finish` or `error`.
 */
export type TurnEvent =
  | { type: 'text'; delta: string }
  | { type: 'reasoning'; delta: string }
  | { type: 'tool-call'; call: ToolCall }
  | { type: 'tool-result'; callId: string; name: string; text: string; isError: boolean; ms: number }
  | { type: 'usage'; usage: Usage }
  /** The model's part of a step is complete and its tools run next; a new assistant message follows their results. */
  | { type: 'step'; reason: string }
  | { type: 'finish'; reason: 'stop' | 'length' | 'tool-calls' | 'content_filter' | 'interrupted' | (string & {}) }
  | { type: 'error'; trouble: AgentTrouble; message: string; hint?: string; retryAfterMs?: number };

/** Which model answers, and how to reach it. Made by `config` and `agent/models.ts`; the key is never logged. */
export interface ModelChoice {
  /** As shown: `gpt-5-mini`. */
  model: string;
  /** `openai-compatible` speaks chat completions at `baseUrl`. */
  api: 'openai-compatible' | 'anthropic' | 'google';
  /** As stored in billing_provider and model_config.provider: `openrouter`, `custom:lab`, `anthropic` … */
  provider: string;
  baseUrl?: string;
  apiKey?: string;
  /** Where the key came from, for /model and doctor: an environment variable, `.env`, `config.yaml`. */
  keyFrom?: string;
  /** The key is sent as a bearer token where the provider's own keys are not (Anthropic's sign-in tokens). */
  isBearer?: boolean;
  contextLength?: number;
  maxTokens?: number;
}

/** A tool the model may call. `agent/tools/index.ts` has those of a conversation; tests hand in scripted ones. */
export interface Tool {
  name: string;
  description: string;
  /** JSON Schema of the arguments object. */
  parameters: Readonly<Record<string, unknown>>;
  run(args: unknown, context: { cwd: string; signal: AbortSignal }): Promise<string>;
}

/** One row being stored as the model writes it. */
export interface StoredAssistant {
  text: string;
  reasoning: string;
  toolCalls: readonly ToolCall[];
  finishReason?: string;
}

/**
 * Where a conversation is kept; `src/app` hands in one that talks to the store's writer. Every call resolves when the row is on
 * disk; the caller keeps at most one checkpoint in flight and sends the newest text next (product.md 8).
 */
export interface Recorder {
  /** Creates the session on the first message, reopens an ended one, stores the user's message. */
  user(text: string): Promise<{ sessionId: SessionId; message: Message; created: boolean }>;
  /** First row of an answer; returns its id for the later calls. */
  beginAssistant(state: StoredAssistant): Promise<number>;
  checkpointAssistant(messageId: number, state: StoredAssistant): Promise<void>;
  /** `finishReason` is set; counters and last activity follow. */
  finishAssistant(messageId: number, state: StoredAssistant): Promise<Message>;
  toolResult(result: { callId: string; name: string; text: string }): Promise<Message>;
  usage(usage: Usage, model: ModelChoice): Promise<void>;
  /** Live context for the next call, oldest first, only rows with active=1. */
  context(): Promise<readonly Message[]>;
}

/** What a conversation tells its listeners (screen, line mode, one-shot). */
export type ConversationEvent =
  | { type: 'queued'; queue: readonly string[] }
  | { type: 'user'; message: Message; sessionId: SessionId; created: boolean }
  | { type: 'turn-started'; at: number }
  | { type: 'turn'; event: TurnEvent }
  /** A row reached its final form; replaces what the deltas drew. */
  | { type: 'message'; message: Message }
  | { type: 'turn-ended'; reason: string; at: number }
  /** Queued texts handed back unsent after an interrupt or an error. */
  | { type: 'unsent'; texts: readonly string[] }
  /** The store could not take it; the text is handed back. */
  | { type: 'store-trouble'; message: string; hint?: string; text?: string };
