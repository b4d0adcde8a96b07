import { afterEach, describe, expect, it } from 'vitest';

import { createModelClient } from '../../src/agent/clients.ts';
import type { ClientPart, ModelCall, ModelClient } from '../../src/agent/clients.ts';
import type { Tool, TurnEvent, Usage } from '../../src/agent/events.ts';
import { runTurn, STEP_LIMIT } from '../../src/agent/turn.ts';
import type { TurnRequest } from '../../src/agent/turn.ts';
import type { Message } from '../../src/session/types.ts';
import { localChoice, startAimock } from '../support/model-server.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

const usage: Usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
const done = (reason: string): ClientPart => ({ type: 'done', reason, usage, replay: [] });
const call = (id: string, name = 'echo', args = '{"text":"hi"}'): ClientPart => ({
  type: 'tool-call',
  call: { id, name, arguments: args },
});

/** A client that plays one list of parts per call. */
function scripted(...steps: (readonly (ClientPart | Error)[])[]): ModelClient & { seen: ModelCall[] } {
  const seen: ModelCall[] = [];
  return {
    seen,
    async *stream(modelCall) {
      seen.push({ ...modelCall, prompt: structuredClone(modelCall.prompt) as ModelCall['prompt'] });
      for (const part of steps[Math.min(seen.length, steps.length) - 1] ?? []) {
        if (part instanceof Error) throw part;
        yield part;
      }
    },
  };
}

const echo: Tool = {
  name: 'echo',
  description: 'Says it back.',
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
  run: async (args, { cwd }) => `${cwd}: ${(args as { text: string }).text}`,
};

const user: Message = {
  id: 1,
  sessionId: 's1',
  role: 'user',
  text: 'go',
  toolCalls: [],
  timestamp: 1,
  active: true,
  compacted: false,
  isSummary: false,
};

async function play(client: ModelClient, more: Partial<TurnRequest> = {}, onEvent?: (event: TurnEvent) => void): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  const request: TurnRequest = {
    client,
    choice: localChoice('http://127.0.0.1:1'),
    messages: [user],
    system: undefined,
    tools: [echo],
    cwd: '/work',
    signal: new AbortController().signal,
    now: () => 0,
    ...more,
  };
  for await (const event of runTurn(request)) {
    events.push(event);
    onEvent?.(event);
  }
  return events;
}

const kinds = (events: readonly TurnEvent[]): string[] => events.map((event) => event.type);

describe('a turn', () => {
  it('runs tools and asks again with their results', async () => {
    const client = scripted(
      [{ type: 'text', delta: 'Let me see.' }, call('c1'), done('tool_calls')],
      [{ type: 'text', delta: 'Done.' }, done('stop')],
    );
    const events = await play(client);
    expect(kinds(events)).toEqual(['text', 'tool-call', 'usage', 'step', 'tool-result', 'text', 'usage', 'finish']);
    expect(events[4]).toMatchObject({ callId: 'c1', name: 'echo', text: '/work: hi', isError: false });
    expect(client.seen[1]?.prompt.slice(1)).toMatchObject([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me see.' },
          { type: 'tool-call', toolCallId: 'c1', input: { text: 'hi' } },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', output: { value: '/work: hi' } }] },
    ]);
  });

  it.each([
    ['a tool that is not there', call('c1', 'nope')],
    ['arguments that are not JSON', call('c1', 'echo', '{"text":')],
    ['arguments that are not an object', call('c1', 'echo', '[1]')],
    ['a tool that throws', call('c1', 'broken')],
  ])('gives %s to the model as a result', async (_name, part) => {
    const broken: Tool = { ...echo, name: 'broken', run: () => Promise.reject(new Error('disk on fire')) };
    const events = await play(scripted([part, done('tool_calls')], [{ type: 'text', delta: 'I see.' }, done('stop')]), {
      tools: [echo, broken],
    });
    expect(events.find((event) => event.type === 'tool-result')).toMatchObject({ isError: true });
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  it('stops after its steps and says so in place', async () => {
    const client = scripted([call('c1'), done('tool_calls')]);
    const events = await play(client, { maxSteps: 3 });
    expect(client.seen).toHaveLength(3);
    expect(events.at(-2)).toMatchObject({ type: 'text', delta: expect.stringContaining('3') as string });
    expect(events.at(-1)).toEqual({ type: 'finish', reason: STEP_LIMIT });
  });

  it('closes open calls with stubs when the stream fails', async () => {
    const events = await play(scripted([call('c1'), call('c2'), new TypeError('terminated')]));
    expect(kinds(events)).toEqual(['tool-call', 'tool-call', 'tool-result', 'tool-result', 'error']);
    expect(events[3]).toMatchObject({ callId: 'c2', isError: true });
  });

  it('gives up on a tool that ignores the interrupt, and stubs the ones behind it', async () => {
    const abort = new AbortController();
    const stuck: Tool = { ...echo, name: 'stuck', run: () => new Promise(() => setImmediate(() => abort.abort())) };
    const events = await play(scripted([call('c1', 'stuck'), call('c2'), done('tool_calls')]), {
      tools: [stuck, echo],
      signal: abort.signal,
    });
    expect(kinds(events)).toEqual(['tool-call', 'tool-call', 'usage', 'step', 'tool-result', 'tool-result', 'finish']);
    expect(events.filter((event) => event.type === 'tool-result').every((event) => event.isError)).toBe(true);
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'interrupted' });
  });

  it('ends as interrupted between two deltas', async () => {
    const abort = new AbortController();
    const client = scripted([{ type: 'text', delta: 'a' }, { type: 'text', delta: 'b' }, done('stop')]);
    const events = await play(client, { signal: abort.signal }, () => abort.abort());
    expect(events).toEqual([
      { type: 'text', delta: 'a' },
      { type: 'finish', reason: 'interrupted' },
    ]);
  });
});

describe.each(['openai-compatible', 'anthropic', 'google'] as const)('a tool turn against a real server in the format %s', (api) => {
  it('calls two tools in one step, then answers', async () => {
    const server = await startAimock([
      {
        match: { userMessage: 'go', hasToolResult: false },
        response: {
          blocks: [
            { type: 'text', text: 'Looking.' },
            { type: 'toolCall', name: 'echo', arguments: '{"text":"하나"}', id: 'call_a' },
            { type: 'toolCall', name: 'echo', arguments: '{"text":"둘"}', id: 'call_b' },
          ],
        },
      },
      { match: { userMessage: 'go', hasToolResult: true }, response: { content: 'Both done.' } },
    ]);
    stops.push(() => server.stop());
    const events = await play(createModelClient({ now: () => 0 }), { choice: localChoice(server.url, api) });
    const results = events.filter((event) => event.type === 'tool-result');
    expect(results.map((event) => event.text)).toEqual(['/work: 하나', '/work: 둘']);
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
    expect(
      events
        .filter((event) => event.type === 'text')
        .map((event) => event.delta)
        .join(''),
    ).toBe('Looking.Both done.');
    expect(server.getRequests()).toHaveLength(2);
  });
});
