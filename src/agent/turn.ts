import type { ModelMessage } from 'ai';

import type { AgentError } from '../errors.ts';
import type { Message, ToolCall } from '../session/types.ts';
import { agentText } from '../text/en/agent.ts';
import type { ClientPart, ModelClient } from './clients.ts';
import type { ModelChoice, Tool, TurnEvent } from './events.ts';
import { parseArguments, toModelMessages, toolResultMessage } from './prompt.ts';
import { toAgentError } from './trouble.ts';

export interface TurnRequest {
  client: ModelClient;
  choice: ModelChoice;
  /** Live rows of the session, oldest first. */
  messages: readonly Message[];
  system: string | undefined;
  tools: readonly Tool[];
  /** Where tools run. */
  cwd: string;
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Model calls in one turn before it stops by itself. */
  maxSteps?: number;
}

const MAX_STEPS = 50;

/** The finish reason of a turn that used up its steps. */
export const STEP_LIMIT = 'max_steps';

/** What one step of the model came to. */
interface Step {
  calls: ToolCall[];
  text: string;
  done?: Extract<ClientPart, { type: 'done' }>;
  error?: AgentError;
}

/** Streams one answer of the model; never throws, the error is in the step. */
async function* runStep(request: TurnRequest, prompt: readonly ModelMessage[], step: Step): AsyncGenerator<TurnEvent, void, void> {
  const { client, choice, system, tools, signal, now } = request;
  try {
    for await (const part of client.stream({ choice, system, prompt, tools, signal })) {
      if (signal.aborted) return;
      if (part.type === 'done') {
        step.done = part;
        continue;
      }
      if (part.type === 'tool-call') step.calls.push(part.call);
      else if (part.type === 'text') step.text += part.delta;
      yield part;
    }
  } catch (error) {
    if (!signal.aborted) step.error = toAgentError(error, { choice, now: now() });
  }
}

/** Settles when the work does, or as soon as the signal fires: a tool that ignores the signal can't hold the turn. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Runs one call; what goes wrong becomes the result, so that the model can react to it. */
async function runTool(call: ToolCall, request: TurnRequest): Promise<{ text: string; isError: boolean }> {
  const { tools, cwd, signal } = request;
  const tool = tools.find((candidate) => candidate.name === call.name);
  if (tool === undefined) return { text: agentText.toolUnknown(call.name), isError: true };
  const problem = argumentsProblem(call.arguments);
  if (problem !== undefined) return { text: agentText.toolBadArguments(problem), isError: true };
  try {
    const text = await untilAborted(tool.run(parseArguments(call.arguments), { cwd, signal }), signal);
    return text === undefined ? { text: agentText.toolInterrupted, isError: true } : { text, isError: false };
  } catch (error) {
    if (signal.aborted) return { text: agentText.toolInterrupted, isError: true };
    return { text: agentText.toolFailed(error instanceof Error ? error.message : String(error)), isError: true };
  }
}

function argumentsProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'not an object';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A call without a result would make the stored conversation unusable: every open one gets a stub. */
function* closeCalls(calls: readonly ToolCall[], text: string): Generator<TurnEvent, void, void> {
  for (const call of calls) yield { type: 'tool-result', callId: call.id, name: call.name, text, isError: true, ms: 0 };
}

/** The answer as it goes back into the same turn: as the provider gave it, else put together from what was seen. */
function replayOf(step: Step): readonly ModelMessage[] {
  if (step.done !== undefined && step.done.replay.length > 0) return step.done.replay;
  const calls = step.calls.map((call) => ({
    type: 'tool-call' as const,
    toolCallId: call.id,
    toolName: call.name,
    input: parseArguments(call.arguments),
  }));
  return [{ role: 'assistant', content: [...(step.text.trim() === '' ? [] : [{ type: 'text' as const, text: step.text }]), ...calls] }];
}

function toErrorEvent(error: AgentError): TurnEvent {
  const { trouble, message, hint, retryAfterMs } = error;
  return {
    type: 'error',
    trouble,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/**
 * One turn: the model answers, its tools run, it answers again, until it is done. Ends with exactly one `finish` or `error`, never
 * throws. Tools run one after the other, in the order the model wrote them: they may change files that the next one reads.
 * An abort of `signal` closes the socket and ends with `finish: interrupted`; open tool calls get stub results first.
 */
export async function* runTurn(request: TurnRequest): AsyncGenerator<TurnEvent, void, void> {
  const { signal, now, maxSteps = MAX_STEPS } = request;
  const prompt = toModelMessages(request.messages);
  for (let count = 0; count < maxSteps; count++) {
    const step: Step = { calls: [], text: '' };
    yield* runStep(request, prompt, step);
    if (signal.aborted || step.error !== undefined || step.done === undefined) {
      yield* closeCalls(step.calls, agentText.toolNotStarted);
      yield step.error === undefined || signal.aborted ? { type: 'finish', reason: 'interrupted' } : toErrorEvent(step.error);
      return;
    }
    yield { type: 'usage', usage: step.done.usage };
    if (step.calls.length === 0) {
      yield { type: 'finish', reason: step.done.reason };
      return;
    }
    yield { type: 'step', reason: step.done.reason };
    prompt.push(...replayOf(step));
    for (const [index, call] of step.calls.entries()) {
      if (signal.aborted) {
        yield* closeCalls(step.calls.slice(index), agentText.toolNotStarted);
        break;
      }
      const startedAt = now();
      const result = await runTool(call, request);
      prompt.push(toolResultMessage(call, result.text, result.isError));
      yield { type: 'tool-result', callId: call.id, name: call.name, ...result, ms: Math.max(0, now() - startedAt) };
    }
    if (signal.aborted) {
      yield { type: 'finish', reason: 'interrupted' };
      return;
    }
  }
  yield { type: 'text', delta: agentText.tooManySteps(maxSteps) };
  yield { type: 'finish', reason: STEP_LIMIT };
}
