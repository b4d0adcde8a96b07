import type { SessionId } from '../../session/types.ts';
import type { Connection, Database } from '../connection.ts';
import { sessionRows } from '../reads/row-details.ts';
import { isStored } from '../reads/sessions.ts';
import { all, put } from '../rows.ts';
import { askBin, STORE } from './file.ts';
import type { Going } from './plan.ts';
import { columnsOf, copiedTables, ENTRY, PROMPTS, quoted } from './rows.ts';
import type { BinEntry } from './types.ts';

/** A child that lost its parent when the parent was deleted, or had gone to the bin before it. */
export interface Detached {
  readonly child: SessionId;
  readonly parent: SessionId;
}

/** An entry as the bin's own functions need it. */
export interface StoredEntry {
  /** Number of the entry; given once. */
  readonly entry: number;
  readonly facts: BinEntry;
  readonly detached: readonly Detached[];
  /** Columns the rows had, by table: a column the bin has from other rows is not one of theirs. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
}

interface EntryRow {
  entry: number;
  id: string;
  ids: string;
  delegates: string;
  title: string | null;
  preview: string | null;
  source: string;
  messages: number;
  last_active: number;
  pinned: number;
  deleted_at: number;
  detached: string;
  columns: string;
}

/** Entries in the order they were made. */
export function readEntries(bin: Database): StoredEntry[] {
  return bin.prepare<[], EntryRow>('SELECT * FROM main.entries ORDER BY entry').all().map(readEntry);
}

function readEntry(row: EntryRow): StoredEntry {
  const facts: { -readonly [Key in keyof BinEntry]: BinEntry[Key] } = {
    id: row.id,
    ids: JSON.parse(row.ids) as SessionId[],
    delegates: JSON.parse(row.delegates) as SessionId[],
    source: row.source,
    messages: row.messages,
    lastActive: row.last_active,
    pinned: row.pinned === 1,
    deletedAt: row.deleted_at,
  };
  put(facts, 'title', row.title ?? undefined);
  put(facts, 'preview', row.preview ?? undefined);
  return {
    entry: row.entry,
    facts,
    detached: JSON.parse(row.detached) as Detached[],
    columns: JSON.parse(row.columns) as Record<string, string[]>,
  };
}

/** Entries whose tip is stored: the deletion was cut off before the store was changed, or the restoring before the bin was. */
const STALE = `id IN (SELECT id FROM ${STORE}.sessions)`;

export function staleEntries(bin: Database): number[] {
  return bin.prepare<[], number>(`SELECT entry FROM main.entries WHERE ${STALE}`).pluck().all();
}

/**
 * What is in the bin, newest first. A session that is stored is not in the bin, whatever lies there.
 * @throws StoreError
 */
export function binEntries(connection: Connection): BinEntry[] {
  const entries = askBin(connection, readEntries)?.map(({ facts }) => facts) ?? [];
  const sql = 'SELECT id FROM sessions WHERE id IN (SELECT value FROM json_each(?))';
  const stored = new Set(all(connection, sql, JSON.stringify(entries.map(({ id }) => id))).map((row) => String(row['id'])));
  return entries.filter(({ id }) => !stored.has(id)).sort((a, b) => b.deletedAt - a.deletedAt || (a.id < b.id ? 1 : -1));
}

/** Whether a session lies in the bin, by itself or with its conversation. @throws StoreError */
export function isInBin(connection: Connection, id: SessionId): boolean {
  const sql = `SELECT id FROM main.entries WHERE id = :id
    OR EXISTS (SELECT 1 FROM json_each(ids) WHERE value = :id) OR EXISTS (SELECT 1 FROM json_each(delegates) WHERE value = :id)`;
  const tips = askBin(connection, (bin) => bin.prepare<{ id: string }, string>(sql).pluck().all({ id })) ?? [];
  return tips.some((tip) => !isStored(connection, tip));
}

/** What a list shows of lineages that go, taken while they are still stored. `deletedAt` in milliseconds. */
export function describe(connection: Connection, going: readonly Going[], deletedAt: number): BinEntry[] {
  const rows = sessionRows(
    connection,
    going.map(({ lineage }) => lineage),
    { previews: 'all' },
  );
  return going.map(({ lineage, delegates }, index) => {
    const row = rows[index];
    const facts: { -readonly [Key in keyof BinEntry]: BinEntry[Key] } = {
      id: lineage.tip.id,
      ids: lineage.segments.map((segment) => segment.id),
      delegates,
      source: lineage.tip.source,
      messages: lineage.segments.reduce((sum, segment) => sum + segment.messageCount, 0),
      lastActive: Math.round(lineage.lastActive),
      pinned: lineage.pinned,
      deletedAt,
    };
    put(facts, 'title', row?.title);
    put(facts, 'preview', row?.preview);
    return facts;
  });
}

/** Writes entries for lineages, without their rows yet. @returns their numbers, in the same order */
export function addEntries(bin: Database, facts: readonly BinEntry[], detached: readonly (readonly Detached[])[]): number[] {
  const insert = bin.prepare(
    `INSERT INTO main.entries (id, ids, delegates, title, preview, source, messages, last_active, pinned, deleted_at, detached, columns)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '{}')`,
  );
  return facts.map((one, index) => {
    const { lastInsertRowid } = insert.run(
      one.id,
      JSON.stringify(one.ids),
      JSON.stringify(one.delegates),
      one.title ?? null,
      one.preview ?? null,
      one.source,
      one.messages,
      one.lastActive,
      one.pinned ? 1 : 0,
      one.deletedAt,
      JSON.stringify(detached[index] ?? []),
    );
    return Number(lastInsertRowid);
  });
}

/**
 * Takes entries out of the bin with their rows, inside a transaction of the bin's. Those that go because their sessions are stored again first
 * give the children that lie in the bin their parent back.
 */
export function dropEntries(bin: Database, entries: readonly number[], options: { isStoredAgain: boolean }): void {
  if (entries.length === 0) return;
  const numbers = JSON.stringify(entries);
  const these = 'SELECT value FROM json_each(?)';
  if (options.isStoredAgain && columnsOf(bin, 'main', 'sessions').includes('parent_session_id')) reattachInBin(bin, numbers);
  for (const table of copiedTables(bin)) bin.prepare(`DELETE FROM main.${quoted(table)} WHERE ${ENTRY} IN (${these})`).run(numbers);
  bin.prepare(`DELETE FROM main.entries WHERE entry IN (${these})`).run(numbers);
  const present = columnsOf(bin, 'main', 'sessions');
  const references = ['system_prompt_hash', 'tool_names'].filter((column) => present.includes(column));
  if (references.length === 0 || columnsOf(bin, 'main', PROMPTS).length === 0) return;
  const used = references.map((column) => `SELECT ${column} FROM main.sessions WHERE ${column} IS NOT NULL`).join(' UNION ');
  bin.exec(`DELETE FROM main.${PROMPTS} WHERE hash NOT IN (${used})`);
}

function reattachInBin(bin: Database, numbers: string): void {
  const attach = bin.prepare('UPDATE main.sessions SET parent_session_id = ? WHERE id = ? AND parent_session_id IS NULL');
  const rows = bin.prepare<[string], string>('SELECT detached FROM main.entries WHERE entry IN (SELECT value FROM json_each(?))').pluck();
  for (const detached of rows.all(numbers)) {
    for (const { child, parent } of JSON.parse(detached) as Detached[]) attach.run(parent, child);
  }
}
