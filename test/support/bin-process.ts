/**
 * A process that changes a store's bin and is killed on the way: `OPERATION PATH STEP IDS`. It ends itself with SIGKILL right before its
 * STEP-th statement, pragma or change of a file; without such a step it prints how many there were. `ready` is printed before the first.
 */
import fs, { writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import Database from 'better-sqlite3';
import { emptyBin, eraseForever, moveToBin, restoreFromBin } from '../../src/store/bin/index.ts';
import type { Connection } from '../../src/store/connection.ts';
import { openForWriting } from '../../src/store/open.ts';
import { transact } from '../../src/store/worker/transact.ts';

const [operation = '', path = '', step = '0', list = '[]'] = process.argv.slice(2);
const ids = JSON.parse(list) as string[];

const operations: Record<string, (connection: Connection) => unknown> = {
  move: (connection) => moveToBin(connection, { ids, held: {} }),
  erase: (connection) => eraseForever(connection, { ids, held: {} }),
  restore: (connection) => restoreFromBin(connection, ids),
  empty: (connection) => emptyBin(connection),
};

let steps = 0;
function count(): void {
  steps += 1;
  if (steps === Number(step)) process.kill(process.pid, 'SIGKILL');
}

/** Every call of the method counts, from now on. */
function counting(target: object, name: string): void {
  const methods = target as Record<string, (...args: unknown[]) => unknown>;
  const original = methods[name]!;
  methods[name] = function counted(this: unknown, ...args: unknown[]) {
    count();
    return original.apply(this, args);
  };
}

const connection = openForWriting(path, { now: Date.now });
const statement = Object.getPrototypeOf(connection.db.prepare('SELECT 1')) as object;
for (const name of ['run', 'get', 'all', 'iterate']) counting(statement, name);
for (const name of ['exec', 'pragma', 'close']) counting(Database.prototype, name);
for (const name of ['renameSync', 'rmSync', 'mkdirSync', 'openSync']) counting(fs, name);
syncBuiltinESMExports();
writeSync(1, 'ready\n');
transact(connection.db, () => operations[operation]!(connection));
connection.close();
writeSync(1, `${steps}\n`);
