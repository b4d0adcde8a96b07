import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { NotFoundError, StoreError } from '../../src/errors.ts';
import { openStore, type StoreOptions } from '../../src/store/client.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import type { reads, writes } from '../support/store-methods.ts';
import { bundleStoreWorkers, type StoreWorkers } from '../support/store-worker.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

let workers: StoreWorkers;
beforeAll(async () => {
  workers = await bundleStoreWorkers({ methods: new URL('../support/store-methods.ts', import.meta.url) });
});
afterAll(() => workers.dispose());

function start(options: Partial<StoreOptions> = {}) {
  const path = join(temporaryFolder(), 'state.db');
  const store = openStore<typeof reads, typeof writes>({ path, workers, ...options });
  onTestFinished(() => store.close(0));
  return { path, store };
}

async function startWithSession(options: Partial<StoreOptions> = {}) {
  const { path, store } = start(options);
  await store.write.addSession('s');
  return { path, store };
}

/** Takes the write lock the way another program would. */
function lock(path: string): { release: () => void } {
  const other = new Database(path);
  other.exec('BEGIN IMMEDIATE');
  return {
    release() {
      other.exec('COMMIT');
      other.close();
    },
  };
}

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('writing', () => {
  test('the first write makes the store, looking makes nothing', async () => {
    const { store } = start();
    await expect(store.read.countMessages()).rejects.toMatchObject({ code: 'store-missing' });
    expect(await store.dataVersion()).toBe(0);
    await store.write.addSession('s');
    await store.write.addMessage('s', '안녕');
    expect(await store.read.countMessages()).toBe(1);
  });

  test('writes are served in the order of the calls', async () => {
    const { store, path } = await startWithSession();
    await Promise.all(Array.from({ length: 200 }, (_, index) => store.write.addMessage('s', String(index))));
    const connection = openForReading(path, { now: Date.now });
    const texts = connection.db.prepare('SELECT content FROM messages ORDER BY id').pluck().all();
    connection.close();
    expect(texts).toEqual(Array.from({ length: 200 }, (_, index) => String(index)));
  });

  test('a write that fails leaves nothing of itself, and the next one works', async () => {
    const { store } = await startWithSession();
    await expect(store.write.addThenFail('s')).rejects.toThrow('Changed my mind.');
    await expect(store.write.addLater('s')).rejects.toThrow('synchronous');
    expect(await store.read.countMessages()).toBe(0);
    await store.write.addMessage('s', 'stays');
    expect(await store.read.countMessages()).toBe(1);
  });

  test('a message of a session that is gone is refused in words', async () => {
    const { store } = await startWithSession();
    await expect(store.write.addMessage('nobody', 'x')).rejects.toMatchObject({ trouble: 'refused', code: 'store-refused' });
  });

  test('a lock of another program is waited for, in the thread: the main thread stays free, nothing is lost', async () => {
    const { store, path } = await startWithSession();
    const told: string[] = [];
    store.on('waiting', () => told.push('waiting'));
    store.on('waiting-over', () => told.push('over'));
    const held = lock(path);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const all = Promise.all(['a', 'b', 'c'].map((text) => store.write.addMessage('s', text)));
    await later(1500);
    expect(told).toEqual(['waiting']);
    expect(await store.read.countMessages()).toBe(0);
    delay.disable();
    held.release();
    await all;
    expect(told).toEqual(['waiting', 'over']);
    expect(await store.read.countMessages()).toBe(3);
    // A wait inside the thread would hold it for the whole 1,500 ms.
    expect(delay.max / 1e6).toBeLessThan(750);
  });

  test('a short wait is not told', async () => {
    const { store, path } = await startWithSession();
    const told: string[] = [];
    store.on('waiting', () => told.push('waiting'));
    const held = lock(path);
    const write = store.write.addMessage('s', 'a');
    await later(60);
    held.release();
    await write;
    expect(told).toEqual([]);
  });

  test('patience ends with an error that says who is in the way', async () => {
    const { store, path } = await startWithSession({ patienceMs: 400 });
    const told: string[] = [];
    store.on('waiting-over', () => told.push('over'));
    const held = lock(path);
    await expect(store.write.addMessage('s', 'a')).rejects.toMatchObject({ trouble: 'busy' });
    held.release();
    expect(told).toEqual(['over']);
    await store.write.addMessage('s', 'b');
    expect(await store.read.countMessages()).toBe(1);
  });

  test('closing stores what is queued, then ends; closing again is the same', async () => {
    const { store, path } = await startWithSession();
    const writes = Array.from({ length: 60 }, (_, index) => store.write.addMessage('s', String(index)));
    await Promise.all([store.close(), store.close()]);
    await Promise.all(writes);
    await expect(store.write.addMessage('s', 'late')).rejects.toMatchObject({ code: 'store-refused' });
    const connection = openForReading(path, { now: Date.now });
    expect(connection.db.prepare('SELECT count(*) FROM messages').pluck().get()).toBe(60);
    connection.close();
  });

  test('closing while another program holds the lock gives up after the time allowed and says so', async () => {
    const { store, path } = await startWithSession();
    const held = lock(path);
    const write = expect(store.write.addMessage('s', 'x')).rejects.toMatchObject({ trouble: 'busy' });
    await store.close(300);
    await write;
    held.release();
  });

  test('a store that was moved away is not written to, one that was put in its place is', async () => {
    const { store, path } = await startWithSession();
    renameSync(path, `${path}.away`);
    await expect(store.write.addMessage('s', 'lost?')).rejects.toMatchObject({ trouble: 'missing' });
    await expect(store.read.countMessages()).rejects.toMatchObject({ trouble: 'missing' });
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    const other = openForWriting(path, { now: Date.now });
    other.db.exec("INSERT INTO sessions (id, source, started_at) VALUES ('s', 'tui', 1)");
    other.close();
    await store.write.addMessage('s', 'kept');
    expect(await store.read.countMessages()).toBe(1);
  });

  test('the clock of the caller is the clock of the thread', async () => {
    const { store, path } = await startWithSession({ now: () => Date.UTC(2020, 0, 1) });
    await store.write.addMessage('s', 'x');
    const connection = openForReading(path, { now: Date.now });
    expect(connection.db.prepare('SELECT timestamp FROM messages').pluck().get()).toBeCloseTo(Date.UTC(2020, 0, 1) / 1000, -2);
    connection.close();
  });

  test('the journal mode is the one asked for', async () => {
    const { store } = await startWithSession({ journalMode: 'delete' });
    expect(await store.write.journalMode()).toBe('delete');
    await store.write.addMessage('s', 'x');
    expect(await store.read.countMessages()).toBe(1);
  });
});

describe('reading', () => {
  test('errors come back as what they were', async () => {
    const { store } = await startWithSession();
    const error = await store.read.findNothing('x').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ message: 'No session x.', hint: 'Try another.', code: 'not-found' });
  });

  test('what can not be sent is an error of that call alone', async () => {
    const { store } = await startWithSession();
    await expect(store.read.giveBackFunction()).rejects.toThrow(/could not be cloned/);
    await expect(store.read.add(1, (() => 2) as unknown as number)).rejects.toThrow(/could not be cloned/);
    await expect((store.read as unknown as Record<string, () => Promise<void>>)['toString']?.()).rejects.toThrow('no store method');
    expect(await store.read.add(1, 2)).toBe(3);
  });

  test('a running statement ends at once when its caller gives up, and the thread is free for the next', async () => {
    const { store } = await startWithSession();
    await store.read.add(0, 0);
    const controller = new AbortController();
    const call = store.reading(controller.signal).countForEver();
    await later(50);
    const startedAt = performance.now();
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    expect(await store.read.add(2, 3)).toBe(5);
    // The statement itself never ends.
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });

  test('a call that was given up before its turn never runs', async () => {
    const { store } = await startWithSession();
    const controller = new AbortController();
    const first = store.reading(controller.signal).countForEver();
    const second = store.reading(controller.signal).countForEver();
    controller.abort();
    await expect(first).rejects.toThrow();
    await expect(second).rejects.toThrow();
    await expect(store.reading(controller.signal).add(1, 1)).rejects.toThrow();
    expect(await store.read.add(1, 1)).toBe(2);
  });

  test('a listing arrives in chunks, complete and in order', async () => {
    const { store } = await startWithSession();
    await Promise.all(Array.from({ length: 250 }, (_, index) => store.write.addMessage('s', String(index))));
    const sizes: number[] = [];
    const ids: number[] = [];
    for await (const chunk of store.read.listMessages(20)) {
      sizes.push(chunk.length);
      ids.push(...chunk);
    }
    expect(sizes).toEqual([...Array<number>(12).fill(20), 10]);
    expect(ids).toEqual(Array.from({ length: 250 }, (_, index) => index + 1));
  });

  test('a listing runs only a few chunks ahead of its taker, and lets other calls in between', async () => {
    const { store } = await startWithSession();
    const seen: number[] = [];
    for await (const number of store.read.numbersFrom(0)) {
      seen.push(number);
      // Endless, so any answer here proves that the thread is not stuck in it.
      expect(await store.read.add(number, 1)).toBe(number + 1);
      if (number === 30) break;
    }
    expect(seen).toEqual(Array.from({ length: 31 }, (_, index) => index));
    expect(await store.read.add(1, 1)).toBe(2);
  });

  test('an error after some chunks comes after them', async () => {
    const { store } = await startWithSession();
    const seen: number[] = [];
    const run = async () => {
      for await (const number of store.read.failAfter(12)) seen.push(number);
    };
    await expect(run()).rejects.toThrow('That was all.');
    expect(seen).toHaveLength(12);
  });

  test('the version of the data changes with every change of anybody, and only then', async () => {
    const { store, path } = await startWithSession();
    const first = await store.dataVersion();
    expect(await store.dataVersion()).toBe(first);
    await store.write.addMessage('s', 'ours');
    const second = await store.dataVersion();
    expect(second).not.toBe(first);
    const other = new Database(path);
    other.exec("UPDATE sessions SET title = 'theirs'");
    other.close();
    expect(await store.dataVersion()).not.toBe(second);
  });

  test('a column that another program adds is seen by the next read', async () => {
    const { store, path } = await startWithSession();
    expect(await store.read.columnsOf('sessions')).not.toContain('mood');
    const other = new Database(path);
    other.exec('ALTER TABLE sessions ADD COLUMN mood TEXT');
    other.close();
    expect(await store.read.columnsOf('sessions')).toContain('mood');
  });

  test('facts and health are told', async () => {
    const { store } = await startWithSession();
    expect(await store.facts()).toEqual({ version: 31, fts: 'external', hasTrigram: true });
    expect(await store.check()).toEqual({ kind: 'ok', findings: [] });
  });

  test('a thread that dies fails its calls and is replaced at the next', async () => {
    const { store } = await startWithSession();
    await expect(store.read.die()).rejects.toBeInstanceOf(StoreError);
    expect(await store.read.add(1, 1)).toBe(2);
  });
});
