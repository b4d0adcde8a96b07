import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { hasOpenQuestion, toModelMessages } from '../../src/agent/prompt.ts';
import { systemPrompt } from '../../src/agent/system-prompt.ts';
import { createThinkSplitter } from '../../src/agent/think-split.ts';
import type { Message } from '../../src/session/types.ts';

let nextId = 1;
function row(role: string, text: string, more: Partial<Message> = {}): Message {
  const id = nextId++;
  return { id, sessionId: 's', role, text, toolCalls: [], timestamp: id, active: true, compacted: false, isSummary: false, ...more };
}
const calls = (...ids: string[]): Partial<Message> => ({ toolCalls: ids.map((id) => ({ id, name: 'terminal', arguments: '{"a":1}' })) });
const result = (toolCallId: string, text = 'out'): Message => row('tool', text, { toolCallId, toolName: 'terminal' });

describe('stored rows as a prompt', () => {
  it('keeps a plain exchange as it is', () => {
    expect(toModelMessages([row('user', 'a'), row('assistant', 'b'), row('user', 'c')])).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: 'c' },
    ]);
  });

  it('leaves out session_meta and stored system rows', () => {
    expect(toModelMessages([row('session_meta', 'x'), row('system', 'y'), row('user', 'a')])).toEqual([{ role: 'user', content: 'a' }]);
  });

  it('joins two user rows, so that roles alternate', () => {
    expect(toModelMessages([row('user', 'a'), row('user', 'b')])).toEqual([{ role: 'user', content: 'a\n\nb' }]);
  });

  it('gives a call without a stored result a stub, and drops a result without its call', () => {
    const prompt = toModelMessages([
      row('user', 'a'),
      row('assistant', '', calls('1', '2')),
      result('2'),
      result('9'),
      row('user', 'go on'),
    ]);
    expect(prompt.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
    expect(JSON.stringify(prompt)).not.toContain('"9"');
    expect(JSON.stringify(toModelMessages([row('user', 'a'), result('7'), row('user', 'b')]))).not.toContain('out');
  });

  it('pairs ids that come again in a later step with the results that follow them', () => {
    const prompt = toModelMessages([
      row('user', 'a'),
      row('assistant', '', calls('call_0')),
      result('call_0', 'first'),
      row('assistant', '', calls('call_0')),
      result('call_0', 'second'),
      row('user', 'b'),
    ]);
    expect(prompt.filter((message) => message.role === 'tool').map((message) => JSON.stringify(message.content))).toEqual([
      expect.stringContaining('first'),
      expect.stringContaining('second'),
    ]);
  });

  it('makes ids of another provider fit', () => {
    expect(
      JSON.stringify(toModelMessages([row('user', 'a'), row('assistant', '', calls('call|x.1')), result('call|x.1'), row('user', 'b')])),
    ).toContain('call_x_1');
  });

  it('does not send the thoughts of earlier turns', () => {
    expect(
      JSON.stringify(toModelMessages([row('user', 'a'), row('assistant', 'b', { reasoning: 'secret' }), row('user', 'c')])),
    ).not.toContain('secret');
  });

  it('drops the rest of a failed try at the end, and one that a later answer replaced', () => {
    const failed = row('assistant', 'par', { finishReason: 'error' });
    expect(toModelMessages([row('user', 'a'), failed])).toEqual([{ role: 'user', content: 'a' }]);
    expect(toModelMessages([row('user', 'a'), failed, row('assistant', 'whole'), row('user', 'b')])[1]).toEqual({
      role: 'assistant',
      content: 'whole',
    });
  });

  it('keeps an interrupted answer that the conversation went on from', () => {
    const prompt = toModelMessages([row('user', 'a'), row('assistant', 'half', { finishReason: 'interrupted' }), row('user', 'b')]);
    expect(prompt).toHaveLength(3);
  });

  it('begins with a user message even when the rows do not', () => {
    expect(toModelMessages([row('assistant', 'imported'), row('user', 'a')]).map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'user',
    ]);
  });

  it('shows pictures by name', () => {
    const parts: Message['parts'] = [
      { type: 'text', text: 'see' },
      { type: 'image', name: 'a.png' },
    ];
    expect(toModelMessages([row('user', '', { parts })])).toEqual([{ role: 'user', content: 'see\n[image: a.png]' }]);
  });

  it('is legal for any rows: alternating, paired, ending with something to answer', () => {
    const anyRow = fc.oneof(
      fc.record({ role: fc.constant('user'), text: fc.string() }),
      fc.record({ role: fc.constant('assistant'), text: fc.string(), finishReason: fc.constantFrom('stop', 'error', 'interrupted') }),
      fc.record({
        role: fc.constant('assistant'),
        text: fc.string(),
        ids: fc.uniqueArray(fc.constantFrom('1', '2', '3'), { minLength: 1 }),
      }),
      fc.record({ role: fc.constant('tool'), text: fc.string(), toolCallId: fc.constantFrom('1', '2', '3') }),
    );
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 12 }), (drafts) => {
        const rows = drafts.map(({ role, text, ...more }) => row(role, text, 'ids' in more ? calls(...more.ids) : more));
        const prompt = toModelMessages(rows);
        if (prompt.length > 0) {
          expect(prompt[0]?.role).toBe('user');
        }
        let open: string[] = [];
        for (const [index, message] of prompt.entries()) {
          if (message.role === 'tool') {
            const id = message.content[0]?.type === 'tool-result' ? message.content[0].toolCallId : '';
            expect(open).toContain(id);
            open = open.filter((other) => other !== id);
            continue;
          }
          expect(open).toEqual([]);
          if (message.role === 'user') expect(prompt[index + 1]?.role).not.toBe('user');
          if (message.role === 'assistant' && typeof message.content !== 'string') {
            open = message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
          }
        }
        expect(open).toEqual([]);
        if (prompt.length > 0) expect(prompt.at(-1)?.role === 'user' || prompt.at(-1)?.role === 'tool').toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('an open question', () => {
  it.each([
    ['no rows', [], false],
    ['a question', [row('user', 'a')], true],
    ['an answer', [row('user', 'a'), row('assistant', 'b', { finishReason: 'stop' })], false],
    ['an interrupted answer', [row('user', 'a'), row('assistant', 'b', { finishReason: 'interrupted' })], true],
    ['a failed answer', [row('user', 'a'), row('assistant', 'b', { finishReason: 'error' })], true],
    ['a tool result', [row('user', 'a'), row('assistant', '', calls('1')), result('1')], true],
  ])('%s', (_name, rows, expected) => {
    expect(hasOpenQuestion(rows)).toBe(expected);
  });
});

describe('thinking inside text', () => {
  it.each([
    ['a block at the beginning', '<think>a\nb</think>\n\nanswer', 'answer', 'a\nb'],
    ['blank space before it', '\n <think>a</think>answer', 'answer', 'a'],
    ['an answer that speaks of the tag', 'Use <think>x</think> here', 'Use <think>x</think> here', ''],
    ['a block that never ends', '<think>on and on', '', 'on and on'],
    ['an answer that only looks like it', '<thin ice', '<thin ice', ''],
    ['an empty block', '<think></think>ok', 'ok', ''],
  ])('sorts %s however it is cut', (_name, source, text, reasoning) => {
    fc.assert(
      fc.property(fc.array(fc.nat(source.length), { maxLength: 6 }), (cuts) => {
        const splitter = createThinkSplitter();
        const edges = [0, ...[...cuts].sort((a, b) => a - b), source.length];
        const pieces = edges.slice(1).flatMap((end, index) => splitter.push(source.slice(edges[index], end)));
        pieces.push(...splitter.end());
        const join = (type: string): string => pieces.map((piece) => (piece.type === type ? piece.delta : '')).join('');
        expect([join('text'), join('reasoning')]).toEqual([text, reasoning]);
      }),
    );
  });
});

describe('the system prompt', () => {
  it('is the same all day, so that a provider can cache it', () => {
    const morning = new Date(2026, 8, 1, 8).getTime();
    const facts = { cwd: '/home/a/프로젝트', now: morning };
    expect(systemPrompt({ ...facts, now: morning + 3_600_000 })).toBe(systemPrompt(facts));
    expect(systemPrompt(facts)).toContain('/home/a/프로젝트');
    expect(systemPrompt(facts)).toContain('2026-09-01');
  });
});
