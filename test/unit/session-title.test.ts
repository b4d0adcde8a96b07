import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  deriveTitle,
  maxTitleLength,
  mayRetitle,
  nextLineageTitle,
  sanitizeTitle,
  splitTitle,
  titleLength,
} from '../../src/session/title.ts';

describe('a title as it is stored', () => {
  test.each([
    ['runs of white space become one space', '  a\t\n b  ', 'a b'],
    ['control characters go', 'a\u0000b\u001b[31mc\u007f', 'ab[31mc'],
    ['invisible and bidi characters go', '\u202ea\u200bb\ufeff\u2066c\ufffc', 'abc'],
    ['lone surrogates go', 'a\ud800b\udc00c😀', 'abc😀'],
    ['a family loses its joiners, as in Hermes', '👩‍👧', '👩👧'],
    ['nothing visible is no title', ' \u200b\n\u0007', undefined],
    ['quotes and signs stay', `Q3 "alpha" & 雪's`, `Q3 "alpha" & 雪's`],
  ])('%s', (_, text, expected) => {
    expect(sanitizeTitle(text)).toBe(expected);
  });

  test('cleaning twice changes nothing', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => sanitizeTitle(sanitizeTitle(text) ?? '') === sanitizeTitle(text)));
  });
});

describe('numbered titles', () => {
  test.each([
    ['the base itself when nobody has it', 'cache', [], 'cache'],
    ['two after one', 'cache', ['cache'], 'cache #2'],
    ['one more than the highest', 'cache #2', ['cache', 'cache #2', 'cache #9'], 'cache #10'],
    ['two when only a numbered one is left', 'cache', ['cache #1'], 'cache #2'],
    ['a number without a space belongs to the base', 'cache#2', ['cache#2'], 'cache#2 #2'],
    ['words behind # are no number', 'cache', ['cache', 'cache #two'], 'cache #2'],
  ])('%s', (_, title, taken, expected) => {
    expect(nextLineageTitle(title, taken)).toBe(expected);
  });

  test('the next title keeps the limit', () => {
    const long = '가'.repeat(maxTitleLength);
    const next = nextLineageTitle(long, [long]);
    expect(titleLength(next)).toBe(maxTitleLength);
    expect(next.endsWith('가 #2')).toBe(true);
  });

  test('a title splits into base and number', () => {
    expect(splitTitle('a #12')).toEqual({ base: 'a', number: 12 });
    expect(splitTitle('a #x')).toEqual({ base: 'a #x' });
    expect(splitTitle('a #1 #2')).toEqual({ base: 'a #1', number: 2 });
  });
});

describe('who may overwrite whom', () => {
  test.each([
    ['an untitled row takes any', undefined, undefined, 'derived', true],
    ['the model over an instant one', 'x', 'derived', 'llm', true],
    ['the model not over itself', 'x', 'llm', 'llm', false],
    ['nothing automatic over a person', 'x', 'user', 'llm', false],
    ['an untold source counts as a person', 'x', undefined, 'llm', false],
    ['an unknown source ranks lowest', 'x', 'branch_fallback', 'derived', true],
    ['a person over everything', 'x', 'user', 'user', true],
  ])('%s', (_, title, titleSource, source, expected) => {
    const current = { ...(title === undefined ? {} : { title }), ...(titleSource === undefined ? {} : { titleSource }) };
    expect(mayRetitle(current, source)).toBe(expected);
  });
});

describe('the title set at once', () => {
  test.each([
    ['a short line stands as it is', 'fix the build', 'fix the build'],
    ['the first line that says something', '\n```\n---\nfix   the build\nmore', 'fix the build'],
    [
      'cut at a word behind the middle',
      'please look into the login flow and tell me what is wrong with it',
      'please look into the login flow and tell me what…',
    ],
    ['cut anywhere when the space comes too early', `word ${'x'.repeat(60)}`, `word ${'x'.repeat(43)}…`],
    ['Korean is cut at a syllable', '가'.repeat(60), `${'가'.repeat(48)}…`],
    ['a system note names nothing', '[System note: you were resumed]', undefined],
    ['a runtime note names nothing', '[Runtime note: x]', undefined],
    ['nor a summary', '[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns', undefined],
    ['nor a picture alone', '[image: a.png]', undefined],
    ['nor a control wrapper alone', '<system-reminder>x</system-reminder>', undefined],
    ['a picture with words does', '[image: a.png]\nwhat is this?', 'what is this?'],
    ['signs alone name nothing', '!!! ???', undefined],
  ])('%s', (_, opener, expected) => {
    expect(deriveTitle(opener)).toBe(expected);
  });

  test('never longer than 49, never with a broken character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const title = deriveTitle(text);
        return title === undefined || (titleLength(title) <= 49 && !title.includes('\ufffd') && Buffer.from(title).toString() === title);
      }),
    );
  });
});
