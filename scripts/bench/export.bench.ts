import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { BenchOptions, Figure } from './figure.ts';
import { median } from './statistics.mjs';

/** Says on descriptor 3 how much memory the process had, at most, when it ends; kilobytes. */
const sayMemory =
  'data:text/javascript,import{writeSync}from"node:fs";process.on("exit",()=>writeSync(3,String(process.resourceUsage().maxRSS)))';

/** `hermes sessions export`, from exec to exit: everything as JSON Lines, the same redacted, and as one page. */
export async function measure({ sizes, runs, storeOf }: BenchOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const size of sizes.filter((count) => count === 10_000)) {
    const home = mkdtempSync(path.join(tmpdir(), 'hermes-bench-export-'));
    try {
      copyFileSync(await storeOf(size), path.join(home, 'state.db'));
      for (const [name, line, must, aim] of [
        ['jsonl to a file', ['out'], 60, 120],
        ['jsonl to a file, redacted', ['out', '--redact'], undefined, undefined],
        ['html', ['out', '--format', 'html'], undefined, undefined],
      ] as const) {
        figures.push(...(await measureOne(home, `export ${name}, ${size}`, line, { runs, must, aim })));
      }
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }
  return figures;
}

interface Goal {
  readonly runs: number;
  /** Megabytes a second, at least. */
  readonly must: number | undefined;
  readonly aim: number | undefined;
}

async function measureOne(home: string, what: string, line: readonly string[], { runs, must, aim }: Goal): Promise<Figure[]> {
  const times: number[] = [];
  const memory: number[] = [];
  const output = path.join(home, 'out');
  // Only what has a goal is measured more than once.
  for (let run = 0; run < (must === undefined ? 1 : runs); run++) {
    rmSync(output, { force: true });
    const { ms, kilobytes } = await runOnce(home, line);
    times.push(ms);
    memory.push(kilobytes / 1024);
  }
  const megabytes = statSync(output).size / 1e6;
  const ms = median(times);
  const speed = megabytes / (ms / 1000);
  const peak = Math.max(...memory);
  // Figures are better the smaller they are: the time that the wanted speed would take.
  const limit = (rate: number | undefined): number | undefined => (rate === undefined ? undefined : (megabytes / rate) * 1000);
  const [mustMs, aimMs] = [limit(must), limit(aim)];
  return [
    {
      what,
      value: `${ms.toFixed(0)} ms, ${speed.toFixed(0)} MB/s of ${megabytes.toFixed(0)} MB`,
      score: ms,
      unit: 'ms',
      ...(mustMs === undefined ? {} : { must: Math.round(mustMs) }),
      ...(aimMs === undefined ? {} : { aim: Math.round(aimMs) }),
    },
    { what: '  memory at its most', value: `${peak.toFixed(0)} MB`, score: peak, unit: 'MB', ...(must === undefined ? {} : { must: 120 }) },
  ];
}

function runOnce(home: string, line: readonly string[]): Promise<{ ms: number; kilobytes: number }> {
  const began = performance.now();
  const child = spawn(process.execPath, ['--import', sayMemory, path.resolve('bin/hermes'), 'sessions', 'export', ...line], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, HERMES_HOME: home },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  let memory = '';
  let trouble = '';
  (child.stdio[3] as Readable).on('data', (piece: Buffer) => (memory += piece.toString()));
  (child.stdio[2] as Readable).on('data', (piece: Buffer) => (trouble += piece.toString()));
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      if (code === 0) resolve({ ms: performance.now() - began, kilobytes: Number(memory) });
      else reject(new Error(`hermes sessions export ${line.join(' ')} ended with ${code}: ${trouble.trim()}`));
    });
  });
}
