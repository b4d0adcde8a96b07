import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readFilters } from '../../src/commands/filters.ts';
import { countAtMost } from '../../src/commands/sessions-list.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { selectLineages } from '../../src/store/reads/select.ts';
import { listForShell } from '../../src/store/reads/shell-list.ts';
import type { BenchOptions, Figure } from './figure.ts';
import { median } from './statistics.mjs';

/** Wide ones, narrow ones, ones that nothing fits. */
const filters: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'older-than': '90' },
  { 'older-than': '399' },
  { 'newer-than': '2d' },
  { before: '300d', after: '301d' },
  { source: 'telegram' },
  { source: 'nowhere' },
  { title: 'refactor' },
  { title: '리팩터링' },
  { title: 'no such title' },
  { model: 'qwen' },
  { cwd: '/home/ann/notes' },
  { workspace: 'infra' },
  { branch: 'nowhere' },
  { 'min-messages': '60' },
  { 'max-messages': '3' },
  { 'min-tokens': '999999999' },
  { 'min-tool-calls': '1', source: 'cli', 'older-than': '30' },
  { 'end-reason': 'branched' },
  { user: 'nobody' },
];

/** `sessions list` with filters: the query, on a connection that was opened before. */
export async function measure({ sizes, storeOf, runs }: BenchOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  const place = { cwd: '/', userHome: '/home/ann', now: Date.now };
  for (const size of sizes.filter((count) => count >= 10_000)) {
    const folder = mkdtempSync(path.join(tmpdir(), 'hermes-bench-select-'));
    const store = path.join(folder, 'state.db');
    cpSync(await storeOf(size), store);
    // A large store has an index of ours from the first write on.
    openForWriting(store, { now: Date.now }).close();
    const connection = openForReading(store, { now: Date.now });
    try {
      const times = filters.map((flags) => {
        const { query } = readFilters(flags, place);
        return { flags, time: timeOf(runs, () => listForShell(connection, { limit: 20, query, countAtMost })) };
      });
      const isLarge = size >= 100_000;
      const goal = isLarge ? { must: 30, aim: 10 } : {};
      for (const { flags, time } of times) {
        const name =
          Object.entries(flags)
            .map(([key, value]) => `--${key} ${value}`)
            .join(' ') || 'no filter';
        figures.push({ what: `list ${name}, ${size}`, value: `${time.toFixed(1)} ms`, score: time, unit: 'ms', ...goal });
      }
      const { query } = readFilters({ 'older-than': '90' }, place);
      const selection = { query, endedOnly: true, includeArchived: false, includePinned: false };
      const whole = timeOf(Math.min(runs, 3), () => selectLineages(connection, selection));
      figures.push({ what: `select older than 90 days, ${size}`, value: `${whole.toFixed(0)} ms`, score: whole, unit: 'ms' });
    } finally {
      connection.close();
      rmSync(folder, { recursive: true, force: true });
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
