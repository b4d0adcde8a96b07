import { expect, test } from 'vitest';
import { grouped } from '../../src/text/grouped.ts';

test('thousands stand apart, as toLocaleString has them', () => {
  for (const count of [0, 7, 99, 999, 1_000, 12_345, 100_000, 1_234_567, 9_007_199_254_740_991, -1, -1234])
    expect(grouped(count)).toBe(count.toLocaleString('en-US'));
});
