import type { AgentTrouble } from '../errors.ts';
import type { ModelChoice, Tool, TurnEvent } from './events.ts';
import { runTurn, type TurnRequest } from './turn.ts';

/** How a request that offers tools is refused by an endpoint whose model takes none: as a bad one (Ollama), or as nothing it serves (OpenRouter). */
const refusals: readonly AgentTrouble[] = ['bad-request', 'unknown-model'];

export interface ToolOffer {
  /** Which models take none, as far as this conversation has found out; `runTurnOffering` adds to it. */
  readonly refused: Set<string>;
  readonly tools: readonly Tool[];
  readonly system: (tools: readonly Tool[]) => string | undefined;
}

/**
 * `runTurn` with the tools, and without them for a model that takes none. There is no code for that refusal, and its words differ with every server: a
 * request that is refused before anything came is sent once more without tools. If that goes through the model is remembered; otherwise the first
 * refusal stands, since the tools were not its reason.
 */
export async function* runTurnOffering(
  request: Omit<TurnRequest, 'tools' | 'system'>,
  { refused, tools, system }: ToolOffer,
): AsyncGenerator<TurnEvent, void, void> {
  const without = (): AsyncGenerator<TurnEvent, void, void> => runTurn({ ...request, tools: [], system: system([]) });
  const key = keyOf(request.choice);
  if (tools.length === 0 || refused.has(key)) return yield* without();
  let isFirst = true;
  for await (const event of runTurn({ ...request, tools, system: system(tools) })) {
    if (!isFirst || event.type !== 'error' || !refusals.includes(event.trouble)) {
      isFirst = false;
      yield event;
      continue;
    }
    const again = without();
    const first = await again.next();
    if (first.done === true || first.value.type === 'error') {
      yield event;
      return;
    }
    refused.add(key);
    yield first.value;
    return yield* again;
  }
}

const keyOf = ({ provider, baseUrl, model }: ModelChoice): string => `${provider} ${baseUrl ?? ''} ${model}`;
