import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeHome, runHermes, startHermes } from '../support/hermes-run.ts';
import { chatEvent, replyWith, SSE, startByteServer, type ByteServer } from '../support/model-server.ts';

type Answer = Parameters<typeof startByteServer>[0];

async function server(answer: Answer): Promise<ByteServer> {
  const started = await startByteServer(answer);
  onTestFinished(() => started.stop());
  return started;
}

const saying = (...parts: string[]): Answer =>
  replyWith(...parts.map((content) => chatEvent({ content })), chatEvent({}, 'stop'), 'data: [DONE]\n\n');

/** What the model was asked last. */
const asked = (model: ByteServer): unknown =>
  (model.requests.at(-1)?.body as { messages: { content: unknown }[] }).messages.at(-1)?.content;

describe('one question, one answer', () => {
  test('the answer stands on stdout alone, and the conversation is stored and ended', async () => {
    const model = await server(saying('안녕', '하세요 👩‍', '👩‍👧'));
    const home = makeHome(model.url);
    const result = await runHermes(home, ['-q', '한국어로 인사해 줘']);
    expect(result).toEqual({ code: 0, out: '안녕하세요 👩‍👩‍👧\n', err: '' });
    expect(home.rows('SELECT source, created_source, end_reason, title, cwd, message_count FROM sessions')).toEqual([
      {
        source: 'oneshot',
        created_source: 'oneshot',
        end_reason: 'agent_close',
        title: '한국어로 인사해 줘',
        cwd: home.work,
        message_count: 2,
      },
    ]);
    expect(home.rows('SELECT role, content, finish_reason FROM messages ORDER BY id')).toEqual([
      { role: 'user', content: '한국어로 인사해 줘', finish_reason: null },
      { role: 'assistant', content: '안녕하세요 👩‍👩‍👧', finish_reason: 'stop' },
    ]);
    expect(home.rows('SELECT * FROM session_turn_leases')).toEqual([]);
    expect(existsSync(path.join(home.path, 'terminal-sessions'))).toBe(false);
  });

  test.each<[string, string[], string | Buffer, string]>([
    ['-q alone', ['-q', 'a question'], '', 'a question'],
    ['--oneshot is the same', ['chat', '--oneshot', 'a question'], '', 'a question'],
    ['piped input alone is the prompt', [], 'from a pipe\n', 'from a pipe'],
    ['piped input follows -q after a blank line', ['-q', 'explain'], 'line 1\nline 2\n', 'explain\n\nline 1\nline 2'],
    ['blank input adds nothing', ['-q', 'explain'], '  \n\n', 'explain'],
    ['invalid UTF-8 becomes U+FFFD', [], Buffer.from([0x61, 0xff, 0xed, 0xa0, 0x80, 0x62]), 'a\ufffd\ufffd\ufffd\ufffdb'],
  ])('%s', async (_, args, input, expected) => {
    const model = await server(saying('yes'));
    const home = makeHome(model.url);
    expect(await runHermes(home, args, input)).toMatchObject({ code: 0, out: 'yes\n' });
    expect(asked(model)).toBe(expected);
    expect(home.rows("SELECT content FROM messages WHERE role = 'user'")).toEqual([{ content: expected }]);
  });

  test('10 MB of input are stored and sent whole', async () => {
    const model = await server(saying('read'));
    const home = makeHome(model.url);
    const text = '바이트 '.repeat(1_000_000).trimEnd();
    expect(Buffer.byteLength(text)).toBeGreaterThan(9_900_000);
    expect(await runHermes(home, [], text)).toMatchObject({ code: 0, out: 'read\n' });
    expect(asked(model)).toBe(text);
    expect(home.rows("SELECT content = ? AS same FROM messages WHERE role = 'user'", text)).toEqual([{ same: 1 }]);
  });

  test.each<[string, string[], string]>([
    ['nothing at all', [], ''],
    ['an empty -q', ['-q', ''], ''],
    ['blanks', ['-q', '  '], '\n'],
  ])('%s is a wrong use: exit code 2, no store', async (_, args, input) => {
    const home = makeHome('http://127.0.0.1:9');
    const result = await runHermes(home, args, input);
    expect(result).toMatchObject({ code: 2, out: '' });
    expect(result.err).toMatch(/^hermes: [^\n]+\n[^\n]+\n$/);
    expect(existsSync(path.join(home.path, 'state.db'))).toBe(false);
  });

  test('--source is written into a new session, and never into a resumed one', async () => {
    const model = await server(saying('ok'));
    const home = makeHome(model.url);
    expect(await runHermes(home, ['-q', 'one', '--source', 'nightly'])).toMatchObject({ code: 0 });
    const [first] = home.rows('SELECT id, source FROM sessions');
    expect(first).toMatchObject({ source: 'nightly' });
    expect(await runHermes(home, ['-q', 'two', '-r', String(first?.['id']), '--source', 'other'])).toMatchObject({ code: 0 });
    expect(home.rows('SELECT source, message_count FROM sessions')).toEqual([{ source: 'nightly', message_count: 4 }]);
  });

  test('-c appends to the newest session and says so on stderr; -r of nothing fails and writes nothing', async () => {
    const model = await server(saying('ok'));
    const home = makeHome(model.url);
    await runHermes(home, ['-q', 'the first question']);
    const [row] = home.rows('SELECT id FROM sessions');
    const resumed = await runHermes(home, ['-c', '-q', 'the second']);
    expect(resumed).toMatchObject({ code: 0, out: 'ok\n' });
    expect(resumed.err).toContain(`↻ Resumed session ${String(row?.['id'])} "the first question" (1 user message, 2 total messages)\n`);
    expect(resumed.err.trim().split('\n')).toHaveLength(2);
    expect((model.requests.at(-1)?.body as { messages: unknown[] }).messages).toHaveLength(4);
    expect(home.rows('SELECT message_count, end_reason FROM sessions')).toEqual([{ message_count: 4, end_reason: 'agent_close' }]);

    const missing = await runHermes(home, ['-r', 'no such thing', '-q', 'lost?']);
    expect(missing).toMatchObject({ code: 1, out: '' });
    expect(missing.err).toContain("No session found matching 'no such thing'.");
    expect(home.rows('SELECT count(*) AS n FROM messages')).toEqual([{ n: 4 }]);
  });
});

describe('what goes wrong', () => {
  test.each<[string, Answer, RegExp]>([
    [
      '429',
      (response) => void response.writeHead(429, { 'retry-after': '7' }).end('{"error":{"message":"slow down"}}'),
      /limiting requests; it asks to wait 7 s/,
    ],
    ['401', (response) => void response.writeHead(401).end('{"error":{"message":"bad key"}}'), /key/],
    ['500', (response) => void response.writeHead(500).end('oops'), /failed on its side/],
  ])('%s: one sentence, what to try, exit code 1, the question is stored', async (_, answer, expected) => {
    const model = await server(answer);
    const home = makeHome(model.url);
    const result = await runHermes(home, ['-q', 'are you there']);
    expect(result).toMatchObject({ code: 1, out: '' });
    expect(result.err).toMatch(expected);
    const [row] = home.rows('SELECT id FROM sessions');
    expect(result.err).toContain(`hermes -r ${String(row?.['id'])}`);
    expect(result.err.trim().split('\n')).toHaveLength(2);
    expect(home.rows('SELECT role FROM messages')).toEqual([{ role: 'user' }]);
  });

  test('a stream that breaks off: what arrived is on stdout and stored, exit code 1', async () => {
    const model = await server((response) => {
      response.writeHead(200, SSE);
      response.write(chatEvent({ content: 'half an ans' }), () => response.destroy());
    });
    const home = makeHome(model.url);
    const result = await runHermes(home, ['-q', 'go']);
    expect(result).toMatchObject({ code: 1, out: 'half an ans\n' });
    expect(home.rows("SELECT content FROM messages WHERE role = 'assistant'")).toEqual([{ content: 'half an ans' }]);
  });

  test('a configured model without its key: the key is named, not how to set up a model', async () => {
    const home = makeHome(
      undefined,
      'model:\n  default: small\n  provider: custom:lab\ncustom_providers:\n  - name: lab\n    base_url: http://127.0.0.1:9/v1\n    key_env: LAB_KEY\n    model: small\n',
    );
    const result = await runHermes(home, ['-q', 'keep this']);
    expect(result.code).toBe(1);
    expect(result.err).toContain('LAB_KEY');
    expect(result.err).not.toContain('HERMES_INFERENCE_MODEL');
  });

  test('no model: nothing is stored, and it is said how to set one up', async () => {
    const home = makeHome(undefined);
    const result = await runHermes(home, ['-q', 'anyone']);
    expect(result).toMatchObject({ code: 1, out: '' });
    expect(result.err).toContain('/model');
    expect(result.err).toContain('HERMES_INFERENCE_MODEL');
    expect(existsSync(path.join(home.path, 'state.db'))).toBe(false);
  });

  test.each<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('%s while it streams: what arrived is stored as interrupted, exit code %i', async (signal, code) => {
    const model = await server((response) => {
      response.writeHead(200, SSE);
      response.write(chatEvent({ content: 'the beginning' }) + chatEvent({ content: ' and more' }));
    });
    const home = makeHome(model.url);
    const run = startHermes(home, ['-q', 'go on for ever']);
    await run.until('the beginning');
    run.child.kill(signal);
    expect(await run.ended).toMatchObject({ code, out: 'the beginning and more\n' });
    await model.requests[0]?.aborted;
    expect(home.rows("SELECT content, finish_reason FROM messages WHERE role = 'assistant'")).toEqual([
      { content: 'the beginning and more', finish_reason: 'interrupted' },
    ]);
    expect(home.rows('SELECT end_reason FROM sessions')).toEqual([{ end_reason: 'agent_close' }]);
    expect(home.rows('SELECT * FROM session_turn_leases')).toEqual([]);
  });

  test('a reader that closes the pipe ends it like SIGPIPE, and what arrived is stored', async () => {
    let more: (() => void) | undefined;
    const model = await server((response) => {
      response.writeHead(200, SSE);
      response.write(chatEvent({ content: 'first line\n' }) + chatEvent({ content: 'x' }));
      const timer = setInterval(() => response.write(chatEvent({ content: 'more\n' })), 20);
      more = () => clearInterval(timer);
      response.on('close', more);
    });
    const home = makeHome(model.url);
    const run = startHermes(home, ['-q', 'go']);
    await run.until('first line');
    run.child.stdout.destroy();
    expect(await run.ended).toMatchObject({ code: 141 });
    more?.();
    const [row] = home.rows("SELECT content, finish_reason FROM messages WHERE role = 'assistant'");
    expect(row).toMatchObject({ finish_reason: 'interrupted' });
    expect(String(row?.['content'])).toMatch(/^first line\nx/);
  });

  test('a session that is live elsewhere is refused: exit code 1, nothing is written', async () => {
    let finish: (() => void) | undefined;
    const model = await server((response) => {
      response.writeHead(200, SSE);
      response.write(chatEvent({ content: 'working on it' }));
      finish = () => response.end(chatEvent({}, 'stop') + 'data: [DONE]\n\n');
    });
    const home = makeHome(model.url);
    const first = startHermes(home, ['-q', 'a long one']);
    await first.until('working on it');
    const [row] = home.rows('SELECT id FROM sessions');
    const second = await runHermes(home, ['-r', String(row?.['id']), '-q', 'me too']);
    expect(second).toMatchObject({ code: 1, out: '' });
    expect(second.err).toContain(`pid ${first.child.pid}`);
    expect(home.rows("SELECT content FROM messages WHERE role = 'user'")).toEqual([{ content: 'a long one' }]);
    finish?.();
    expect(await first.ended).toMatchObject({ code: 0, out: 'working on it\n' });
  });

  test('killed while it streams: the session is there with what had arrived, and goes on', async () => {
    let isFirst = true;
    const model = await server((response, request) => {
      if (!isFirst) return void saying('done')(response, request);
      isFirst = false;
      response.writeHead(200, SSE);
      response.write(chatEvent({ content: 'some of it' }));
    });
    const home = makeHome(model.url);
    const run = startHermes(home, ['-q', 'go']);
    await run.until('some of it');
    // The first words are stored as soon as they are there; their row is looked for, not waited for.
    for (let tries = 0; tries < 100 && home.rows("SELECT 1 FROM messages WHERE role = 'assistant'").length === 0; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
    run.child.kill('SIGKILL');
    await run.ended;
    expect(home.rows('SELECT end_reason FROM sessions')).toEqual([{ end_reason: null }]);
    expect(await runHermes(home, ['-c', '-q', 'again'])).toMatchObject({ code: 0, out: 'done\n' });
    expect(home.rows('SELECT role, finish_reason FROM messages ORDER BY id')).toEqual([
      { role: 'user', finish_reason: null },
      { role: 'assistant', finish_reason: 'interrupted' },
      { role: 'user', finish_reason: null },
      { role: 'assistant', finish_reason: 'stop' },
    ]);
  });
});

test('reasoning stays off stdout, and shows on stderr with --debug', async () => {
  const model = await server(
    replyWith(chatEvent({ reasoning_content: 'let me think' }), chatEvent({ content: 'Four.' }), chatEvent({}, 'stop'), 'data: [DONE]\n\n'),
  );
  const home = makeHome(model.url);
  expect(await runHermes(home, ['-q', '2+2'])).toEqual({ code: 0, out: 'Four.\n', err: '' });
  const debugged = await runHermes(home, ['-q', '2+2', '--debug']);
  expect(debugged).toMatchObject({ code: 0, out: 'Four.\n' });
  expect(debugged.err).toContain('let me think');
});
