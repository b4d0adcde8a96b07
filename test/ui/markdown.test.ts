import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stringWidth } from '../../src/terminal/width.ts';
import { lineText, lineWidth } from '../../src/ui/compose.ts';
import { highlightPending, hasPendingHighlights } from '../../src/ui/markdown/highlight.ts';
import { loadMarkdown } from '../../src/ui/markdown/lexer.ts';
import { segmentRows } from '../../src/ui/markdown/render.ts';
import type { Row } from '../../src/ui/markdown/row.ts';
import { appendSource, emptySource, sourceSegments } from '../../src/ui/markdown/source.ts';
import type { Segment } from '../../src/ui/markdown/source.ts';
import { unicodeGlyphs } from '../../src/ui/screen.ts';
import { cpuNow, leastCpu } from '../support/cpu.ts';

beforeAll(loadMarkdown);

const splitSource = (text: string): readonly Segment[] => sourceSegments(appendSource(emptySource, text), false);

const rowsOf = (segments: readonly Segment[], width = 40): Row[] =>
  segments.flatMap((segment) => [
    ...(segment.hasGap ? [{ line: [], skip: 0 }] : []),
    ...segmentRows(segment, { width, glyphs: unicodeGlyphs }),
  ]);
const draw = (text: string, width = 40): string[] => rowsOf(splitSource(text), width).map((row) => lineText(row.line).trimEnd());
const styleOf = (text: string, part: string): string | undefined =>
  rowsOf(splitSource(text))
    .flatMap((row) => row.line)
    .find((each) => each.text.includes(part))?.style;

describe('blocks', () => {
  const cases: [string, string, string[]][] = [
    ['paragraphs part by a blank row', 'one\n\ntwo', ['one', '', 'two']],
    ['a line break of the source stays', 'one\ntwo  \nthree', ['one', 'two', 'three']],
    ['a heading has no marks', '# Title\ntext', ['Title', '', 'text']],
    ['a list', '- a\n- b\n  - c\n- d', ['- a', '- b', '  - c', '- d']],
    ['an ordered list keeps its numbers, aligned', '9. a\n10. b', [' 9. a', '10. b']],
    ['tasks', '- [x] done\n- [ ] open', ['- [x] done', '- [ ] open']],
    ['a wrapped item hangs', `- ${'word '.repeat(10)}`, ['- word word word word word word word', '  word word word']],
    ['a quote', '> said\n> so', ['│ said', '│ so']],
    ['a rule', 'a\n\n---\n\nb', ['a', '', '─'.repeat(40), '', 'b']],
    ['HTML is text', '<b>x</b> & <script>y</script>', ['<b>x</b> & <script>y</script>']],
    ['a link shows its address once', '[docs](http://x.y) http://z', ['docs (http://x.y) http://z']],
    ['an image shows what it says', '![a cat](c.png)', ['[image: a cat]']],
    ['code keeps its spaces', '```ts\n  a   b\n\n  c\n```\nafter', ['   a   b', '', '   c', '', 'after']],
    ['indented code', 'x\n\n    y', ['x', '', ' y']],
    ['a fence that never closes', '```\nopen', [' open']],
    ['entities', 'a &lt; b &amp; c', ['a < b & c']],
    ['a table', '| a | 이름 |\n|---|---:|\n| 1 | 가 |\n| 22 | b |', ['a   이름', '──  ────', '1     가', '22     b']],
    ['nothing', '', []],
    ['only blank lines', '\n \n', []],
    ['CRLF', 'a\r\n\r\nb\r\n', ['a', '', 'b']],
  ];
  it.each(cases)('%s', (_name, text, expected) => {
    expect(draw(text)).toEqual(expected);
  });
  it('a table that is too wide wraps its cells, one that is far too wide is stacked', () => {
    const table = '| name | what |\n|--|--|\n| first | some words that go on and on |\n';
    expect(draw(table, 20)).toEqual(['name   what', '─────  ─────────────', 'first  some words', '       that go on', '       and on']);
    const wide = `| ${'abc | '.repeat(10)}\n|${'--|'.repeat(10)}\n| ${'some text | '.repeat(10)}\n`;
    expect(draw(wide, 40)[0]).toBe('abc: some text');
  });
});

describe('styles', () => {
  it('emphasis and code', () => {
    expect(styleOf('a **b** c', 'b')).toBe('bold');
    expect(styleOf('a *b* c', 'b')).toBe('italic');
    expect(styleOf('a ***b*** c', 'b')?.split(' ').sort()).toEqual(['bold', 'italic']);
    expect(styleOf('a ~~b~~ c', 'b')).toBe('strike');
    expect(styleOf('a **`b`** c', 'b')).toBe('bold code');
    expect(styleOf('[b](http://x)', 'b')).toBe('link');
  });
  it('code stands on its ground over the full width', () => {
    for (const row of rowsOf(splitSource('```\na\n```'))) {
      expect(lineWidth(row.line)).toBe(40);
      expect(row.line.every((each) => each.style?.includes('on-code'))).toBe(true);
    }
  });
});

const sample = `# 제목\n\nFirst **bold** and *it* with \`code\` 한글 텍스트가 길게 이어집니다 👩‍👩‍👧.\n\n- one\n- two **x**\n  1. deep\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n\`\`\`ts\nconst x = 1;\n\`\`\`\n\n> quote\n\nEnd [link](http://example.org) ~~gone~~.\n`;

describe('streaming', () => {
  it('ends in exactly what the whole text gives, whatever the pieces', () => {
    const text = sample.repeat(12);
    const whole = rowsOf(splitSource(text));
    for (const size of [1, 3, 7, 50, 1000]) {
      let source = emptySource;
      for (let at = 0; at < text.length; at += size) source = appendSource(source, text.slice(at, at + size));
      expect(rowsOf(sourceSegments(source, false))).toEqual(whole);
    }
  });
  it('never takes rows back by more than the one being written, and shows no raw marks', () => {
    let source = emptySource;
    let before: string[] = [];
    for (const letter of sample) {
      source = appendSource(source, letter);
      const rows = rowsOf(sourceSegments(source, true)).map((row) => lineText(row.line).trimEnd());
      expect(rows.length).toBeGreaterThanOrEqual(before.length - 1);
      const settled = before.slice(0, -2);
      expect(rows.slice(0, settled.length)).toEqual(settled);
      expect(rows.join('\n')).not.toMatch(/\*\*|```|\|--|^#/m);
      before = rows;
    }
  });
  const held: [string, string, string[]][] = [
    ['a list mark without its item', 'text\n-', ['text']],
    ['an opening fence', 'text\n```ts', ['text']],
    ['a closing fence half written', '```\na\n``', [' a']],
    ['bold from the first letter', 'so **bo', ['so bo']],
    ['bold half closed', 'so **bold*', ['so bold']],
    ['code from the first letter', 'run `npm', ['run npm']],
    ['a link without its address', 'see [the docs](http://exa', ['see the docs']],
    ['the head of a table', 'text\n\n| a | b |\n|--', ['text']],
    ['a table row half written', '| a |\n|---|\n| 1 |\n| lo', ['a', '─', '1']],
    ['a product is no emphasis', '2 * 3 is six', ['2 * 3 is six']],
  ];
  it.each(held)('holds back or closes: %s', (_name, text, expected) => {
    expect(rowsOf(sourceSegments(appendSource(emptySource, text), true)).map((row) => lineText(row.line).trimEnd())).toEqual(expected);
  });
  it('done segments are the same objects while text arrives', () => {
    let source = appendSource(emptySource, sample.repeat(10));
    const before = sourceSegments(source, true);
    source = appendSource(source, 'more\nand more\n');
    const after = sourceSegments(source, true);
    expect(before.length).toBeGreaterThan(5);
    for (let index = 0; index < before.length - 1; index++) expect(after[index]).toBe(before[index]);
  });
});

describe('hostile text is data', () => {
  const texts: [string, string][] = [
    ['escape sequences', '\u001b[31mred\u001b]0;t\u0007 **\u001b[2J**'],
    ['bidi and zero width', '\u202eabc\u2066 \u200b\u200d\ufeff `\u202e`'],
    ['ten thousand brackets', '['.repeat(10_000)],
    ['ten thousand quote marks', '>'.repeat(10_000)],
    ['ten thousand stars', '*a'.repeat(10_000)],
    ['a deep list', Array.from({ length: 300 }, (_, i) => `${'  '.repeat(i)}- x`).join('\n')],
    ['a table of nothing', '|\n|-\n|'],
    ['stacked marks', 'a' + '\u0301'.repeat(5000)],
  ];
  it.each(texts)('%s', (_name, text) => {
    for (const width of [1, 2, 10, 80]) {
      const before = cpuNow();
      const rows = rowsOf(splitSource(text), width);
      expect(rows.length).toBeGreaterThan(0);
      if (width > 2) for (const row of rows) expect(stringWidth(lineText(row.line))).toBeLessThanOrEqual(Math.max(width, 6));
      expect(cpuNow() - before).toBeLessThan(3000);
    }
  });
  it('a line of 1 MB is wrapped as far as 4,000 characters, and says so', () => {
    const rows = draw('x'.repeat(1024 * 1024), 80);
    expect(leastCpu(() => draw('x'.repeat(1024 * 1024), 80))).toBeLessThan(100);
    expect(rows.length).toBeLessThan(60);
    expect(rows.join('')).toContain('… 1,044,576 more characters');
  });
});

describe('colours of code', () => {
  beforeEach(async () => {
    while (hasPendingHighlights()) await highlightPending();
  });
  it('come later, once, and change no text', async () => {
    const text = "```ts\nconst x = 60_000; // why\nit('a', async () => {});\n```";
    const segments = splitSource(text);
    const plain = rowsOf(segments);
    expect(hasPendingHighlights()).toBe(true);
    expect(await highlightPending()).toBe(true);
    const coloured = rowsOf(segments);
    expect(coloured.map((row) => lineText(row.line))).toEqual(plain.map((row) => lineText(row.line)));
    const styles = new Map(coloured.flatMap((row) => row.line.map((each) => [each.text, each.style])));
    expect(styles.get('const')).toBe('keyword on-code');
    expect(styles.get('60_000')).toBe('accent on-code');
    expect(await highlightPending()).toBe(false);
  });
  it('reach a fence that streamed in and closed where one of its segments did', async () => {
    let source = appendSource(emptySource, `\`\`\`ts\n${'const x = 1;\n'.repeat(64)}`);
    rowsOf(sourceSegments(source, true));
    source = appendSource(source, '```\n');
    rowsOf(sourceSegments(source, true));
    expect(await highlightPending()).toBe(true);
    expect(rowsOf(sourceSegments(source, true))[63]?.line.some((each) => each.style === 'keyword on-code')).toBe(true);
  });
  it('of a long block never hold the event loop for long, and give as many lines as the code has', async () => {
    const code = Array.from({ length: 1500 }, (_, i) => (i % 9 === 8 ? '' : `const x${i} = await run({ a: ${i} }); // why`)).join('\n');
    const segments = splitSource(`\`\`\`ts\n${code}\n\`\`\``);
    const plain = rowsOf(segments, 80).map((row) => lineText(row.line));
    let longest = 0;
    let last = cpuNow();
    const beat = setInterval(() => {
      longest = Math.max(longest, cpuNow() - last);
      last = cpuNow();
    }, 1);
    await highlightPending();
    clearInterval(beat);
    expect(longest).toBeLessThan(100);
    if (process.env['SHOW_COSTS']) console.log(`longest hold while colouring 1,500 lines: ${longest.toFixed(1)} ms`);
    expect(rowsOf(segments, 80).map((row) => lineText(row.line))).toEqual(plain);
  });
  it('an unknown language and an open fence stay plain', () => {
    rowsOf(splitSource('```nonsense\nx\n```'));
    rowsOf(sourceSegments(appendSource(emptySource, '```ts\nlet x\n'), true));
    expect(hasPendingHighlights()).toBe(false);
  });
});
