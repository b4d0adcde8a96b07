import { describe, expect, it } from 'vitest';

import { toAgentError } from '../../src/agent/trouble.ts';
import { localChoice } from '../support/model-server.ts';

const choice = localChoice('http://127.0.0.1:9');
const context = { choice, now: 0 };

function reply(statusCode: number, body: unknown, responseHeaders: Record<string, string> = {}): object {
  return { statusCode, responseHeaders, responseBody: typeof body === 'string' ? body : JSON.stringify(body) };
}

function failure(code: string, message = 'fetch failed'): Error {
  return Object.assign(new TypeError(message, { cause: Object.assign(new Error(code), { code }) }));
}

describe('what a provider answers with', () => {
  it.each([
    ['OpenAI: no credit', reply(429, { error: { message: 'You exceeded your quota', code: 'insufficient_quota' } }), 'unauthorized'],
    ['OpenRouter: no credit', reply(402, { error: { message: 'Insufficient credits', code: 402 } }), 'unauthorized'],
    [
      'Google: a bad key',
      reply(400, { error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } }),
      'unauthorized',
    ],
    [
      'OpenAI: too long',
      reply(400, { error: { message: "This model's maximum context length is 8192 tokens", code: 'context_length_exceeded' } }),
      'context-overflow',
    ],
    [
      'Anthropic: too long',
      reply(400, {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
      }),
      'context-overflow',
    ],
    [
      'Google: too long',
      reply(400, { error: { code: 400, message: 'The input token count (1200000) exceeds the maximum number of tokens allowed' } }),
      'context-overflow',
    ],
    [
      'llama.cpp: too long',
      reply(400, { error: { code: 400, message: 'the request exceeds the available context size', type: 'exceed_context_size_error' } }),
      'context-overflow',
    ],
    ['a proxy: body too large', reply(413, '<html>413</html>'), 'context-overflow'],
    ['OpenAI: no such model', reply(404, { error: { message: 'The model `x` does not exist', code: 'model_not_found' } }), 'unknown-model'],
    ['OpenRouter: no such model', reply(400, { error: { message: 'x/y is not a valid model ID', code: 400 } }), 'unknown-model'],
    ['Ollama: not pulled', reply(404, { error: { message: "model 'qwen3' not found" } }), 'unknown-model'],
    ['a web server: wrong path', reply(404, '<html>Not Found</html>'), 'bad-request'],
    ['something else not accepted', reply(400, { error: { message: 'temperature must be 1' } }), 'bad-request'],
    ['Anthropic: overloaded', reply(529, { error: { type: 'overloaded_error', message: 'Overloaded' } }), 'server'],
    ['a gateway: no answer behind it', reply(502, '<html>Bad gateway</html>'), 'server'],
    ['a text instead of JSON', reply(500, 'out of memory'), 'server'],
  ])('%s', (_name, error, trouble) => {
    const mapped = toAgentError(error, context);
    expect(mapped.trouble).toBe(trouble);
    expect(mapped.message).not.toMatch(/[<>\n]html|\n/);
    expect(mapped.hint).toBeTruthy();
  });

  it('reads the waiting time from Google’s details', () => {
    const body = {
      error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Quota', details: [{ '@type': 'RetryInfo', retryDelay: '34.5s' }] },
    };
    expect(toAgentError(reply(429, body), context)).toMatchObject({ trouble: 'rate-limited', retryAfterMs: 34_500 });
  });

  it('cuts long words of a provider at a whole character', () => {
    const { message } = toAgentError(reply(500, { error: { message: '🙂'.repeat(500) } }), context);
    expect(message.length).toBeLessThan(600);
    expect(Buffer.from(message).toString()).toBe(message);
  });
});

describe('what the network answers with', () => {
  it.each([
    ['ECONNREFUSED', 'network'],
    ['ENOTFOUND', 'network'],
    ['EAI_AGAIN', 'network'],
    ['ENETUNREACH', 'network'],
    ['UND_ERR_CONNECT_TIMEOUT', 'network'],
    ['CERT_HAS_EXPIRED', 'network'],
    ['ECONNRESET', 'cut-off'],
    ['UND_ERR_SOCKET', 'cut-off'],
  ])('%s', (code, trouble) => {
    expect(toAgentError(failure(code), context).trouble).toBe(trouble);
  });

  it('is a broken answer once something had arrived', () => {
    expect(toAgentError(failure('ENETUNREACH'), { ...context, hasOutput: true }).trouble).toBe('cut-off');
  });

  it('looks into the addresses of a name that were all tried', () => {
    const all = new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })], '');
    expect(toAgentError(new TypeError('fetch failed', { cause: all }), context).message).toContain('127.0.0.1:9');
  });
});
