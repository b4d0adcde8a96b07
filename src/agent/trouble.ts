import { AgentError } from '../errors.ts';
import type { AgentTrouble } from '../errors.ts';
import { agentText } from '../text/en/agent.ts';
import type { ModelChoice } from './events.ts';
import { findProvider } from './provider-table.ts';

export interface TroubleContext {
  choice: ModelChoice;
  /** Milliseconds since the epoch; for a Retry-After that is a date. */
  now: number;
  url?: string;
  /** Set when our own watch closed a connection that had gone silent for so long. */
  silentForMs?: number;
  /** Something of the answer had arrived. */
  hasOutput?: boolean;
}

/** A failed reply as the clients throw it; read by shape, so that this file loads none of them. */
interface FailedReply {
  statusCode: number;
  responseHeaders?: Readonly<Record<string, string | undefined>> | undefined;
  responseBody?: string | undefined;
}

/** What a provider's error says, in whichever of the usual shapes. */
interface ProviderSays {
  text?: string;
  /** `code`, `type` and `status` fields together, lower case: OpenAI, Anthropic and Google each use another one. */
  codes: string;
  /** Milliseconds, from Google's RetryInfo. */
  retryDelayMs?: number;
}

const CONNECT_CODES: readonly string[] = ['ECONNREFUSED'];
const NAME_CODES: readonly string[] = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_NONAME', 'EAI_FAIL'];
const MAX_DETAIL = 200;

/** Providers say this only in prose, each in its own; a code exists at OpenAI alone. */
const OVERFLOW =
  /context[ _-]?(length|window|size)|maximum context|prompt is too long|too many (input )?tokens|input token count.*exceed|input is too long/i;
const UNKNOWN_MODEL =
  /model[ _]not[ _]found|invalid model|not a valid model|no such model|unknown model|model .{0,80}(does not exist|not found|is not found)/i;

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** One line, without the key, at most 200 characters: what a provider says is shown, never trusted. */
function toDetail(text: string | undefined, apiKey: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const bare = apiKey === undefined || apiKey.length < 4 ? text : text.replaceAll(apiKey, '***');
  const line = bare.replace(/\s+/g, ' ').trim();
  if (line === '') return undefined;
  const chars = Array.from(line);
  return chars.length <= MAX_DETAIL ? line : `${chars.slice(0, MAX_DETAIL - 1).join('')}…`;
}

function readProviderError(value: unknown): ProviderSays {
  const outer = asRecord(value);
  const error = asRecord(outer?.['error']) ?? outer;
  if (error === undefined) {
    const text = asText(value);
    return { codes: '', ...(text === undefined ? {} : { text }) };
  }
  const text = asText(error['message']) ?? asText(outer?.['error']) ?? asText(outer?.['detail']) ?? asText(error['details']);
  const codes = [error['code'], error['type'], error['status'], error['errorCode']]
    .filter((code) => typeof code === 'string' || typeof code === 'number')
    .join(' ')
    .toLowerCase();
  const delays = Array.isArray(error['details']) ? error['details'].map((detail) => asText(asRecord(detail)?.['retryDelay'])) : [];
  const delay = /^(\d+(?:\.\d+)?)s$/.exec(delays.find((found) => found !== undefined) ?? '')?.[1];
  return { codes, ...(text === undefined ? {} : { text }), ...(delay === undefined ? {} : { retryDelayMs: Number(delay) * 1000 }) };
}

function parseBody(body: string | undefined): unknown {
  if (body === undefined || body.trim() === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body.trimStart().startsWith('<') ? undefined : body; // a proxy's HTML page says nothing a person can use
  }
}

/**
 * Waiting time a reply asks for, in milliseconds from `now`: `retry-after-ms`, or `Retry-After` as seconds or as an HTTP date
 * (RFC 9110, 10.2.3). Absent when the header is missing, malformed or in the past.
 */
export function readRetryAfter(headers: Readonly<Record<string, string | undefined>> | undefined, now: number): number | undefined {
  const exact = Number(headers?.['retry-after-ms']);
  if (Number.isFinite(exact) && exact > 0) return exact;
  const value = headers?.['retry-after']?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  const wait = Date.parse(value) - now;
  return Number.isFinite(wait) && wait > 0 ? wait : undefined;
}

/** How the provider of a choice is called in sentences. */
function providerLabel(choice: ModelChoice): string {
  return findProvider(choice.provider)?.label ?? choice.provider;
}

function hostOf(context: TroubleContext): { host: string; isLocal: boolean } {
  const url = context.url ?? context.choice.baseUrl ?? '';
  if (!URL.canParse(url)) return { host: url, isLocal: false };
  const { host, hostname } = new URL(url);
  return { host, isLocal: /^(localhost|127\.|\[::1\]|0\.0\.0\.0)/.test(hostname) };
}

function make(trouble: AgentTrouble, said: { message: string; hint: string }, cause: unknown, retryAfterMs?: number): AgentError {
  return new AgentError(trouble, said.message, { hint: said.hint, cause, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
}

/** A reply with an error status, or an error event inside a stream that began well (`status` absent). */
function fromProvider(
  status: number | undefined,
  says: ProviderSays,
  retryAfterMs: number | undefined,
  cause: unknown,
  context: TroubleContext,
): AgentError {
  const { choice } = context;
  const provider = providerLabel(choice);
  const detail = toDetail(says.text, choice.apiKey);
  const wait = retryAfterMs ?? says.retryDelayMs;
  const words = `${says.codes} ${says.text ?? ''}`;
  const is = (...codes: string[]): boolean => codes.some((code) => says.codes.includes(code));

  if (is('context_length_exceeded', 'exceed_context_size') || status === 413 || (isClientFault(status) && OVERFLOW.test(words))) {
    return make('context-overflow', agentText.contextOverflow(provider, choice.model), cause);
  }
  if (status === 402 || is('insufficient_quota', 'insufficient_credits', 'billing')) {
    return make('unauthorized', agentText.noCredit(provider, detail), cause);
  }
  if (
    status === 401 ||
    status === 403 ||
    is('invalid_api_key', 'authentication_error', 'permission_error', 'unauthenticated', 'permission_denied') ||
    /api key not valid/i.test(words)
  ) {
    const said =
      choice.apiKey === undefined ? agentText.noKeySent(provider, detail) : agentText.unauthorized(provider, choice.keyFrom, detail);
    return make('unauthorized', said, cause);
  }
  if (status === 429 || is('rate_limit', 'resource_exhausted', '429')) {
    return make('rate-limited', agentText.rateLimited(provider, wait, detail), cause, wait);
  }
  if (is('model_not_found') || (isClientFault(status) && UNKNOWN_MODEL.test(words)) || (status === 404 && says.text !== undefined)) {
    return make('unknown-model', agentText.unknownModel(provider, choice.model, detail), cause);
  }
  if (status === 404 || status === 405) return make('bad-request', agentText.wrongAddress(context.url ?? choice.baseUrl ?? ''), cause);
  if (status !== undefined && status >= 400 && status < 500 && status !== 408) {
    return make('bad-request', agentText.badRequest(provider, status, detail), cause);
  }
  return make('server', agentText.server(provider, status, wait, detail), cause, wait);
}

function isClientFault(status: number | undefined): boolean {
  return status === undefined || (status >= 400 && status < 500);
}

/** The first code in an error and its causes: fetch hides the socket's error two levels down. */
function findCode(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth++) {
    const code = (at as Error & { code?: unknown }).code;
    if (typeof code === 'string') return code;
    // Node tries every address of a name and gathers the failures.
    if (at instanceof AggregateError && at.errors.length > 0) return findCode(at.errors[0]);
  }
  return undefined;
}

function findFailedReply(error: unknown): FailedReply | undefined {
  for (let at: unknown = error, depth = 0; typeof at === 'object' && at !== null && depth < 6; depth++) {
    const status = (at as { statusCode?: unknown }).statusCode;
    if (typeof status === 'number') return at as FailedReply;
    at = (at as { cause?: unknown }).cause ?? (at as { lastError?: unknown }).lastError;
  }
  return undefined;
}

function fromConnection(error: unknown, context: TroubleContext): AgentError {
  const code = findCode(error);
  const provider = providerLabel(context.choice);
  const { host, isLocal } = hostOf(context);
  if (context.hasOutput === true) return make('cut-off', agentText.cutOff(provider), error);
  if (code !== undefined && CONNECT_CODES.includes(code)) return make('network', agentText.refused(host, isLocal), error);
  if (code !== undefined && NAME_CODES.includes(code)) return make('network', agentText.unknownHost(host), error);
  if (code !== undefined && /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ERR_TLS|ERR_SSL|EPROTO/.test(code)) {
    return make('network', agentText.certificate(host, code), error);
  }
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE') return make('cut-off', agentText.cutOff(provider), error);
  return make('network', agentText.network(host, code), error);
}

/**
 * Whatever a client or the network threw → what happened and what to do, in the provider's name. Never contains the key.
 */
export function toAgentError(error: unknown, context: TroubleContext): AgentError {
  if (error instanceof AgentError) return error;
  const provider = providerLabel(context.choice);
  if (context.silentForMs !== undefined) return make('network', agentText.silent(provider, context.silentForMs), error);
  const reply = findFailedReply(error);
  if (reply !== undefined && reply.statusCode >= 300) {
    const says = readProviderError(parseBody(reply.responseBody));
    return fromProvider(reply.statusCode, says, readRetryAfter(reply.responseHeaders, context.now), error, context);
  }
  const name = error instanceof Error ? error.name : '';
  if (name === 'TimeoutError') return make('network', agentText.network(hostOf(context).host, 'timeout'), error);
  if (/JSONParse|TypeValidation|InvalidResponseData/.test(name)) return make('server', agentText.unreadable(provider), error);
  if (!(error instanceof Error)) return fromProvider(undefined, readProviderError(error), undefined, error, context);
  return fromConnection(error, context);
}

/** A stream that ended without the provider saying that it was finished. */
export function cutOffError(choice: ModelChoice): AgentError {
  return make('cut-off', agentText.cutOff(providerLabel(choice)), undefined);
}

/** An answer that is finished and empty: never stored as if the model had chosen to be silent. */
export function emptyAnswerError(choice: ModelChoice, reason: string): AgentError {
  const provider = providerLabel(choice);
  if (reason === 'content_filter') return make('server', agentText.filtered(provider), undefined);
  return make('server', reason === 'length' ? agentText.emptyAtLimit(provider) : agentText.emptyAnswer(provider), undefined);
}
