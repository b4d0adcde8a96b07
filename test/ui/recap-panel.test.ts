import { describe, expect, it } from 'vitest';
import { buildRecap } from '../../src/session/recap.ts';
import type { Message } from '../../src/session/types.ts';
import { stringWidth } from '../../src/terminal/width.ts';
import { lineText } from '../../src/ui/compose.ts';
import { recapLine, recapPanel } from '../../src/ui/recap-panel.ts';
import type { RecapPanelOptions } from '../../src/ui/recap-panel.ts';
import { asciiGlyphs, unicodeGlyphs } from '../../src/ui/screen.ts';

let id = 0;
const say = (role: string, text: string, ...tools: string[]): Message => ({
  id: id++,
  sessionId: 's',
  role,
  text,
  toolCalls: tools.map((name) => ({ id: name, name, arguments: '{}' })),
  timestamp: 0,
  active: true,
  compacted: false,
  isSummary: false,
});

const talk = [
  say('user', 'Help me refactor the auth module please'),
  say(
    'assistant',
    'I read src/auth.ts and found three places where the token is checked twice:\n\n1. a\n2. b',
    'terminal',
    'read_file',
    'web_search',
  ),
  say('user', '토큰 만료 처리는 어디서 하지?'),
  say('assistant', '만료는 refresh()에서 처리합니다. 세션이 끝나기 60초 전에 …'),
];
const options = (more: Partial<RecapPanelOptions> = {}): RecapPanelOptions => ({
  width: 80,
  rows: 20,
  glyphs: unicodeGlyphs,
  when: 'yesterday',
  messageCount: 14,
  readKey: 'PgUp',
  ...more,
});
const draw = (messages: readonly Message[], more: Partial<RecapPanelOptions> = {}, earlierOutside = 0) =>
  recapPanel(buildRecap(messages, { earlierOutside }), options(more)).map(lineText);

describe('the panel', () => {
  it('looks like this at 80 columns', () => {
    expect(draw(talk, {}, 8)).toEqual([
      '╭─ Previous conversation ──────────────────────────── yesterday · 14 messages ─╮',
      '│ ... 8 earlier messages ...                             PgUp reads everything │',
      '│ ● You     Help me refactor the auth module please                            │',
      '│ ◆ Hermes  I read src/auth.ts and found three places where the token is       │',
      '│           checked twice:                                                     │',
      '│           1. a … [3 tool calls: terminal, read_file, web_search]             │',
      '│ ● You     토큰 만료 처리는 어디서 하지?                                      │',
      '│ ◆ Hermes  만료는 refresh()에서 처리합니다. 세션이 끝나기 60초 전에 …         │',
      '╰──────────────────────────────────────────────────────────────────────────────╯',
    ]);
  });
  it('is dim everywhere, gold and green by their words', () => {
    const spans = recapPanel(buildRecap(talk), options()).flat();
    expect(spans.every((each) => each.text.trim() === '' || each.style?.split(' ').includes('dim'))).toBe(true);
    expect(spans.find((each) => each.text === '● ')?.style).toBe('accent dim');
    expect(spans.find((each) => each.text === '◆ ')?.style).toBe('agent dim');
  });
  const long = Array.from({ length: 8 }, (_, i) => [
    say('user', `질문 ${i} 👩‍👩‍👧 ⚠️ ｆｕｌｌ幅 नमस्ते مرحبا e\u0301\u200b ${'긴 글 '.repeat(60)}`),
    say('assistant', `answer ${i} ${'漢字かな交じり文 '.repeat(40)}`, 'terminal', 'web_search'),
  ]).flat();
  const sizes = [40, 41, 57, 60, 80, 110, 200].flatMap((width) => [1, 2, 3, 4, 5, 8, 12, 30].map((rows) => [width, rows] as const));
  it.each(sizes)('every row is exactly %i wide and at most %i rows are used', (width, rows) => {
    for (const messages of [talk, long, []]) {
      for (const glyphs of [unicodeGlyphs, asciiGlyphs]) {
        const lines = draw(messages, { width, rows, glyphs }, 3);
        expect(lines.length).toBeLessThanOrEqual(rows);
        expect(lines[0]).toContain('Previous conversation');
        for (const line of lines) expect(stringWidth(line)).toBe(width);
      }
    }
  });
  it('keeps the newest and counts what is left out', () => {
    const lines = draw(talk, { rows: 6 }, 8);
    expect(lines[1]).toContain('... 10 earlier messages ...');
    expect(lines.join('\n')).not.toContain('refactor');
    expect(lines.join('\n')).toContain('만료는 refresh()');
  });
  it('shows the last question and the beginning of the last answer in three free rows, and in one', () => {
    const many = [
      say('user', 'first'),
      say('assistant', 'one'),
      say('user', 'the last question'),
      ...Array.from({ length: 60 }, (_, i) => say('assistant', `step ${i}`, 'terminal')),
      say('assistant', 'x '.repeat(95)),
    ];
    const lines = draw(many, { rows: 6, width: 60 });
    expect(lines[1]).toContain('... 62 earlier messages ...');
    expect(lines[2]).toContain('the last question');
    expect(lines[3]).toContain('x x x');
    expect(lines[4]).toContain('…');
    expect(draw(many, { rows: 3 })[1]).toContain('x x x');
    expect(draw(many, { rows: 3 })[2]).toContain('... 63 earlier messages ...');
  });
  it('is one line where no box with something in it has room', () => {
    for (const rows of [1, 2]) expect(draw(talk, { rows })[0]).toMatch(/^↻ Previous conversation · yesterday · 14 messages/u);
    expect(draw(talk, { rows: 2 })).toHaveLength(1);
    expect(stringWidth(draw(talk, { rows: 2 })[0] ?? '')).toBe(80);
  });
  it('has no row without room', () => {
    expect(draw(talk, { rows: 0 })).toEqual([]);
    expect(draw(talk, { rows: -2 })).toEqual([]);
  });
  it('draws no control character of a message', () => {
    // Text is data; the cell writer draws symbols. The panel adds nothing of its own.
    const lines = draw([say('user', 'a\u001b[31mb\u0007')]);
    for (const line of lines) expect(stringWidth(line)).toBe(80);
  });
});

describe('minimal', () => {
  it('is one line that fits', () => {
    for (const width of [40, 80, 200]) expect(stringWidth(lineText(recapLine(options({ width }))))).toBeLessThanOrEqual(width);
    expect(lineText(recapLine(options()))).toBe('↻ Previous conversation · yesterday · 14 messages · PgUp reads everything');
  });
});
