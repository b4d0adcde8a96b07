import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRandom } from '../../../fixtures/random.ts';
import { binEntries } from '../../../src/store/bin/entries.ts';
import { moveToBin, restoreFromBin } from '../../../src/store/bin/index.ts';
import { openForWriting } from '../../../src/store/open.ts';
import { insertRow } from '../../../src/store/writes/rows.ts';
import { cellsOf, changing, indexChecks } from '../../support/bin.ts';
import { bundleStoreWorkers, type StoreWorkers } from '../../support/store-worker.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

/** Kills per operation, spread over its steps; and at moments nobody chose. */
const killsAtSteps = 20;
const killsAtRandom = 8;

const ids = ['tip', 'alone'];
/** Segments and sub-agents of both. */
const all = ['root', 'tip', 'helper', 'alone'];
const draft = 'tui/drafts/tip.json';

let workers: StoreWorkers;
let program: string;
beforeAll(async () => {
  workers = await bundleStoreWorkers({ extra: new URL('../../support/bin-process.ts', import.meta.url) });
  program = fileURLToPath(workers.extra!);
});
afterAll(() => workers.dispose());

function makeHome(messagesEach: number): string {
  const home = temporaryFolder();
  changing(join(home, 'state.db'), (connection) => {
    const session = (id: string, values: Record<string, unknown> = {}): void => {
      insertRow(connection, 'sessions', {
        id,
        source: 'cli',
        started_at: 1_790_000_000,
        model_config: '{}',
        message_count: messagesEach,
        ...values,
      });
      for (let index = 0; index < messagesEach; index += 1) {
        insertRow(connection, 'messages', {
          session_id: id,
          role: 'user',
          content: `words of ${id} ${index} 회의록`,
          timestamp: 1_790_000_000 + index,
        });
      }
    };
    session('root', { ended_at: 1_790_000_100, end_reason: 'compression' });
    session('tip', { parent_session_id: 'root', started_at: 1_790_000_100, title: 'a title', pinned: 1 });
    session('helper', { parent_session_id: 'tip', model_config: '{"_delegate_from":"tip"}' });
    session('branch', { parent_session_id: 'root', model_config: '{"_branched_from":"root"}' });
    session('alone');
    session('other');
  });
  mkdirSync(join(home, 'tui/drafts'), { recursive: true });
  writeFileSync(join(home, draft), '{"v":1}');
  return home;
}

function look(home: string) {
  const connection = openForWriting(join(home, 'state.db'), { now: Date.now });
  try {
    const stored = connection.db.prepare<[], string>('SELECT id FROM sessions').pluck().all();
    return {
      cells: cellsOf(connection),
      checks: indexChecks(connection),
      isSound: connection.db.pragma('integrity_check', { simple: true }) === 'ok',
      stored: all.filter((id) => stored.includes(id)),
      inBin: binEntries(connection)
        .map(({ id }) => id)
        .sort(),
    };
  } finally {
    connection.close();
  }
}

/** What must hold whenever the process was killed: each session is in one place or the other, whole. */
function expectOneOrTheOther(home: string, before: ReturnType<typeof look>, outcome: 'moving' | 'erasing' | 'emptying'): void {
  const found = look(home);
  expect(found.isSound).toBe(true);
  expect(found.checks).toEqual({ messages_fts: 'ok', messages_fts_trigram: 'ok' });
  if (found.stored.length > 0) {
    expect(found.stored).toEqual(all);
    expect(found.inBin).toEqual([]);
    expect(found.cells).toEqual(before.cells);
  } else if (outcome === 'moving' || found.inBin.length > 0) {
    expect(found.inBin).toEqual([...ids].sort());
    changing(join(home, 'state.db'), (connection) => restoreFromBin(connection, ids));
    const back = look(home);
    expect(back.cells).toEqual(before.cells);
    expect(back.inBin).toEqual([]);
  }
  // The next change of the bin takes the files where they belong, whatever was cut off.
  if (outcome === 'moving') {
    changing(join(home, 'state.db'), (connection) => moveToBin(connection, { ids: ['other'], held: {} }));
    expect(existsSync(join(home, draft))).toBe(true);
    changing(join(home, 'state.db'), (connection) => moveToBin(connection, { ids: ['tip'], held: {} }));
    expect(existsSync(join(home, draft))).toBe(false);
  }
}

const operations = [
  ['move', 'moving', false],
  ['restore', 'moving', true],
  ['erase', 'erasing', false],
  ['empty', 'emptying', true],
] as const;

describe.each(operations)('a process killed while it does: %s', (operation, outcome, isInBin) => {
  /** A home of its own for each kill, all alike. */
  function prepare(messagesEach: number) {
    const made = makeHome(messagesEach);
    const before = look(made);
    if (isInBin) changing(join(made, 'state.db'), (connection) => moveToBin(connection, { ids, held: {} }));
    return {
      before,
      copy(): string {
        const home = temporaryFolder();
        cpSync(made, home, { recursive: true });
        return home;
      },
    };
  }
  const args = (home: string, step: number): string[] => [program, operation, join(home, 'state.db'), String(step), JSON.stringify(ids)];

  test('at any step of it', { timeout: 180_000 }, () => {
    const { before, copy } = prepare(3);
    const whole = spawnSync(process.execPath, args(copy(), 0), { encoding: 'utf8' });
    expect(whole.stderr).toBe('');
    const steps = Number(whole.stdout.trim().split('\n').at(-1));
    expect(steps).toBeGreaterThan(10);
    const stride = Math.max(1, steps / killsAtSteps);
    for (let at = 1; at <= steps; at += stride) {
      const home = copy();
      const run = spawnSync(process.execPath, args(home, Math.floor(at)), { encoding: 'utf8' });
      expect(run.signal, `step ${Math.floor(at)} of ${steps}\n${run.stderr}`).toBe('SIGKILL');
      expectOneOrTheOther(home, before, outcome);
    }
  });

  test('at any moment', { timeout: 180_000 }, async () => {
    const { before, copy } = prepare(300);
    const random = createRandom(11);
    const longest = await timeOf(args(copy(), 0));
    for (let kill = 0; kill < killsAtRandom; kill += 1) {
      const home = copy();
      await timeOf(args(home, 0), random.between(0, Math.ceil(longest)));
      expectOneOrTheOther(home, before, outcome);
    }
  });
});

/** Milliseconds from `ready` to the end; the process is killed after `killAfterMs` of them. */
function timeOf(args: readonly string[], killAfterMs?: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let startedAt = 0;
    child.stdout.once('data', () => {
      startedAt = performance.now();
      if (killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    });
    child.on('error', reject);
    child.on('exit', () => resolve(performance.now() - startedAt));
  });
}
