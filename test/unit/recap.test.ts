import { describe, expect, it } from 'vitest';
import { buildRecap, describeTools, stripThoughts, takeCharacters } from '../../src/session/recap.ts';
import type { Message } from '../../src/session/types.ts';
import { leastCpu } from '../support/cpu.ts';

let nextId = 1;
function message(role: string, text: string, extra: Partial<Message> = {}): Message {
  return {
    id: nextId++,
    sessionId: 's',
    role,
    text,
    toolCalls: [],
    timestamp: 0,
    active: true,
    compacted: false,
    isSummary: false,
    ...extra,
  };
}
const user = (text: string) => message('user', text);
const agent = (text: string, ...tools: string[]) =>
  message('assistant', text, { toolCalls: tools.map((name, index) => ({ id: `c${index}`, name, arguments: '{}' })) });
const toolResult = (text: string) => message('tool', text, { toolName: 'terminal' });

const family = '👨‍👩‍👧‍👦';

describe('a message of the user is cut at 300 visible characters', () => {
  const cases: [string, string, number, boolean][] = [
    ['299 letters stay', 'a'.repeat(299), 299, false],
    ['300 letters stay', 'a'.repeat(300), 300, false],
    ['301 letters are cut', 'a'.repeat(301), 300, true],
    ['300 Hangul syllables stay', '가'.repeat(300), 300, false],
    ['301 Hangul syllables are cut', '가'.repeat(301), 300, true],
    ['300 families of eleven code units stay', family.repeat(300), 300, false],
    ['301 families are cut between two of them', family.repeat(301), 300, true],
    ['301 decomposed syllables are cut between two of them', '한'.normalize('NFD').repeat(301), 300, true],
    ['301 flags are cut between two of them', '🇰🇷'.repeat(301), 300, true],
  ];
  it.each(cases)('%s', (_name, text, characters, isCut) => {
    const entry = buildRecap([user(text)]).entries[0];
    const shown = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(entry?.text ?? '')];
    expect(shown.length).toBe(characters);
    expect(text.startsWith(entry?.text ?? 'x')).toBe(true);
    expect(entry?.cut).toBe(isCut ? 'characters' : undefined);
  });
  it('has no limit of lines', () => {
    expect(buildRecap([user('1\n2\n3\n4\n5')]).entries[0]).toMatchObject({ text: '1\n2\n3\n4\n5' });
  });
});

describe('an answer is cut at 200 characters or 3 lines, the last one too', () => {
  const cases: [string, string, string, string | undefined][] = [
    ['199 letters stay', 'a'.repeat(199), 'a'.repeat(199), undefined],
    ['200 letters stay', 'a'.repeat(200), 'a'.repeat(200), undefined],
    ['201 letters are cut', 'a'.repeat(201), 'a'.repeat(200), 'characters'],
    ['200 wide letters stay', '漢'.repeat(200), '漢'.repeat(200), undefined],
    ['201 wide letters are cut', '漢'.repeat(201), '漢'.repeat(200), 'characters'],
    ['3 lines stay', 'a\nb\nc', 'a\nb\nc', undefined],
    ['3 lines and a newline stay', 'a\nb\nc\n', 'a\nb\nc', undefined],
    ['4 lines are cut', 'a\nb\nc\nd', 'a\nb\nc', 'lines'],
    ['3 long lines are cut at 200', `${'a'.repeat(100)}\n${'b'.repeat(100)}\nc`, `${'a'.repeat(100)}\n${'b'.repeat(99)}`, 'characters'],
    ['40 lines keep three', Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join('\n'), 'line 1\nline 2\nline 3', 'lines'],
  ];
  it.each(cases)('%s', (_name, text, expected, cut) => {
    const { entries } = buildRecap([user('q'), agent(text), user('q'), agent(text)]);
    for (const entry of entries.filter((one) => one.role === 'assistant')) {
      expect(entry.text).toBe(expected);
      expect(entry.cut).toBe(cut);
    }
    expect(entries.at(-1)?.isLast).toBe(true);
  });
});

describe('tool calls become a count and their names', () => {
  const cases: [string, string[], string][] = [
    ['one call', ['terminal'], '[1 tool call: terminal]'],
    ['three calls of two tools', ['terminal', 'web_search', 'terminal'], '[3 tool calls: terminal, web_search]'],
    ['four names', ['a', 'b', 'c', 'd'], '[4 tool calls: a, b, c, d]'],
    ['a fifth name becomes dots', ['a', 'b', 'c', 'd', 'e'], '[5 tool calls: a, b, c, d, ...]'],
  ];
  it.each(cases)('%s', (_name, tools, expected) => {
    const entry = buildRecap([user('q'), agent('done', ...tools)]).entries[1];
    expect(describeTools(entry?.tools ?? { count: 0, names: [] })).toBe(expected);
  });
  it('folds wordless turns into the next words of the same exchange', () => {
    const { entries } = buildRecap([
      user('q'),
      agent('', 'read_file'),
      toolResult('x'),
      agent('', 'terminal'),
      toolResult('y'),
      agent('done'),
    ]);
    expect(entries.map((entry) => [entry.role, entry.text])).toEqual([
      ['user', 'q'],
      ['assistant', 'done'],
    ]);
    expect(entries[1]?.tools).toEqual({ count: 2, names: ['read_file', 'terminal'] });
  });
  it('never folds them into the answer before, nor over a question', () => {
    const { entries } = buildRecap([user('one'), agent('first'), agent('', 'terminal'), user('two'), agent('second')]);
    expect(entries.filter((entry) => entry.tools !== undefined)).toEqual([]);
  });
  it('leaves out an exchange that only called tools, or shows it when asked to', () => {
    const talk = [user('q'), agent('', 'terminal')];
    expect(buildRecap(talk).entries.map((entry) => entry.role)).toEqual(['user']);
    expect(buildRecap(talk, { skipToolOnly: false }).entries[1]).toMatchObject({ text: '', tools: { count: 1, names: ['terminal'] } });
  });
});

describe('what nobody said is hidden', () => {
  it('system rows, tool results, hidden rows, summaries and unknown roles', () => {
    const { entries, earlierCount } = buildRecap([
      message('system', 'you are'),
      message('session_meta', '{}'),
      user('q'),
      message('user', 'scaffold', { displayKind: 'hidden' }),
      message('user', '[model switched to gpt-5-mini]', { displayKind: 'model_switch' }),
      message('user', '[CONTEXT COMPACTION] …', { isSummary: true }),
      toolResult('secret output'),
      agent('a'),
    ]);
    expect(entries.map((entry) => entry.text)).toEqual(['q', 'a']);
    expect(earlierCount).toBe(0);
  });
  const thoughts: [string, string, string][] = [
    ['a think block', '<think>hm\nhm</think>\n\nYes.', 'Yes.'],
    ['two blocks in either case', '<THINKING>x</thinking>A<reasoning>y</reasoning>B', 'AB'],
    ['a block that never closes', 'Visible <think>and then', 'Visible '],
    ['a closing tag whose opening is lost', 'I wonder\n</think>\nYes.', 'Yes.'],
    ['a scratchpad', '<REASONING_SCRATCHPAD>z</REASONING_SCRATCHPAD>ok', 'ok'],
  ];
  it.each(thoughts)('reasoning: %s', (_name, text, visible) => {
    expect(stripThoughts(text).trim()).toBe(visible.trim());
  });
  it('talk about the tags stays', () => {
    expect(stripThoughts('Put it in `<think>` and `</think>` tags.')).toBe('Put it in `<think>` and `</think>` tags.');
    expect(buildRecap([user('what does <think> do')]).entries[0]?.text).toBe('what does <think> do');
  });
  it('a message of nothing but reasoning does not show and does not count', () => {
    const talk = [user('q'), agent('<think>only</think>'), agent('a')];
    expect(buildRecap(talk)).toMatchObject({ entries: [{ text: 'q' }, { text: 'a' }], earlierCount: 0 });
  });
});

describe('the last ten exchanges', () => {
  it('are kept and every older message is counted', () => {
    const talk = Array.from({ length: 14 }, (_, i) => [
      user(`q${i + 1}`),
      agent('', 'terminal'),
      agent(`a${i + 1}`),
      agent(`b${i + 1}`),
    ]).flat();
    const { entries, earlierCount } = buildRecap(talk, { earlierOutside: 100 });
    expect(entries[0]?.text).toBe('q5');
    expect(entries.length).toBe(30);
    expect(earlierCount).toBe(100 + 4 * 3);
  });
  it('exactly ten leave nothing out', () => {
    const talk = Array.from({ length: 10 }, (_, i) => [user(`q${i}`), agent(`a${i}`)]).flat();
    expect(buildRecap(talk)).toMatchObject({ earlierCount: 0, entries: { length: 20 } });
  });
  it('two asks, sixty wordless turns and a long answer show the last ask and the answer', () => {
    const busy = Array.from({ length: 60 }, () => [agent('', 'terminal'), toolResult('out')]).flat();
    const answer = Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join('\n');
    const { entries } = buildRecap([user('first'), agent('one'), user('second'), ...busy, agent(answer)]);
    expect(entries.slice(-2)).toMatchObject([
      { role: 'user', text: 'second', isLast: true },
      { role: 'assistant', text: 'line 1\nline 2\nline 3', cut: 'lines', tools: { count: 60, names: ['terminal'] } },
    ]);
  });
});

describe('length costs nothing', () => {
  it('a hundred messages of 1 MB are cut within 50 ms', () => {
    const big = '가나다 라마바 '.repeat(128 * 1024);
    const talk = Array.from({ length: 50 }, () => [user(big), agent(big)]).flat();
    expect(leastCpu(() => buildRecap(talk))).toBeLessThan(50);
  });
  it('a megabyte of stacked marks is not read to its end', () => {
    const stacked = `a${'\u0301'.repeat(1_000_000)}`;
    expect(takeCharacters(stacked, 300)).toMatchObject({ isCut: true });
    expect(leastCpu(() => takeCharacters(stacked, 300))).toBeLessThan(20);
  });
});
