import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findHolders, findNamedHolders } from '../../src/store/holders.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const sqlite = createRequire(import.meta.url).resolve('better-sqlite3');
const now = Date.now;

/** A process with a connection of its own, killed when the test ends. @param does JavaScript, `db` is the connection */
async function anotherProcess(path: string, does: string): Promise<ChildProcess> {
  const script = `const Database = require(${JSON.stringify(sqlite)}); const db = new Database(${JSON.stringify(path)});
    ${does}; console.log('ready'); setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  await ended;
}

function makeStore(journalMode: 'wal' | 'delete'): string {
  const path = join(temporaryFolder(), 'state.db');
  openForWriting(path, { now, journalMode }).close();
  return path;
}

/** A machine whose processes can't be looked at: only SQLite's locks tell. */
function blindView(): Parameters<typeof findHolders>[1] {
  return { proc: join(temporaryFolder(), 'nothing'), platform: 'linux' };
}

const states: readonly [string, string][] = [
  ['has opened it and done nothing', ''],
  ['has read and is idle', `db.prepare('SELECT count(*) FROM sessions').get()`],
  ['has written and is idle', `db.exec("INSERT INTO sessions (id, source, started_at) VALUES ('x', 'cli', 1)")`],
  ['is reading', `db.exec('BEGIN'); db.prepare('SELECT count(*) FROM sessions').get()`],
  ['is writing', `db.exec('BEGIN IMMEDIATE')`],
];

describe.each(['wal', 'delete'] as const)('in %s mode', (mode) => {
  test.each(states)('another process that %s is named, and not once it is gone', async (_, does) => {
    const path = makeStore(mode);
    expect(findHolders(path)).toEqual({ kind: 'nobody' });
    const child = await anotherProcess(path, does);
    expect(findHolders(path)).toEqual({ kind: 'held', by: [{ pid: child.pid, command: expect.stringMatching(/^node/) as string }] });
    expect(findNamedHolders(path).map((holder) => holder.pid)).toEqual([child.pid]);
    await end(child);
    expect(findHolders(path)).toEqual({ kind: 'nobody' });
  });

  test('a look disturbs nobody: another process writes on without one error', async () => {
    const path = makeStore(mode);
    const log = join(temporaryFolder(), 'log');
    const child = await anotherProcess(
      path,
      `db.pragma('busy_timeout = 1000'); const add = db.prepare("INSERT INTO sessions (id, source, started_at) VALUES (?, 'cli', 1)"); let n = 0;
       setInterval(() => { try { add.run('n' + n++) } catch (error) { require('node:fs').appendFileSync(${JSON.stringify(log)}, error.code) } }, 1)`,
    );
    for (let at = 0; at < 20; at += 1) {
      expect(findHolders(path).kind).toBe('held');
      // Blind, every attempt goes for the locks.
      expect(['held', 'unsure']).toContain(findHolders(path, blindView()).kind);
    }
    await end(child);
    expect(readdirSync(join(log, '..'))).toEqual([]);
    expect(findHolders(path)).toEqual({ kind: 'nobody' });
    const reading = openForReading(path, { now });
    expect(Number(reading.statement('SELECT count(*) FROM sessions').pluck().get())).toBeGreaterThan(0);
    reading.close();
  });
});

test.each(['wal', 'delete'] as const)('a look at a %s store nobody has leaves it as it was', (mode) => {
  const path = makeStore(mode);
  const before = readFileSync(path);
  expect(findHolders(path)).toEqual({ kind: 'nobody' });
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(join(path, '..'))).toEqual(['state.db']);
});

describe('where processes can not be looked at', () => {
  test.each(states.slice(1))('in WAL mode the locks alone tell of a process that %s', async (_, does) => {
    const path = makeStore('wal');
    const child = await anotherProcess(path, does);
    expect(findHolders(path, blindView())).toEqual({ kind: 'held', by: [] });
    await end(child);
    // A connection holds its lock until it closes, so a free one is proof.
    expect(findHolders(path, blindView())).toEqual({ kind: 'nobody' });
  });

  test('in rollback mode an idle process holds no lock, so nobody is ever called nobody', async () => {
    const path = makeStore('delete');
    expect(findHolders(path, blindView())).toEqual({ kind: 'unsure' });
    const child = await anotherProcess(path, `db.exec('BEGIN IMMEDIATE')`);
    expect(findHolders(path, blindView())).toEqual({ kind: 'held', by: [] });
    await end(child);
  });

  test.each<[string, 'nobody' | 'unsure', (proc: string) => void]>([
    ['an outermost namespace with no other process', 'nobody', () => undefined],
    ['a namespace of its own', 'unsure', (proc) => nameSpace(proc, 'pid:[4026532000]')],
    ['a process that may not be looked into', 'unsure', (proc) => writeFileSync(join(proc, '4711', 'fd'), '')],
    ['a process that ended meanwhile', 'nobody', (proc) => mkdirSync(join(proc, '4712'))],
  ])('%s: %s', (_, kind, prepare) => {
    const proc = temporaryFolder();
    mkdirSync(join(proc, '4711'));
    nameSpace(proc, 'pid:[4026531836]');
    prepare(proc);
    expect(findHolders(makeStore('delete'), { proc, platform: 'linux' })).toEqual({ kind });
  });

  function nameSpace(proc: string, name: string): void {
    const folder = join(proc, 'self', 'ns');
    mkdirSync(folder, { recursive: true });
    execFileSync('ln', ['-sfn', name, join(folder, 'pid')]);
  }
});

test('this process counts for the locks with every other connection of its own', () => {
  const path = makeStore('wal');
  const reading = openForReading(path, { now });
  expect(findHolders(path)).toEqual({ kind: 'held', by: [] });
  reading.close();
  expect(findHolders(path)).toEqual({ kind: 'nobody' });
});

test('a connection of this process keeps its lock while the store is looked at', async () => {
  const path = makeStore('wal');
  const writing = openForWriting(path, { now });
  writing.db.exec('BEGIN IMMEDIATE');
  findHolders(path);
  findNamedHolders(path);
  const child = `const d = new (require(${JSON.stringify(sqlite)}))(${JSON.stringify(path)}, { timeout: 0 }); try { d.exec('BEGIN IMMEDIATE'); console.log('got it') } catch (e) { console.log(e.code) }`;
  expect(execFileSync(process.execPath, ['-e', child], { encoding: 'utf8' }).trim()).toBe('SQLITE_BUSY');
  writing.close();
});

test('a store reached by another name is the same store', async () => {
  const path = makeStore('delete');
  const link = join(temporaryFolder(), 'link.db');
  symlinkSync(path, link);
  const child = await anotherProcess(link, '');
  expect(findNamedHolders(path)).toEqual([{ pid: child.pid, command: expect.any(String) as string }]);
  await end(child);
});

test('looking for names changes no byte of a damaged store', () => {
  const path = join(temporaryFolder(), 'state.db');
  writeFileSync(path, 'no database');
  chmodSync(path, 0o600);
  expect(findNamedHolders(path)).toEqual([]);
  expect(readFileSync(path, 'utf8')).toBe('no database');
  expect(() => findHolders(path)).toThrow(Database.SqliteError);
});
