import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ProgramWrites } from '../../src/app/program-writes.ts';
import { openStore } from '../../src/store/client.ts';
import { openForWriting } from '../../src/store/open.ts';
import type { Reads } from '../../src/store/reads/index.ts';
import { insertRow } from '../../src/store/writes/rows.ts';
import { openProcessTable } from '../../src/terminal/process-tree.ts';
import { bundleStoreWorkers, type StoreWorkers } from '../support/store-worker.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const now = Date.UTC(2026, 9, 20, 12);
const old = now / 1000 - 400 * 86_400;

let workers: StoreWorkers;
beforeAll(async () => {
  workers = await bundleStoreWorkers();
});
afterAll(() => workers.dispose());

/** This process, as a program that has the session open. */
function openElsewhere(home: string, id: string): void {
  const processes = openProcessTable();
  const { start } = processes.read(process.pid)!;
  const live = join(home, 'tui/live');
  mkdirSync(live, { recursive: true });
  const record = { v: 1, pid: process.pid, start, host: hostname(), boot: processes.boot, identity: 'x', label: 'tmux %3' };
  writeFileSync(join(live, `${process.pid}-${start}.json`), JSON.stringify({ ...record, sessions: [{ id, since: now, state: 'idle' }] }));
}

/** Two old sessions; one of them is opened while the lock is waited for by what is asked of the store. */
async function whileLocked<Result>(ask: (write: ReturnType<typeof start>['write']) => Promise<Result>) {
  const path = join(temporaryFolder(), 'state.db');
  const other = openForWriting(path, { now: () => now });
  for (const id of ['opened', 'free', 'young']) {
    const at = id === 'young' ? now / 1000 - 2 * 86_400 : old;
    insertRow(other, 'sessions', { id, source: 'cli', started_at: at, ended_at: at, end_reason: 'cli_close', message_count: 1 });
    insertRow(other, 'messages', { session_id: id, role: 'user', content: id, timestamp: at, active: 1 });
  }
  const store = start(path);
  other.db.exec('BEGIN IMMEDIATE');
  const waiting = new Promise<void>((resolve) => store.on('waiting', resolve));
  const asked = ask(store.write);
  await waiting;
  openElsewhere(dirname(path), 'opened');
  other.db.exec('COMMIT');
  const result = await asked;
  const left = other.db.prepare('SELECT id FROM sessions WHERE archived = 0 ORDER BY id').pluck().all();
  other.close();
  return { result, left };
}

function start(path: string) {
  const store = openStore<Reads, ProgramWrites>({ path, workers, now: () => now });
  onTestFinished(() => store.close());
  return store;
}

const policy = {
  autoPrune: true,
  retentionDays: 90,
  minIntervalHours: 24,
  autoArchive: true,
  autoArchiveDays: 90,
  trashDays: 30,
  vacuumAfterPrune: false,
  minVacuumIntervalDays: 7,
};

test.each(['moveToBin', 'eraseForever'] as const)('%s leaves a session that is opened while it waits for the lock', async (method) => {
  const { result, left } = await whileLocked((write) => write[method]({ ids: ['opened', 'free'] }));
  expect(result.moved.map(({ id }) => id)).toEqual(['free']);
  expect(result.refused.map(({ message }) => message)).toEqual([
    `Cannot delete active session: opened is open in tmux %3 (pid ${process.pid}).`,
  ]);
  expect(left).toEqual(['opened', 'young']);
});

test.each(['pruneIdle', 'archiveIdle'] as const)('%s leaves a session that is opened while it waits for the lock', async (method) => {
  const { left } = await whileLocked<unknown>((write) => write[method](policy));
  expect(left).toEqual(['opened', 'young']);
});
