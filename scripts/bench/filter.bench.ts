import { openForReading } from '../../src/store/open.ts';
import { listRows } from '../../src/store/reads/list-rows.ts';
import type { SessionRow } from '../../src/session/types.ts';
import { unicodeGlyphs } from '../../src/ui/screen.ts';
import {
  createSessions,
  createSessionsScreen,
  loadFuzzyMatch,
  type SessionsEffect,
  type SessionsState,
} from '../../src/ui/screens/sessions/index.ts';
import type { BenchOptions, Figure } from './figure.ts';
import { median } from './statistics.mjs';

const queries = ['refactor', 'cart', '리팩터링', 'flaky test', 'telegram', '認証', 'shop-mobile'];
const milliseconds = (value: number): string => `${value.toFixed(2)} ms`;

/** Key to first filtered frame, and to the last match, in the picker with every row of the store in memory. */
export async function measure({ sizes, storeOf }: BenchOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of sizes.filter((count) => count >= 10_000)) {
    const rows = readRows(await storeOf(size));
    const frames: number[] = [];
    const wholes: number[] = [];
    const picker = await openPicker(rows);
    for (const query of queries) {
      for (const letter of query) {
        const began = performance.now();
        picker.type(letter);
        frames.push(performance.now() - began);
        // With the pauses between slices left out: what is measured is the work, not the timer.
        picker.finish();
        wholes.push(performance.now() - began);
      }
      picker.clear(query.length);
    }
    const isLarge = size >= 100_000;
    const frame = median(frames);
    figures.push({
      what: `key to first filtered frame, ${size}`,
      value: milliseconds(frame),
      score: frame,
      unit: 'ms',
      must: isLarge ? 50 : 16,
      aim: isLarge ? 20 : 8,
    });
    const slowest = Math.max(...frames);
    figures.push({ what: `  the slowest of ${frames.length} keys, ${size}`, value: milliseconds(slowest), score: slowest, unit: 'ms' });
    const whole = median(wholes);
    figures.push({ what: `key to all matches, ${size}`, value: milliseconds(whole), score: whole, unit: 'ms', must: 150, aim: 60 });
  }
  return figures;
}

function readRows(store: string): SessionRow[] {
  const connection = openForReading(store, { now: Date.now });
  try {
    const rows: SessionRow[] = [];
    for (const chunk of listRows(connection)) if (chunk.type === 'rows') rows.push(...chunk.rows);
    return rows;
  } finally {
    connection.close();
  }
}

async function openPicker(rows: readonly SessionRow[]) {
  const screen = createSessionsScreen({ clock: () => performance.now() });
  const context = { width: 200, height: 50, now: Date.now(), userHome: '/home/ann', glyphs: unicodeGlyphs };
  let state: SessionsState = createSessions({ keys: ['/home/ann/code/shop'], isRepository: true });
  let pending: SessionsEffect[] = [];
  type Action = Parameters<typeof screen.update>[1];
  const act = (action: Action): void => {
    const next = screen.update(state, action);
    state = next.state;
    pending.push(...next.effects);
  };
  const finish = (): void => {
    for (let effect = pending.shift(); effect !== undefined; effect = pending.shift()) {
      if (effect.type === 'continue-filter') act({ type: 'continue-filter', token: effect.token });
    }
  };
  act({ type: 'command', id: 'list.scope' });
  act({ type: 'resize', width: context.width, height: context.height });
  act({ type: 'loaded', what: 'fuzzy', match: await loadFuzzyMatch() });
  act({ type: 'loaded', what: 'rows', token: state.loading.token, rows, isLast: true, now: context.now });
  finish();
  pending = [];
  return {
    type(letter: string): void {
      act({ type: 'text', text: letter });
      screen.view(state, context);
    },
    finish,
    clear(count: number): void {
      for (let left = count; left > 0; left--) act({ type: 'command', id: 'edit.backspace' });
      finish();
    },
  };
}
