import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRandom, type Random } from '../../fixtures/random.ts';
import type { ForeignSession, ForeignTool } from '../../src/session/foreign.ts';
import { detectOrigin } from '../../src/transfer/import/detect.ts';
import { findLogs } from '../../src/transfer/import/discover.ts';
import { readLog } from '../../src/transfer/import/read-log.ts';
import { takenBack } from '../../src/transfer/import/tree.ts';
import { mergeTurns, type Piece } from '../../src/transfer/import/turns.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const fixtures = path.join(import.meta.dirname, '../../fixtures/transcripts');
const codexName = 'rollout-2026-03-03T09-00-00-0195f000-aaaa-7bbb-8ccc-0123456789ab.jsonl';

const logs: readonly (readonly [ForeignTool, string])[] = [
  ['claude-code', 'claude-code.jsonl'],
  ['codex-cli', codexName],
  ['gemini-cli', 'gemini-session.json'],
  ['gemini-cli', 'gemini-session.jsonl'],
  ['pi', 'pi-session.jsonl'],
  ['opencode', 'opencode/storage/session/9b1c/ses_5a1f.json'],
  ['opencode', 'opencode-export.json'],
];

const read = (tool: ForeignTool, file: string, directories: readonly string[] = []): ForeignSession =>
  readLog(tool, { path: file }, directories);
const said = (session: ForeignSession): string[] => [...session.turns()].map(({ role, text }) => `${role}: ${text}`);

test.each(logs)('a log of %s is known by what stands in it: %s', (tool, file) => {
  expect(detectOrigin(path.join(fixtures, file))).toBe(tool);
});

describe('what was said is taken, in turns', () => {
  test('Claude Code: side chains, notes, results, thoughts and what was taken back are left out', () => {
    const session = read('claude-code', path.join(fixtures, 'claude-code.jsonl'));
    expect(said(session)).toEqual([
      'user: The cart total is one cent off when three items are reduced. 장바구니 합계를 고쳐 줘.',
      'assistant: I look at how the total is added up.\n\n[ran tool: Grep]\n\nEach item is rounded before the sum. Round once, at the end.',
      'user: Yes, round at the end. This is what I see:\n\n[image]',
      'assistant: [ran tool: Edit]\n[ran tool: Bash]\n\nDone: the total is rounded once, and all 12 tests pass.',
    ]);
    expect(session).toMatchObject({
      cwd: '/home/ann/code/shop',
      gitBranch: 'cart-total',
      model: 'claude-opus-4-5',
      foreignId: 'claude-code',
    });
    expect([...session.turns()][0]?.at).toBe(Date.parse('2026-03-02T08:14:11.120Z'));
  });

  test('Codex CLI: what the program sent in the name of the user is left out, and so is what was rolled back', () => {
    const session = read('codex-cli', path.join(fixtures, codexName));
    expect(said(session)).toEqual([
      'user: Why does the nightly job answer 502?',
      'assistant: [ran tool: shell]\n\nThe upstream times out after 30 s.',
      'user: Raise the limit to 90 s, see the picture.\n\n[image]',
      'assistant: [ran tool: apply_patch]\n\nThe limit is 90 s now.',
    ]);
    expect(session).toMatchObject({
      cwd: '/home/ann/code/api',
      gitBranch: 'main',
      model: 'gpt-5.2-codex',
      foreignId: '0195f000-aaaa-7bbb-8ccc-0123456789ab',
    });
  });

  test('Codex CLI: logs of its first versions, and logs with events alone', () => {
    const folder = temporaryFolder();
    const first = path.join(folder, 'first.jsonl');
    writeFileSync(
      first,
      [
        { id: 'a1', timestamp: '2025-06-01T00:00:00Z', instructions: null, git: { branch: 'dev' } },
        { record_type: 'state' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
    );
    expect(detectOrigin(first)).toBe('codex-cli');
    expect(said(read('codex-cli', first))).toEqual(['user: hello', 'assistant: hi']);
    const events = path.join(folder, 'events.jsonl');
    writeFileSync(
      events,
      [
        { timestamp: '2025-09-01T00:00:00Z', type: 'session_meta', payload: { id: 'b1', cwd: '/w' } },
        { timestamp: '2025-09-01T00:00:01Z', type: 'event_msg', payload: { type: 'user_message', message: 'hello' } },
        { timestamp: '2025-09-01T00:00:02Z', type: 'event_msg', payload: { type: 'agent_message', message: 'hi' } },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
    );
    expect(said(read('codex-cli', events))).toEqual(['user: hello', 'assistant: hi']);
  });

  test('Gemini CLI: the directory is the one whose hash the log has', () => {
    const session = read('gemini-cli', path.join(fixtures, 'gemini-session.json'));
    expect(said(session)).toEqual([
      'user: Translate the README into Korean',
      'assistant: [ran tool: read_file]\n\n읽어 보았습니다. 번역을 시작할까요?',
      'user: Yes, like this page:\n\n[image]',
      'assistant: README.ko.md is written.',
    ]);
    const file = path.join(temporaryFolder(), 'session-1.json');
    const hash = createHash('sha256').update('/home/ann/code/shop').digest('hex');
    const text = readFileSync(path.join(fixtures, 'gemini-session.json'), 'utf8');
    writeFileSync(file, text.replace(/"projectHash": "[^"]*"/, `"projectHash": "${hash}"`));
    expect(read('gemini-cli', file, ['/w', '/home/ann/code/shop']).cwd).toBe('/home/ann/code/shop');
    expect(read('gemini-cli', file, ['/w']).cwd).toBeUndefined();
  });

  test('Gemini CLI: a message that was appended again replaces itself, and a rewind takes back', () => {
    expect(said(read('gemini-cli', path.join(fixtures, 'gemini-session.jsonl')))).toEqual([
      'user: List the open ports',
      'assistant: [ran tool: run_shell_command]\n\nOnly 22 and 443.',
      'user: Leave it as it is',
      'assistant: Nothing was changed.',
    ]);
  });

  test('pi: the branch that was left is left out', () => {
    const session = read('pi', path.join(fixtures, 'pi-session.jsonl'));
    expect(said(session)).toEqual([
      'user: Find the post about lighthouses',
      'assistant: [ran tool: bash]\n\nIt is posts/2019-lighthouse.md.',
      'user: ! wc -w posts/2019-lighthouse.md\n\nShorten it to 400 words\n\n[image]',
      'assistant: It has 398 words now.',
    ]);
    expect(session.title).toBe('Lighthouse post');
  });

  test('OpenCode: its files, and what its export command prints', () => {
    expect(said(read('opencode', path.join(fixtures, 'opencode/storage/session/9b1c/ses_5a1f.json')))).toEqual([
      'user: Draw a legend for the map\n\n[image]',
      'assistant: [ran tool: edit]\n\nlegend.svg is drawn.',
      'user: Thank you',
    ]);
    expect(said(read('opencode', path.join(fixtures, 'opencode-export.json')))).toEqual([
      'user: Add a scale bar',
      'assistant: [ran tool: bash]\n\nThe bar shows 500 m.',
    ]);
  });
});

describe('turns', () => {
  const merge = (pieces: Piece[]): string[] =>
    [...mergeTurns(pieces, { stub: 'stub', start: 1000 })].map(({ role, text, at }) => `${at} ${role} ${text}`);

  test('alternate strictly, begin with the user, and have times of their own', () => {
    expect(
      merge([
        { role: 'assistant', text: 'a', at: 5000 },
        { role: 'assistant', text: 'b', at: 6000 },
        { role: 'user', text: 'c', at: 5000 },
        { role: 'user', text: '  ' },
        { role: 'assistant', text: 'd' },
        { role: 'user', text: 'e', at: 9000 },
      ]),
    ).toEqual(['4999 user stub', '5000 assistant a\n\nb', '5001 user c', '5002 assistant d', '9000 user e']);
  });

  test('a text that would be read as a list of parts is text', () => {
    expect(merge([{ role: 'user', text: '\u0000json:[]' }])).toEqual(['1000 user json:[]']);
  });
});

describe('what was taken back', () => {
  const entry = (parent: string | undefined, isPrompt = false): { parent: string | undefined; isPrompt: boolean } => ({ parent, isPrompt });

  test('parents that go round in a circle, or are missing, take nothing along', () => {
    const circle = new Map([
      ['a', entry('c', true)],
      ['b', entry('a', true)],
      ['c', entry('b', true)],
    ]);
    expect([...takenBack(circle, 'c')]).toEqual([]);
    const missing = new Map([
      ['a', entry(undefined, true)],
      ['b', entry('a')],
      ['c', entry('gone', true)],
      ['d', entry('c')],
    ]);
    expect([...takenBack(missing, 'd')]).toEqual([]);
    expect([...takenBack(new Map(), 'x')]).toEqual([]);
    expect([...takenBack(new Map([['a', entry('a', true)]]), 'a')]).toEqual([]);
  });

  test('side lines without a prompt stay', () => {
    const entries = new Map([
      ['p', entry(undefined, true)],
      ['call1', entry('p')],
      ['call2', entry('call1')],
      ['result1', entry('call1')],
      ['result2', entry('call2')],
      ['answer', entry('result1')],
    ]);
    expect([...takenBack(entries, 'answer')]).toEqual([]);
  });
});

describe('files as they are found', () => {
  const good = readFileSync(path.join(fixtures, 'claude-code.jsonl'), 'utf8');
  const write = (content: string | Buffer): string => {
    const file = path.join(temporaryFolder(), 'log.jsonl');
    writeFileSync(file, content);
    return file;
  };
  const expected = said(read('claude-code', path.join(fixtures, 'claude-code.jsonl')));

  test.each([
    ['CRLF', good.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\ufeff${good}`],
    ['UTF-16, little-endian', Buffer.from(`\ufeff${good}`, 'utf16le')],
    ['UTF-16, big-endian', Buffer.from(`\ufeff${good}`, 'utf16le').swap16()],
    ['UTF-16 without a mark', Buffer.from(good, 'utf16le')],
    ['empty lines', good.replaceAll('\n', '\n\n  \n')],
    ['no end of line at its end', good.trimEnd()],
    ['every entry twice', good + good],
  ])('a log with %s says the same', (_what, content) => {
    const session = read('claude-code', write(content));
    expect(said(session)).toEqual(expected);
    expect(session.broken.count).toBe(0);
  });

  test('broken lines are counted and named with their number', () => {
    const lines = good.trimEnd().split('\n');
    lines.splice(3, 0, 'no json', '[1, 2]', '"text"');
    const session = read('claude-code', write(`${lines.join('\n')}\n{"type":"user","uu`));
    said(session);
    expect(session.broken.named).toEqual([
      { line: 4, reason: 'no JSON' },
      { line: 5, reason: 'no object' },
      { line: 6, reason: 'no object' },
      { line: 19, reason: 'cut off' },
    ]);
  });

  test('a line longer than 64 MB is left out and named; the others are read', () => {
    const file = write(good);
    writeFileSync(file, Buffer.concat([Buffer.from('{"x":"'), Buffer.alloc(65 * 1024 * 1024, 0x61), Buffer.from(`"}\n${good}`)]));
    const session = read('claude-code', file);
    expect(said(session)).toEqual(expected);
    expect(session.broken.named).toEqual([{ line: 1, reason: 'longer than 64 MB' }]);
  });

  test('a folder, a missing file and a link to itself are no logs', () => {
    const folder = temporaryFolder();
    symlinkSync(path.join(folder, 'loop'), path.join(folder, 'loop'));
    for (const name of ['', 'missing', 'loop']) expect(() => read('pi', path.join(folder, name))).toThrow(/no file|can't be read/);
  });

  test('links between folders are followed once, and what can’t be read is said', () => {
    const home = temporaryFolder();
    const projects = path.join(home, '.claude/projects/-home-ann');
    mkdirSync(projects, { recursive: true });
    writeFileSync(path.join(projects, 'one.jsonl'), good);
    writeFileSync(path.join(projects, 'agent-2.jsonl'), good);
    symlinkSync(path.join(home, '.claude/projects'), path.join(home, '.claude/projects/again'));
    symlinkSync('nowhere', path.join(projects, 'dead.jsonl'));
    symlinkSync('self', path.join(projects, 'self'));
    const unread: string[] = [];
    const found = findLogs(['claude-code', 'codex-cli'], { env: {}, userHome: home }, (at, code) =>
      unread.push(`${path.basename(at)} ${code}`),
    );
    expect(found.map((log) => path.basename(log.path))).toEqual(['one.jsonl']);
    expect(unread).toEqual(['self ELOOP']);
  });

  test('logs are looked for where the agents were told to keep them', () => {
    const home = temporaryFolder();
    cpSync(path.join(fixtures, codexName), path.join(home, 'codex/sessions/2026/03/03', codexName));
    cpSync(path.join(fixtures, 'opencode'), path.join(home, 'data/opencode'), { recursive: true });
    cpSync(path.join(fixtures, 'gemini-session.json'), path.join(home, '.gemini/tmp/abc/chats/session-1.json'));
    cpSync(path.join(fixtures, 'pi-session.jsonl'), path.join(home, 'pi/sessions/--w--/1.jsonl'));
    cpSync(path.join(fixtures, 'claude-code.jsonl'), path.join(home, 'claude/projects/-w/1.jsonl'));
    const env = {
      CODEX_HOME: `${home}/codex`,
      XDG_DATA_HOME: `${home}/data`,
      PI_CODING_AGENT_DIR: `${home}/pi`,
      CLAUDE_CONFIG_DIR: `${home}/claude`,
    };
    const tools = ['claude-code', 'codex-cli', 'gemini-cli', 'opencode', 'pi'] as const;
    const found = findLogs(tools, { env, userHome: home }, () => undefined);
    expect(found.map(({ tool }) => tool).sort()).toEqual([...tools].sort());
  });
});

// ── a hundred damaged logs of each format

/** Something that happens to a file. */
function damage(random: Random, content: Buffer): Buffer {
  const lines = content.toString('latin1').split('\n');
  const line = (): number => random.between(0, lines.length - 1);
  const joined = (): Buffer => Buffer.from(lines.join('\n'), 'latin1');
  switch (random.between(0, 9)) {
    case 0:
      return content.subarray(0, random.between(0, content.length));
    case 1: {
      const copy = Buffer.from(content);
      for (let index = 0; index < random.between(1, 200); index++) copy[random.between(0, copy.length - 1)] = random.between(0, 255);
      return copy;
    }
    case 2:
      lines.splice(line(), 0, `{"type":"user","huge":"${'x'.repeat(random.between(1, 300_000))}"}`);
      return joined();
    case 3:
      // Wrong types everywhere.
      return Buffer.from(
        content
          .toString('latin1')
          .replace(/:\s*("(?:[^"\\]|\\.)*"|\d+|true|false|null)/g, (whole) =>
            random.chance(0.15) ? `: ${random.pick(['null', '[]', '{}', '42', 'true', '""', '"\\ud800"', '1e400', '-1'])}` : whole,
          ),
        'latin1',
      );
    case 4:
      lines.splice(line(), 0, lines[line()] ?? '');
      return joined();
    case 5: {
      for (let index = lines.length - 1; index > 0; index--) {
        const other = random.between(0, index);
        [lines[index], lines[other]] = [lines[other]!, lines[index]!];
      }
      return joined();
    }
    case 6: {
      // Every parent is somebody else: circles, and parents that are nowhere.
      const ids = [...content.toString('latin1').matchAll(/"(?:uuid|id)":\s*"([^"]*)"/g)].map((match) => match[1]!);
      return Buffer.from(
        content
          .toString('latin1')
          .replace(/("parent(?:Uuid|Id)":\s*)(?:null|"[^"]*")/g, (_whole, key: string) => `${key}"${random.pick([...ids, 'nowhere'])}"`),
        'latin1',
      );
    }
    case 7:
      lines.splice(
        line(),
        0,
        random.pick(['\u0000'.repeat(5000), '[[[[[[', '{"a":'.repeat(20_000), '}}}}', '"', '\\', '['.repeat(100_000)]),
      );
      return joined();
    case 8:
      return Buffer.concat([
        content.subarray(0, random.between(0, content.length)),
        Buffer.from([0xc3, 0x28, 0xed, 0xa0, 0x80, 0xff]),
        content,
      ]);
    default:
      return Buffer.from(random.pick(['', '\n', '{', '[]', 'null', '\ufeff', '\u0000']), 'utf8');
  }
}

function expectSound(session: ForeignSession, seed: number): void {
  let before: { role: string; at: number } | undefined;
  for (const turn of session.turns()) {
    expect(turn.role, `seed ${seed}`).toBe(before === undefined || before.role === 'assistant' ? 'user' : 'assistant');
    expect(turn.text, `seed ${seed}`).not.toBe('');
    expect(turn.at, `seed ${seed}`).toBeGreaterThan(before?.at ?? 0);
    before = turn;
  }
  expect(Number.isFinite(session.startedAt), `seed ${seed}`).toBe(true);
  expect(typeof session.foreignId, `seed ${seed}`).toBe('string');
}

test.each(logs)('a hundred damaged logs of %s are read without a fault: %s', (tool, name) => {
  const content = readFileSync(path.join(fixtures, name));
  const folder = temporaryFolder();
  const isTree = name.startsWith('opencode/');
  if (isTree) cpSync(path.join(fixtures, 'opencode'), path.join(folder, 'opencode'), { recursive: true });
  const file = path.join(folder, name);
  for (let seed = 1; seed <= 100; seed++) {
    const random = createRandom(seed);
    let damaged = damage(random, content);
    if (random.chance(0.3) && damaged.length > 0) damaged = damage(random, damaged);
    writeFileSync(file, damaged);
    if (isTree) {
      const parts = path.join(folder, 'opencode/storage/part/msg_02');
      const part = path.join(parts, random.pick(readdirSync(parts)));
      truncateSync(part, random.between(0, 60));
    }
    detectOrigin(file);
    expectSound(read(tool, file), seed);
  }
});

test.each(logs.filter(([, name]) => name.endsWith('.jsonl')))('a damaged line of %s costs no other: %s', (tool, name) => {
  const lines = readFileSync(path.join(fixtures, name), 'utf8').trimEnd().split('\n');
  const file = path.join(temporaryFolder(), name);
  for (let at = 0; at <= lines.length; at++) {
    writeFileSync(file, [...lines.slice(0, at), '{"broken', ...lines.slice(at)].join('\n'));
    const session = read(tool, file);
    expect(said(session)).toEqual(said(read(tool, path.join(fixtures, name))));
    expect(session.broken.named.map(({ line }) => line)).toEqual([at + 1]);
  }
});
