import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { transferSession } from '../../src/commands/export/source.ts';
import type { StoredRow, StoredValue } from '../../src/session/stored.ts';
import type { Connection } from '../../src/store/connection.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { exactRows } from '../../src/store/reads/exact-rows.ts';
import { exportIds } from '../../src/store/reads/export.ts';
import { writeJsonl } from '../../src/transfer/jsonl.ts';
import { runShell, type Outcome, type ShellOptions } from './shell.ts';

/** Tables a record holds. */
const recordTables = ['sessions', 'messages', 'session_model_usage', 'system_prompts'] as const;

/** Every cell of a record's tables, with its type, by table. */
export function dumpStore(storePath: string): Record<string, Record<string, string>[]> {
  const connection = openForReading(storePath, { now: Date.now });
  try {
    return Object.fromEntries(recordTables.map((table) => [table, dumpTable(connection, table)]));
  } finally {
    connection.close();
  }
}

function dumpTable(connection: Connection, table: string): Record<string, string>[] {
  if (!connection.has(table)) return [];
  const order = { sessions: 'id', messages: 'id', system_prompts: 'hash', session_model_usage: 'session_id, rowid' }[table] ?? 'rowid';
  return [...exactRows(connection, { table, rest: `ORDER BY ${order}`, values: [] })]
    .flat()
    .map((row: StoredRow) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, spell(value)])));
}

function spell(value: StoredValue): string {
  if (value instanceof Uint8Array) return `${'isText' in value ? 'broken text' : 'blob'} ${Buffer.from(value).toString('hex')}`;
  return `${value === null ? 'null' : typeof value} ${String(value)}`;
}

/** Everything, as `sessions export` writes it. */
export async function exportAll(storePath: string): Promise<string> {
  const connection = openForReading(storePath, { now: Date.now });
  try {
    let text = '';
    async function* sessions() {
      await Promise.resolve();
      for (const id of exportIds(connection)) yield transferSession(connection, id, 'single')!;
    }
    await writeJsonl(sessions(), { write: (piece) => void (text += piece) });
    return text;
  } finally {
    connection.close();
  }
}

/** Exports all of a store into a file in `folder`, and imports that file into the home there. */
export async function importInto(folder: string, jsonl: string, options: ShellOptions = {}): Promise<Outcome> {
  const file = path.join(folder, 'export.jsonl');
  writeFileSync(file, jsonl);
  const before = readFileSync(file, 'utf8');
  const outcome = await runShell(['sessions', 'import', file], path.join(folder, 'state.db'), options);
  if (readFileSync(file, 'utf8') !== before) throw new Error('the file that was imported has changed');
  return outcome;
}

/** A store that has nothing in it, of layout 31. */
export function emptyStore(storePath: string): string {
  openForWriting(storePath, { now: Date.now }).close();
  return storePath;
}
