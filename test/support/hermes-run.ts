import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './temp-folder.ts';

export const hermesPath = path.join(import.meta.dirname, '../../bin/hermes');

export interface TestHome {
  readonly path: string;
  /** A directory to work in, outside of any repository. */
  readonly work: string;
  /** Rows as they stand on disk. */
  rows(sql: string, ...values: unknown[]): Record<string, unknown>[];
}

/** A home of this test alone; `url` is the model server its config.yaml names, absent = no model. */
export function makeHome(url: string | undefined, more = ''): TestHome {
  const home = temporaryFolder();
  const work = path.join(home, 'work');
  mkdirSync(work);
  const model = url === undefined ? '' : `model:\n  default: m\n  provider: custom\n  base_url: ${url}/v1\n`;
  writeFileSync(path.join(home, 'config.yaml'), model + more);
  return {
    path: home,
    work,
    rows(sql, ...values) {
      const db = new Database(path.join(home, 'state.db'), { readonly: true });
      try {
        return db.prepare(sql).all(...values) as Record<string, unknown>[];
      } finally {
        db.close();
      }
    },
  };
}

export function homeEnvironment(home: string, added: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', HOME: home, HERMES_HOME: home, LANG: 'C.UTF-8', TERM: 'xterm-256color', ...added };
}

export interface Run {
  readonly child: ChildProcessWithoutNullStreams;
  readonly out: () => string;
  readonly err: () => string;
  /** Resolves when standard output and error together hold the text. */
  until(text: string): Promise<void>;
  readonly ended: Promise<{ code: number; out: string; err: string }>;
}

/** Starts the program with pipes for its three streams. `input`: all of its standard input; 'open' leaves it to the caller. */
export function startHermes(home: TestHome, args: readonly string[], input: string | Buffer = '', env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [hermesPath, ...args], { cwd: home.work, env: homeEnvironment(home.path, env) });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const waiting = new Set<() => void>();
  const collect = (into: Buffer[]) => (chunk: Buffer) => {
    into.push(chunk);
    for (const look of waiting) look();
  };
  child.stdout.on('data', collect(out));
  child.stderr.on('data', collect(err));
  // The program may end without having read its input.
  child.stdin.on('error', () => undefined);
  if (input !== 'open') child.stdin.end(input);
  const text = (of: Buffer[]): string => Buffer.concat(of).toString('utf8');
  const ended = new Promise<{ code: number; out: string; err: string }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code: code ?? (signal === null ? -1 : -2), out: text(out), err: text(err) }));
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    child,
    out: () => text(out),
    err: () => text(err),
    until: (wanted) =>
      new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error(`waited for ${wanted}\n${text(out)}\n${text(err)}`)), 15_000);
        const look = (): void => {
          if (!text(out).includes(wanted) && !text(err).includes(wanted)) return;
          clearTimeout(limit);
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    ended,
  };
}

export const runHermes = (...args: Parameters<typeof startHermes>): Run['ended'] => startHermes(...args).ended;
