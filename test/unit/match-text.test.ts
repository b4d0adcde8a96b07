import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldText, foldWithOrigin } from '../../src/session/fold.ts';
import { compileText } from '../../src/session/match-text.ts';
import { parseQuery } from '../../src/session/query-parse.ts';
import { cutSnippet } from '../../src/session/snippet.ts';

const compile = (query: string) => compileText(parseQuery(query, { now: 0, times: 'said' }));
const matches = (query: string, text: string, title?: string): boolean =>
  compile(query).matches({ fields: [text], ...(title === undefined ? {} : { title }) });
const marked = (query: string, text: string): string[] =>
  compile(query)
    .findRanges(text)
    .map(({ start, end }) => text.slice(start, end));

describe('what a query matches', () => {
  test.each<[sentence: string, query: string, text: string, isMatch: boolean]>([
    ['a Latin word is a whole word', 'gate', 'the gateway', false],
    ['whatever its case', 'GATEWAY', 'the gateway', true],
    ['at the beginning of the text', 'the', 'the gateway', true],
    ['at the end of the text', 'gateway', 'the gateway', true],
    ['a change of script ends a word', 'gateway', '修复gateway重启问题', true],
    ['Hangul behind a word ends it', 'API', 'API를 고쳐', true],
    ['Hangul before a word ends it', 'AI', '최신AI', true],
    ['from Latin to Cyrillic is a change of script', 'hello', 'приветhello', true],
    ['a digit is of every script', 'gpt', 'gpt5', false],
    ['digits alone are a word', '42', 'v 42', true],
    ['and no part of a longer number', '42', '142', false],
    ['a Greek word is a whole word', 'οδος', 'ΟΔΟΣΑ', false],
    ['a final sigma is a sigma', 'ΟΔΟΣ', 'η οδος', true],
    ['a Cyrillic word is a whole word', 'при', 'привет', false],
    ['a word stands between signs too', 'x', 'src/x.ts', true],
    ['an underscore ends a word', 'a', 'a_b', true],
    ['an accent makes another word', 'cafe', 'café', false],
    ['however it is written', 'café', 'cafe\u0301', true],
    ['a mark belongs to the letter before it', 'x', 'x\u0302', false],
    ['Chinese is found inside of a sentence', '重启', '修复gateway重启问题', true],
    ['one character is enough', '桜', '明日の会議は桜井さん', true],
    ['Japanese likewise', '会議', '明日の会議は桜井さん', true],
    ['Korean likewise', '회의', '회의록정리완료', true],
    ['at the very end', '완료', '회의록정리완료', true],
    ['composed or not', '회의', '회의록'.normalize('NFD'), true],
    ['half composed as well', '한글', '하\u11ab글', true],
    ['signs at the end of a word count', 'C++', 'in C++17', true],
    ['and are asked for', 'C++', 'in C', false],
    ['an underscore inside makes a part', 'a_b', 'xa_by', true],
    ['so does a path', 'src/x.ts', 'lib/src/x.tsx', true],
    ['and a sign before', '#4821', 'see #48210', true],
    ['a phrase of words is found as whole words', '"auth module"', 'the auth  module', true],
    ['over a line break', '"auth module"', 'auth\nmodule', true],
    ['with nothing else between', '"auth module"', 'auth, module', false],
    ['and not inside of longer ones', '"auth module"', 'auth modules', false],
    ['a phrase with signs is a part', '"x.ts of"', 'src/x.ts off', true],
    ['a phrase in Korean is a part', '"의록 정"', '회의록 정리', true],
    ['a star stands for the rest of a word', 'gate*', 'the gateway', true],
    ['and not for its beginning', 'way*', 'the gateway', false],
    ['behind a change of script, too', 'gate*', '修复gateway', true],
    ['a star behind a phrase', '"auth mod"*', 'auth module', true],
    ['a star behind Korean changes nothing', '의록*', '회의록', true],
    ['a star alone is text', '*', 'a * b', true],
    ['all words, in any order', 'module auth', 'auth module', true],
    ['all of them', 'module auth', 'module', false],
    ['either', '会議 OR 重启', '重启', true],
    ['neither', '会議 OR 重启', '起動', false],
    ['not that one', 'auth -module', 'auth module', false],
    ['not, spelled out', 'auth NOT module', 'auth flow', true],
    ['an emoji is a part', '👩‍👩‍👧', 'our 👩‍👩‍👧 plan', true],
    ['Thai has no blanks', 'ไทย', 'ภาษาไทยแลนด์', true],
    ['sharp s is one letter', 'STRASSE', 'Straße', false],
    ['in both of its cases', 'STRAẞE', 'Straße', true],
    ['a dotted capital I keeps its dot', 'istanbul', 'İstanbul', false],
    ['and is found by itself', 'i̇stanbul', 'İSTANBUL', true],
    ['the sign for kelvin is a k', 'kelvin', '\u212aelvin', true],
    ['a letter that only has its mark in one case', 'J\u030c', 'ǰ', true],
    ['a compatibility ideograph is the ideograph', '金属', '\uf90a属', true],
    ['a quote that is never closed is left out', '"auth', 'auth', true],
    ['an operator with nothing to work on is text', 'OR', 'this OR that', true],
  ])('%s: %s in %s', (_, query, text, isMatch) => {
    expect(matches(query, text)).toBe(isMatch);
    if (isMatch && !/-|NOT/.test(query)) expect(marked(query, text)).not.toEqual([]);
  });

  test('the title counts with every message', () => {
    expect(matches('auth module', 'the module', 'Auth')).toBe(true);
    expect(matches('auth -module', 'auth', 'module')).toBe(false);
  });

  test('a word is not found across two fields', () => {
    expect(compile('"auth module"').matches({ fields: ['auth', 'module'] })).toBe(false);
    expect(compile('auth module').matches({ fields: ['auth', 'module'] })).toBe(true);
  });

  test('a question about the message that stays open hides nothing', () => {
    expect(compile('auth is:live').matches({ fields: ['auth'] })).toBe(true);
    expect(compile('auth role:user').matches({ fields: ['auth'] }, () => false)).toBe(false);
  });
});

describe('where the words stand', () => {
  test('in the original, whatever folding does to its length', () => {
    expect(marked('회의', `İİ ${'회의록'.normalize('NFD')} 회의`)).toEqual(['회의'.normalize('NFD'), '회의']);
    expect(marked('café', 'cafe\u0301 CAFÉ')).toEqual(['cafe\u0301', 'CAFÉ']);
  });

  test('every word that is looked for, and none that is not wanted', () => {
    expect(marked('auth OR module -flow', 'auth flow module')).toEqual(['auth', 'module']);
  });

  test('overlapping ones are one', () => {
    expect(marked('회의록 의록정', '회의록정리')).toEqual(['회의록정']);
  });
});

const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      'a',
      'A',
      '회',
      '의',
      '\u1112',
      '\u1160',
      '\u11ab',
      'é',
      '\u0301',
      'İ',
      'ς',
      'Σ',
      ' ',
      '\n',
      '👍',
      '🏽',
      '가',
      '1',
      '_',
    ),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
  maxLength: 60,
});

describe('for all texts', () => {
  test('folding is the same whole or with the way back, and twice as once', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const folded = foldWithOrigin(text);
        expect(folded.text).toBe(foldText(text));
        expect(foldText(folded.text)).toBe(folded.text);
      }),
      { numRuns: 2000 },
    );
  });

  test('a text finds itself, and its ranges are in order, apart and inside of it', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (before, middle, after) => {
        const text = `${before} ${middle} ${after}`;
        const query = `"${middle.trim().replaceAll('"', '""')}"`;
        const ranges = compile(query).findRanges(text);
        let end = 0;
        for (const range of ranges) {
          expect(range.start).toBeGreaterThanOrEqual(end);
          expect(range.end).toBeGreaterThan(range.start);
          end = range.end;
        }
        expect(end).toBeLessThanOrEqual(text.length);
        const phrase = middle.trim();
        if (/^[가-힣]+$/.test(phrase)) expect(ranges).not.toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  test('matching takes time in proportion to the text', () => {
    const time = (text: string): number => {
      const matcher = compile('"a a a a a a a b" aaaab*');
      const began = performance.now();
      matcher.matches({ fields: [text] });
      matcher.findRanges(text);
      return performance.now() - began;
    };
    time('a '.repeat(1000));
    const small = Math.min(...Array.from({ length: 5 }, () => time('a '.repeat(20_000))));
    const large = Math.min(...Array.from({ length: 5 }, () => time('a '.repeat(200_000))));
    expect(large).toBeLessThan(Math.max(small, 1) * 60);
  });
});

describe('a snippet', () => {
  const snippet = (query: string, text: string) => cutSnippet(text, compile(query).findRanges(text));

  test('is one line around the first match, with its marks', () => {
    const found = snippet('needle', `${'hay '.repeat(200)}\n\n  the needle\t is here ${'hay '.repeat(200)}`);
    expect(found.text).toMatch(/^hay .*the needle is here hay/);
    expect(found.ranges.map(({ start, end }) => found.text.slice(start, end))).toEqual(['needle']);
    expect(found).toMatchObject({ isCutBefore: true, isCutAfter: true });
    expect(found.text.split(' ').length).toBeLessThanOrEqual(41);
  });

  test('of a short text is the text', () => {
    expect(snippet('회의', '회의록 정리')).toEqual({
      text: '회의록 정리',
      ranges: [{ start: 0, end: 2 }],
      isCutBefore: false,
      isCutAfter: false,
    });
  });

  test('is short where a text has no blanks, and cut at the edges of characters', () => {
    const family = '👩‍👩‍👧';
    const found = snippet('회의', family.repeat(300) + '회의' + family.repeat(300));
    expect(found.text.length).toBeLessThan(600);
    expect(found.text.replaceAll(family, '')).toBe('회의');
  });

  test('marks are inside of it and show what was found', () => {
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        const text = `${before} 桜井 ${after}`.repeat(5);
        const found = snippet('桜井', text);
        expect(found.ranges.length).toBeGreaterThan(0);
        for (const { start, end } of found.ranges)
          expect(['桜井', '桜', '井']).toContain(found.text.slice(start, end).normalize('NFC').slice(0, 2).trim());
        expect(found.text).not.toMatch(/[\n\t]/);
      }),
      { numRuns: 500 },
    );
  });
});
