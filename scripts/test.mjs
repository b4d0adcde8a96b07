#!/usr/bin/env node
/**
 * `npm test`: installs and builds, then format, lint, types, freshness of the generated docs and every test. The last line is
 * `N passed, N failed`, where each check counts as one. `npm test -- PATTERN` runs the matching test files alone, without the checks.
 * Only built-in modules.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildIfOlder, install, root } from './fresh.mjs';
import { countTests } from './count-tests.mjs';

const patterns = process.argv.slice(2);
let passed = 0;
let failed = 0;

/** @returns {Promise<{ code: number, output: string }>} */
function run(args, { show = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: show ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ code: 1, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

function report(name, isGood, output, startedAt) {
  if (isGood) passed += 1;
  else failed += 1;
  process.stdout.write(`${isGood ? '✓' : '✗'} ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)\n`);
  if (!isGood) process.stdout.write(`${output.trimEnd()}\n`);
}

async function check(name, args) {
  const startedAt = Date.now();
  const { code, output } = await run(args);
  report(name, code === 0, output, startedAt);
}

function prepare(name, action) {
  const startedAt = Date.now();
  try {
    action();
    report(name, true, '', startedAt);
    return true;
  } catch (error) {
    report(name, false, error.message, startedAt);
    return false;
  }
}

async function runTests() {
  const folder = mkdtempSync(path.join(tmpdir(), 'hermes-test-report-'));
  const file = path.join(folder, 'report.json');
  try {
    const args = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
      ...patterns,
    ];
    const { code } = await run(args, { show: true });
    const counts = countTests(readFileSync(file, 'utf8'));
    passed += counts.passed;
    failed += counts.failed;
    for (const name of counts.skipped) process.stdout.write(`skipped: ${name}\n`);
    // An error outside of any test (a rejection nobody handled) fails the run without failing a test.
    if (code !== 0 && counts.failed === 0) failed += 1;
  } catch (error) {
    failed += 1;
    process.stdout.write(`the tests did not run to their end: ${error.message}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const isInstalled = prepare('install', () => install());
if (isInstalled) {
  const isBuilt = prepare('build', () => buildIfOlder());
  if (patterns.length === 0) {
    await Promise.all([
      check('types', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', '.']),
      check('lint', ['node_modules/eslint/bin/eslint.js', '.', '--max-warnings=0']),
    ]);
    await Promise.all([
      check('format', ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.']),
      check('docs are fresh', ['scripts/docs.mjs', '--check']),
      check('start-up is light', ['scripts/start-up-set.mjs']),
    ]);
  }
  if (isBuilt || patterns.length > 0) await runTests();
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
