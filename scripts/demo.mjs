#!/usr/bin/env node
/**
 * `npm run demo [-- arguments]`: opens the program in a throw-away home with two dozen conversations, folders they worked in and a scripted
 * model on this machine. Your own `~/.hermes` is not looked at. Everything is removed when the program ends.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeFolders, writeConfig } from './demo-home.mjs';
import { buildIfOlder, install, root } from './fresh.mjs';

/** @returns {Promise<number>} exit code of the program */
function runProgram(home, cwd) {
  const env = { ...process.env, HERMES_HOME: home };
  // An inherited name of a session or profile would lead out of the throw-away home.
  for (const name of ['HERMES_PROFILE', 'HERMES_SESSION_SOURCE', 'HERMES_INFERENCE_MODEL']) delete env[name];
  const child = spawn(process.execPath, [path.join(root, 'bin/hermes'), ...process.argv.slice(2)], { cwd, env, stdio: 'inherit' });
  // The terminal sends Ctrl+C to the whole group: the program decides what it means. The others are passed on.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGTERM' ? 143 : 1)));
  });
}

const folder = mkdtempSync(path.join(tmpdir(), 'hermes-demo-'));
let model;
// A terminal that is gone takes no last words; what was made is removed all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
try {
  install();
  buildIfOlder();
  const { importSource } = await import('./import-source.mjs');
  const { makeDemoStore, startDemoModel } = await importSource(['fixtures/stores/demo-store.ts', 'scripts/demo-model.ts']);
  const home = path.join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  makeFolders(folder);
  makeDemoStore(path.join(home, 'state.db'), folder, Date.now());
  model = await startDemoModel();
  writeConfig(home, model.url);
  process.exitCode = await runProgram(home, path.join(folder, 'code/shop'));
  process.stdout.write('The home of the demo is removed again, its conversations with it.\n');
} catch (error) {
  process.stderr.write(`demo: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  await model?.stop();
  rmSync(folder, { recursive: true, force: true });
}
