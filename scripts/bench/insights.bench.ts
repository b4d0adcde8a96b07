import { openForReading } from '../../src/store/open.ts';
import { insights } from '../../src/store/reads/insights.ts';
import type { BenchOptions, Figure } from './figure.ts';
import { median } from './statistics.mjs';

/** `hermes insights`: the read, on a connection that was opened before; 500 days hold every session of the store, 30 what is asked for by default. */
export async function measure({ sizes, storeOf, runs }: BenchOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of sizes.filter((count) => count >= 1_000)) {
    const connection = openForReading(await storeOf(size), { now: Date.now });
    try {
      for (const days of [500, 200, 30]) {
        const goal = size === 10_000 ? { must: 150, aim: 60 } : {};
        const time = timeOf(runs, () => insights(connection, { days }));
        figures.push({ what: `insights over ${days} days, ${size}`, value: `${time.toFixed(0)} ms`, score: time, unit: 'ms', ...goal });
      }
    } finally {
      connection.close();
    }
  }
  return figures;
}

function timeOf(runs: number, work: () => void): number {
  work();
  const times = Array.from({ length: runs }, () => {
    const began = performance.now();
    work();
    return performance.now() - began;
  });
  return median(times);
}
