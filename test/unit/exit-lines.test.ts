import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { exitLines } from '../../src/session/exit-lines.ts';
import { formatClock, formatDuration, formatTokens } from '../../src/text/duration.ts';
import { shellQuote } from '../../src/text/shell-quote.ts';

describe('the lines that stand below after leaving', () => {
  it('are none when nothing was said', () => {
    expect(exitLines({ id: '20250305_091523_a1b2c3', messageCount: 0, durationMs: 60_000 })).toEqual([]);
  });

  it('name the id, the title quoted, the count and the time', () => {
    expect(
      exitLines({ id: '20250305_091523_a1b2c3', title: 'refactoring auth', profile: 'work', messageCount: 14, durationMs: 12 * 60_000 }),
    ).toEqual([
      'Resume this session with:  hermes --resume 20250305_091523_a1b2c3 -p work',
      "                       or  hermes -c 'refactoring auth' -p work",
      '14 messages, 12 min',
    ]);
  });

  it('say one message in the singular', () => {
    expect(exitLines({ id: 'x', messageCount: 1, durationMs: 4000 }).at(-1)).toBe('1 message, 4 s');
  });
});

describe('shell quoting', () => {
  const words = ['plain', '', "it's", 'Q3 "alpha" & 雪\'s', '$HOME `id` \\ ! * ?', '-rf', "a\\'b", '\\\\', 'línea — 결제', '~', 'a\tb'];
  it.each(words)('sh reads %j back as it was', (word) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellQuote(word)}`], { encoding: 'utf8' })).toBe(word);
    expect(execFileSync('bash', ['-c', `printf %s ${shellQuote(word)}`], { encoding: 'utf8' })).toBe(word);
  });
});

describe('times and sizes', () => {
  it.each([
    [0, '0 s'],
    [59_499, '59 s'],
    [60_000, '1 min'],
    [3_600_000, '1 h'],
    [3_900_000, '1 h 5 min'],
    [90_000_000, '1 d 1 h'],
  ])('%i ms is %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  it.each([
    [32_900, '32s'],
    [185_000, '3m 05s'],
    [3_725_000, '1h 02m'],
  ])('a turn of %i ms shows %s', (ms, text) => expect(formatClock(ms)).toBe(text));

  it.each([
    [950, '950'],
    [12_400, '12.4k'],
    [200_000, '200k'],
    [1_240_000, '1.2M'],
  ])('%i tokens are %s', (count, text) => expect(formatTokens(count)).toBe(text));
});
