import { describe, expect, test } from 'vitest';
import { printable } from '../../src/text/printable.ts';

describe('a sentence that quotes what it was given', () => {
  test.each([
    ['plain words, 한글 and 👩‍👩‍👧 stay', 'plain words, 한글 and 👩‍👩‍👧 stay', 'plain words, 한글 and 👩‍👩‍👧 stay'],
    ['an escape sequence', 'a \x1b]52;c;aGk=\x07 b', 'a ␛]52;c;aGk=␇ b'],
    ['an eight-bit sequence', 'a \x9b31m b', 'a \ufffd31m b'],
    ['a bidi override', 'a \u202e b', 'a \ufffd b'],
    ['half a character', 'a \ud800 b', 'a \ufffd b'],
    ['NUL, delete and carriage return', '\x00 \x7f \r', '␀ \ufffd ␍'],
    ['lines stay lines', 'one\n\ttwo', 'one\n two'],
  ])('%s', (_, given, shown) => expect(printable(given)).toBe(shown));

  test('a megabyte is cut in the middle, the sentence around it stays', () => {
    const shown = printable(`There is no '${'x'.repeat(1_000_000)}' here.\nTry another.`);
    expect(shown.length).toBeLessThan(2100);
    expect(shown).toMatch(/^There is no 'x+ … x+' here\.\nTry another\.$/u);
  });
});
