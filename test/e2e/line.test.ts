import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hermesPath, homeEnvironment, makeHome, runHermes, startHermes, type TestHome } from '../support/hermes-run.ts';
import { chatEvent, replyWith, SSE, startByteServer, type ByteServer } from '../support/model-server.ts';
import { spawnTui, type Tui } from '../support/tui.ts';
import { holderText } from '../../src/store/writes/holder.ts';

type Answer = Parameters<typeof startByteServer>[0];
const done = chatEvent({}, 'stop') + 'data: [DONE]\n\n';

async function server(answer: Answer): Promise<ByteServer> {
  const started = await startByteServer(answer);
  onTestFinished(() => started.stop());
  return started;
}

/** Answers each question with `to <question>`. */
const echoing: Answer = (response, request) => {
  const { messages } = request.body as { messages: { content: string }[] };
  replyWith(chatEvent({ content: `to ${messages.at(-1)?.content}` }), done)(response);
};

/** Streams a beginning, and the end when `finish` is called. */
function holding(beginning = 'it begins'): { answer: Answer; finish(): void } {
  const open: (() => void)[] = [];
  return {
    answer(response) {
      response.writeHead(200, SSE);
      response.write(chatEvent({ content: beginning }));
      open.push(() => response.end(chatEvent({ content: ' and ends' }) + done));
    },
    finish: () => open.shift()?.(),
  };
}

function openLine(home: TestHome, args: readonly string[] = [], env: Record<string, string> = {}): Tui {
  return spawnTui({
    command: process.execPath,
    args: [hermesPath, '--cli', ...args],
    cwd: home.work,
    env: homeEnvironment(home.path, env),
    cols: 100,
    rows: 40,
  });
}

const isReady = (tui: Tui): boolean =>
  /^❯ ?$/u.test(
    tui
      .lines()
      .filter((line) => line.trim() !== '')
      .at(-1)
      ?.trimEnd() ?? '',
  );
const ready = (tui: Tui): Promise<number> => tui.until(isReady, 'the prompt');
const shows = (tui: Tui, text: string): Promise<number> => tui.until((t) => t.text().includes(text), text);

/** The question about a live session stands below what was typed. */
const asksAfter = (tui: Tui, typed: string): Promise<number> =>
  tui.until((t) => t.text().includes(typed) && t.text().lastIndexOf('3. Take over') > t.text().lastIndexOf(typed), 'the question again');

async function type(tui: Tui, text: string): Promise<void> {
  tui.write(`${text}\r`);
  await Promise.resolve();
}

describe('from a pipe', () => {
  test('each line is a message, commands among them, and the exit lines follow', async () => {
    const model = await server(echoing);
    const home = makeHome(model.url);
    const result = await runHermes(home, ['--cli'], '첫 번째\n/title 한국어 제목\nsecond \\\nline\n/title\n');
    expect(result).toMatchObject({ code: 0, err: '' });
    expect(result.out).toContain('◆ to 첫 번째\n');
    expect(result.out).toContain('◆ to second \nline\n');
    expect(result.out).toContain('Title: 한국어 제목\n');
    const [row] = home.rows('SELECT id, source, end_reason, title, message_count FROM sessions');
    expect(row).toMatchObject({ source: 'cli', end_reason: 'cli_close', title: '한국어 제목', message_count: 4 });
    expect(result.out).toContain(`Resume this session with:  hermes --resume ${String(row?.['id'])}\n`);
    expect(result.out).toContain("or  hermes -c '한국어 제목'\n");
    expect(result.out).not.toContain('\x1b');
    expect(home.rows("SELECT content FROM messages WHERE role = 'user'")).toEqual([{ content: '첫 번째' }, { content: 'second \nline' }]);
  });

  test('a failed turn is said in place, the next line is sent all the same, and the exit code is 1', async () => {
    let isFirst = true;
    const model = await server((response, request) => {
      if (!isFirst) return echoing(response, request);
      isFirst = false;
      response.writeHead(429, { 'retry-after': '7' }).end('{}');
    });
    const home = makeHome(model.url);
    const result = await runHermes(home, ['--cli'], 'one\ntwo\n');
    expect(result.code).toBe(1);
    expect(result.out).toMatch(/limiting requests; it asks to wait 7 s[\s\S]+◆ to one\n\ntwo/u);
    expect(home.rows('SELECT role FROM messages ORDER BY id').map((row) => row['role'])).toEqual(['user', 'user', 'assistant']);
  });

  test('no model: nothing is stored, the message is printed back', async () => {
    const home = makeHome(undefined);
    const result = await runHermes(home, ['--cli'], 'do not lose me\n');
    expect(result.code).toBe(1);
    expect(result.out).toMatch(/No model is set up[\s\S]+Not sent[^\n]+\ndo not lose me\n/u);
    expect(existsSync(path.join(home.path, 'state.db'))).toBe(false);
  });

  test('looking at a session and leaving changes no row', async () => {
    const model = await server(echoing);
    const home = makeHome(model.url);
    await runHermes(home, ['-q', 'a question']);
    const dump = (): unknown => [
      home.rows('SELECT * FROM sessions'),
      home.rows('SELECT * FROM messages'),
      home.rows('SELECT * FROM sqlite_master'),
    ];
    const before = dump();
    const [row] = home.rows('SELECT id FROM sessions');
    const result = await runHermes(home, ['--cli', '-c'], '/history\n/status\n/sessions\n/help\n/theme\n/nosuch\n');
    expect(result.out).toContain(`↻ Resumed session ${String(row?.['id'])} "a question" (1 user message, 2 total messages)\n`);
    expect(result.out).toContain('● You: a question\n◆ Hermes: to a question\n');
    expect(result.out).toContain('  1. a question, just now, work, oneshot, ');
    expect(result.out).toContain('/theme belongs to the full screen');
    expect(result.out).toMatch(/\/resume \[name\|id\|n\] +Resume a session/u);
    expect(result.out).toContain('no command /nosuch');
    expect(result.out).not.toContain('Resume this session with');
    expect(dump()).toEqual(before);
  });

  test('a session that another process holds ends the run with exit code 1, and nothing is written', async () => {
    const held = holding();
    const model = await server(held.answer);
    const home = makeHome(model.url);
    const first = startHermes(home, ['-q', 'a long one']);
    await first.until('it begins');
    const [row] = home.rows('SELECT id FROM sessions');
    const second = await runHermes(home, ['--cli', '-r', String(row?.['id'])], 'me too\n');
    expect(second.code).toBe(1);
    expect(second.err).toContain(`pid ${first.child.pid}`);
    held.finish();
    expect(await first.ended).toMatchObject({ code: 0 });
    expect(home.rows("SELECT content FROM messages WHERE role = 'user'")).toEqual([{ content: 'a long one' }]);
  });

  test('a lease that a killed program left behind keeps nobody out', async () => {
    const model = await server(echoing);
    const home = makeHome(model.url);
    await runHermes(home, ['-q', 'a question']);
    const id = String(home.rows('SELECT id FROM sessions')[0]?.['id']);
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    const now = Date.now() / 1000;
    const db = new Database(path.join(home.path, 'state.db'));
    const holder = holderText('x').replace(/^pid=\d+/, `pid=${gone}`);
    db.prepare('INSERT INTO session_turn_leases VALUES (?, ?, ?, ?)').run(id, holder, now, now + 300);
    db.close();
    const result = await runHermes(home, ['--cli', '-r', id], 'and another\n');
    expect(result).toMatchObject({ code: 0, out: expect.stringContaining('to and another') as string });
    expect(home.rows('SELECT * FROM session_turn_leases')).toEqual([]);
  });
});

describe('on a terminal', () => {
  test('a conversation: answered, remembered for this pane, resumed with its recap', async () => {
    const model = await server(echoing);
    const home = makeHome(model.url);
    const tui = openLine(home);
    await ready(tui);
    await type(tui, '안녕');
    await shows(tui, '◆ to 안녕');
    await ready(tui);
    const [row] = home.rows('SELECT id FROM sessions');
    const crumbs = readdirSync(path.join(home.path, 'terminal-sessions')).map((name) =>
      readFileSync(path.join(home.path, 'terminal-sessions', name), 'utf8'),
    );
    expect(crumbs.length).toBeGreaterThan(0);
    for (const crumb of crumbs) expect(JSON.parse(crumb)).toMatchObject({ session_id: row?.['id'], cwd: home.work });
    expect(readdirSync(path.join(home.path, 'tui/live')).filter((name) => name.endsWith('.json'))).toHaveLength(1);
    tui.press('ctrl+d');
    expect(await tui.exited).toMatchObject({ code: 0 });
    expect(tui.text()).toContain(`hermes --resume ${String(row?.['id'])}`);
    expect(tui.modes().bracketedPaste).toBe(false);
    expect(readdirSync(path.join(home.path, 'tui/live')).filter((name) => name.endsWith('.json'))).toHaveLength(0);
    expect(home.rows('SELECT source, end_reason FROM sessions')).toEqual([{ source: 'cli', end_reason: 'cli_close' }]);

    const again = openLine(home, ['-r', 'latest']);
    await ready(again);
    expect(again.text()).toContain('↻ Resumed session');
    expect(again.text()).toContain('● You: 안녕');
    expect(again.text()).toContain('◆ Hermes: to 안녕');
    await type(again, '/quit');
    expect(await again.exited).toMatchObject({ code: 0 });
  });

  test('Ctrl+C interrupts a turn, clears a line, and leaves when pressed twice; what was queued comes back into the line', async () => {
    const held = holding();
    const model = await server(held.answer);
    const home = makeHome(model.url);
    const tui = openLine(home);
    await ready(tui);
    await type(tui, 'go on for ever');
    await shows(tui, 'it begins');
    await type(tui, 'and then this');
    await shows(tui, 'queued, 1 waiting');
    tui.press('ctrl+c');
    await shows(tui, 'interrupted; what arrived is stored');
    await tui.until((t) => t.lines().some((line) => line.startsWith('❯ and then this')), 'the queued text in the line');
    await model.requests[0]?.aborted;
    expect(home.rows("SELECT content, finish_reason FROM messages WHERE role = 'assistant'")).toEqual([
      { content: 'it begins', finish_reason: 'interrupted' },
    ]);
    tui.press('ctrl+c');
    await ready(tui);
    tui.press('ctrl+c');
    await shows(tui, 'Ctrl+C again leaves');
    await ready(tui);
    tui.press('ctrl+c');
    expect(await tui.exited).toMatchObject({ code: 0 });
  });

  test('a message that waits is sent when the turn is over', async () => {
    const held = holding();
    const model = await server(held.answer);
    const home = makeHome(model.url);
    const tui = openLine(home);
    await ready(tui);
    await type(tui, 'first');
    await shows(tui, 'it begins');
    await type(tui, 'second');
    await shows(tui, 'queued, 1 waiting');
    held.finish();
    await tui.until(() => model.requests.length === 2, 'the second request');
    held.finish();
    await ready(tui);
    expect(home.rows('SELECT role, content FROM messages ORDER BY id')).toEqual([
      { role: 'user', content: 'first' },
      { role: 'assistant', content: 'it begins and ends' },
      { role: 'user', content: 'second' },
      { role: 'assistant', content: 'it begins and ends' },
    ]);
  });

  test('a paste of many lines is one message, byte for byte, tabs included', async () => {
    const model = await server(echoing);
    const home = makeHome(model.url);
    const tui = openLine(home);
    await ready(tui);
    expect(tui.modes().bracketedPaste).toBe(true);
    const text = Array.from({ length: 300 }, (_, index) => `\tline ${index} /한글 \\`).join('\n');
    tui.paste(text);
    await shows(tui, 'line 299');
    expect(model.requests).toHaveLength(0);
    tui.press('ctrl+e', 'x', 'enter');
    await tui.until(() => model.requests.length === 1, 'the request');
    await ready(tui);
    expect(home.rows("SELECT content FROM messages WHERE role = 'user'")).toEqual([{ content: `${text}x` }]);
  });

  test('Tab completes a command; an unknown one is sent by the same line again', async () => {
    const model = await server(echoing);
    const home = makeHome(model.url);
    const tui = openLine(home);
    await ready(tui);
    tui.write('/stat\t');
    await shows(tui, '/status');
    tui.press('enter');
    await shows(tui, 'Directory');
    await ready(tui);
    await type(tui, '/histroy');
    await shows(tui, '/history');
    expect(model.requests).toHaveLength(0);
    await ready(tui);
    await type(tui, '/histroy');
    await shows(tui, '◆ to /histroy');
  });

  test('/model lists by number, shows what it would write, and writes only when told to', async () => {
    const model = await server(echoing);
    const home = makeHome(undefined, `custom_providers:\n  - name: lab\n    base_url: ${model.url}/v1\n    model: small\n`);
    const config = path.join(home.path, 'config.yaml');
    const before = readFileSync(config, 'utf8');
    const tui = openLine(home);
    await ready(tui);
    await type(tui, 'first');
    await shows(tui, 'No model is set up');
    await tui.until((t) => /back in the line:\n[^]*\n❯ first\s*$/u.test(t.text()), 'the message in the line');
    tui.press('ctrl+c');
    await ready(tui);
    await type(tui, '/model');
    await shows(tui, '1. custom:lab:small');
    await ready(tui);
    await type(tui, '1');
    await shows(tui, '2. Make it the default');
    expect(readFileSync(config, 'utf8')).toBe(before);
    await type(tui, '2');
    await shows(tui, 'small is the default now');
    expect(readFileSync(config, 'utf8')).toContain('default: small');
    await ready(tui);
    await type(tui, 'hello');
    await shows(tui, '◆ to hello');
  });

  test('an answer that carries escape sequences is shown as symbols', async () => {
    const model = await server(replyWith(chatEvent({ content: 'a\x1b[2J\x07b\u202ec' }), done));
    const home = makeHome(model.url);
    const tui = openLine(home);
    await ready(tui);
    await type(tui, 'x');
    await shows(tui, '◆ a␛[2J␇b⇄c');
  });

  test('a session live elsewhere: its owner is named; read along, then a copy, then take over', async () => {
    const model = await server(echoing);
    const home = makeHome(model.url);
    const owner = openLine(home);
    await ready(owner);
    await type(owner, 'mine');
    await shows(owner, '◆ to mine');
    await ready(owner);
    const [row] = home.rows('SELECT id FROM sessions');

    const reader = openLine(home, ['-r', String(row?.['id'])]);
    await shows(reader, `pid ${owner.pid}`);
    await shows(reader, '4. Cancel');
    await ready(reader);
    await type(reader, '1');
    await shows(reader, 'reading along');
    await ready(reader);
    await type(reader, 'not from here');
    await shows(reader, 'Not sent');
    await type(owner, 'more of it');
    await shows(owner, '◆ to more of it');
    await shows(reader, '◆ Hermes: to more of it');
    reader.press('ctrl+c');
    await ready(reader);
    await type(reader, '/resume 1');
    await asksAfter(reader, '/resume 1');
    await ready(reader);
    await type(reader, '2');
    await shows(reader, 'A copy of the conversation');
    await ready(reader);
    await type(reader, `/resume ${String(row?.['id'])}`);
    await asksAfter(reader, '/resume 2');
    await ready(reader);
    await type(reader, '3');
    await shows(reader, 'Taken over: it goes on here.');
    await shows(owner, 'this session was taken over by another pane');
    await ready(reader);
    await type(reader, 'mine now');
    await shows(reader, '◆ to mine now');
    await type(owner, '/quit');
    expect(await owner.exited).toMatchObject({ code: 0 });
    expect(home.rows('SELECT end_reason FROM sessions WHERE id = ?', row?.['id'])).toEqual([{ end_reason: null }]);
  });

  test('a directory that is gone is asked about; a message typed instead goes on', async () => {
    const model = await server(echoing);
    const home = makeHome(model.url);
    const gone = path.join(home.path, 'gone');
    mkdirSync(gone);
    await runHermes(home, ['--in', gone, '-q', 'here']);
    rmSync(gone, { recursive: true });
    const tui = openLine(home, ['-r', 'here']);
    await shows(tui, `⚠ session's recorded dir is gone (${gone}); staying in ${home.work}`.slice(0, 60));
    await shows(tui, 'Pick another');
    await ready(tui);
    await type(tui, 'just go on');
    await shows(tui, '◆ to just go on');
  });

  test.each<[NodeJS.Signals, number, string]>([
    ['SIGTERM', 143, 'tui_shutdown'],
    ['SIGHUP', 129, 'tui_shutdown'],
  ])('%s while it streams: stored as interrupted, what was typed is offered again', async (signal, code, reason) => {
    const held = holding();
    const model = await server(held.answer);
    const home = makeHome(model.url);
    const tui = openLine(home);
    await ready(tui);
    await type(tui, 'go');
    await shows(tui, 'it begins');
    tui.write('half a thought');
    await tui.quiet();
    expect(await tui.kill(signal)).toMatchObject({ code });
    expect(home.rows("SELECT content, finish_reason FROM messages WHERE role = 'assistant'")).toEqual([
      { content: 'it begins', finish_reason: 'interrupted' },
    ]);
    expect(home.rows('SELECT end_reason FROM sessions')).toEqual([{ end_reason: reason }]);
    const again = openLine(home, ['-r', 'latest']);
    await shows(again, '❯ half a thought');
  });

  test('a closed pane: what arrived is stored', async () => {
    const held = holding();
    const model = await server(held.answer);
    const home = makeHome(model.url);
    const tui = openLine(home);
    await ready(tui);
    await type(tui, 'go');
    await shows(tui, 'it begins');
    tui.hangUp();
    expect(await tui.exited).toMatchObject({ code: 129 });
    expect(home.rows('SELECT end_reason FROM sessions')).toEqual([{ end_reason: 'tui_shutdown' }]);
    expect(home.rows("SELECT finish_reason FROM messages WHERE role = 'assistant'")).toEqual([{ finish_reason: 'interrupted' }]);
  });

  test('Ctrl+Z gives the shell back, fg goes on with what was typed', async () => {
    const model = await server(echoing);
    const home = makeHome(model.url);
    const tui = spawnTui({
      command: 'bash',
      args: ['--norc', '--noprofile', '-i'],
      cwd: home.work,
      env: { ...homeEnvironment(home.path), PS1: 'shell$ ', HISTFILE: '' },
      cols: 160,
    });
    await shows(tui, 'shell$');
    await type(tui, `'${process.execPath}' '${hermesPath}' --cli`);
    await ready(tui);
    tui.write('half');
    await shows(tui, '❯ half');
    tui.press('ctrl+z');
    await shows(tui, 'Stopped');
    await type(tui, 'echo back in $((40+2))');
    await shows(tui, 'back in 42');
    await type(tui, 'fg');
    await tui.until((t) => t.lines().filter((line) => line.startsWith('❯ half')).length === 2, 'the typed text again');
    await type(tui, ' and half');
    await shows(tui, '◆ to half and half');
    await ready(tui);
    await type(tui, '/quit');
    await shows(tui, 'Resume this session');
  });

  test('TERM=dumb gets the line mode without any escape sequence', async () => {
    const model = await server(echoing);
    const home = makeHome(model.url);
    const tui = spawnTui({
      command: process.execPath,
      args: [hermesPath],
      cwd: home.work,
      env: homeEnvironment(home.path, { TERM: 'dumb' }),
    });
    await ready(tui);
    await type(tui, 'hello');
    await shows(tui, '◆ to hello');
    await ready(tui);
    tui.write('\x04');
    expect(await tui.exited).toMatchObject({ code: 0 });
    expect(tui.raw().includes(0x1b)).toBe(false);
  });

  test('NO_COLOR sends no colours', async () => {
    const model = await server(echoing);
    const home = makeHome(model.url);
    const tui = openLine(home, [], { NO_COLOR: '1' });
    await ready(tui);
    await type(tui, 'hello');
    await shows(tui, '◆ to hello');
    expect(tui.raw().toString('latin1')).not.toMatch(/\x1b\[[0-9;]*m/u);
  });
});

test('a config.yaml that can be used only in part is said, and the run goes on', async () => {
  const model = await server(echoing);
  const home = makeHome(model.url);
  writeFileSync(
    path.join(home.path, 'config.yaml'),
    `${readFileSync(path.join(home.path, 'config.yaml'), 'utf8')}display:\n  resume_exchanges: many\n`,
  );
  const result = await runHermes(home, ['--cli'], 'hello\n');
  expect(result.out).toContain('config.yaml:6');
  expect(result.out).toContain('◆ to hello');
});
