import type { Database } from './connection.ts';

const waiting = new WeakMap<Database, (() => void)[]>();

/**
 * What a write does once it can't be undone any more: files that follow a session, a second database that must be behind the first. Tasks
 * run in order when the transaction is on disk, and are forgotten when it is undone. A task may be cut off by the death of the process, so
 * whatever it leaves must be right without it.
 */
export function afterCommit(db: Database, task: () => void): void {
  const tasks = waiting.get(db);
  if (tasks === undefined) waiting.set(db, [task]);
  else tasks.push(task);
}

/** Called by whoever commits. */
export function runAfterCommit(db: Database): void {
  const tasks = waiting.get(db) ?? [];
  waiting.delete(db);
  for (const task of tasks) task();
}

/** Called by whoever begins or undoes. */
export function forgetAfterCommit(db: Database): void {
  waiting.delete(db);
}
