import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { scrub } from '../../src/store/bin/scrub.ts';
import { openStore } from '../../src/store/client.ts';
import { checkStore } from '../../src/store/damage.ts';
import { indexPages, mergeIndexes, vacuum } from '../../src/store/housekeeping.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import type { reads, writes } from '../support/store-methods.ts';
import { bundleStoreWorkers, type StoreWorkers } from '../support/store-worker.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const sqlite = createRequire(import.meta.url).resolve('better-sqlite3');
const now = () => Date.parse('2026-06-01T12:00:00Z');

let workers: StoreWorkers;
beforeAll(async () => {
  workers = await bundleStoreWorkers({ methods: new URL('../support/store-methods.ts', import.meta.url) });
});
afterAll(() => workers.dispose());

/** A store whose index has many segments and whose file is mostly free pages. */
function usedStore(journalMode: 'wal' | 'delete' = 'wal'): string {
  const path = join(temporaryFolder(), 'state.db');
  const { db, close } = openForWriting(path, { now, journalMode });
  db.exec(`INSERT INTO sessions (id, source, started_at, title) VALUES ('s', 'cli', 1, 'kept')`);
  const add = db.prepare(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', ?, ?)`);
  for (let batch = 0; batch < 6; batch += 1) {
    db.transaction(() => {
      for (let at = 0; at < 300; at += 1) add.run(`batch${batch} message ${at} 회의록 ${'filler '.repeat(100)}`, batch * 1000 + at);
    })();
  }
  db.exec(`DELETE FROM messages WHERE id > 200`);
  close();
  return path;
}

function segments(path: string, table: string): number {
  const connection = openForReading(path, { now });
  const count = Number(connection.statement(`SELECT count(DISTINCT segid) FROM ${table}_idx`).pluck().get());
  connection.close();
  return count;
}

function inspect(path: string): { health: string; messages: number; found: number; stamp: unknown; free: number } {
  const connection = openForWriting(path, { now, timeoutMs: 1000 });
  const one = (sql: string): unknown => connection.statement(sql).pluck().get();
  const seen = {
    health: checkStore(connection).kind,
    messages: Number(one('SELECT count(*) FROM messages')),
    found: Number(one(`SELECT count(*) FROM messages_fts_trigram WHERE messages_fts_trigram MATCH '회의록'`)),
    stamp: one(`SELECT value FROM state_meta WHERE key = 'last_vacuum'`),
    free: Number(one('PRAGMA freelist_count')),
  };
  connection.close();
  return seen;
}

async function holdOpen(path: string): Promise<ChildProcess> {
  const script = `const db = new (require(${JSON.stringify(sqlite)}))(${JSON.stringify(path)}); db.prepare('SELECT 1 FROM sessions').get();
    console.log('ready'); setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  return child;
}

test('merging leaves one segment in each table, finds the same, and counts its pages upwards', () => {
  const path = usedStore();
  expect(segments(path, 'messages_fts')).toBeGreaterThan(1);
  const connection = openForWriting(path, { now });
  const total = indexPages(connection);
  const steps = [...mergeIndexes(connection)];
  expect(steps).toEqual([...steps].sort((a, b) => a - b));
  expect(steps.at(-1)).toBe(total);
  expect([...mergeIndexes(connection)]).toHaveLength(2);
  connection.close();
  expect([segments(path, 'messages_fts'), segments(path, 'messages_fts_trigram')]).toEqual([1, 1]);
  expect(inspect(path)).toMatchObject({ health: 'ok', messages: 200, found: 200 });
});

describe.each(['wal', 'delete'] as const)('VACUUM in %s mode', (mode) => {
  test('gives the free pages back, keeps every row and the journal mode, and is stamped', () => {
    const path = usedStore(mode);
    expect(inspect(path).free).toBeGreaterThan(50);
    const report = vacuum(path, { now });
    expect(report.notVacuumed).toBeUndefined();
    expect(report.bytesBefore - report.bytesAfter).toBeGreaterThan(1_000_000);
    expect(report.bytesAfter).toBe(statSync(path).size);
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(inspect(path)).toEqual({ health: 'ok', messages: 200, found: 200, stamp: String(now() / 1000), free: 0 });
    const connection = openForReading(path, { now });
    expect(connection.db.pragma('journal_mode', { simple: true })).toBe(mode);
    connection.close();
  });

  test('is left undone under another process, which is named', async () => {
    const path = usedStore(mode);
    const child = await holdOpen(path);
    const report = vacuum(path, { now, acceptUnsure: true });
    expect(report.notVacuumed).toMatchObject({ kind: 'held', by: [{ pid: child.pid }] });
    expect(report.bytesAfter).toBe(report.bytesBefore);
    expect(inspect(path)).toMatchObject({ stamp: undefined, messages: 200 });
  });
});

test('a damaged file is not written anew: what can be read of it would be all that is left', () => {
  const path = usedStore('delete');
  const connection = openForReading(path, { now });
  const leaves = connection.statement("SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf'").pluck().all() as number[];
  connection.close();
  // The rows of one page stand in another one, too.
  const bytes = readFileSync(path);
  const at = (leaf: number): number => (leaves[leaf]! - 1) * 4096;
  bytes.copy(bytes, at(1), at(0), at(0) + 4096);
  writeFileSync(path, bytes);
  expect(() => vacuum(path, { now })).toThrow(/is damaged/);
  expect(readFileSync(path).equals(bytes)).toBe(true);
  const writer = openForWriting(path, { now });
  expect(() => scrub(writer)).toThrow(/is damaged/);
  writer.close();
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

test('a process killed in the middle of VACUUM leaves a whole store', async () => {
  const path = usedStore();
  for (let round = 0; round < 6; round += 1) {
    const copy = join(temporaryFolder(), 'state.db');
    copyFileSync(path, copy);
    const script = `const db = new (require(${JSON.stringify(sqlite)}))(${JSON.stringify(copy)}); console.log('go'); for (;;) db.exec('VACUUM');`;
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
    await new Promise((resolve) => setTimeout(resolve, 3 * round));
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGKILL');
    await ended;
    expect(inspect(copy)).toMatchObject({ health: 'ok', messages: 200, found: 200 });
  }
});

describe('through the threads', () => {
  test('both tasks run in the order of the writes, beside reads', async () => {
    const path = usedStore();
    const store = openStore<typeof reads, typeof writes>({ path, workers, now });
    expect(await store.read.countMessages()).toBe(200);
    const adding = store.write.addMessage('s', 'written before');
    const merged = await store.housekeep('optimize');
    expect(merged.notVacuumed).toBeUndefined();
    await adding;
    const report = await store.housekeep('vacuum');
    expect(report.notVacuumed).toBeUndefined();
    expect(report.bytesAfter).toBeLessThan(report.bytesBefore);
    await store.write.addMessage('s', 'written after');
    expect(await store.read.countMessages()).toBe(202);
    await store.close();
    expect(inspect(path)).toMatchObject({ health: 'ok', messages: 202, free: 0 });
  });

  test('no VACUUM runs under another process, and the store stays usable', async () => {
    const path = usedStore();
    const store = openStore<typeof reads, typeof writes>({ path, workers, now });
    await store.write.addMessage('s', 'one');
    const child = await holdOpen(path);
    expect((await store.housekeep('vacuum')).notVacuumed).toMatchObject({ kind: 'held', by: [{ pid: child.pid }] });
    await store.write.addMessage('s', 'two');
    expect(await store.read.countMessages()).toBe(202);
    await store.close();
  });
});
