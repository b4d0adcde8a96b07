import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eraseForever, moveToBin, restoreFromBin } from '../../src/store/bin/index.ts';
import { scrub } from '../../src/store/bin/scrub.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForWriting } from '../../src/store/open.ts';
import { allLineages } from '../../src/store/reads/list-rows.ts';
import { transact } from '../../src/store/worker/transact.ts';
import type { BenchOptions, Figure } from './figure.ts';
import { median } from './statistics.mjs';

/** Sessions that are pruned of how many. */
const share = 0.55;
const mostRuns = 3;

/** Prune with the bin: lineages of more than half of the sessions, oldest first, to disk in both files; then one of them back, and erased. */
export async function measure({ runs, sizes, storeOf }: BenchOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  // Without an index a prune is nothing; larger stores are made without one.
  for (const size of sizes.filter((count) => count === 10_000)) {
    const pruned: number[] = [];
    const undone: number[] = [];
    const erased: number[] = [];
    let what = '';
    for (let run = 0; run < Math.min(runs, mostRuns); run += 1) {
      const folder = mkdtempSync(path.join(tmpdir(), 'hermes-bench-bin-'));
      try {
        const store = path.join(folder, 'state.db');
        cpSync(await storeOf(size), store);
        const connection = openForWriting(store, { now: Date.now });
        const ids = oldest(connection, size * share);
        what = `${ids.sessions} of ${size} sessions`;
        pruned.push(time(() => transact(connection.db, () => moveToBin(connection, { ids: ids.tips, held: {} }))));
        undone.push(time(() => transact(connection.db, () => restoreFromBin(connection, ids.tips.slice(0, 1)))));
        erased.push(
          time(() => {
            transact(connection.db, () => eraseForever(connection, { ids: ids.tips.slice(0, 1), held: {} }));
            scrub(connection);
          }),
        );
        connection.close();
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
    figures.push(figure(`prune to the bin, ${what}`, median(pruned), 3000, 1000));
    figures.push(figure(`  one back out of ${what}`, median(undone)));
    figures.push(figure(`  one erased for good, ${size}`, median(erased)));
  }
  return figures;
}

function figure(what: string, score: number, must?: number, aim?: number): Figure {
  const limits = must === undefined || aim === undefined ? {} : { must, aim };
  return { what, value: `${score.toFixed(0)} ms`, score, unit: 'ms', ...limits };
}

function oldest(connection: OpenConnection, count: number): { tips: string[]; sessions: number } {
  const lineages = allLineages(connection).sort((a, b) => a.lastActive - b.lastActive);
  const tips: string[] = [];
  let sessions = 0;
  for (const lineage of lineages) {
    if (sessions >= count) break;
    tips.push(lineage.tip.id);
    sessions += lineage.segments.length;
  }
  return { tips, sessions };
}

function time(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
