import { HermesError } from '../../errors.ts';
import type { Message } from '../../session/types.ts';
import { toolText } from '../../text/en/tools.ts';
import type { ModelClient } from '../clients.ts';
import type { ModelChoice } from '../events.ts';
import { cutContent } from './session-search-bodies.ts';

const text = toolText.summary;

export interface SummaryRequest {
  readonly query: string;
  readonly when: string;
  readonly messages: readonly Message[];
  /** Ids of messages before which some were left out. */
  readonly gaps: readonly number[];
  /** UTF-16 units of one message; a longer one loses its middle, but not `mark`. */
  readonly longest: number;
  readonly mark: string | undefined;
}

/** Told in the result, never thrown, unless the turn is over: one summary that failed must not lose the others. */
export type SummaryOutcome = { readonly summary: string } | { readonly error: string };

export type Summarise = (request: SummaryRequest, signal: AbortSignal) => Promise<SummaryOutcome>;

export interface SummariserParts {
  readonly client: ModelClient;
  /** Asked for every summary. @throws AgentError `no-model` */
  readonly choose: () => ModelChoice;
  /** How long one may take, milliseconds. */
  readonly timeoutMs: number;
  /** Models asked at the same time. */
  readonly atOnce: number;
}

/** A focused summary of one conversation by the auxiliary model (seeds: the older behaviour of `session_search`). */
export function createSummariser({ client, choose, timeoutMs, atOnce }: SummariserParts): Summarise {
  const takeTurn = createGate(atOnce);
  return async (request, signal) => {
    const leave = await takeTurn();
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      let choice: ModelChoice;
      try {
        choice = choose();
      } catch (error) {
        if (!(error instanceof HermesError)) throw error;
        return { error: text.noModel(error.message) };
      }
      const prompt = text.prompt(request.query, request.when, transcriptOf(request));
      const summary = await ask(client, choice, prompt, AbortSignal.any([signal, timeout]));
      signal.throwIfAborted();
      return timeout.aborted ? { error: text.timedOut(Math.round(timeoutMs / 1000)) } : { summary };
    } catch (error) {
      if (signal.aborted || !(error instanceof HermesError)) throw error;
      return { error: error.message };
    } finally {
      leave();
    }
  };
}

async function ask(client: ModelClient, choice: ModelChoice, prompt: string, signal: AbortSignal): Promise<string> {
  let said = '';
  const messages = [{ role: 'user' as const, content: prompt }];
  for await (const part of client.stream({ choice, system: text.system, prompt: messages, tools: [], signal })) {
    if (part.type === 'text') said += part.delta;
  }
  return said.trim();
}

function transcriptOf({ messages, gaps, longest, mark }: SummaryRequest): string {
  const isGap = new Set(gaps);
  const said = messages.map(({ id, role, text: stored, toolCalls, toolName }) => {
    const who = role === 'tool' && toolName !== undefined ? `tool ${toolName}` : role;
    const calls = toolCalls.map((call) => `${call.name} ${call.arguments}`);
    const parts = [cutContent(stored, longest, mark), ...calls].filter((part) => part !== '');
    return `${isGap.has(id) ? `${text.gap}\n\n` : ''}[${who}] ${parts.join('\n')}`;
  });
  return said.join('\n\n');
}

/** At most `atOnce` go in; the others wait their turn. */
function createGate(atOnce: number): () => Promise<() => void> {
  let inside = 0;
  const waiting: (() => void)[] = [];
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) inside -= 1;
    else next();
  };
  return async () => {
    if (inside < atOnce) inside += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return leave;
  };
}
