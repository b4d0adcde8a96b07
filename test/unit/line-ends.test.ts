import { expect, test } from 'vitest';
import { messageLines } from '../../src/commands/transcript-text.ts';
import type { Message } from '../../src/session/types.ts';
import { withoutLastBreaks } from '../../src/text/line-ends.ts';
import { slugOf } from '../../src/transfer/file-names.ts';

test.each([
  ['a', 'a'],
  ['a\n\n', 'a'],
  ['\n\n', ''],
  ['', ''],
  ['a\n b\r\n', 'a\n b\r'],
])('%j without its last breaks is %j', (text, expected) => {
  expect(withoutLastBreaks(text)).toBe(expected);
});

/** A pattern that begins anew at each character of a run takes half a minute for these. */
const run = 300_000;

test.each<[string, () => unknown]>([
  ['breaks inside of a text', () => withoutLastBreaks(`${'\n'.repeat(run)}x`)],
  [
    'blanks inside of a message',
    () => messageLines({ role: 'user', text: `${' '.repeat(run)}x`, timestamp: 0, toolCalls: [] } as unknown as Message),
  ],
  ['dots inside of a title', () => slugOf(`a${'.'.repeat(run)}b`)],
])('a long run costs its length: %s', (_, act) => {
  const began = performance.now();
  act();
  expect(performance.now() - began).toBeLessThan(2_000);
});
