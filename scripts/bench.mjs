#!/usr/bin/env node
/**
 * `npm run bench [-- --only start,list,panel,filter] [--sizes 1000,10000] [--runs 7] [--idle 60]`: measures the built program and prints a table;
 * every figure is a median of at least `runs`, and ratios are taken to baselines of the same run. What runs inside the process is measured
 * by the files in scripts/bench/*.bench.ts, each exporting `measure(options): Promise<Figure[]>` (scripts/bench/figure.ts).
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import {
  measureBaselines,
  measureChat,
  measureList,
  measureLongSession,
  measureOpenAtHit,
  measurePicker,
  measureSearchPanel,
  warmUp,
} from './bench/program.mjs';
import { printTable } from './bench/print-table.mjs';
import { buildIfOlder, install, root } from './fresh.mjs';
import { importSource } from './import-source.mjs';
import { cachedStore } from './make-store.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    sizes: { type: 'string', default: '1000,10000,100000' },
    runs: { type: 'string', default: '7' },
    idle: { type: 'string', default: '60' },
  },
});
const runs = Math.max(1, Number(values.runs));
const sizes = values.sizes.split(',').map(Number);
const only = values.only?.split(',');
const isWanted = (name) => only === undefined || only.includes(name);

install();
buildIfOlder();
const { default: Database } = await import('better-sqlite3');

const folder = mkdtempSync(path.join(tmpdir(), 'hermes-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** A home with a store of its own to write to: the cached one stays as it is. */
async function makeHome(recipe) {
  const home = path.join(folder, `home-${recipe.sessions}x${recipe.messagesPerSession ?? 20}`);
  const store = path.join(home, 'state.db');
  const cached = await cachedStore(recipe);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  cpSync(cached, store);
  placeNewest(store, path.join(home, 'shop'));
  return home;
}

/** The directories of made conversations do not exist: the newest ones move to one that does, so that they are gone on with where they were. */
function placeNewest(store, directory) {
  mkdirSync(directory, { recursive: true });
  const db = new Database(store);
  db.prepare(
    'UPDATE sessions SET cwd = ?, git_repo_root = NULL WHERE rowid IN (SELECT rowid FROM sessions ORDER BY started_at DESC LIMIT 200)',
  ).run(directory);
  db.close();
}

const figures = [];
const faults = [];
async function collect(name, measure) {
  if (!isWanted(name)) return;
  process.stderr.write(`measuring ${name} …\n`);
  try {
    figures.push(...(await measure()));
  } catch (error) {
    faults.push(`${name}: ${error.message}`);
  }
}

const smallHome = await makeHome({ sessions: sizes[0] });
await warmUp(smallHome);
figures.push(...(await measureBaselines(path.join(smallHome, 'state.db'), runs)));
for (const size of sizes) {
  const recipe = { sessions: size, hasSearchIndex: size <= 10_000 };
  const home = size === sizes[0] ? smallHome : await makeHome(recipe);
  await collect('start', () => measurePicker(home, size, { runs }));
  await collect('continue', () => measureChat(home, size, { runs, idleSeconds: size === 10_000 ? Number(values.idle) : 0 }));
  await collect('list', () => measureList(home, size, { runs }));
}
for (const [messages, sessions] of [
  ['200k', 10_000],
  ['1M', 50_000],
]) {
  if (Math.max(...sizes) < sessions) continue;
  await collect('panel', async () => measureSearchPanel(await makeHome({ sessions, hasSearchIndex: true }), messages));
}
await collect('panel', async () => measureOpenAtHit(await makeHome({ sessions: 3, messagesPerSession: 15_000 }), { runs }));
await collect('long', async () => measureLongSession(await makeHome({ sessions: 3, messagesPerSession: 15_000 }), { runs }));
for (const file of readdirSync(path.join(root, 'scripts/bench')).filter((name) => name.endsWith('.bench.ts'))) {
  await collect(file.replace('.bench.ts', ''), async () => {
    const { measure } = await importSource([`scripts/bench/${file}`]);
    return measure({ runs, sizes, storeOf: (size, hasSearchIndex = size <= 10_000) => cachedStore({ sessions: size, hasSearchIndex }) });
  });
}

printTable(figures);
for (const fault of faults) process.stdout.write(`not measured: ${fault}\n`);
process.exitCode = faults.length > 0 || figures.some((figure) => figure.must !== undefined && figure.score > figure.must) ? 1 : 0;
