import { describe, expect, test } from 'vitest';
import { printTable } from '../../scripts/bench/print-table.mjs';
import { median, percentile } from '../../scripts/bench/statistics.mjs';

describe('figures of the bench', () => {
  test('the middle value, whatever the order', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2);
    expect(median([7])).toBe(7);
  });

  test('a percentile is a value that was measured', () => {
    const values = Array.from({ length: 100 }, (_, index) => index + 1);
    expect(percentile(values, 0.99)).toBe(99);
    expect(percentile([3], 0.99)).toBe(3);
  });

  test('the table says what is over its limit and what reached its aim', () => {
    let text = '';
    printTable(
      [
        { what: 'node -e 0', value: '60 ms', score: 1, unit: 'x' },
        { what: 'fast', value: '90 ms', score: 1.5, unit: 'x', must: 2.5, aim: 1.7 },
        { what: 'middling', value: '120 ms', score: 2, unit: 'x', must: 2.5, aim: 1.7 },
        { what: 'slow', value: '51 ms', score: 51, unit: 'ms', must: 50, aim: 20 },
      ],
      (part: string) => (text += part),
    );
    const lines = text.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/\s{2,}/).at(-1))).toEqual(['aim', expect.stringContaining('─'), '1.00 x', '✓', 'ok', 'over']);
  });
});
