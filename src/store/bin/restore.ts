import { nextLineageTitle } from '../../session/title.ts';
import type { SessionId } from '../../session/types.ts';
import { binText } from '../../text/en/bin.ts';
import { afterCommit } from '../after-commit.ts';
import type { Connection, Database } from '../connection.ts';
import { lineageTitles } from '../reads/resolve.ts';
import { isStored } from '../reads/sessions.ts';
import { keepFromNow } from '../retention/kept.ts';
import { readEntries, staleEntries, type StoredEntry } from './entries.ts';
import { withBin } from './file.ts';
import { rawRows, rawWriter, type RawRow } from './raw-rows.ts';
import { columnsOf, ENTRY, PROMPTS, promptColumns, quoted } from './rows.ts';
import { settle } from './settle.ts';
import { inStore } from './trouble.ts';
import type { BinEntry, Refusal, RestoreResult } from './types.ts';
import { unlessRefused } from './unless-refused.ts';

/**
 * Brings deleted lineages back, named by the ids of their entries, inside a transaction that holds the store's write lock: rows as they were,
 * to the byte, found by search again, children hung on them again. They leave the bin once the store has them on disk. What can't come
 * back whole stays in the bin, and is named. Retention leaves them alone until they are old since this.
 *
 * @throws StoreError for a bin that can't be read
 */
export function restoreFromBin(connection: Connection, ids: readonly SessionId[]): RestoreResult {
  const restored: BinEntry[] = [];
  const refused: Refusal[] = [];
  const retitled: RestoreResult['retitled'][number][] = [];
  const leaving: StoredEntry[] = [];
  withBin(connection, 'existing', (bin) => {
    const stale = new Set(staleEntries(bin));
    const entries = new Map(readEntries(bin).flatMap((one) => (stale.has(one.entry) ? [] : [[one.facts.id, one] as const])));
    // A parent may come back in the same go as its child: whoever is looked for is there at the commit.
    connection.db.pragma('defer_foreign_keys = ON');
    for (const id of new Set(ids)) {
      const entry = entries.get(id);
      if (entry === undefined) continue;
      const outcome = putBack(connection, bin, entry);
      if (typeof outcome === 'string') refused.push({ id, message: outcome });
      else {
        restored.push(entry.facts);
        retitled.push(...outcome);
        leaving.push(entry);
      }
    }
    inStore(() => {
      attachChildren(connection, leaving);
      keepFromNow(
        connection,
        restored.map(({ id }) => id),
      );
    });
  });
  const found = new Set([...restored, ...refused].map(({ id }) => id));
  for (const id of new Set(ids)) if (!found.has(id)) refused.push({ id, message: binText.notInBin(id) });
  if (leaving.length > 0) afterCommit(connection.db, () => settle(connection, { storedAgain: leaving.map(({ entry }) => entry) }));
  return { restored, refused, retitled };
}

/** When all are back, since a child may have been deleted after its parent, without one, and return with it. */
function attachChildren(connection: Connection, entries: readonly StoredEntry[]): void {
  if (!connection.has('sessions', 'parent_session_id')) return;
  const attach = connection.statement('UPDATE sessions SET parent_session_id = ? WHERE id = ? AND parent_session_id IS NULL');
  for (const { child, parent } of entries.flatMap(({ detached }) => detached)) attach.run(parent, child);
}

/** @returns the titles that had to change; a sentence when the entry can't come back, and then nothing was changed */
function putBack(connection: Connection, bin: Database, entry: StoredEntry): RestoreResult['retitled'][number][] | string {
  const { id, ids, delegates } = entry.facts;
  const taken = [...ids, ...delegates].find((one) => isStored(connection, one));
  if (taken !== undefined) return binText.taken(id, taken);
  const homeless = findHomeless(connection, bin, entry);
  if (homeless !== undefined) return binText.noPlace(id, homeless);
  const outcome = inStore(() => unlessRefused(connection, () => insertEntry(connection, bin, entry)));
  return outcome === 'refused' ? binText.notRestored(id) : outcome;
}

/** A table or column that holds something of the entry and that this store lacks; a store put in this one's place may be older. */
function findHomeless(connection: Connection, bin: Database, { entry, columns }: StoredEntry): string | undefined {
  for (const [table, names] of Object.entries(columns)) {
    if (table === PROMPTS) continue;
    for (const name of names) {
      if (connection.has(table, name)) continue;
      const holds = `SELECT 1 FROM main.${quoted(table)} WHERE ${ENTRY} = ? AND ${quoted(name)} IS NOT NULL LIMIT 1`;
      if (bin.prepare(holds).get(entry) !== undefined) return `${table}.${name}`;
    }
  }
  return undefined;
}

function insertEntry(connection: Connection, bin: Database, entry: StoredEntry): RestoreResult['retitled'][number][] {
  insertPrompts(connection, bin, entry);
  const retitled: RestoreResult['retitled'][number][] = [];
  const own = new Set([...entry.facts.ids, ...entry.facts.delegates]);
  for (const table of Object.keys(entry.columns)) {
    if (table === PROMPTS || !connection.has(table)) continue;
    const names = (entry.columns[table] ?? []).filter((name) => connection.has(table, name));
    const write = rawWriter(connection, table, names, sharedTables.has(table) ? 'OR IGNORE' : '');
    const toRow = table === 'sessions' ? sessionRow : table === 'messages' ? messageRow : undefined;
    for (const row of rawRows(bin, table, names, `${ENTRY} = ${entry.entry}`)) {
      if (toRow === undefined) write(row);
      else toRow(connection, row, write, { own, retitled });
    }
  }
  return retitled;
}

/** Their rows have names of their own; one that was made meanwhile stays. */
const sharedTables = new Set(['async_delegations', 'state_meta']);

interface Insertion {
  readonly own: ReadonlySet<SessionId>;
  readonly retitled: RestoreResult['retitled'][number][];
}

type Write = (row: RawRow) => number;

/** A session comes back as it was, except for what must not be twice, and for what it referred to and is gone. */
function sessionRow(connection: Connection, row: RawRow, write: Write, { own, retitled }: Insertion): void {
  const id = row.text('id') ?? '';
  const parent = row.text('parent_session_id');
  if (parent !== undefined && !own.has(parent) && !isStored(connection, parent)) row.set('parent_session_id', null);
  const hash = row.text('system_prompt_hash');
  if (hash !== undefined && !hasPrompt(connection, hash)) row.set('system_prompt_hash', null);
  const title = row.text('title');
  // Without the index the file may hold titles twice, and the deleted one may have been one of them.
  if (title !== undefined && connection.shape.indexes.has('idx_sessions_title_unique') && isTitleTaken(connection, row.value('title'))) {
    const next = nextLineageTitle(title, lineageTitles(connection, title));
    row.set('title', next);
    retitled.push({ id, from: title, to: next });
  }
  write(row);
}

/** A message keeps its row id unless that was given to another one meanwhile; its place in the display is then for the triggers to say. */
function messageRow(connection: Connection, row: RawRow, write: Write): void {
  const isTaken = connection.statement('SELECT 1 FROM messages WHERE id = ?').get(row.value('id')) !== undefined;
  if (isTaken) for (const name of ['id', 'display_identity', 'display_order']) row.set(name, null);
  const rowId = write(row);
  if (isTaken) return;
  // What the triggers fill in of their own accord was empty on purpose: by an edit, or from before there were triggers.
  const emptied = filledByTriggers.filter((name) => connection.has('messages', name) && row.has(name) && row.value(name) === null);
  if (emptied.length === 0) return;
  connection.statement(`UPDATE messages SET ${emptied.map((name) => `${name} = NULL`).join(', ')} WHERE id = ?`).run(rowId);
}

const filledByTriggers = ['message_uid', 'display_order'];

function insertPrompts(connection: Connection, bin: Database, { entry, columns }: StoredEntry): void {
  const references = promptColumns(connection).filter((name) => columns['sessions']?.includes(name));
  const names = columnsOf(bin, 'main', PROMPTS).filter((name) => connection.has(PROMPTS, name));
  if (references.length === 0 || names.length === 0) return;
  const used = references.map((name) => `SELECT ${name} FROM main.sessions WHERE ${ENTRY} = ${entry}`).join(' UNION ');
  const write = rawWriter(connection, PROMPTS, names, 'OR IGNORE');
  for (const row of rawRows(bin, PROMPTS, names, `hash IN (${used})`)) write(row);
}

function hasPrompt(connection: Connection, hash: string): boolean {
  return connection.has(PROMPTS) && connection.statement(`SELECT 1 FROM ${PROMPTS} WHERE hash = ?`).get(hash) !== undefined;
}

/** By its bytes, as the unique index compares. */
function isTitleTaken(connection: Connection, title: unknown): boolean {
  return connection.statement('SELECT 1 FROM sessions WHERE title = CAST(? AS TEXT)').get(title) !== undefined;
}
