import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import type { ClientPart, ModelClient } from '../../src/agent/clients.ts';
import { createConversation } from '../../src/agent/conversation.ts';
import type { Conversation, ConversationOptions } from '../../src/agent/conversation.ts';
import type { ConversationEvent, Tool, Usage } from '../../src/agent/events.ts';
import { AgentError, StoreError } from '../../src/errors.ts';
import { createFakeRecorder } from '../support/fake-recorder.ts';
import type { FakeRecorder } from '../support/fake-recorder.ts';
import { localChoice } from '../support/model-server.ts';

const usage: Usage = { inputTokens: 5, outputTokens: 7, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
const done = (reason = 'stop'): ClientPart => ({ type: 'done', reason, usage, replay: [] });
const text = (delta: string): ClientPart => ({ type: 'text', delta });

/** A client whose parts are pushed by the test; one list of parts per model call. */
function handDriven(): ModelClient & {
  push(...parts: (ClientPart | Error)[]): void;
  calls: number;
  prompts: unknown[];
  started(): Promise<void>;
} {
  const waiting: (ClientPart | Error)[] = [];
  let wake: () => void = () => undefined;
  let onStart: () => void = () => undefined;
  const client = {
    calls: 0,
    prompts: [] as unknown[],
    push(...parts: (ClientPart | Error)[]) {
      waiting.push(...parts);
      wake();
    },
    started: () => new Promise<void>((go) => (onStart = go)),
    async *stream({ signal, prompt }: Parameters<ModelClient['stream']>[0]) {
      client.calls++;
      client.prompts.push(structuredClone(prompt));
      onStart();
      signal.addEventListener('abort', () => wake(), { once: true });
      for (;;) {
        if (signal.aborted) return;
        const part = waiting.shift();
        if (part === undefined) {
          await new Promise<void>((go) => (wake = go));
          continue;
        }
        if (part instanceof Error) throw part;
        yield part;
        if (part.type === 'done') return;
      }
    },
  };
  return client;
}

interface Bench {
  conversation: Conversation;
  recorder: FakeRecorder;
  client: ReturnType<typeof handDriven>;
  events: ConversationEvent[];
  until(type: ConversationEvent['type'], count?: number): Promise<void>;
}

function bench(more: Partial<ConversationOptions> = {}): Bench {
  const recorder = createFakeRecorder();
  const client = handDriven();
  const events: ConversationEvent[] = [];
  const conversation = createConversation({
    recorder,
    client,
    choose: () => localChoice('http://127.0.0.1:1'),
    tools: () => [],
    cwd: () => '/work',
    system: () => undefined,
    now: Date.now,
    checkpointMs: 30,
    listeners: [(event) => events.push(event)],
    ...more,
  });
  const until = async (type: ConversationEvent['type'], count = 1): Promise<void> => {
    while (events.filter((event) => event.type === type).length < count) await sleep(1);
  };
  return { conversation, recorder, client, events, until };
}

const kinds = (events: readonly ConversationEvent[]): string[] => events.filter(({ type }) => type !== 'turn').map(({ type }) => type);
const roles = (recorder: FakeRecorder): string[] => recorder.rows.map((row) => `${row.role}:${row.text}`);

describe('sending', () => {
  it('stores the message before the model is called, and the answer when it is complete', async () => {
    const { conversation, recorder, client, events, until } = bench();
    const sent = conversation.send('안녕');
    await until('turn-started');
    expect(recorder.calls).toEqual(['user']);
    expect(conversation.isBusy).toBe(true);
    client.push(text('Hel'), text('lo'), done());
    expect(await sent).toBe('answered');
    expect(conversation.isBusy).toBe(false);
    expect(roles(recorder)).toEqual(['user:안녕', 'assistant:Hello']);
    expect(recorder.rows[1]).toMatchObject({ finishReason: 'stop' });
    expect(recorder.usages).toMatchObject([{ usage, model: { provider: 'custom:test' } }]);
    expect(kinds(events)).toEqual(['user', 'turn-started', 'message', 'turn-ended']);
  });

  it('without a model throws before anything is stored', async () => {
    const { conversation, recorder, events } = bench({
      choose: () => {
        throw new AgentError('no-model', 'none');
      },
    });
    await expect(conversation.send('keep me')).rejects.toMatchObject({ trouble: 'no-model' });
    expect(recorder.rows).toEqual([]);
    expect(events).toEqual([]);
    expect(conversation.isBusy).toBe(false);
  });

  it('queues what comes while a turn runs and sends it afterwards, in order', async () => {
    const { conversation, recorder, client, events, until } = bench();
    const sent = conversation.send('one');
    await until('turn-started');
    expect(await conversation.send('two')).toBe('queued');
    expect(await conversation.send('three')).toBe('queued');
    expect(conversation.queue).toEqual(['two', 'three']);
    client.push(text('1'), done(), text('2'), done(), text('3'), done());
    expect(await sent).toBe('answered');
    await until('turn-ended', 3);
    expect(roles(recorder)).toEqual(['user:one', 'assistant:1', 'user:two', 'assistant:2', 'user:three', 'assistant:3']);
    expect(events.filter((event) => event.type === 'queued').map((event) => event.queue.length)).toEqual([1, 2, 1, 0]);
  });

  it('starts a turn of its own when it is called right after the last one ended', async () => {
    const { conversation, recorder, client } = bench();
    for (let round = 0; round < 5; round++) {
      client.push(text(String(round)), done());
      expect(await conversation.send(`q${round}`)).toBe('answered');
    }
    expect(recorder.rows).toHaveLength(10);
  });

  it('is not held up by a listener that throws or is slow', async () => {
    const uncaught: unknown[] = [];
    const before = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => uncaught.push(error));
    try {
      const { conversation, recorder, client } = bench({
        listeners: [
          () => {
            throw new Error('view broke');
          },
        ],
      });
      conversation.subscribe(() => void sleep(10_000, undefined, { ref: false }));
      client.push(text('fine'), done());
      expect(await conversation.send('x')).toBe('answered');
      expect(roles(recorder)).toEqual(['user:x', 'assistant:fine']);
      await sleep(1);
      expect(uncaught.length).toBeGreaterThan(0);
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of before) process.on('uncaughtException', listener);
    }
  });
});

describe('storing while it streams', () => {
  it('begins the row with the first delta and writes checkpoints while text comes, one at a time', async () => {
    const { conversation, recorder, client, until } = bench();
    const sent = conversation.send('go');
    await until('turn-started');
    client.push(text('a'));
    while (!recorder.calls.includes('begin')) await sleep(1);
    for (let piece = 0; piece < 40; piece++) {
      client.push(text('b'));
      await sleep(4);
    }
    expect(recorder.rows[1]?.text.length).toBeGreaterThan(20);
    const checkpoints = recorder.calls.filter((name) => name === 'checkpoint').length;
    expect(checkpoints).toBeGreaterThanOrEqual(2);
    expect(checkpoints).toBeLessThan(20);
    client.push(done());
    await sent;
    expect(recorder.maxInFlight()).toBe(1);
    expect(recorder.rows[1]?.text).toBe(`a${'b'.repeat(40)}`);
  });

  it('does not wait for a slow store, and the newest text wins', async () => {
    const { conversation, recorder, client, until } = bench();
    const sent = conversation.send('go');
    await until('turn-started');
    let open: () => void = () => undefined;
    const gate = new Promise<void>((go) => (open = go));
    recorder.hold = () => gate;
    for (let piece = 0; piece < 100; piece++) client.push(text('x'));
    client.push(done());
    await sleep(80);
    expect(recorder.calls).toEqual(['user']);
    open();
    expect(await sent).toBe('answered');
    expect(recorder.rows[1]?.text).toBe('x'.repeat(100));
    expect(recorder.calls.filter((name) => name === 'checkpoint')).toEqual([]);
    expect(recorder.maxInFlight()).toBe(1);
  });

  it('stores a tool call at once, its result after the finished row, and the next answer in a row of its own', async () => {
    let release: () => void = () => undefined;
    const tool: Tool = { name: 'wait', description: '', parameters: {}, run: () => new Promise((go) => (release = () => go('came back'))) };
    const { conversation, recorder, client } = bench({ tools: () => [tool], checkpointMs: 60_000 });
    const sent = conversation.send('go');
    client.push(text('Looking.'), { type: 'tool-call', call: { id: 'c1', name: 'wait', arguments: '{}' } }, done('tool_calls'));
    while (!recorder.calls.includes('finish')) await sleep(1);
    expect(recorder.rows[1]).toMatchObject({ text: 'Looking.', toolCalls: [{ id: 'c1' }], finishReason: 'tool_calls' });
    release();
    client.push(text('Yes.'), done());
    await sent;
    expect(roles(recorder)).toEqual(['user:go', 'assistant:Looking.', 'tool:came back', 'assistant:Yes.']);
    expect(recorder.usages).toHaveLength(2);
  });
});

describe('an interrupt', () => {
  it('keeps what arrived, marks it, and hands the queue back', async () => {
    const { conversation, recorder, client, events, until } = bench();
    const sent = conversation.send('go');
    await until('turn-started');
    client.push(text('half an ans'));
    await until('turn');
    await conversation.send('later');
    await conversation.interrupt();
    expect(await sent).toBe('interrupted');
    expect(recorder.rows[1]).toMatchObject({ text: 'half an ans', finishReason: 'interrupted' });
    expect(events.find((event) => event.type === 'unsent')).toEqual({ type: 'unsent', texts: ['later'] });
    expect(conversation.queue).toEqual([]);
    expect(conversation.isBusy).toBe(false);
  });

  it('gives open tool calls a stub result', async () => {
    const { conversation, recorder, client, until } = bench();
    const sent = conversation.send('go');
    await until('turn-started');
    client.push({ type: 'tool-call', call: { id: 'c1', name: 'wait', arguments: '{}' } });
    await until('turn');
    await conversation.interrupt();
    await sent;
    expect(recorder.rows.map((row) => [row.role, row.finishReason ?? row.toolCallId])).toEqual([
      ['user', undefined],
      ['assistant', 'interrupted'],
      ['tool', 'c1'],
    ]);
  });

  it('before the first delta stores the question only', async () => {
    const { conversation, recorder, until } = bench();
    const sent = conversation.send('go');
    await until('turn-started');
    await conversation.interrupt();
    expect(await sent).toBe('interrupted');
    expect(roles(recorder)).toEqual(['user:go']);
    expect(conversation.canRetry).toBe(true);
  });

  it('does nothing when nothing runs', async () => {
    await bench().conversation.interrupt();
  });
});

describe('a failed call', () => {
  const limited = new AgentError('rate-limited', 'slow down', { hint: 'wait', retryAfterMs: 3000 });

  it('without output stores the question only; retry answers it without asking again', async () => {
    const { conversation, recorder, client, events } = bench();
    client.push(limited);
    expect(await conversation.send('go')).toBe('failed');
    expect(roles(recorder)).toEqual(['user:go']);
    expect(events).toContainEqual({
      type: 'turn',
      event: { type: 'error', trouble: 'rate-limited', message: 'slow down', hint: 'wait', retryAfterMs: 3000 },
    });
    expect(conversation.canRetry).toBe(true);
    client.push(text('now'), done());
    expect(await conversation.retry()).toBe('answered');
    expect(roles(recorder)).toEqual(['user:go', 'assistant:now']);
    expect(conversation.canRetry).toBe(false);
  });

  it('keeps a partial answer, marked, and the retry does not send it', async () => {
    const { conversation, recorder, client } = bench();
    client.push(text('par'), new AgentError('cut-off', 'broke off'));
    expect(await conversation.send('go')).toBe('failed');
    expect(recorder.rows[1]).toMatchObject({ text: 'par', finishReason: 'error' });
    client.push(text('whole'), done());
    await conversation.retry();
    expect(client.prompts[1]).toEqual([{ role: 'user', content: 'go' }]);
    expect(roles(recorder)).toEqual(['user:go', 'assistant:par', 'assistant:whole']);
  });

  it('hands queued texts back', async () => {
    const { conversation, client, events, until } = bench();
    const sent = conversation.send('go');
    await until('turn-started');
    await conversation.send('next');
    client.push(limited);
    await sent;
    await until('unsent');
    expect(events.at(-1)).toEqual({ type: 'unsent', texts: ['next'] });
  });

  it('leaves nothing to retry after an answer', async () => {
    const { conversation, client } = bench();
    client.push(text('a'), done());
    await conversation.send('go');
    await expect(conversation.retry()).rejects.toMatchObject({ trouble: 'bad-request' });
    expect(client.calls).toBe(1);
  });
});

describe('a store that refuses', () => {
  const busy = new StoreError('busy', 'The session store is locked by another program.', { hint: 'try again' });

  it('gives the text back when the message itself could not be stored, and calls no model', async () => {
    const { conversation, recorder, client, events } = bench();
    recorder.fail = busy;
    expect(await conversation.send('precious')).toBe('not-stored');
    expect(client.calls).toBe(0);
    expect(events).toEqual([{ type: 'store-trouble', message: busy.message, hint: 'try again', text: 'precious' }]);
  });

  it('says so once, keeps the answer, and stores it before the next message', async () => {
    const { conversation, recorder, client, events, until } = bench({ checkpointMs: 20 });
    const sent = conversation.send('go');
    await until('turn-started');
    recorder.fail = busy;
    client.push(text('a long answer'));
    await until('store-trouble');
    await sleep(70);
    client.push(done());
    await sent;
    expect(events.filter((event) => event.type === 'store-trouble')).toHaveLength(1);
    expect(events.find((event) => event.type === 'store-trouble')).toMatchObject({ text: 'a long answer' });
    expect(conversation.unstored).toBeGreaterThan(0);
    recorder.fail = undefined;
    client.push(text('b'), done());
    expect(await conversation.send('again')).toBe('answered');
    expect(roles(recorder)).toEqual(['user:go', 'assistant:a long answer', 'user:again', 'assistant:b']);
    expect(conversation.unstored).toBe(0);
  });

  it('is tried again by itself', async () => {
    const { conversation, recorder, client, until } = bench({ checkpointMs: 15 });
    const sent = conversation.send('go');
    await until('turn-started');
    recorder.fail = busy;
    client.push(text('kept'), done());
    await sent;
    expect(roles(recorder)).toEqual(['user:go']);
    recorder.fail = undefined;
    while (conversation.unstored > 0) await sleep(2);
    expect(roles(recorder)).toEqual(['user:go', 'assistant:kept']);
  });
});

describe('leaving', () => {
  it('interrupts, stores and is silent', async () => {
    const { conversation, recorder, client, events, until } = bench();
    void conversation.send('go');
    await until('turn-started');
    client.push(text('half'));
    await until('turn');
    await conversation.dispose();
    expect(recorder.rows[1]).toMatchObject({ text: 'half', finishReason: 'interrupted' });
    const count = events.length;
    client.push(text('never'));
    await sleep(5);
    expect(events).toHaveLength(count);
  });
});

describe('the cost of a start', () => {
  it('importing the conversation loads no SDK', () => {
    const entry = resolve(import.meta.dirname, '../../src/agent/conversation.ts');
    const clients = resolve(import.meta.dirname, '../../src/agent/clients.ts');
    // Bundled as the build does it, because Node 20 reads no TypeScript: what the first chunk holds is what a start loads.
    const script = `
      const { buildSync } = require('esbuild');
      const out = buildSync({ entryPoints: ${JSON.stringify([entry, clients])}, bundle: true, splitting: true, format: 'esm', platform: 'node', outdir: '/nowhere', write: false, metafile: true, logLevel: 'silent' });
      const outputs = out.metafile.outputs;
      const seen = new Set();
      const walk = (name) => { if (seen.has(name) || outputs[name] === undefined) return; seen.add(name); for (const i of outputs[name].imports) if (i.kind === 'import-statement') walk(i.path); };
      for (const [name, o] of Object.entries(outputs)) if (/^src.agent.(conversation|clients).ts$/.test(o.entryPoint ?? '')) walk(name);
      const inputs = [...seen].flatMap((name) => Object.keys(outputs[name].inputs));
      process.stdout.write(JSON.stringify({ own: inputs.filter((path) => path.startsWith('src/')).length, foreign: inputs.filter((path) => path.includes('node_modules')) }));`;
    const output = execFileSync(process.execPath, ['-e', script], { cwd: resolve(import.meta.dirname, '../..'), encoding: 'utf8' });
    const loaded = JSON.parse(output) as { own: number; foreign: string[] };
    expect(loaded.own).toBeGreaterThan(5);
    expect(loaded.foreign).toEqual([]);
  });
});
