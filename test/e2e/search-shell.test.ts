import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeConversations, agent, you } from '../../fixtures/stores/conversation.ts';
import { createLayout } from '../../src/store/schema/create.ts';
import { hermesPath, homeEnvironment, makeHome, runHermes, startHermes, type TestHome } from '../support/hermes-run.ts';
import { chatEvent, replyWith, startByteServer, type ByteServer } from '../support/model-server.ts';
import { leave } from '../support/place.ts';
import { spawnTui, type Tui } from '../support/tui.ts';

const done = 'data: [DONE]\n\n';

/** A model that searches for `walrus` when it is asked, and says what it was told. */
async function searchingModel(): Promise<ByteServer> {
  const server = await startByteServer((response, request) => {
    const { messages } = request.body as { messages: { role: string; content: string }[] };
    const last = messages.at(-1);
    const call = {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'session_search', arguments: '{"query":"walrus","limit":1}' },
    };
    if (last?.role === 'tool') {
      const { results } = JSON.parse(last.content) as { results: { snippet: string }[] };
      return replyWith(chatEvent({ content: `recalled ${results[0]?.snippet}` }), chatEvent({}, 'stop'), done)(response);
    }
    if (last?.content.includes('recall')) return replyWith(chatEvent({ tool_calls: [call] }), chatEvent({}, 'tool_calls'), done)(response);
    return replyWith(chatEvent({ content: 'fine' }), chatEvent({}, 'stop'), done)(response);
  });
  onTestFinished(() => server.stop());
  return server;
}

/** A home with a long conversation about a walrus at its 40th message, and one about something else. */
function seeded(url: string | undefined): TestHome & { ids: string[]; found: number } {
  const home = makeHome(url);
  const db = new Database(path.join(home.path, 'state.db'));
  db.pragma('journal_mode = WAL');
  db.transaction(() => createLayout(db, Date.now()))();
  const turns = Array.from({ length: 60 }, (_, index) =>
    (index % 2 === 0 ? you : agent)(index === 40 ? 'where the walrus sings 회의' : `turn ${index}`),
  );
  const ids = writeConversations(
    db,
    [
      { source: 'tui', title: 'animals', age: 20, messages: turns },
      { source: 'cli', title: 'plants', age: 10, messages: [you('a fern'), agent('a moss')] },
    ],
    Date.now(),
  );
  db.close();
  const found = Number(home.rows("SELECT id FROM messages WHERE content LIKE '%walrus%'")[0]?.['id']);
  return { ...home, ids, found };
}

function open(home: TestHome, args: readonly string[], size = { cols: 80, rows: 24 }): Tui {
  return spawnTui({ command: process.execPath, args: [hermesPath, ...args], cwd: home.work, env: homeEnvironment(home.path), ...size });
}
/** Everything after the first frame has happened. */
const settled = (tui: Tui): Promise<number> => tui.until((t) => t.stats.idle > 0, 'the program to be idle');
const shows = (tui: Tui, text: string): Promise<number> => tui.until((t) => t.text().includes(text), text);

describe('hermes sessions search', () => {
  test('prints references that -r opens, and exits with 0, 1 and 2', async () => {
    const home = seeded(undefined);
    const { code, out, err } = await runHermes(home, ['sessions', 'search', 'walrus']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`  ${home.ids[0]}#${home.found}: where the walrus sings 회의`);
    expect(out).toMatch(/^animals {2}.* · tui · 1 hit\n/);
    expect(await runHermes(home, ['sessions', 'search', 'gnu'])).toEqual({ code: 1, out: 'No matching sessions found.\n', err: '' });
    expect((await runHermes(home, ['sessions', 'search', 'gnu', '--sort', 'up'])).code).toBe(2);
    expect((await runHermes(home, ['sessions', 'search'])).code).toBe(2);
  });

  test('sees what another process has just written', async () => {
    const home = seeded(undefined);
    const db = new Database(path.join(home.path, 'state.db'));
    onTestFinished(() => void db.close());
    const insert = db.prepare("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)");
    insert.run(home.ids[1], 'an okapi appears', Date.now() / 1000);
    expect((await runHermes(home, ['sessions', 'search', 'okapi'])).out).toContain('plants');
    // While somebody holds the lock, too.
    db.exec('BEGIN IMMEDIATE');
    expect((await runHermes(home, ['sessions', 'search', 'okapi'])).code).toBe(0);
    db.exec('ROLLBACK');
  });
});

describe('opening at a message', () => {
  test.each([
    ['-r ID --at MESSAGE', (id: string, at: number) => ['-r', id, '--at', String(at)]],
    ["-r 'ID#MESSAGE'", (id: string, at: number) => ['-r', `${id}#${at}`]],
    ["--at 'ID#MESSAGE'", (id: string, at: number) => ['--at', `${id}#${at}`]],
    ["-c 'TITLE' --at MESSAGE", (_: string, at: number) => ['-c', 'animals', '--at', String(at)]],
  ])('%s shows it in the first frame, in context; Esc goes on in the conversation', async (_, args) => {
    const home = seeded(undefined);
    const tui = open(home, args(home.ids[0]!, home.found));
    await shows(tui, 'where the walrus sings');
    expect(tui.text()).toContain('turn 41');
    expect(tui.text()).not.toContain('Previous conversation');
    await settled(tui);
    tui.press('escape');
    await shows(tui, 'Previous conversation');
    await shows(tui, '❯');
    expect(await leave(tui)).toBe(0);
    // Looking writes nothing.
    expect(home.rows('SELECT count(*) AS n FROM messages')).toEqual([{ n: 62 }]);
  });

  test('at 40x12 too, and after it was resized', async () => {
    const home = seeded(undefined);
    const tui = open(home, ['-r', `${home.ids[0]}#${home.found}`], { cols: 40, rows: 12 });
    await shows(tui, 'where the walrus sings');
    tui.resize(100, 30);
    await shows(tui, 'where the walrus sings');
    await settled(tui);
    tui.press('escape');
    await shows(tui, 'Previous conversation');
    expect(await leave(tui)).toBe(0);
  });

  test('a message of another conversation, or of none, is one sentence and exit code 1, before anything is drawn', async () => {
    const home = seeded(undefined);
    const other = await runHermes(home, ['--cli', '-r', home.ids[1]!, '--at', String(home.found)]);
    expect(other.code).toBe(1);
    expect(other.err).toContain(`Message ${home.found} is not in session ${home.ids[1]}.`);
    expect(other.err).toContain(`hermes -r '${home.ids[0]}#${home.found}'`);
    for (const args of [
      ['-r', home.ids[0]!, '--at', '999999'],
      ['-r', `${home.ids[0]}#999999`],
    ])
      expect((await runHermes(home, ['--cli', ...args])).code, args.join(' ')).toBe(1);
    for (const args of [
      ['--at', '12'],
      ['-r', home.ids[0]!, '--at', 'soon'],
      ['-r', home.ids[0]!, '--at', '12', '-q', 'hello'],
    ])
      expect((await runHermes(home, args)).code, args.join(' ')).toBe(2);
  });

  test('a title that ends in #2 is a title first', async () => {
    const home = seeded(undefined);
    const db = new Database(path.join(home.path, 'state.db'));
    db.prepare('UPDATE sessions SET title = ? WHERE id = ?').run('plants#2', home.ids[1]);
    db.close();
    const { out, code } = await runHermes(home, ['--cli', '-r', 'plants#2']);
    expect(code).toBe(0);
    expect(out).toContain('a moss');
  });

  test('line mode prints what stands around it, and goes on at the prompt', async () => {
    const home = seeded(undefined);
    const { out, code } = await runHermes(home, ['--cli', '-r', `${home.ids[0]}#${home.found}`]);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`Around message ${home.found}:[\\s\\S]*turn 39[\\s\\S]*→ .*where the walrus sings[\\s\\S]*turn 41`));
    expect(out).not.toContain('turn 20');
  });
});

describe('/search in line mode', () => {
  test('prints the hits numbered; /resume takes the number', async () => {
    const home = seeded(undefined);
    const { out, code } = await runHermes(home, ['--cli'], '/search walrus\n/resume 1\n/title\n');
    expect(code).toBe(0);
    expect(out).toContain('1. animals');
    expect(out).toContain(`${home.ids[0]}#${home.found}: where the walrus sings`);
    expect(out.slice(out.indexOf('1. animals') + 10)).toContain('animals');
    expect((await runHermes(home, ['--cli'], '/search gnu\n')).out).toContain('No matching sessions found.');
  });
});

describe('the agent recalls', () => {
  test('in a one-shot run', async () => {
    const home = seeded((await searchingModel()).url);
    expect(await runHermes(home, ['-q', 'recall what I said'])).toEqual({
      code: 0,
      out: 'recalled where the >>>walrus<<< sings 회의\n',
      err: '',
    });
    expect(home.rows("SELECT role, tool_name FROM messages WHERE role = 'tool'")).toEqual([{ role: 'tool', tool_name: 'session_search' }]);
  });

  test('from another profile of the home, which it only reads', async () => {
    const model = await startByteServer((response, request) => {
      const { messages } = request.body as { messages: { role: string; content: string }[] };
      const last = messages.at(-1);
      const named = { name: 'session_search', arguments: JSON.stringify({ profile: 'work', query: 'walrus' }) };
      const call = { index: 0, id: 'call_1', type: 'function', function: named };
      if (last?.role !== 'tool') return replyWith(chatEvent({ tool_calls: [call] }), chatEvent({}, 'tool_calls'), done)(response);
      const { results } = JSON.parse(last.content) as { results: { link: string }[] };
      replyWith(chatEvent({ content: `found ${results[0]?.link}` }), chatEvent({}, 'stop'), done)(response);
    });
    onTestFinished(() => model.stop());
    const home = makeHome(model.url);
    const other = seeded(undefined);
    const profile = path.join(home.path, 'profiles', 'work');
    mkdirSync(path.dirname(profile));
    cpSync(other.path, profile, { recursive: true });
    const before = readFileSync(path.join(profile, 'state.db'));
    expect(await runHermes(home, ['-q', 'ask the other profile'])).toEqual({
      code: 0,
      out: `found @session:work/${other.ids[0]}\n`,
      err: '',
    });
    expect(readFileSync(path.join(profile, 'state.db')).equals(before)).toBe(true);
  });

  test('in line mode, where the call and its result have a line each', async () => {
    const home = seeded((await searchingModel()).url);
    const { out, code } = await runHermes(home, ['--cli'], 'recall what I said\n');
    expect(code).toBe(0);
    expect(out).toMatch(/session_search[\s\S]*session_search[\s\S]*recalled where the >>>walrus<<< sings/);
  });

  test('on the screen, where the transcript shows the call', async () => {
    const home = seeded((await searchingModel()).url);
    const tui = open(home, [], { cols: 100, rows: 30 });
    await shows(tui, '❯');
    tui.write('recall what I said');
    await shows(tui, '❯ recall what I said');
    tui.press('enter');
    await shows(tui, 'recalled where the >>>walrus<<< sings');
    expect(tui.text()).toMatch(/▸ session_search/);
    expect(await leave(tui)).toBe(0);
  });
});

test('the help of the program names what can be typed', async () => {
  const home = seeded(undefined);
  expect((await runHermes(home, ['sessions', 'search', '--help'])).out).toMatch(/--context[\s\S]*--source/);
  expect((await runHermes(home, ['--help'])).out).toContain('--at');
  expect(readFileSync(path.join(import.meta.dirname, '../../docs/commands.md'), 'utf8')).toContain('hermes sessions search');
  const started = startHermes(home, ['sessions', 'search', 'walrus', '--json']);
  expect(JSON.parse((await started.ended).out)).toMatchObject({
    sessions: 1,
    results: [{ messages: [{ ref: `${home.ids[0]}#${home.found}` }] }],
  });
});
