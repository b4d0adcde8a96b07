import { describe, expect, it } from 'vitest';
import { digestSession } from '../../src/session/digest.ts';
import type { Message } from '../../src/session/types.ts';

let nextId = 1;
const message = (role: string, text: string, more: Partial<Message> = {}): Message => ({
  id: nextId++,
  sessionId: 's',
  role,
  text,
  toolCalls: [],
  timestamp: 0,
  active: true,
  compacted: false,
  isSummary: false,
  ...more,
});
const calls = (...named: [name: string, input: object][]): Message =>
  message('assistant', '', {
    toolCalls: named.map(([name, input], index) => ({ id: `${index}`, name, arguments: JSON.stringify(input) })),
  });

describe('what went on lately', () => {
  it('counts questions, answers and results', () => {
    const digest = digestSession([message('user', 'a'), message('assistant', 'b'), message('tool', 'c'), message('assistant', 'd')]);
    expect(digest).toMatchObject({ asks: 1, replies: 2, results: 1, lastAsk: 'a', lastReply: 'd' });
  });

  it('looks at the last 20 messages of people and the agent, summaries left out', () => {
    const messages = Array.from({ length: 60 }, (_, index) => message(index % 2 === 0 ? 'user' : 'assistant', `t${index}`));
    const digest = digestSession([...messages, message('user', 'a summary', { isSummary: true })]);
    expect(digest).toMatchObject({ asks: 10, replies: 10, lastAsk: 't58', lastReply: 't59' });
  });

  it('names five tools, the most called first, and how many more', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'b', 'b', 'c'];
    const digest = digestSession([calls(...names.map((name): [string, object] => [name, {}]))]);
    expect(digest.tools[0]).toEqual({ name: 'b', count: 3 });
    expect(digest.tools[1]).toEqual({ name: 'c', count: 2 });
    expect(digest.tools).toHaveLength(5);
    expect(digest.moreTools).toBe(2);
  });

  it('names the files of calls, newest first, each once; broken arguments name none', () => {
    const broken = message('assistant', '', { toolCalls: [{ id: 'x', name: 'patch', arguments: '{"path": "cut' }] });
    const digest = digestSession([
      calls(['read', { path: 'a.ts' }], ['patch', { file_path: 'b.ts' }]),
      calls(['read', { path: 'a.ts' }]),
      broken,
    ]);
    expect(digest.files).toEqual(['a.ts', 'b.ts']);
  });

  it.each([
    ['user', 140, 'lastAsk'],
    ['assistant', 200, 'lastReply'],
  ] as const)('cuts what the %s said last after %i visible characters', (role, limit, field) => {
    expect(digestSession([message(role, '가'.repeat(limit))])[field]).toBe('가'.repeat(limit));
    expect(digestSession([message(role, '가'.repeat(limit + 1))])[field]).toBe(`${'가'.repeat(limit)}…`);
    expect(digestSession([message(role, 'two\n lines ')])[field]).toBe('two lines');
  });

  it('of nothing is nothing', () => {
    expect(digestSession([])).toEqual({ asks: 0, replies: 0, results: 0, tools: [], moreTools: 0, files: [] });
  });
});
