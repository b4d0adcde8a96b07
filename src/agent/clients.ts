import type { LanguageModel, ModelMessage, ToolSet } from 'ai';

import type { ToolCall } from '../session/types.ts';
import type { ModelChoice, Tool, Usage } from './events.ts';
import { createThinkSplitter } from './think-split.ts';
import { cutOffError, emptyAnswerError, toAgentError } from './trouble.ts';
import { watchFetch } from './watched-fetch.ts';

/** One call of a model. `signal` closes the socket; the stream then just ends. */
export interface ModelCall {
  choice: ModelChoice;
  system: string | undefined;
  prompt: readonly ModelMessage[];
  tools: readonly Pick<Tool, 'name' | 'description' | 'parameters'>[];
  signal: AbortSignal;
}

/** What a call yields. A stream without `done` was interrupted. */
export type ClientPart =
  | { type: 'text' | 'reasoning'; delta: string }
  | { type: 'tool-call'; call: ToolCall }
  /** `replay` is the answer as the same model wants to see it again within the turn (signed reasoning included). */
  | { type: 'done'; reason: string; usage: Usage; replay: readonly ModelMessage[] };

export interface ModelClient {
  /** @throws AgentError while iterating; nothing is retried here. */
  stream(call: ModelCall): AsyncIterable<ClientPart>;
}

/** Longest silence of a provider before the call is given up: a large local model may read its prompt for minutes before it speaks. */
const SILENCE_MS = 180_000;

/** Stored finish reasons are OpenAI's words, whatever the provider calls them (state-db.md 2.8). */
const REASONS: Readonly<Record<string, string>> = {
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  other: 'stop',
  unknown: 'stop',
};

type Sdk = typeof import('ai');

/** Loads the SDK once, on the first call of a model: 100 ms and 12 MB that a start does not pay. */
async function loadSdk(): Promise<Sdk> {
  // The SDK prints its warnings with console.warn, straight into the screen.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  return import('ai');
}

async function openModel(choice: ModelChoice, fetch: typeof globalThis.fetch): Promise<LanguageModel> {
  const { apiKey, model } = choice;
  const base = choice.baseUrl === undefined ? {} : { baseURL: choice.baseUrl };
  if (choice.api === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    if (choice.isBearer === true && apiKey !== undefined) {
      return createAnthropic({ ...base, authToken: apiKey, headers: { 'anthropic-beta': 'oauth-2025-04-20' }, fetch })(model);
    }
    // Without a key the SDK would read the environment on its own and send what it finds there to this endpoint.
    return createAnthropic({ ...base, apiKey: apiKey ?? 'none', fetch })(model);
  }
  if (choice.api === 'google') {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    return createGoogleGenerativeAI({ ...base, apiKey: apiKey ?? 'none', fetch })(model);
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  return createOpenAICompatible({
    name: choice.provider.replace(/[^A-Za-z0-9]/g, '-'),
    baseURL: choice.baseUrl ?? '',
    ...(apiKey === undefined ? {} : { apiKey }),
    includeUsage: true,
    fetch,
    // OpenAI's own reasoning models refuse the name that everyone else still uses.
    ...(choice.provider === 'openai'
      ? {
          transformRequestBody: ({ max_tokens, ...body }) =>
            max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens },
        }
      : {}),
  })(model);
}

/** Anthropic refuses a conversation with tool calls when no tools are declared; the names it has used are declared for it. */
function declaredTools(call: ModelCall): readonly Pick<Tool, 'name' | 'description' | 'parameters'>[] {
  if (call.tools.length > 0 || call.choice.api !== 'anthropic') return call.tools;
  const names = new Set<string>();
  for (const message of call.prompt) {
    if (message.role !== 'assistant' || typeof message.content === 'string') continue;
    for (const part of message.content) if (part.type === 'tool-call') names.add(part.toolName);
  }
  return [...names].map((name) => ({ name, description: 'Not available in this conversation.', parameters: { type: 'object' } }));
}

const CACHE = { anthropic: { cacheControl: { type: 'ephemeral' as const } } };

/** Marks the system prompt and the newest message, so that Anthropic serves everything before it from its cache on the next call. */
function withCacheMarks(prompt: readonly ModelMessage[]): ModelMessage[] {
  const last = prompt.at(-1);
  return last === undefined ? [] : [...prompt.slice(0, -1), { ...last, providerOptions: { ...last.providerOptions, ...CACHE } }];
}

function toUsage(usage: {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  inputTokenDetails: { noCacheTokens: number | undefined; cacheReadTokens: number | undefined; cacheWriteTokens: number | undefined };
  outputTokenDetails: { reasoningTokens: number | undefined };
}): Usage {
  const { noCacheTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage.inputTokenDetails;
  return {
    inputTokens: noCacheTokens ?? Math.max(0, (usage.inputTokens ?? 0) - cacheReadTokens - cacheWriteTokens),
    outputTokens: usage.outputTokens ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: usage.outputTokenDetails.reasoningTokens ?? 0,
  };
}

/**
 * Clients for the three wire formats, through the AI SDK. `silenceMs`: how long no byte may come before a call is given up.
 */
export function createModelClient(options: { now: () => number; silenceMs?: number }): ModelClient {
  return { stream: (call) => streamCall(call, options.now, options.silenceMs ?? SILENCE_MS) };
}

async function* streamCall(call: ModelCall, now: () => number, silenceMs: number): AsyncGenerator<ClientPart, void, void> {
  const { choice } = call;
  let silentForMs: number | undefined;
  let hasOutput = false;
  // Own controller: a consumer that stops listening must close the socket as surely as an interrupt does.
  const stop = new AbortController();
  const watch = watchFetch(silenceMs, () => {
    silentForMs = silenceMs;
    stop.abort();
  });
  const signal = AbortSignal.any([call.signal, stop.signal]);
  const fail = (error: unknown): Error =>
    toAgentError(error, { choice, now: now(), hasOutput, ...(silentForMs === undefined ? {} : { silentForMs }) });
  const splitter = choice.api === 'openai-compatible' ? createThinkSplitter() : undefined;
  const argumentsText = new Map<string, string>();
  let calls = 0;
  let said = 0;
  let finish: { reason: string; raw: string | undefined; usage: Usage } | undefined;
  let streamError: unknown;

  try {
    const { jsonSchema, streamText, tool } = await loadSdk();
    const tools: ToolSet = {};
    for (const { name, description, parameters } of declaredTools(call)) {
      tools[name] = tool({ description, inputSchema: jsonSchema(parameters) });
    }
    const isAnthropic = choice.api === 'anthropic';
    const result = streamText({
      model: await openModel(choice, watch.fetch),
      messages: isAnthropic ? withCacheMarks(call.prompt) : [...call.prompt],
      ...(call.system === undefined
        ? {}
        : { system: isAnthropic ? { role: 'system' as const, content: call.system, providerOptions: CACHE } : call.system }),
      ...(Object.keys(tools).length === 0 ? {} : { tools }),
      ...(choice.maxTokens === undefined ? {} : { maxOutputTokens: choice.maxTokens }),
      maxRetries: 0,
      abortSignal: signal,
      onError: () => undefined, // the error part says it; the default prints to the screen
    });

    for await (const part of result.fullStream) {
      if (call.signal.aborted) return;
      switch (part.type) {
        case 'text-delta':
          for (const piece of splitter?.push(part.text) ?? [{ type: 'text' as const, delta: part.text }]) {
            hasOutput = true;
            if (piece.type === 'text') said += piece.delta.length;
            yield piece;
          }
          break;
        case 'reasoning-delta':
          if (part.text === '') break;
          hasOutput = true;
          yield { type: 'reasoning', delta: part.text };
          break;
        case 'tool-input-delta':
          argumentsText.set(part.id, (argumentsText.get(part.id) ?? '') + part.delta);
          break;
        case 'tool-call': {
          hasOutput = true;
          calls++;
          const written = argumentsText.get(part.toolCallId);
          yield {
            type: 'tool-call',
            call: { id: part.toolCallId, name: part.toolName, arguments: written ?? JSON.stringify(part.input ?? {}) },
          };
          break;
        }
        case 'finish-step':
          finish = { reason: part.finishReason, raw: part.rawFinishReason, usage: toUsage(part.usage) };
          break;
        case 'error':
          streamError ??= part.error;
          break;
        default:
          break;
      }
      if (streamError !== undefined) break;
    }

    if (call.signal.aborted) return;
    if (silentForMs !== undefined) throw new Error('silent');
    // `[DONE]` without a finish reason is how some servers end a complete answer; the SDK reports it as broken.
    const endedWithoutReason = isMissingReason(streamError) || (streamError === undefined && finish?.raw === undefined);
    const isComplete = endedWithoutReason && watch.isDone() && hasOutput;
    if (!isComplete) {
      if (endedWithoutReason) throw cutOffError(choice);
      if (streamError !== undefined) throw fail(streamError);
    }
    for (const piece of splitter?.end() ?? []) {
      if (piece.type === 'text') said += piece.delta.length;
      yield piece;
    }
    if (finish?.reason === 'error' && !isComplete) throw toAgentError(finish.raw, { choice, now: now() });
    const reason = isComplete || finish === undefined ? 'stop' : (REASONS[finish.reason] ?? finish.reason);
    if (said === 0 && calls === 0) throw emptyAnswerError(choice, reason);
    const replay = calls === 0 || isComplete ? [] : (await result.response).messages.filter((message) => message.role === 'assistant');
    yield { type: 'done', reason: calls > 0 ? 'tool_calls' : reason, usage: finish?.usage ?? NO_USAGE, replay };
  } catch (error) {
    if (call.signal.aborted) return;
    throw fail(error);
  } finally {
    watch.close();
    stop.abort();
  }
}

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

/** The SDK's own report that a stream ended without a finish reason; it has no code, only this class and no data. */
function isMissingReason(error: unknown): boolean {
  return error instanceof Error && error.name === 'AI_InvalidResponseDataError' && (error as Error & { data?: unknown }).data === undefined;
}
