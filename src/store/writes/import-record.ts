import { createHash } from 'node:crypto';
import { nextLineageTitle } from '../../session/title.ts';
import type { StoredRow, StoredValue } from '../../session/stored.ts';
import type { StoredRecord } from '../../session/stored-record.ts';
import type { SessionId } from '../../session/types.ts';
import { isInBin } from '../bin/entries.ts';
import type { Connection } from '../connection.ts';
import { exactRows } from '../reads/exact-rows.ts';
import { turnLease } from '../reads/facts.ts';
import { lineageTitles } from '../reads/resolve.ts';
import { isStored, segmentIds } from '../reads/sessions.ts';
import { keepFromNow } from '../retention/kept.ts';
import { first } from '../rows.ts';
import { insertExact, lostColumns } from './exact-insert.ts';
import { recount, updateRow } from './rows.ts';

export type RecordOutcome =
  | {
      readonly kind: 'imported';
      readonly id: SessionId;
      readonly messages: number;
      /** Its title was taken: the one it has now, if any. */
      readonly retitled?: { readonly from: string; readonly to: string | undefined };
      /** Columns with something in them that this store has not. */
      readonly lost: readonly string[];
    }
  /** A session of that id is here, with all the messages. */
  | { readonly kind: 'equal'; readonly id: SessionId }
  /** A session of that id is here; `added` messages were missing and are there again, `left` could not be put in their place. */
  | { readonly kind: 'merged'; readonly id: SessionId; readonly added: number; readonly left: number }
  /**
   * A session of that id is here, and nothing may be written into it now; or it lies in the bin, perhaps with more than the record has: what is
   * stored is in the bin no more, so that storing the record would lose the rest.
   */
  | { readonly kind: 'refused'; readonly id: SessionId; readonly because: 'busy' | 'compressed' | 'binned' };

/**
 * Stores a session of a backup as it was, to the byte, row ids among it where they are free (docs/export-formats.md); into an empty store
 * everything is equal. One whose id is here already gets only the messages that it lacks; nothing of it is changed.
 *
 * The session's row comes before its messages: the triggers of the index look at it (store-v31.md B4.3.2). In a transaction, on a
 * connection that allows missing parents. Retention leaves what came in alone until it is old since this.
 */
export function importRecord(connection: Connection, record: StoredRecord): RecordOutcome {
  const id = String(record.row['id']);
  const isHere = isStored(connection, id);
  if (!isHere && isInBin(connection, id)) return { kind: 'refused', id, because: 'binned' };
  for (const prompt of record.prompts) {
    if (connection.has('system_prompts', 'prompt')) insertExact(connection, 'system_prompts', prompt, 'keep');
  }
  if (isHere) return mergeMessages(connection, id, record);

  const { row, retitled } = withFreeTitle(connection, withPrompt(connection, record));
  insertExact(connection, 'sessions', row);
  const lost = new Set(lostColumns(connection, 'sessions', row));
  if (connection.has('session_model_usage', 'session_id')) {
    for (const usage of record.usage) insertExact(connection, 'session_model_usage', { ...usage, session_id: id }, 'keep');
  }
  const messages = insertMessages(connection, id, record, lost);
  keepFromNow(connection, [id]);
  return { kind: 'imported', id, messages, lost: [...lost], ...(retitled === undefined ? {} : { retitled }) };
}

/** In a store from before prompts had a table of their own, the prompt stands in the row (state-db.md 1.2). */
function withPrompt(connection: Connection, { row, prompts }: StoredRecord): StoredRow {
  if (connection.has('system_prompts', 'prompt')) return row;
  const prompt = prompts.find(({ hash }) => hash === row['system_prompt_hash'])?.['prompt'];
  return prompt === undefined ? row : { ...row, system_prompt: prompt };
}

type Titled = { readonly row: StoredRow; readonly retitled?: { from: string; to: string | undefined } };

/** Titles are unique over all rows (state-db.md 2.7): where somebody has it, the next number is taken. */
function withFreeTitle(connection: Connection, row: StoredRow): Titled {
  const { title } = row;
  if (title === null || title === undefined || !connection.has('sessions', 'title')) return { row };
  const isBytes = title instanceof Uint8Array;
  const sql = `SELECT 1 FROM sessions WHERE title = ${isBytes ? 'CAST(? AS TEXT)' : '?'} LIMIT 1`;
  if (first(connection, sql, title) === undefined) return { row };
  const to = isBytes ? undefined : nextLineageTitle(String(title), lineageTitles(connection, String(title)));
  return { row: { ...row, title: to ?? null }, retitled: { from: String(title), to } };
}

/**
 * Makes a connection ready for an import, and for nothing else. A record's parent may come later, or be nowhere: it is kept as it is. A power
 * cut may take the last sessions back, each as a whole, until `finishImport`: syncing each of them takes longer than storing it.
 */
export function prepareImport(connection: Connection): void {
  connection.db.pragma('foreign_keys = OFF');
  if (connection.db.pragma('journal_mode', { simple: true }) === 'wal') connection.db.pragma('synchronous = NORMAL');
}

/** What was imported is on disk afterwards. */
export function finishImport(connection: Connection): void {
  connection.db.pragma('wal_checkpoint(PASSIVE)');
}

/** Columns that a trigger fills when they are NULL (store-v31.md, part A). */
const triggered = ['message_uid', 'display_order'] as const;

/** With the row ids they had where all of them are free, else all with new ones; their order is kept either way. */
function insertMessages(connection: Connection, id: SessionId, record: StoredRecord, lost: Set<string>): number {
  connection.db.exec('SAVEPOINT own_ids');
  const count = insertWithOwnIds(connection, id, record, lost);
  connection.db.exec(count === undefined ? 'ROLLBACK TO own_ids; RELEASE own_ids' : 'RELEASE own_ids');
  return count ?? insertWithNewIds(connection, id, record);
}

/** @returns how many; undefined when one of the ids is taken, or they don't ascend */
function insertWithOwnIds(connection: Connection, session: SessionId, record: StoredRecord, lost: Set<string>): number | undefined {
  let latest = 0;
  let count = 0;
  for (const message of record.messages()) {
    if (count === 0) for (const name of lostColumns(connection, 'messages', message)) lost.add(name);
    const { id } = message;
    if (!isRowId(id) || id <= latest || isTaken(connection, id)) return undefined;
    latest = insertMessage(connection, { ...message, session_id: session });
    count += 1;
  }
  return count;
}

function insertWithNewIds(connection: Connection, session: SessionId, record: StoredRecord): number {
  const newIds = new Map<StoredValue, number>();
  let count = 0;
  for (const message of record.messages()) {
    const { id = null, display_order: order = null, ...rest } = message;
    // Copies of one message share the place of the first of them.
    const place = newIds.get(order);
    newIds.set(id, insertMessage(connection, { ...rest, session_id: session, ...(place === undefined ? {} : { display_order: place }) }));
    count += 1;
  }
  return count;
}

const isRowId = (value: StoredValue | undefined): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

const isTaken = (connection: Connection, id: number): boolean => first(connection, 'SELECT 1 FROM messages WHERE id = ?', id) !== undefined;

/** What a trigger put where NULL was stored is taken away again; no trigger looks at these columns. */
function insertMessage(connection: Connection, message: StoredRow): number {
  const id = insertExact(connection, 'messages', message);
  const emptied = triggered.filter((name) => message[name] === null);
  if (emptied.length > 0) updateRow(connection, 'messages', id, Object.fromEntries(emptied.map((name) => [name, null])));
  return id;
}

function mergeMessages(connection: Connection, id: SessionId, record: StoredRecord): RecordOutcome {
  const here = new Map<string, number[]>();
  for (const rows of exactRows(connection, { table: 'messages', rest: 'WHERE session_id = ? ORDER BY id', values: [id] })) {
    for (const row of rows) for (const key of keysOf(row)) here.set(key, [...(here.get(key) ?? []), Number(row['id'])]);
  }
  const counts = { added: 0, left: 0 };
  /** The row before: what is put back comes after it. */
  let before = 0;
  const used = new Set<number>();
  for (const message of record.messages()) {
    const known = keysOf(message)
      .flatMap((key) => here.get(key) ?? [])
      .find((each) => !used.has(each));
    if (known !== undefined) {
      used.add(known);
      before = Math.max(before, known);
      continue;
    }
    const refusal = counts.added === 0 ? refusalOf(connection, id) : undefined;
    if (refusal !== undefined) return { kind: 'refused', id, because: refusal };
    const place = freePlace(connection, id, before, message['id']);
    if (place === undefined) counts.left += 1;
    else {
      const { id: _own, display_order: _order, ...rest } = message;
      before = insertMessage(connection, { ...rest, session_id: id, ...(place === 'end' ? {} : { id: place }) });
      used.add(before);
      counts.added += 1;
    }
  }
  if (counts.added === 0 && counts.left === 0) return { kind: 'equal', id };
  if (counts.added > 0) {
    recount(connection, id);
    keepFromNow(connection, [id]);
  }
  return { kind: 'merged', id, ...counts };
}

/** How a message is known again: by its uid, else by time, role and words. */
function keysOf(row: StoredRow): string[] {
  const hash = createHash('sha1');
  for (const value of [row['timestamp'], row['role'], row['content']]) {
    const bytes = value instanceof Uint8Array ? value : Buffer.from(String(value));
    hash.update(`${typeof value}${bytes.byteLength}:`).update(bytes);
  }
  const uid = row['message_uid'];
  return [...(typeof uid === 'string' ? [`uid ${uid}`] : []), hash.digest('base64')];
}

/** A live conversation is its rows by id, so that a message belongs where it was: its own id, or the end when nothing follows there. */
function freePlace(connection: Connection, session: SessionId, before: number, own: StoredValue | undefined): number | 'end' | undefined {
  const next = first(connection, 'SELECT min(id) AS id FROM messages WHERE session_id = ? AND id > ?', session, before)?.['id'];
  const isLast = typeof next !== 'number';
  if (isRowId(own) && own > before && (isLast || own < next) && !isTaken(connection, own)) return own;
  return isLast ? 'end' : undefined;
}

function refusalOf(connection: Connection, id: SessionId): 'busy' | 'compressed' | undefined {
  if (turnLease(connection, segmentIds(connection, id)[0] ?? id) !== undefined) return 'busy';
  const row = first(connection, 'SELECT end_reason FROM sessions WHERE id = ?', id);
  return row?.['end_reason'] === 'compression' ? 'compressed' : undefined;
}
