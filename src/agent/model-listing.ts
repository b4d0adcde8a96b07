import type { ModelChoice } from './events.ts';
import { getJson } from './http-json.ts';
import { toAgentError } from './trouble.ts';

/** How `choice` signs a plain request. */
function authHeaders(choice: ModelChoice): Record<string, string> {
  if (choice.apiKey === undefined) return {};
  if (choice.api === 'google') return { 'x-goog-api-key': choice.apiKey };
  if (choice.api === 'anthropic' && choice.isBearer !== true) return { 'x-api-key': choice.apiKey, 'anthropic-version': '2023-06-01' };
  return { authorization: `Bearer ${choice.apiKey}`, ...(choice.api === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {}) };
}

function readIds(json: unknown): string[] {
  const body = (typeof json === 'object' && json !== null ? json : {}) as Record<string, unknown>;
  const entries = Array.isArray(body['data']) ? body['data'] : Array.isArray(body['models']) ? body['models'] : [];
  return entries.flatMap((entry: unknown) => {
    const row = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<string, unknown>;
    const id = row['id'] ?? row['name'];
    return typeof id === 'string' ? [id.replace(/^models\//, '')] : [];
  });
}

/**
 * The models a provider lists under this key: for `/model`, and as the cheapest proof that provider and key work (`doctor`).
 * @throws AgentError as a turn would: unauthorized, network, rate-limited …
 */
export async function listProviderModels(
  choice: ModelChoice,
  options: { timeoutMs?: number; signal?: AbortSignal; now: () => number },
): Promise<string[]> {
  const url = `${choice.baseUrl ?? ''}/models`;
  const context = { choice, now: options.now(), url };
  const reply = await getJson(url, {
    timeoutMs: options.timeoutMs ?? 5000,
    headers: authHeaders(choice),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  }).catch((error: unknown) => {
    throw toAgentError(error, context);
  });
  if (reply.status >= 200 && reply.status < 300) return readIds(reply.json);
  throw toAgentError({ statusCode: reply.status, responseHeaders: reply.headers, responseBody: reply.text }, context);
}
