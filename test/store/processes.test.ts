import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { bundleStoreWorkers, type StoreWorkers } from '../support/store-worker.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

let workers: StoreWorkers;
beforeAll(async () => {
  const support = (name: string) => new URL(`../support/${name}`, import.meta.url);
  workers = await bundleStoreWorkers({ methods: support('store-methods.ts'), extra: support('store-process.ts') });
});
afterAll(() => workers.dispose());

function start(command: string, path: string, ...more: string[]) {
  const script = fileURLToPath(workers.extra as URL);
  const child = spawn(process.execPath, [script, command, path, workers.reader.href, workers.writer.href, ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.on('exit', (code, signal) => resolve({ code, signal })),
  );
  return { child, lines, ended };
}

function inspect(path: string) {
  const connection = openForWriting(path, { now: Date.now });
  const { db } = connection;
  const check = (table: string) => db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', 1)`).run();
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  check('messages_fts');
  check('messages_fts_trigram');
  const rows = db.prepare<[], { session_id: string; content: string }>('SELECT session_id, content FROM messages ORDER BY id').all();
  const counts = db.prepare<[], number>('SELECT message_count FROM sessions ORDER BY id').pluck().all();
  connection.close();
  return { rows, counts };
}

test('eight processes with 200 messages each share one store, begun by all of them at once', { timeout: 120_000 }, async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'home', 'state.db');
  const names = Array.from({ length: 8 }, (_, index) => `s${index}`);
  const ends = await Promise.all(names.map((name) => start('append', path, name, '200').ended));
  expect(ends).toEqual(names.map(() => ({ code: 0, signal: null })));
  const { rows, counts } = inspect(path);
  expect(rows).toHaveLength(1600);
  expect(counts).toEqual(names.map(() => 200));
  for (const name of names) {
    const own = rows.filter((row) => row.session_id === name).map((row) => row.content);
    expect(own).toEqual(Array.from({ length: 200 }, (_, index) => `${name} message ${index} 안녕하세요`));
  }
  expect(readdirSync(join(folder, 'home')).filter((name) => name.endsWith('.new'))).toEqual([]);
});

test('a process killed while it writes leaves a sound store with everything it had confirmed', { timeout: 60_000 }, async () => {
  const path = join(temporaryFolder(), 'state.db');
  for (const stopAfter of [1, 40, 90]) {
    const { child, lines, ended } = start('append', path, `killed-${stopAfter}`, '100000');
    let confirmed = -1;
    for await (const line of lines) {
      confirmed = Number(line);
      if (confirmed >= stopAfter) break;
    }
    child.kill('SIGKILL');
    expect((await ended).signal).toBe('SIGKILL');
    const own = inspect(path).rows.filter((row) => row.session_id === `killed-${stopAfter}`);
    expect(own.length).toBeGreaterThan(confirmed);
    expect(own.map((row) => row.content)).toEqual(own.map((_, index) => `killed-${stopAfter} message ${index} 안녕하세요`));
  }
});

test('idle threads keep no process alive, and what was confirmed is there', async () => {
  const path = join(temporaryFolder(), 'state.db');
  const { lines, ended } = start('idle', path);
  const said: string[] = [];
  lines.on('line', (line) => said.push(line));
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(said).toEqual(['1']);
  const connection = openForReading(path, { now: Date.now });
  expect(connection.db.prepare('SELECT content FROM messages').pluck().all()).toEqual(['stored']);
  connection.close();
});
