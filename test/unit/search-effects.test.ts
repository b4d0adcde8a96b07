import { describe, expect, it, vi } from 'vitest';
import { StoreError } from '../../src/errors.ts';
import type { Context } from '../../src/app/tui/context.ts';
import { createSearchEffects } from '../../src/app/tui/search-effects.ts';
import { everything } from '../../src/session/query.ts';
import type { RootAction } from '../../src/ui/root/model.ts';
import { createSearch, type SearchEffect } from '../../src/ui/screens/search/index.ts';

const place = { keys: ['/work'], isRepository: true };
const effect = (token: number): SearchEffect => ({
  type: 'search',
  token,
  query: everything,
  sort: 'best',
  limit: 60,
  scope: 'everywhere',
  place,
});

/** The effects with a store whose searches are told what to do. */
function open(search: (signal: AbortSignal) => AsyncIterable<unknown>, options: { hasSession?: boolean } = {}) {
  const told: unknown[] = [];
  const work: Promise<unknown>[] = [];
  const loop = {
    state: () => ({ stack: [{ name: 'search', state: createSearch(place) }] }),
    dispatch: (action: RootAction) => told.push(action.type === 'to' ? action.action : action),
  };
  const context = {
    loop: () => loop,
    store: { dataVersion: () => Promise.resolve(0), reading: (signal: AbortSignal) => ({ search: () => search(signal) }) },
    run: { now: () => 0 },
    register: { read: () => ({ records: [] }) },
    desk: { all: () => [{ seat: { id: () => (options.hasSession === true ? 's' : undefined) } }] },
    track: (promise: Promise<unknown>) => work.push(promise),
  };
  const effects = createSearchEffects(context as unknown as Context);
  return { effects, told, settled: () => Promise.all(work) };
}

/** A statement that runs until it is stopped. */
async function* endless(signal: AbortSignal): AsyncGenerator<unknown> {
  yield { type: 'results', results: [], lineages: 1, hits: 1 };
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}

const failing = (error: Error) =>
  async function* (): AsyncGenerator<unknown> {
    await Promise.resolve();
    throw error;
  };

describe('a search that is under way', () => {
  it('is stopped by the next one, which alone is answered from then on', async () => {
    const signals: AbortSignal[] = [];
    const { effects, told, settled } = open((signal) => {
      signals.push(signal);
      return endless(signal);
    });
    effects.run(effect(1));
    await vi.waitFor(() => expect(told).toHaveLength(1));
    effects.run(effect(2));
    await vi.waitFor(() => expect(told).toHaveLength(2));
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false]);
    effects.run({ type: 'stop' });
    await settled();
    expect(signals.every((signal) => signal.aborted)).toBe(true);
    // What was stopped is no failure.
    expect(told.map((action) => (action as { token: number }).token)).toEqual([1, 2]);
  });
});

describe('a store that fails', () => {
  it('is said with what helps', async () => {
    const { effects, told, settled } = open(failing(new StoreError('corrupt', 'It is damaged', { hint: 'repair it' })));
    effects.run(effect(1));
    await settled();
    expect(told).toEqual([{ type: 'failed', what: 'search', token: 1, message: 'It is damaged', hint: 'repair it' }]);
  });

  it('because there is none yet means that nothing was said, unless there was one', async () => {
    const missing = failing(new StoreError('missing', 'no store'));
    const fresh = open(missing);
    fresh.effects.run(effect(1));
    await fresh.settled();
    expect(fresh.told.map((action) => (action as { what: string }).what)).toEqual(['results', 'done']);
    const gone = open(missing, { hasSession: true });
    gone.effects.run(effect(1));
    await gone.settled();
    expect(gone.told).toEqual([expect.objectContaining({ type: 'failed', message: 'no store' })]);
  });

  it('with a fault of ours is not hidden', async () => {
    const { effects, settled } = open(failing(new TypeError('a fault')));
    effects.run(effect(1));
    await expect(settled()).rejects.toThrow('a fault');
  });
});
