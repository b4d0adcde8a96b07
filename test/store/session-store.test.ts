import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildEra } from '../../fixtures/eras/build.ts';
import { ERAS } from '../../fixtures/eras/eras.ts';
import type { SessionStore } from '../../src/store/api.ts';
import { openStore } from '../../src/store/client.ts';
import { bundleStoreWorkers, type StoreWorkers } from '../support/store-worker.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

let workers: StoreWorkers;
beforeAll(async () => {
  workers = await bundleStoreWorkers();
});
afterAll(() => workers.dispose());

function start(path: string): SessionStore {
  const store = openStore({ path, workers });
  onTestFinished(() => store.close(0));
  return store;
}

test('a conversation goes into the store and comes back, through both threads', async () => {
  const store = start(join(temporaryFolder(), 'home', 'state.db'));
  const session = await store.write.createSession({ source: 'tui', cwd: '/home/ann/code/shop', title: '결제 모듈' });
  const message = await store.write.appendMessage(session.id, { role: 'user', content: '안녕하세요 👩‍👩‍👧' });
  expect(message.text).toBe('안녕하세요 👩‍👩‍👧');
  expect(await store.read.sessionById(session.id)).toMatchObject({ id: session.id, title: '결제 모듈', messageCount: 1, source: 'tui' });
  const kinds: string[] = [];
  for await (const chunk of store.read.listRows()) kinds.push(chunk.type);
  expect(kinds.slice(0, 2)).toEqual(['counts', 'rows']);
  expect(await store.check()).toEqual({ kind: 'ok', findings: [] });
});

test('a closed store refuses a stream as it refuses a call', async () => {
  const store = start(join(temporaryFolder(), 'home', 'state.db'));
  await store.close();
  await expect(store.read.rowCounts()).rejects.toMatchObject({ trouble: 'refused' });
  const readOn = async (): Promise<void> => {
    for await (const chunk of store.read.listRows()) expect(chunk).toBeUndefined();
  };
  await expect(readOn()).rejects.toMatchObject({ trouble: 'refused' });
});

test.each(ERAS)('a session of version %i is listed, continued, renamed and pinned', async (era) => {
  const path = join(temporaryFolder(), 'state.db');
  buildEra(path, era);
  const store = start(path);
  const id = '20260303_090000_dddd01';
  expect(await store.read.sessionById(id)).toMatchObject({ id });
  await store.write.appendMessage(id, { role: 'user', content: 'and now?' });
  await store.write.renameSession(id, 'Accounts');
  await store.write.setPinned(id, true);
  const rows = [];
  for await (const chunk of store.read.listRows()) if (chunk.type === 'rows') rows.push(...chunk.rows);
  expect(rows.find((row) => row.id === id)).toMatchObject({ title: 'Accounts', pinned: true });
  expect(await store.facts()).toMatchObject({ version: era });
  expect(await store.check()).toEqual({ kind: 'ok', findings: [] });
});
