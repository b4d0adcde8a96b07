import { parseQuery } from '../../src/session/query-parse.ts';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildRecap } from '../../src/session/recap.ts';
import type { Message } from '../../src/session/types.ts';
import { stringWidth } from '../../src/terminal/width.ts';
import { lineText, lineWidth } from '../../src/ui/compose.ts';
import { asciiGlyphs } from '../../src/ui/screen.ts';
import {
  agentBlock,
  appendBlocks,
  appendDelta,
  blockAt,
  createTranscript,
  dragSelection,
  enterReading,
  findMatch,
  leaveReading,
  loadMarkdown,
  mergeBlocks,
  messageBlocks,
  moveCursor,
  prependBlocks,
  removeBlock,
  replaceBlock,
  resizeTranscript,
  scrollBy,
  scrollPage,
  scrollToEnd,
  scrollToStart,
  selectedText,
  setBlocks,
  setQuery,
  startSelection,
  summarizeArguments,
  toggleFold,
  updateBlock,
  viewTranscript,
} from '../../src/ui/transcript/index.ts';
import type { Block, Transcript } from '../../src/ui/transcript/index.ts';

beforeAll(loadMarkdown);
const seed = Number(process.env['FC_SEED'] ?? 4711) || 1;

const user = (id: string, text: string): Block => ({ kind: 'user', id, text });
const make = (blocks: readonly Block[], width = 60, height = 12): Transcript => setBlocks(createTranscript({ width, height }), blocks);
const draw = (transcript: Transcript): string[] => viewTranscript(transcript).lines.map((line) => lineText(line).trimEnd());
const talk = (count: number, from = 0): Block[] =>
  Array.from({ length: count }, (_, i) => [
    user(`u${from + i}`, `question ${from + i}`),
    agentBlock(`a${from + i}`, `answer ${from + i}\n\n- 하나\n- two **bold** and ${'words '.repeat(20)}`),
  ]).flat();

const picture: Block[] = [
  user('u', 'now add tests for the expiry path'),
  agentBlock('a', 'The expiry path has two branches. I will cover both and run them:'),
  { kind: 'tool', id: 't1', name: 'terminal', summary: 'npm test -- auth', state: 'ok', ms: 2100, result: 'all\npassed\n' },
  { kind: 'tool', id: 't2', name: 'web_search', summary: 'vitest watch mode', state: 'running' },
  agentBlock('b', "```ts\nit('renews', async () => {});\n```\n\nBoth pass."),
  { kind: 'notice', id: 'e', tone: 'error', text: 'The provider refused the key (401).', hint: 'Set OPENAI_API_KEY in ~/.hermes/.env.' },
];

describe('the picture', () => {
  it('looks like this', () => {
    expect(draw(make(picture, 60, 30))).toEqual([
      ' ● now add tests for the expiry path',
      '',
      ' ◆ The expiry path has two branches. I will cover both and',
      '   run them:',
      '',
      '   ▸ terminal   npm test -- auth                    ✓ 2.1 s',
      '   ▸ web_search   vitest watch mode                 running',
      '',
      " ◆  it('renews', async () => {});",
      '',
      '   Both pass.',
      '',
      ' ✗ The provider refused the key (401).',
      '   Set OPENAI_API_KEY in ~/.hermes/.env.',
    ]);
  });
  it('has an ASCII form', () => {
    expect(draw(resizeTranscript(make(picture, 60, 30), { glyphs: asciiGlyphs })).join('\n')).toMatch(/^[\x20-\x7e\n]*$/);
  });
  it('no row is wider than the screen, at any width', () => {
    const hostile = [
      ...picture,
      user('h', '👩‍👩‍👧 ⚠️ ｆｕｌｌ幅 नमस्ते مرحبا e\u0301\u200b\u202e\u001b[31m'),
      agentBlock('h2', '| a | b |\n|--|--|\n| 漢字 | `x` |\n\n> q\n> > deep'),
    ];
    for (const width of [20, 40, 41, 57, 80, 200]) {
      for (const line of viewTranscript(make(hostile, width, 60)).lines) expect(lineWidth(line)).toBeLessThanOrEqual(width);
    }
  });
});

describe('tool results', () => {
  const tool = (result: string, more: object = {}): Block => ({
    kind: 'tool',
    id: 't',
    name: 'terminal',
    summary: 'x',
    state: 'ok',
    result,
    ...more,
  });
  it('unfold and fold', () => {
    const open = toggleFold(make([tool('one\n  two\n')]), 't');
    expect(draw(open).map((row) => row.slice(0, 12).trimEnd())).toEqual(['   ▾ terminal'.slice(0, 12), '     one', '       two']);
    expect(draw(toggleFold(open, 't')).length).toBe(1);
  });
  it('over 200 KB show head and tail', () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i} of the output`).join('\n');
    const open = toggleFold(make([tool(lines)], 60, 10), 't');
    expect(draw(scrollToStart(open))[1]).toBe('     line 0 of the output');
    expect(draw(scrollToEnd(open)).at(-1)).toBe('     line 19999 of the output');
    let all = scrollToStart(open);
    let seen = '';
    for (let page = 0; page < 1000 && !viewTranscript(all).atBottom; page++) {
      seen += draw(all).join('\n');
      all = scrollPage(all, 'down');
    }
    expect(seen).toMatch(/… \d+ KB left out here/);
  });
  it('binary is named by its size', () => {
    expect(draw(make([tool('\0\u0001'.repeat(1_625_293))]))[0]).toContain('binary, 3.1 MB');
  });
  it('a call names what it works on', () => {
    expect(summarizeArguments('{"timeout":3,"command":"npm  test\\n-- auth"}')).toBe('npm test -- auth');
    expect(summarizeArguments('{"a":1}')).toBe('{"a":1}');
    expect(summarizeArguments('{"command":"npm te')).toBe('{"command":"npm te');
    expect(summarizeArguments('{}')).toBe('');
  });
});

describe('messages become blocks', () => {
  let id = 1;
  const message = (role: string, text: string, extra: Partial<Message> = {}): Message => ({
    id: id++,
    sessionId: 's',
    role,
    text,
    toolCalls: [],
    timestamp: 0,
    active: true,
    compacted: false,
    isSummary: false,
    ...extra,
  });
  it('results join their calls, reasoning comes before the answer, scaffolding is left out', () => {
    const blocks = messageBlocks([
      message('system', 'x'),
      message('user', 'hidden', { displayKind: 'hidden' }),
      message('user', '[model switched to gpt-5-mini]', { displayKind: 'model_switch' }),
      message('user', 'q'),
      message('assistant', '<think>hm</think>\nlet me look', {
        toolCalls: [{ id: 'c1', name: 'terminal', arguments: '{"command":"ls"}' }],
      }),
      message('tool', 'file', { toolCallId: 'c1', toolName: 'terminal' }),
      message('tool', 'lost', { toolCallId: 'zz', toolName: 'read_file' }),
      message('assistant', 'half an ans', { finishReason: 'interrupted', reasoning: 'why' }),
    ]);
    expect(blocks.map((block) => block.kind)).toEqual([
      ...['notice', 'user', 'reasoning', 'agent', 'tool', 'tool', 'reasoning', 'agent', 'interrupted'],
    ]);
    expect(blocks[2]).toMatchObject({ text: 'hm' });
    expect(blocks[3]).toMatchObject({ text: 'let me look' });
    expect(blocks[4]).toMatchObject({ name: 'terminal', summary: 'ls', result: 'file' });
  });
  it('an answer somebody else is writing is not cut off yet, and grows in its place; what was unfolded stays so', () => {
    const call = { toolCalls: [{ id: 'c', name: 'terminal', arguments: '{"command":"ls"}' }], finishReason: 'interrupted', id: 9 };
    const notice: Block = { kind: 'notice', id: 'n', tone: 'info', text: 'said here meanwhile' };
    const follow = (shown: Transcript, isOngoing: boolean, ...messages: Message[]): Transcript =>
      mergeBlocks(shown, messageBlocks(messages, { isOngoing }));
    const growing = follow(make([user('u', 'q')]), true, message('assistant', 'Nothi', call));
    expect(growing.blocks.map((block) => block.kind)).toEqual(['user', 'agent', 'tool']);
    expect(growing.blocks[2]).toMatchObject({ state: 'running' });
    expect(draw(growing).join('\n')).toMatch(/Nothi ▌/u);
    const unfolded = toggleFold(appendBlocks(growing, [notice]), 'm9:c');
    const whole = [
      message('assistant', 'Nothing is lost.', { ...call, finishReason: 'tool_calls' }),
      message('tool', 'rescue', { toolCallId: 'c' }),
    ];
    const ended = follow(unfolded, false, ...whole);
    expect(ended.blocks.map((block) => block.kind)).toEqual(['user', 'agent', 'tool', 'notice']);
    expect(ended.blocks[1]).toMatchObject({ text: 'Nothing is lost.', isStreaming: false });
    expect(ended.blocks[2]).toMatchObject({ state: 'ok', result: 'rescue', isUnfolded: true });
    expect(follow(ended, false, ...whole)).toBe(ended);
    const cut = follow(growing, false, message('assistant', 'Nothing', call));
    expect(cut.blocks.map((block) => block.kind)).toEqual(['user', 'agent', 'tool', 'interrupted']);
  });
  it('every id is unique', () => {
    const ids = messageBlocks([
      message('assistant', 'a', { reasoning: 'r', toolCalls: [{ id: 'c', name: 'n', arguments: '' }], finishReason: 'interrupted' }),
    ]).map((block) => block.id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the place that is read never jumps', () => {
  it('when earlier messages are put in above', () => {
    for (const back of [0, 1, 5, 30]) {
      let transcript = { ...make(talk(6, 10)), hasEarlier: true };
      transcript = back === 0 ? scrollToStart(transcript) : scrollBy(transcript, -back);
      const before = draw(transcript);
      const after = prependBlocks(transcript, talk(10), false);
      expect(draw(after)).toEqual(before);
      expect(viewTranscript(scrollToStart(after)).atTop).toBe(true);
    }
  });
  it('the same window twice changes nothing', () => {
    const transcript = scrollToStart({ ...make(talk(6, 10)), hasEarlier: true });
    const once = prependBlocks(transcript, talk(10), false);
    expect(prependBlocks(once, talk(10), false).blocks.length).toBe(once.blocks.length);
  });
  it('while an answer streams below, and follows it at the end', () => {
    const start = appendBlocks(make(talk(5)), [agentBlock('s', '', { isStreaming: true })]);
    const back = scrollBy(start, -8);
    const before = draw(back);
    let [reading, following] = [back, start];
    for (let i = 0; i < 200; i++) {
      reading = appendDelta(reading, 's', `word ${i} `);
      following = appendDelta(following, 's', `word ${i} `);
    }
    expect(draw(reading)).toEqual(before);
    expect(draw(following).at(-1)).toContain('word 199');
    expect(viewTranscript(following).atBottom).toBe(true);
  });
  it('when the size changes: the first row goes on with the same words', () => {
    const words = Array.from({ length: 900 }, (_, i) => `w${i}`).join(' ');
    let transcript = scrollBy(make([...talk(2), user('long', words), ...talk(5, 5)], 60), -60);
    const first = /w\d+/.exec(draw(transcript)[0] ?? '')?.[0] ?? 'none';
    for (const width of [41, 97, 60]) {
      transcript = resizeTranscript(transcript, { width });
      const shown = draw(transcript).slice(0, 3).join(' ');
      const near = [...shown.matchAll(/w(\d+)/g)].map((match) => Number(match[1]));
      expect(Math.min(...near.map((number) => Math.abs(number - Number(first.slice(1)))))).toBeLessThan(20);
    }
  });
  it('when the streamed block is replaced by the stored one', () => {
    const transcript = appendDelta(appendBlocks(make(talk(5)), [agentBlock('s', '', { isStreaming: true })]), 's', 'text\n\nmore');
    const replaced = replaceBlock(transcript, 's', [agentBlock('m9', 'text\n\nmore')]);
    expect(draw(replaced)).toEqual(draw(transcript).map((row) => row.replace(/ ▌$/, '')));
  });
  it('PgUp from the end shows the rows above with one in common, and back', () => {
    const transcript = make(talk(20));
    const up = scrollPage(transcript, 'up');
    expect(draw(up).at(-1)).toBe(draw(transcript)[0]);
    expect(draw(scrollPage(up, 'down'))).toEqual(draw(transcript));
    expect(scrollPage(up, 'down').top).toBeUndefined();
  });
  it('says when the beginning of what is loaded is near', () => {
    const transcript = { ...make(talk(100)), hasEarlier: true };
    expect(viewTranscript(transcript).needsEarlier).toBe(false);
    expect(viewTranscript(scrollToStart(transcript))).toMatchObject({ needsEarlier: true, atTop: false });
    expect(viewTranscript(make([]))).toMatchObject({ lines: [], atTop: true, atBottom: true, needsEarlier: false });
  });
});

describe('fuzz', () => {
  const step = fc.oneof(
    fc.integer({ min: -30, max: 30 }).map((rows) => (t: Transcript) => scrollBy(t, rows)),
    fc.constantFrom(20, 33, 60, 80).map((width) => (t: Transcript) => resizeTranscript(t, { width })),
    fc.constantFrom(1, 5, 12, 40).map((height) => (t: Transcript) => resizeTranscript(t, { height })),
    fc.constantFrom('up' as const, 'down' as const).map((direction) => (t: Transcript) => moveCursor(t, direction)),
    fc.constantFrom('a 👩‍👩‍👧 ', '\n\n', '```\n', '- 항목\n', '| a |\n', '**b').map((delta) => (t: Transcript) => appendDelta(t, 's', delta)),
    fc.constantFrom('t', 'a2', 'u1').map((id) => (t: Transcript) => toggleFold(t, id)),
    fc.constantFrom('a2', 'u1', 't').map((id) => (t: Transcript) => removeBlock(t, id)),
    fc.constant((t: Transcript) => leaveReading(t)),
  );
  it(`always fills the screen while there are rows, and going up row by row shows every row once (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let transcript = make([
          ...talk(4),
          { kind: 'tool', id: 't', name: 'n', summary: '', state: 'ok', result: 'r\n'.repeat(150) },
          agentBlock('s', '', { isStreaming: true }),
        ]);
        for (const one of steps) {
          transcript = one(transcript);
          const view = viewTranscript(transcript);
          const all = viewTranscript(scrollToEnd(resizeTranscript(transcript, { height: 10_000 }))).lines;
          expect(view.lines.length).toBe(Math.min(transcript.layout.height, all.length));
        }
        const all = draw(resizeTranscript(transcript, { height: 10_000 })).map((row) => row.replace('▌', ' '));
        const seen: string[] = [];
        let at = scrollToStart(resizeTranscript(transcript, { height: 1 }));
        for (let i = 0; i < all.length; i++) {
          seen.push((draw(at)[0] ?? '').replace('▌', ' '));
          at = scrollBy(at, 1);
        }
        expect(seen.map((row) => row.trimEnd())).toEqual(all.map((row) => row.trimEnd()));
      }),
      { seed, numRuns: 60 },
    );
  });
});

describe('reading mode', () => {
  it('goes block by block, marks it with the bar, reads a long one by pages', () => {
    let transcript = enterReading(
      make([...talk(3), user('long', Array.from({ length: 40 }, (_, i) => `row ${i}`).join('\n')), user('end', 'end')]),
    );
    expect(transcript.cursor).toBe('end');
    expect(draw(transcript).at(-1)).toBe('▌● end');
    transcript = moveCursor(transcript, 'up');
    expect(transcript.cursor).toBe('long');
    expect(draw(transcript).join('\n')).toContain('▌● row 0');
    transcript = moveCursor(transcript, 'up');
    expect(transcript.cursor).toBe('a2');
    transcript = moveCursor(moveCursor(transcript, 'down'), 'down');
    expect(transcript.cursor).toBe('long');
    for (let i = 0; i < 9; i++) transcript = moveCursor(transcript, 'down');
    expect(transcript.cursor).toBe('end');
    expect(leaveReading(transcript).cursor).toBeUndefined();
  });
});

const words = (text: string) => parseQuery(text, { now: 0, times: 'said' });

describe('find', () => {
  it('goes match by match, unfolds what hides one, and stops at the end', () => {
    const blocks: Block[] = [
      user('first', 'the Token'),
      ...talk(10),
      { kind: 'tool', id: 't', name: 'n', summary: '', state: 'ok', result: `${'x\n'.repeat(80)}토큰 token` },
      ...talk(5, 20),
      user('last', 'token'),
    ];
    let state = { transcript: setQuery(scrollToStart(make(blocks)), 'token', words('token')), found: true };
    const hits: (string | undefined)[] = [];
    for (let i = 0; i < 3; i++) {
      state = findMatch(state.transcript, 'next');
      hits.push(state.transcript.match?.blockId);
      expect(draw(state.transcript).join('\n').toLowerCase()).toContain('token');
    }
    expect(hits).toEqual(['first', 't', 'last']);
    expect(findMatch(state.transcript, 'next').found).toBe(false);
    expect(findMatch(state.transcript, 'previous').transcript.match?.blockId).toBe('t');
    const marked = viewTranscript(state.transcript)
      .lines.flat()
      .filter((each) => each.style?.includes('underline'));
    expect(marked.map((each) => each.text.toLowerCase())).toContain('token');
  });
  it('finds decomposed text by composed letters', () => {
    expect(findMatch(setQuery(make([user('u', '한글'.normalize('NFD'))]), '한글', words('한글')), 'next').found).toBe(true);
  });
});

describe('mouse', () => {
  it('knows the block under a row', () => {
    const transcript = make(picture, 60, 30);
    expect(blockAt(transcript, 5)?.id).toBe('t1');
    expect(blockAt(transcript, 29)).toBeUndefined();
  });
  const select = (transcript: Transcript, x1: number, y1: number, x2: number, y2: number) =>
    selectedText(dragSelection(startSelection(transcript, x1, y1), x2, y2));
  it('copies words without gutter, joins what the wrap broke, keeps blank lines', () => {
    const transcript = make(picture, 60, 30);
    expect(select(transcript, 0, 0, 59, 3)).toBe(
      'now add tests for the expiry path\n\nThe expiry path has two branches. I will cover both and run them:',
    );
    expect(select(transcript, 3, 0, 5, 0)).toBe('now');
    expect(select(transcript, 5, 0, 3, 0)).toBe('now');
    expect(select(transcript, 0, 8, 59, 10)).toBe("it('renews', async () => {});\n\nBoth pass.");
    expect(select(transcript, 9, 0, 9, 0)).toBe('');
  });
  it('copies long code lines and lists as they were written', () => {
    const code = `const long = '${'x'.repeat(90)}';`;
    const transcript = make([agentBlock('a', `\`\`\`\n${code}\n  indented\n\`\`\``)], 40, 20);
    expect(select(transcript, 0, 0, 39, 5)).toBe(`${code}\n  indented`);
    const list = make([agentBlock('a', `- one\n  - ${'deep '.repeat(12).trim()}\n- 둘`)], 30, 20);
    expect(select(list, 0, 0, 29, 9)).toBe(`- one\n  - ${'deep '.repeat(12).trim()}\n- 둘`);
  });
  it('selects wide text by whole characters and marks it', () => {
    const transcript = make([user('u', '가나다라')], 40, 5);
    const selected = dragSelection(startSelection(transcript, 5, 0), 7, 0);
    expect(selectedText(selected)).toBe('나다');
    const line = viewTranscript(selected).lines[0] ?? [];
    expect(
      line
        .filter((each) => each.style?.includes('on-select'))
        .map((each) => each.text)
        .join(''),
    ).toBe('나다');
    expect(stringWidth(lineText(line))).toBe(11);
  });
});

describe('recap in the transcript', () => {
  it('takes the free rows and no more', () => {
    const messages = Array.from({ length: 20 }, (_, i): Message => ({
      id: i,
      sessionId: 's',
      role: i % 2 === 0 ? 'user' : 'assistant',
      text: `text ${i}`,
      toolCalls: [],
      timestamp: 0,
      active: true,
      compacted: false,
      isSummary: false,
    }));
    const block: Block = { kind: 'recap', id: 'r', recap: buildRecap(messages), when: 'yesterday', messageCount: 20, readKey: 'PgUp' };
    for (const height of [5, 9, 24]) {
      const lines = draw(make([block], 80, height));
      expect(lines.length).toBeLessThan(height);
      expect(lines[0]).toContain('Previous conversation');
      expect(lines.at(-2)).toContain('text 19');
    }
    const streamed = updateBlock(make([block], 80, 24), 'r', (one) => ({ ...one, isMinimal: true }) as Block);
    expect(draw(streamed).length).toBe(1);
  });
});
