import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Context } from '../../src/app/tui/context.ts';
import { createPickerRows } from '../../src/app/tui/picker-rows.ts';
import { openStore } from '../../src/store/client.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { changedRows } from '../../src/store/reads/changed-rows.ts';
import { listRows } from '../../src/store/reads/list-rows.ts';
import { setTitle } from '../../src/store/writes/titles.ts';
import type { SessionsAction, SessionsState } from '../../src/ui/screens/sessions/index.ts';
import type { BenchOptions, Figure } from './figure.ts';
import { median } from './statistics.mjs';

const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** From another program's commit to the changed row in the list's hands, and what the reader's thread pays for finding it. */
export async function measure({ runs, sizes, storeOf }: BenchOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of sizes.filter((count) => count >= 10_000)) {
    const folder = mkdtempSync(path.join(tmpdir(), 'hermes-refresh-'));
    try {
      const file = path.join(folder, 'state.db');
      cpSync(await storeOf(size), file);
      const isLarge = size >= 100_000;
      const compared = median(comparisons(file, runs));
      figures.push({
        what: `comparing rows after a foreign write, ${size}`,
        value: milliseconds(compared),
        score: compared,
        unit: 'ms',
        must: isLarge ? 100 : 10,
      });
      const told = await untilTold(file, folder, Math.max(7, runs));
      const usual = median(told);
      figures.push({
        what: `foreign write to changed row, ${size}`,
        value: milliseconds(usual),
        score: usual,
        unit: 'ms',
        must: 250,
        aim: 100,
      });
      const slowest = Math.max(...told);
      figures.push({
        what: `  the slowest of ${told.length}, ${size}`,
        value: milliseconds(slowest),
        score: slowest,
        unit: 'ms',
        must: 250,
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return figures;
}

function comparisons(file: string, runs: number): number[] {
  const writer = openForWriting(file, { now: Date.now });
  const reader = openForReading(file, { now: Date.now, role: 'reader' });
  try {
    const ids = writer.db.prepare('SELECT id FROM sessions ORDER BY started_at DESC LIMIT 100').pluck().all() as string[];
    let marker = 0;
    for (const chunk of listRows(reader)) if (chunk.type === 'counts') marker = chunk.marker;
    return Array.from({ length: Math.max(7, runs) }, (_, run) => {
      setTitle(writer, ids[run % ids.length]!, `compared ${run}`, 'user');
      const began = performance.now();
      const changes = changedRows(reader, marker);
      const took = performance.now() - began;
      if (changes?.rows.length !== 1) throw new Error('one row was changed');
      return took;
    });
  } finally {
    reader.close();
    writer.close();
  }
}

async function untilTold(file: string, folder: string, runs: number): Promise<number[]> {
  const workers = (name: string): URL => pathToFileURL(path.resolve('dist', `store-${name}.js`));
  const store = openStore({ path: file, workers: { reader: workers('reader'), writer: workers('writer') } });
  mkdirSync(path.join(folder, 'tui', 'live'), { recursive: true });
  let heard: ((action: SessionsAction) => void) | undefined;
  let isOver = false;
  const list = { loading: { state: 'done', token: 0 }, revealed: 'all' } as unknown as SessionsState;
  const context = {
    store,
    run: { now: Date.now, home: { path: folder, storePath: file } },
    register: { self: { pid: 0, start: 0, host: '' }, read: () => ({ records: [] }) },
    desk: { all: () => [] },
    log: {
      error: (_: string, error: unknown) => {
        // The last look may still be under way when the store is closed.
        if (!isOver) throw error;
      },
    },
  } as unknown as Context;
  const rows = createPickerRows(context, { shown: () => list, tell: (action) => heard?.(action), only: () => ({}) });
  const writer = openForWriting(file, { now: Date.now });
  // Nothing that waits for a change keeps a process alive.
  const awake = setInterval(() => undefined, 1000);
  try {
    await rows.load(0);
    rows.watch();
    await pause(200);
    const ids = writer.db.prepare('SELECT id FROM sessions ORDER BY started_at DESC LIMIT 100').pluck().all() as string[];
    const times: number[] = [];
    for (let run = 0; run < runs; run++) {
      // Between two looks of the poll, so that the system's word is what is measured.
      await pause(450);
      const began = performance.now();
      const told = new Promise<number>((resolve) => {
        heard = (action) => {
          if (action.type === 'rows-changed') resolve(performance.now() - began);
        };
      });
      setTitle(writer, ids[run]!, `told ${run}`, 'user');
      times.push(await told);
    }
    return times;
  } finally {
    clearInterval(awake);
    isOver = true;
    rows.stop();
    writer.close();
    await store.close();
  }
}
