import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { questionLines, readAnswer } from '../../src/app/line/ask.ts';
import { callLine, helpLines, messageLines, recapLines, sessionLines } from '../../src/app/line/listing.ts';
import { createPrinter } from '../../src/app/line/printer.ts';
import { readPrompt } from '../../src/app/once/prompt.ts';
import { createTextFlow } from '../../src/app/text-flow.ts';
import { commands, type CommandSpec } from '../../src/commands/table.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { UsageError } from '../../src/errors.ts';
import type { Message, SessionRow } from '../../src/session/types.ts';
import { askDirectoryGone, askLiveElsewhere } from '../../src/ui/screens/dialog/index.ts';

const live = askLiveElsewhere({ id: 's', where: 'tmux %3', pid: 12, since: 'yesterday', canTakeOver: true });

describe('a question, line by line', () => {
  test('names the owner and numbers the answers', () => {
    const lines = questionLines(live);
    expect(lines[0]).toContain('tmux %3 (pid 12, since yesterday)');
    expect(lines.slice(1, 5)).toEqual(['  1. Read along', '  2. Branch a copy', '  3. Take over', '  4. Cancel']);
  });

  test.each([
    ['2', 'branch'],
    [' 3 ', 'take-over'],
    ['c', 'cancel'],
    ['Take over', 'take-over'],
    ['', 'read'],
    ['5', undefined],
    ['0', undefined],
    ['a message', undefined],
  ])('%j answers %s', (typed, expected) => expect(readAnswer(live, typed)).toBe(expected));

  test('an empty line gives the safe answer where no other is the first', () => {
    expect(readAnswer(askDirectoryGone({ recorded: '/gone', here: '/here' }), '')).toBe('later');
  });
});

const message = (fields: Partial<Message>): Message => ({
  id: 1,
  sessionId: 's',
  role: 'user',
  text: '',
  toolCalls: [],
  timestamp: 0,
  active: true,
  compacted: false,
  isSummary: false,
  ...fields,
});

describe('what the line mode prints', () => {
  test('the recap: one line an entry, cut as the panel cuts, tools counted, older ones counted', () => {
    const messages = [
      message({ text: `first\nline ${'x'.repeat(400)}` }),
      message({ role: 'assistant', toolCalls: [{ id: 'c', name: 'terminal', arguments: '{}' }] }),
      message({ role: 'assistant', text: 'one\ntwo\nthree\nfour' }),
    ];
    const [earlier, user, agent, ...more] = recapLines({ messages, earlier: 8, newestId: 3 }, DEFAULTS.display);
    expect(earlier).toBe('... 8 earlier messages ...');
    expect(user).toBe(`● You: first line ${'x'.repeat(289)}…`);
    expect(agent).toBe('◆ Hermes: one two three … [1 tool call: terminal]');
    expect(more).toEqual([]);
    expect(recapLines({ messages, earlier: 8, newestId: 3 }, { ...DEFAULTS.display, resumeDisplay: 'minimal' })).toEqual([]);
  });

  test('system rows and tool results have no line of their own', () => {
    expect(messageLines(message({ role: 'system', text: 'secret' }))).toEqual([]);
    expect(messageLines(message({ role: 'tool', text: 'result' }))).toEqual([]);
  });

  test.each([
    ['{"command":"npm test"}', '▸ terminal  npm test'],
    ['{"a":1,"b":2}', '▸ terminal  {"a":1,"b":2}'],
    ['', '▸ terminal  '],
  ])('a call with %s on one line', (args, expected) => expect(callLine('terminal', args)).toBe(expected));

  test('a listed session carries number, title, age, folder, source and id', () => {
    const row = { id: 'abc', title: '한국어', source: 'cli', cwd: '/home/ann/shop', lastActive: 0 } as SessionRow;
    expect(sessionLines([row], 3_600_000)).toEqual(['  1. 한국어, 1h ago, shop, cli, abc']);
  });

  test('help has a line for every slash command of the table', () => {
    const slashed = (commands as readonly CommandSpec[]).filter((spec) => spec.slash !== undefined);
    expect(helpLines()).toHaveLength(slashed.length);
  });
});

describe('streamed text', () => {
  const through = (deltas: readonly string[], isTerminal: boolean): string => {
    let out = '';
    const flow = createTextFlow((text) => (out += text), isTerminal);
    for (const delta of deltas) flow.push(delta);
    flow.end();
    return out;
  };

  test.each<[string, string[]]>([
    ['a family cut inside of a surrogate pair', [...'👩‍👩‍👧 ok'].flatMap((char) => char.split(''))],
    ['Hangul', ['안', '녕', '하세요']],
    ['line ends cut in two', ['a\r', '\nb\r\n']],
  ])('%s: a pipe gets every unit as it came', (_, deltas) => expect(through(deltas, false)).toBe(deltas.join('')));

  test('a terminal gets symbols for what it would obey, whatever the cuts', () => {
    expect(through(['a\x1b', '[2J', '\u202e\x07\nb\tc'], true)).toBe('a␛[2J⇄␇\nb   c');
    expect(through(['👩', '‍', '👧'], true)).toBe('👩‍👧');
  });

  test('an answer is followed by exactly one line end, colours only where they are', () => {
    const printed = (isTTY: boolean, env: Record<string, string>): string => {
      let out = '';
      const printer = createPrinter({
        out: { isTTY, columns: () => 80, write: (text) => void (out += text) },
        env,
        before: () => undefined,
      });
      printer.stream('hello', '◆ ');
      printer.line('oops', 'error');
      printer.endStream();
      return out;
    };
    expect(printed(true, { TERM: 'xterm' })).toBe('\x1b[32m◆ \x1b[0mhello\n\x1b[31moops\x1b[0m\n');
    for (const [isTTY, env] of [
      [true, { TERM: 'xterm', NO_COLOR: '1' }],
      [true, { TERM: 'dumb' }],
      [false, { TERM: 'xterm' }],
    ] as const)
      expect(printed(isTTY, env)).toBe('◆ hello\noops\n');
  });
});

describe('what is asked', () => {
  const read = (prompt: string | undefined, piped?: string): Promise<string> =>
    readPrompt({ prompt, isPiped: piped !== undefined }, Readable.from(piped === undefined ? [] : [Buffer.from(piped)]), () => undefined);

  test.each<[string | undefined, string | undefined, string]>([
    ['a', undefined, 'a'],
    ['a', 'b\n', 'a\n\nb'],
    [undefined, ' b\r\n\r\n', ' b'],
    ['a', '\n \n', 'a'],
  ])('-q %j with %j piped', async (prompt, piped, expected) => expect(await read(prompt, piped)).toBe(expected));

  test('nothing is a wrong use', async () => {
    await expect(read(' ', '')).rejects.toBeInstanceOf(UsageError);
    await expect(read(undefined, undefined)).rejects.toBeInstanceOf(UsageError);
  });
});
