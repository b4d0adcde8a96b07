import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import {
  clusterWidth,
  drawable,
  expandTabs,
  graphemes,
  padEnd,
  setAmbiguousWidth,
  stringWidth,
  takeEnd,
  truncateEnd,
  truncateMiddle,
  wrapRanges,
  wrapText,
} from '../../src/terminal/width.ts';
import { isOneUnitEach } from '../../src/terminal/graphemes.ts';
import { glyphsOf, type Glyph } from '../../src/terminal/glyphs.ts';
import { widePieces } from '../support/wide-text.ts';
import { createEmulator } from '../support/emulator.ts';

const glyphsIn = (text: string): Glyph[] => [...graphemes(text)].flatMap((cluster) => [...glyphsOf(cluster)]);
const isRisky = (cluster: string): boolean => glyphsOf(cluster).some((glyph) => glyph.risky);

afterEach(() => setAmbiguousWidth('narrow'));

describe('cells of a text', () => {
  test.each([
    ['ASCII', 'hello', 5],
    ['precomposed Hangul', '한글', 4],
    ['decomposed Hangul as macOS writes it', '한글'.normalize('NFD'), 4],
    ['a lone final jamo gets a place of its own', '\u11ab', 1],
    ['kana with a combining voiced mark', 'か\u3099', 2],
    ['fullwidth letters', 'ｆｕｌｌ', 8],
    ['halfwidth kana', 'ｶﾅ', 2],
    ['an accent as a mark', 'e\u0301', 1],
    ['a mark with nothing under it', '\u0301', 1],
    ['Thai with sara am, counted by its spacing characters', 'กำ', 2],
    ['Devanagari', 'नमस्ते', 4],
    ['Arabic', 'مرحبا', 5],
    ['an emoji', '😀', 2],
    ['a family', '👨‍👩‍👧‍👦', 2],
    ['a skin tone', '👍🏽', 2],
    ['a flag', '🇰🇷', 2],
    ['a heart made an emoji by VS16', '❤️', 2],
    ['the same heart as text', '❤', 1],
    ['a keycap', '1️⃣', 2],
    ['a control character is one symbol', '\x1b', 1],
    ['CR LF is two symbols', '\r\n', 2],
    ['a zero-width space is one symbol', 'a\u200bb', 3],
    ['ideographs beyond the basic plane', '𠮷', 2],
  ])('%s', (_name, text, width) => {
    expect(stringWidth(text)).toBe(width);
  });

  test('ambiguous characters follow the setting', () => {
    expect(stringWidth('●·→')).toBe(3);
    setAmbiguousWidth('wide');
    expect(stringWidth('●·→')).toBe(6);
    expect(stringWidth('한글 a')).toBe(6);
    setAmbiguousWidth('narrow');
    expect(stringWidth('●·→')).toBe(3);
  });

  test('the widths of the clusters add up to the width of the text, and what is drawn joins from the glyphs', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), fc.string({ unit: 'binary', maxLength: 30 }), (nice, wild) => {
        const text = nice + wild;
        let sum = 0;
        for (const cluster of graphemes(text)) {
          sum += clusterWidth(cluster);
          const reach = glyphsOf(cluster).reduce((cells, glyph) => cells + glyph.reach, 0);
          expect(reach).toBeGreaterThanOrEqual(clusterWidth(cluster));
        }
        expect(stringWidth(text)).toBe(sum);
        expect([...graphemes(text)].join('')).toBe(text);
        expect(drawable(text)).toBe(
          glyphsIn(text)
            .map((glyph) => glyph.text)
            .join(''),
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe('what a terminal would obey or nobody would see is a symbol', () => {
  test.each([
    ['escape sequence', '\x1b[31mred\x07', '␛[31mred␇'],
    ['C1 control', 'a\u009b31m', 'a\ufffd31m'],
    ['DEL', '\x7f', '␡'],
    ['bidi override', 'a\u202etxt', 'a⇄txt'],
    ['bidi isolate', '\u2066x\u2069', '⇄x⇄'],
    ['zero-width space, word joiner, BOM', 'a\u200bb\u2060c\ufeff', 'a␣b␣c␣'],
    ['soft hyphen', 'co\u00adop', 'co-op'],
    ['line separator', 'a\u2028b', 'a␤b'],
    ['joiner on an ASCII letter', 'pay\u200dpal', 'pay␣pal'],
    ['variation selectors hidden behind a letter', 'a\ufe01\u{e0101}', 'a␣␣'],
    ['tag characters outside a flag', 'ok\u{e0041}\u{e0042}', 'ok␣␣'],
    ['lone surrogate', 'a\ud800b', 'a\ufffdb'],
    ['decomposed text is composed', 'e\u0301', 'é'],
  ])('%s', (_name, text, shown) => {
    expect(drawable(text)).toBe(shown);
  });

  test.each(['👨‍👩‍👧‍👦', '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}', 'می\u200cخواهم', '❤️', '1️⃣', 'क्\u200dष'])(
    '%s passes whole',
    (text) => {
      expect(drawable(text)).toBe(text);
    },
  );

  test('nothing a terminal obeys survives, whatever comes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        expect(drawable(text)).not.toMatch(/[\p{Cc}\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u);
      }),
      { numRuns: 1000 },
    );
  });

  test('a pile of marks is cut', () => {
    expect([...drawable('a' + '\u0316'.repeat(500))]).toHaveLength(16);
  });
});

test('risky are the clusters on which terminals disagree', () => {
  for (const cluster of ['👍🏽', '👨‍👩‍👧‍👦', '❤️', '🇰🇷', '😀', 'ที่', '\u1112\u1161\u11f0']) expect(isRisky(cluster), cluster).toBe(true);
  for (const cluster of ['a', '한', '한'.normalize('NFD'), '漢', 'é', '✓', '●']) expect(isRisky(cluster), cluster).toBe(false);
  expect(glyphsOf('👨‍👩‍👧‍👦').map((glyph) => glyph.reach)).toEqual([8]);
});

test.each(['narrow', 'wide'] as const)(
  'a glyph is a function of its text alone, so a cell can be looked up (ambiguous %s)',
  (ambiguous) => {
    setAmbiguousWidth(ambiguous);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 12 })), (text) => {
        for (const glyph of glyphsIn(text)) expect([...glyphsOf(glyph.text)]).toEqual([glyph]);
      }),
      { numRuns: 2000 },
    );
  },
);

test('single glyphs are as wide in the emulator as they are measured', async () => {
  const emulator = createEmulator({ cols: 40, rows: 2 });
  for (const text of ['한글', '漢字', 'ｶﾅ', 'é', '●·→', '␛⇄␣␤', 'กำ', 'नमस्ते', 'مرحبا', '◌\u0301', '˚Ω']) {
    await emulator.write(`\x1b[2J\x1b[H${drawable(text)}`);
    expect(emulator.cursor().x, text).toBe(stringWidth(text));
  }
  emulator.dispose();
});

test('text that is not segmented needs no segmenting: each unit is a cluster, unchanged by NFC and drawn as it is', () => {
  const units = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code)).filter((unit) => isOneUnitEach(unit));
  expect(units.length).toBeGreaterThan(30_000);
  const text = units.join('') + units.reverse().join('');
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (let at = 0; at < text.length; at += 100)
    expect([...segmenter.segment(text.slice(at, at + 101))]).toHaveLength(Math.min(101, text.length - at));
  expect(text.normalize('NFC')).toBe(text);
  const different = units.filter((unit) => {
    const [glyph] = glyphsOf(unit);
    return glyph?.text !== unit || glyph.width !== stringWidth(unit) || glyph.risky;
  });
  expect(different).toEqual([]);
});

test('long text is segmented in parts, as it would be in one', () => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(...widePieces), fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 120 }),
      (pieces) => {
        const text = pieces.join('');
        expect([...graphemes(text)]).toEqual(Array.from(segmenter.segment(text), (part) => part.segment));
      },
    ),
    { numRuns: 300 },
  );
  const marks = 'a' + '\u0316'.repeat(200);
  expect([...graphemes(`x${marks}y😀`)]).toEqual(['x', marks, 'y', '😀']);
  expect([...graphemes('a' + '\u0316'.repeat(100_000))].join('')).toHaveLength(100_001);
});

test('a megabyte of emoji is measured in linear time and memory', () => {
  const start = performance.now();
  expect(stringWidth('👍🏽 e\u0301 한글 '.repeat(70_000))).toBe(70_000 * 10);
  expect(performance.now() - start).toBeLessThan(4000);
});

describe('cutting', () => {
  test.each([
    ['what fits stays', 'auth', 4, 'auth'],
    ['the end goes', 'refactoring', 6, 'refac…'],
    ['never half a wide character', '결제모듈', 6, '결제…'],
    ['no blank before the mark', 'a bcdef', 3, 'a…'],
    ['never half a cluster', '👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 3, '👨‍👩‍👧‍👦…'],
    ['no room at all', 'abc', 0, ''],
  ])('titles at the end: %s', (_name, text, width, cut) => {
    expect(truncateEnd(text, width)).toBe(cut);
  });

  test('paths in the middle, the end keeps more', () => {
    expect(truncateMiddle('~/code/shop/packages/auth', 16)).toBe('~/cod…kages/auth');
    expect(truncateMiddle('~/코드/상점/결제/토큰', 12)).toBe('~/…결제/토큰');
    expect(stringWidth(truncateMiddle('~/코드/상점/결제/토큰', 12))).toBeLessThanOrEqual(12);
  });

  test('the end of a text is taken at a character edge', () => {
    expect(takeEnd('가나다', 3)).toBe('다');
    expect(padEnd('가', 4)).toBe('가  ');
    expect(expandTabs('a\tb\n\tc')).toBe('a   b\n    c');
  });
});

describe('wrapping', () => {
  test.each([
    ['at words', 'the quick brown fox', 10, ['the quick', 'brown fox']],
    ['a word that fills the row exactly', 'abcd efgh', 4, ['abcd', 'efgh']],
    ['inside a word longer than a row', 'abcdefghij kl', 4, ['abcd', 'efgh', 'ij', 'kl']],
    ['between wide characters', '토큰만료처리', 5, ['토큰', '만료', '처리']],
    ['at spaces of Korean text before its characters', '토큰 만료', 6, ['토큰', '만료']],
    ['no closing sign begins a row', '明日の会議。', 10, ['明日の会', '議。']],
    ['line breaks are kept', 'a\n\nb', 10, ['a', '', 'b']],
    ['indentation is kept', '  abc def', 6, ['  abc', 'def']],
    ['a character wider than the row still gets one', '가나', 1, ['가', '나']],
    ['nothing', '', 5, ['']],
  ])('%s', (_name, text, width, rows) => {
    expect(wrapText(text, width)).toEqual(rows);
  });

  test('no row is too wide, nothing but spaces is lost, and ranges are in order', () => {
    const words = fc.constantFrom('a', ' ', 'word', '한글', '明日。', '👨‍👩‍👧', '\n', 'e\u0301', 'longerword', '（', '  ');
    fc.assert(
      fc.property(fc.array(words, { maxLength: 40 }), fc.integer({ min: 2, max: 20 }), (parts, width) => {
        const text = parts.join('');
        let last = 0;
        for (const { start, end } of wrapRanges(text, width)) {
          expect(text.slice(last, start).trim()).toBe('');
          expect(stringWidth(text.slice(start, end).trimEnd())).toBeLessThanOrEqual(width);
          last = end;
        }
        expect(text.slice(last).trim()).toBe('');
      }),
      { numRuns: 500 },
    );
  });

  test('a line of a megabyte is wrapped in linear time', () => {
    const time = (length: number) => {
      const text = 'word 한글 '.repeat(length);
      const start = performance.now();
      wrapRanges(text, 80);
      return performance.now() - start;
    };
    time(10_000);
    expect(time(100_000)).toBeLessThan(40 * Math.max(5, time(10_000)));
  });
});

test.each([
  ['Hangul', '한글 '.repeat(3_000_000)],
  ['a line of ASCII with one that is not', `${'a'.repeat(10_000_000)}한`],
])('a line of ten megabytes is drawn and measured: %s', (_, text) => {
  expect(drawable(text).length).toBe(text.length);
  expect(stringWidth(text)).toBeGreaterThan(text.length);
});
