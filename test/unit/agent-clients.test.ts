import { afterEach, describe, expect, it } from 'vitest';

import { createModelClient } from '../../src/agent/clients.ts';
import type { ClientPart, ModelCall } from '../../src/agent/clients.ts';
import type { ModelChoice } from '../../src/agent/events.ts';
import type { AgentError } from '../../src/errors.ts';
import { chatEvent, localChoice, replyWith, SSE, startAimock, startByteServer } from '../support/model-server.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

const client = createModelClient({ now: () => Date.UTC(2026, 8, 1, 12), silenceMs: 5000 });

function callOf(choice: ModelChoice, text = 'hello', more: Partial<ModelCall> = {}): ModelCall {
  return {
    choice,
    system: 'Be brief.',
    prompt: [{ role: 'user', content: text }],
    tools: [],
    signal: new AbortController().signal,
    ...more,
  };
}

async function collect(call: ModelCall): Promise<{ parts: ClientPart[]; text: string; reasoning: string; error?: AgentError }> {
  const parts: ClientPart[] = [];
  let error: AgentError | undefined;
  try {
    for await (const part of client.stream(call)) parts.push(part);
  } catch (caught) {
    error = caught as AgentError;
  }
  const join = (type: 'text' | 'reasoning'): string => parts.map((part) => (part.type === type ? part.delta : '')).join('');
  return { parts, text: join('text'), reasoning: join('reasoning'), ...(error === undefined ? {} : { error }) };
}

async function serve(...args: Parameters<typeof startByteServer>): ReturnType<typeof startByteServer> {
  const server = await startByteServer(...args);
  stops.push(() => server.stop());
  return server;
}

async function mock(...args: Parameters<typeof startAimock>): ReturnType<typeof startAimock> {
  const server = await startAimock(...args);
  stops.push(() => server.stop());
  return server;
}

const APIS = ['openai-compatible', 'anthropic', 'google'] as const;

describe.each(APIS)('a whole answer over the wire format %s', (api) => {
  it('streams text in pieces and ends with reason stop', async () => {
    const server = await mock([
      { match: { userMessage: 'hello' }, response: { content: '안녕하세요, **world**! '.repeat(20) }, chunkSize: 7 },
    ]);
    const got = await collect(callOf(localChoice(server.url, api)));
    expect(got.error).toBeUndefined();
    expect(got.text).toBe('안녕하세요, **world**! '.repeat(20));
    expect(got.parts.filter((part) => part.type === 'text').length).toBeGreaterThan(5);
    expect(got.parts.at(-1)).toMatchObject({ type: 'done', reason: 'stop' });
  });

  it('hands over a tool call with its arguments as written', async () => {
    const server = await mock([
      { match: { userMessage: 'hello' }, response: { toolCalls: [{ name: 'read_file', arguments: '{"path":"한글.txt"}', id: 'call_1' }] } },
    ]);
    const tools = [
      { name: 'read_file', description: 'Reads a file.', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
    ];
    const got = await collect(callOf(localChoice(server.url, api), 'hello', { tools }));
    expect(got.error).toBeUndefined();
    const call = got.parts.find((part) => part.type === 'tool-call');
    expect(call).toMatchObject({ call: { name: 'read_file' } });
    expect(JSON.parse(call?.type === 'tool-call' ? call.call.arguments : '')).toEqual({ path: '한글.txt' });
    expect(got.parts.at(-1)).toMatchObject({ type: 'done', reason: 'tool_calls' });
  });

  it('keeps reasoning apart from text', async () => {
    const server = await mock([{ match: { userMessage: 'hello' }, response: { content: 'the answer', reasoning: 'the thought' } }]);
    const got = await collect(callOf(localChoice(server.url, api)));
    expect(got).toMatchObject({ text: 'the answer', reasoning: 'the thought' });
  });

  it.each([
    [401, 'unauthorized'],
    [404, 'unknown-model'],
    [429, 'rate-limited'],
    [500, 'server'],
    [503, 'server'],
  ] as const)('maps status %i to %s after one request, without the key in the sentence', async (status, trouble) => {
    const server = await mock([
      {
        match: { userMessage: 'hello' },
        response: { error: { message: 'no test-key-123456 here', type: 'some_error' }, status, retryAfter: 7 },
      },
    ]);
    const got = await collect(callOf(localChoice(server.url, api)));
    expect(got.error).toMatchObject({ trouble });
    expect(got.error?.hint).toBeTruthy();
    expect(got.error?.message).not.toContain('test-key-123456');
    expect(server.getRequests()).toHaveLength(1);
    if (status === 429) expect(got.error?.retryAfterMs).toBe(7000);
  });

  it('reports an answer that breaks off and keeps what came before', async () => {
    const server = await mock([
      { match: { userMessage: 'hello' }, response: { content: 'x'.repeat(400) }, chunkSize: 10, latency: 5, truncateAfterChunks: 5 },
    ]);
    const got = await collect(callOf(localChoice(server.url, api)));
    expect(got.text.length).toBeGreaterThan(0);
    expect(got.text.length).toBeLessThan(400);
    expect(got.error).toMatchObject({ trouble: 'cut-off' });
  });
});

describe('faults below the event parser', () => {
  it('puts Hangul together that is split in the middle of its bytes', async () => {
    const bytes = Buffer.from(`${chatEvent({ content: '가나다라마바사 🙂' })}${chatEvent({}, 'stop')}data: [DONE]\n\n`);
    const server = await serve(async (response) => {
      response.writeHead(200, SSE);
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      response.end();
    });
    expect(await collect(callOf(localChoice(server.url)))).toMatchObject({ text: '가나다라마바사 🙂' });
  });

  it.each([
    ['CRLF line ends', `${chatEvent({ content: 'ok' })}${chatEvent({}, 'stop')}data: [DONE]\n\n`.replaceAll('\n', '\r\n')],
    [
      'comments that keep the line alive',
      `: PROCESSING\n\n${chatEvent({ content: 'ok' })}: ping\n\n${chatEvent({}, 'stop')}data: [DONE]\n\n`,
    ],
    ['no [DONE] at the end', `${chatEvent({ content: 'ok' })}${chatEvent({}, 'stop')}`],
    [
      'a usage event with empty choices',
      `${chatEvent({ content: 'ok' })}${chatEvent({}, 'stop')}data: ${JSON.stringify({ id: 'c', choices: [], usage: { prompt_tokens: 12, completion_tokens: 3 } })}\n\ndata: [DONE]\n\n`,
    ],
    ['[DONE] without a finish reason', `${chatEvent({ content: 'ok' })}data: [DONE]\n\n`],
    ['half an event after the finish', `${chatEvent({ content: 'ok' })}${chatEvent({}, 'stop')}data: {"id":"c","cho`],
  ])('takes %s', async (_name, stream) => {
    const server = await serve(replyWith(stream));
    const got = await collect(callOf(localChoice(server.url)));
    expect(got.error).toBeUndefined();
    expect(got.text).toBe('ok');
    expect(got.parts.at(-1)).toMatchObject({ type: 'done', reason: 'stop' });
  });

  it.each([
    ['half an event', `${chatEvent({ content: 'ok' })}data: {"id":"c1","choices":[{"del`, 'cut-off'],
    ['nothing after the text', chatEvent({ content: 'ok' }), 'cut-off'],
    ['an event that is not JSON', `${chatEvent({ content: 'ok' })}data: {oops}\n\n${chatEvent({}, 'stop')}`, 'server'],
    [
      'an error event in a good stream',
      `${chatEvent({ content: 'ok' })}data: {"error":{"message":"engine died","code":500}}\n\n`,
      'server',
    ],
    [
      'a limit told in a good stream',
      `${chatEvent({ content: 'ok' })}data: {"error":{"message":"slow down","code":"rate_limit_exceeded"}}\n\n`,
      'rate-limited',
    ],
  ])('ends with an error after %s and keeps the text', async (_name, stream, trouble) => {
    const server = await serve(replyWith(stream));
    const got = await collect(callOf(localChoice(server.url)));
    expect(got.text).toBe('ok');
    expect(got.error).toMatchObject({ trouble });
  });

  it('reports a socket that is cut in the middle', async () => {
    const server = await serve((response) => {
      response.writeHead(200, SSE);
      response.write(chatEvent({ content: 'part' }), () => response.destroy());
    });
    const got = await collect(callOf(localChoice(server.url)));
    expect(got.text).toBe('part');
    expect(got.error).toMatchObject({ trouble: 'cut-off' });
  });

  it('gives up a server that never speaks, and closes the socket', async () => {
    const server = await serve(() => undefined);
    const impatient = createModelClient({ now: Date.now, silenceMs: 150 });
    await expect(
      (async () => {
        for await (const part of impatient.stream(callOf(localChoice(server.url)))) expect(part).toBeUndefined();
      })(),
    ).rejects.toMatchObject({ trouble: 'network' });
    await server.requests[0]?.aborted;
  });

  it('does not mind silence of events while comments come', async () => {
    const server = await serve(async (response) => {
      response.writeHead(200, SSE);
      for (let beat = 0; beat < 6; beat++) {
        response.write(': thinking\n\n');
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
      response.end(`${chatEvent({ content: 'late' })}${chatEvent({}, 'stop')}`);
    });
    const impatient = createModelClient({ now: Date.now, silenceMs: 200 });
    let text = '';
    for await (const part of impatient.stream(callOf(localChoice(server.url)))) if (part.type === 'text') text += part.delta;
    expect(text).toBe('late');
  });

  it('takes an event of two million characters', async () => {
    const big = '한'.repeat(2_000_000);
    const server = await serve(replyWith(chatEvent({ content: big }), chatEvent({}, 'stop')));
    expect((await collect(callOf(localChoice(server.url)))).text).toBe(big);
  });

  it('says that an empty answer is none', async () => {
    const server = await serve(replyWith(chatEvent({ content: '' }), chatEvent({}, 'stop')));
    expect((await collect(callOf(localChoice(server.url)))).error).toMatchObject({ trouble: 'server' });
  });

  it('names a port where nothing listens', async () => {
    const server = await startByteServer(() => undefined);
    await server.stop();
    const { error } = await collect(callOf(localChoice(server.url)));
    expect(error).toMatchObject({ trouble: 'network' });
    expect(error?.message).toContain(String(server.port));
  });

  it('names a host that does not exist', async () => {
    const { error } = await collect(callOf(localChoice('http://no-such-host.invalid')));
    expect(error).toMatchObject({ trouble: 'network' });
    expect(error?.message).toContain('no-such-host.invalid');
  });
});

describe('an interrupt', () => {
  it.each(APIS)('closes the socket of %s where the server sees it', async (api) => {
    const server = await serve((response) => {
      response.writeHead(200, SSE);
      response.write(
        api === 'openai-compatible'
          ? chatEvent({ content: 'one' })
          : api === 'google'
            ? `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text: 'one' }], role: 'model' } }] })}\n\n`
            : [
                `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'c', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } } })}\n\n`,
                `event: content_block_start\ndata: ${JSON.stringify({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })}\n\n`,
                `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'one' } })}\n\n`,
              ].join(''),
      );
    });
    const abort = new AbortController();
    const parts: ClientPart[] = [];
    for await (const part of client.stream(callOf(localChoice(server.url, api), 'hello', { signal: abort.signal }))) {
      parts.push(part);
      abort.abort();
    }
    expect(parts).toEqual([{ type: 'text', delta: 'one' }]);
    await server.requests[0]?.aborted;
  });

  it('works before the first byte', async () => {
    const abort = new AbortController();
    const server = await serve(() => abort.abort());
    const got = await collect(callOf(localChoice(server.url), 'hello', { signal: abort.signal }));
    expect(got).toEqual({ parts: [], text: '', reasoning: '' });
    await server.requests[0]?.aborted;
  });

  it('is also what leaving the loop does', async () => {
    const server = await serve((response) => {
      response.writeHead(200, SSE);
      response.write(chatEvent({ content: 'one' }));
    });
    for await (const part of client.stream(callOf(localChoice(server.url)))) {
      expect(part.type).toBe('text');
      break;
    }
    await server.requests[0]?.aborted;
  });
});

describe('what is sent', () => {
  it('asks OpenAI for max_completion_tokens and everybody else for max_tokens', async () => {
    const server = await serve(replyWith(chatEvent({ content: 'ok' }), chatEvent({}, 'stop')));
    await collect(callOf(localChoice(server.url, 'openai-compatible', { provider: 'openai', maxTokens: 99 })));
    await collect(callOf(localChoice(server.url, 'openai-compatible', { maxTokens: 99 })));
    expect(server.requests[0]?.body).toMatchObject({ max_completion_tokens: 99 });
    expect(server.requests[0]?.body).not.toHaveProperty('max_tokens');
    expect(server.requests[1]?.body).toMatchObject({ max_tokens: 99, stream: true, stream_options: { include_usage: true } });
  });

  it('sends no key where none is set', async () => {
    const server = await serve(replyWith(chatEvent({ content: 'ok' }), chatEvent({}, 'stop')));
    const { apiKey: _, keyFrom: __, ...keyless } = localChoice(server.url);
    await collect(callOf(keyless));
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  it('declares to Anthropic the tools a resumed conversation has used, and marks what to cache', async () => {
    const server = await mock([{ match: {}, response: { content: 'fine' } }]);
    const prompt: ModelCall['prompt'] = [
      { role: 'user', content: 'look' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a1', toolName: 'terminal', input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a1', toolName: 'terminal', output: { type: 'text', value: 'ok' } }] },
      { role: 'user', content: 'and?' },
    ];
    const byte = await serve((response, request) => {
      expect(request.body).toMatchObject({ tools: [{ name: 'terminal' }], system: [{ cache_control: { type: 'ephemeral' } }] });
      response.writeHead(500).end();
    });
    await collect({ ...callOf(localChoice(byte.url, 'anthropic')), prompt });
    expect(byte.requests).toHaveLength(1);
    expect((await collect({ ...callOf(localChoice(server.url, 'anthropic')), prompt })).text).toBe('fine');
  });

  it('counts cached tokens apart from fresh ones', async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 9,
      prompt_tokens_details: { cached_tokens: 80 },
      completion_tokens_details: { reasoning_tokens: 4 },
    };
    const server = await serve(replyWith(chatEvent({ content: 'ok' }), chatEvent({}, 'stop', { usage })));
    const { parts } = await collect(callOf(localChoice(server.url)));
    expect(parts.at(-1)).toMatchObject({
      usage: { inputTokens: 20, cacheReadTokens: 80, cacheWriteTokens: 0, outputTokens: 9, reasoningTokens: 4 },
    });
  });

  it('turns a leading <think> block into reasoning', async () => {
    const server = await serve(
      replyWith(...['<thi', 'nk>hm', 'm</th', 'ink>\n\n', 'ok <think>'].map((content) => chatEvent({ content })), chatEvent({}, 'stop')),
    );
    expect(await collect(callOf(localChoice(server.url)))).toMatchObject({ text: 'ok <think>', reasoning: 'hmm' });
  });
});
