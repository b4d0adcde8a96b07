import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ConversationEvent } from '../../src/agent/events.ts';
import type { SessionStore } from '../../src/app/recorder.ts';
import { takeSeat, type Seat } from '../../src/app/seat.ts';
import { findWorkspace } from '../../src/app/workspace.ts';
import { openStore } from '../../src/store/client.ts';
import { chatEvent, replyWith, startByteServer, type ByteServer } from '../support/model-server.ts';
import { makeRun, writeLabConfig } from '../support/seat.ts';
import { bundleStoreWorkers, type StoreWorkers } from '../support/store-worker.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

let workers: StoreWorkers;
beforeAll(async () => {
  workers = await bundleStoreWorkers();
});
afterAll(() => workers.dispose());

type Answer = Parameters<typeof startByteServer>[0];
interface Asked {
  messages: { role: string; content: string | null; tool_calls?: unknown[] }[];
  tools?: { function: { name: string; parameters: unknown } }[];
}
const done = 'data: [DONE]\n\n';
const askedOf = (request: { body: unknown }): Asked => request.body as Asked;
const says = (text: string): ReturnType<typeof replyWith> =>
  replyWith(chatEvent({ role: 'assistant', content: text }), chatEvent({}, 'stop'), done);
const calls = (args: Record<string, unknown>): ReturnType<typeof replyWith> =>
  replyWith(
    chatEvent({
      tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'session_search', arguments: JSON.stringify(args) } }],
    }),
    chatEvent({}, 'tool_calls'),
    done,
  );

interface Bench {
  seat: Seat;
  store: SessionStore;
  model: ByteServer;
  events: ConversationEvent[];
  /** What `session_search` answered last. */
  result(): { success: boolean; results: Record<string, unknown>[] };
}

/** A conversation of the program over a store that holds one earlier session about a walrus. */
async function bench(answer: Answer, config: readonly string[] = []): Promise<Bench> {
  const home = temporaryFolder();
  const model = await startByteServer(answer);
  onTestFinished(() => model.stop());
  writeLabConfig(home, model.url, config);
  const run = await makeRun(home, workers, Date.now);
  const store = openStore({ path: join(home, 'state.db'), workers, now: Date.now }) as SessionStore;
  onTestFinished(() => store.close());
  for (const id of ['20260101_000000_aaaaaa', '20260102_000000_bbbbbb', '20260103_000000_cccccc', '20260104_000000_dddddd']) {
    await store.write.startSession({ id, source: 'cli' }, { role: 'user', content: `the walrus of ${id}` });
    await store.write.appendMessage(id, { role: 'assistant', content: 'It sings at dawn. 회의' });
  }
  const events: ConversationEvent[] = [];
  const seat = takeSeat({
    run,
    store,
    session: undefined,
    workspace: findWorkspace(home),
    source: 'tui',
    listener: (event) => events.push(event),
    onTrouble: (error) => {
      throw error;
    },
  });
  return {
    seat,
    store,
    model,
    events,
    result() {
      const found = events.findLast((event) => event.type === 'turn' && event.event.type === 'tool-result');
      if (found?.type !== 'turn' || found.event.type !== 'tool-result') throw new Error('no result');
      return JSON.parse(found.event.text) as ReturnType<Bench['result']>;
    },
  };
}

/** First a call with these arguments, then an answer. */
const callThenSay =
  (args: Record<string, unknown>): Answer =>
  (response, request) =>
    (askedOf(request).messages.at(-1)?.role === 'tool' ? says('It sings at dawn.') : calls(args))(response);

describe('a conversation has session_search', () => {
  test('the model is told of it, what it finds goes back, and all of it is stored as it went', async () => {
    const { seat, store, model, result } = await bench(callThenSay({ query: 'walrus', limit: 2 }));
    expect(await seat.conversation.send('what did the walrus do?')).toBe('answered');
    const [first, second] = model.requests.map(askedOf) as [Asked, Asked];
    expect(first.tools?.map((tool) => tool.function.name)).toEqual(['session_search']);
    expect(first.messages[0]?.content).toContain('use session_search to recall it before asking them to repeat themselves');
    expect(result().results).toHaveLength(2);
    expect(second.messages.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('It sings at dawn') });
    const id = seat.id()!;
    // The question itself holds the word, and is in the context: it is no result.
    expect(JSON.stringify(result())).not.toContain(id);
    await seat.end('tui_close');
    const { messages } = await store.read.messagesBefore(id, undefined, 10);
    expect(
      messages.map(({ role, text, toolCalls, toolName, toolCallId }) => [
        role,
        text.slice(0, 16),
        toolCalls[0]?.name,
        toolName,
        toolCallId,
      ]),
    ).toEqual([
      ['user', 'what did the wal', undefined, undefined, undefined],
      ['assistant', '', 'session_search', undefined, undefined],
      ['tool', '{"success":true,', undefined, 'session_search', 'call_1'],
      ['assistant', 'It sings at dawn', undefined, undefined, undefined],
    ]);
    expect(await store.read.sessionById(id)).toMatchObject({ messageCount: 4, toolCallCount: 1 });
  });

  test('an interrupt while it searches ends the turn at once, with a stub in place of the result', async () => {
    const { seat, store, events } = await bench(callThenSay({ query: 'walrus' }));
    const sent = seat.conversation.send('find it');
    await new Promise<void>((resolve) => {
      seat.subscribe((event) => {
        if (event.type !== 'turn' || event.event.type !== 'step') return;
        void seat.conversation.interrupt().then(resolve);
      });
    });
    expect(await sent).toBe('interrupted');
    const stub = events.findLast((event) => event.type === 'turn' && event.event.type === 'tool-result');
    expect(stub).toMatchObject({ event: { isError: true } });
    await seat.end('tui_close');
    const { messages } = await store.read.messagesBefore(seat.id()!, undefined, 10);
    expect(messages.at(-1)).toMatchObject({ role: 'tool', text: expect.stringMatching(/^\[/) });
  });

  test('a failing search is an answer the model can read, and the turn goes on', async () => {
    const { seat, result } = await bench(callThenSay({ session_id: 'nowhere' }));
    expect(await seat.conversation.send('read it')).toBe('answered');
    expect(result()).toEqual({ success: false, error: "No session 'nowhere'." });
  });

  test('session_search.mode: off takes it away', async () => {
    const { seat, model } = await bench(says('hello'), ['session_search:', '  mode: off']);
    await seat.conversation.send('hello');
    expect(askedOf(model.requests[0]!).tools).toBeUndefined();
    expect(askedOf(model.requests[0]!).messages[0]?.content).toContain('You have no tools');
  });
});

describe('a model that takes no tools', () => {
  const refusing: Answer = (response, request) => {
    if (askedOf(request).tools === undefined) return says('without')(response);
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end('{"error":{"message":"registry.ollama.ai/library/gemma3:4b does not support tools","type":"api_error"}}');
  };

  test('answers without them, is told it has none, and is not asked with them again', async () => {
    const { seat, model, events } = await bench(refusing);
    expect(await seat.conversation.send('one')).toBe('answered');
    expect(await seat.conversation.send('two')).toBe('answered');
    expect(model.requests.map((request) => askedOf(request).tools !== undefined)).toEqual([true, false, false]);
    expect(askedOf(model.requests[1]!).messages[0]?.content).toContain('You have no tools');
    expect(events.some((event) => event.type === 'turn' && event.event.type === 'error')).toBe(false);
  });

  test('a request that is bad for another reason fails with that reason, after one more try', async () => {
    const { seat, model, events } = await bench((response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"temperature is out of range"}}');
    });
    expect(await seat.conversation.send('one')).toBe('failed');
    expect(model.requests).toHaveLength(2);
    expect(events.find((event) => event.type === 'turn' && event.event.type === 'error')).toMatchObject({
      event: { trouble: 'bad-request', message: expect.stringContaining('temperature') },
    });
  });
});

describe('session_search.mode: summary', () => {
  const isSummary = (asked: Asked): boolean => asked.messages[0]?.content?.startsWith('You summarise') === true;
  const mode = ['session_search:', '  mode: summary'];

  test('at most three sessions come as summaries of the model, made at the same time, from what was said there', async () => {
    let inside = 0;
    let most = 0;
    const { seat, model, result } = await bench((response, request) => {
      const asked = askedOf(request);
      if (!isSummary(asked)) return callThenSay({ query: 'walrus', limit: 10 })(response, request);
      inside += 1;
      most = Math.max(most, inside);
      setTimeout(() => {
        inside -= 1;
        says(`summary of ${/of (2026\S+)/.exec(asked.messages.at(-1)?.content ?? '')?.[1]}`)(response);
      }, 100);
    }, mode);
    expect(await seat.conversation.send('what of the walrus?')).toBe('answered');
    const { results } = result();
    expect(results).toHaveLength(3);
    for (const each of results) {
      expect(each['summary']).toBe(`summary of ${String(each['session_id'])}`);
      expect(each).not.toHaveProperty('messages');
    }
    expect(most).toBe(3);
    const summaries = model.requests.map(askedOf).filter(isSummary);
    expect(summaries).toHaveLength(3);
    expect(summaries[0]?.tools).toBeUndefined();
    expect(summaries[0]?.messages.at(-1)?.content).toMatch(/^Question: walrus[\s\S]*It sings at dawn/);
  });

  test('a long session is read around the match, about 100,000 characters of it, and what is left out is marked', async () => {
    const { seat, store, model } = await bench(
      (response, request) =>
        isSummary(askedOf(request)) ? says('short')(response) : callThenSay({ query: 'pelican', limit: 1 })(response, request),
      mode,
    );
    const id = '20260105_000000_eeeeee';
    await store.write.startSession({ id, source: 'cli' }, { role: 'user', content: 'begin' });
    for (let at = 0; at < 100; at++) {
      const content = at === 70 ? `${'z '.repeat(200_000)} a pelican ${'z '.repeat(200_000)}` : `turn ${at} ${'word '.repeat(1000)}`;
      await store.write.appendMessage(id, { role: 'assistant', content });
    }
    await seat.conversation.send('what of the other bird?');
    const sent = model.requests.map(askedOf).find(isSummary)?.messages.at(-1)?.content ?? '';
    expect(sent.length).toBeGreaterThan(90_000);
    expect(sent.length).toBeLessThan(112_000);
    expect(sent).toContain('a pelican');
    expect(sent).toContain('turn 69');
    expect(sent).toContain('turn 71');
    expect(sent).not.toContain('turn 3 ');
    expect(sent).toContain('[… messages left out …]');
  });

  test('one that fails, or takes too long, is told in its place; the others are there', async () => {
    let count = 0;
    const { seat, result } = await bench(
      (response, request) => {
        if (!isSummary(askedOf(request))) return callThenSay({ query: 'walrus' })(response, request);
        count += 1;
        if (count === 1) return says('fine')(response);
        if (count === 2) {
          response.writeHead(500, { 'content-type': 'application/json' });
          response.end('{"error":{"message":"on fire"}}');
        }
        // The third never answers.
      },
      [...mode, 'auxiliary:', '  session_search:', '    provider: auto', '    timeout: 1', '    max_concurrency: 1'],
    );
    expect(await seat.conversation.send('what of the walrus?')).toBe('answered');
    const results = result().results;
    expect(results.filter((each) => each['summary'] === 'fine')).toHaveLength(1);
    const errors = results.flatMap((each) => (each['error'] === undefined ? [] : [String(each['error'])]));
    expect(errors).toHaveLength(2);
    expect(errors.join(' ')).toMatch(/1 s/);
  });

  test('the auxiliary model is the one that is asked', async () => {
    const { seat, model } = await bench(
      (response, request) => (isSummary(askedOf(request)) ? says('short')(response) : callThenSay({ query: 'walrus' })(response, request)),
      [...mode, 'auxiliary:', '  session_search:', '    provider: custom:lab', '    model: tiny'],
    );
    await seat.conversation.send('what of the walrus?');
    const names = model.requests.map((request) => (request.body as { model: string }).model);
    expect(names.filter((name) => name === 'tiny')).toHaveLength(3);
    expect(names.filter((name) => name === 'small')).toHaveLength(2);
  });

  test('an interrupt gives the summaries up', async () => {
    const { seat, model } = await bench((response, request) => {
      if (!isSummary(askedOf(request))) callThenSay({ query: 'walrus' })(response, request);
    }, mode);
    const sent = seat.conversation.send('what of the walrus?');
    while (model.requests.filter((request) => isSummary(askedOf(request))).length < 3)
      await new Promise((resolve) => setTimeout(resolve, 10));
    await seat.conversation.interrupt();
    expect(await sent).toBe('interrupted');
    await Promise.all(model.requests.filter((request) => isSummary(askedOf(request))).map((request) => request.aborted));
  });
});
