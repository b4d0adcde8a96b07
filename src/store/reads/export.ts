import { createHash } from 'node:crypto';
import type { StoredRow, StoredValue } from '../../session/stored.ts';
import type { Message, SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { all, first } from '../rows.ts';
import { indexedBy } from './columns.ts';
import { delegatesBelow } from './delegates.ts';
import { exactRows } from './exact-rows.ts';
import { lazySource, lineageOf, nodeById } from './lineages.ts';
import { wholeMessages } from './messages.ts';
import { walkPlaces } from './transcript.ts';

/** Every stored session, oldest first: the order of a backup, which depends on nothing but the rows. */
export function exportIds(connection: Connection): SessionId[] {
  return all(connection, 'SELECT id FROM sessions ORDER BY started_at, id').map((row) => String(row['id']));
}

/** Which of these are stored, in that same order. */
export function inExportOrder(connection: Connection, ids: readonly SessionId[]): SessionId[] {
  const sql = 'SELECT id FROM sessions WHERE id IN (SELECT value FROM json_each(?)) ORDER BY started_at, id';
  return all(connection, sql, JSON.stringify(ids)).map((row) => String(row['id']));
}

/** The row of a session, `system_prompt` resolved (state-db.md 1.4); undefined when it is not stored. */
export function exportRow(connection: Connection, id: SessionId): StoredRow | undefined {
  const row = rowsOf(connection, { table: 'sessions', rest: 'WHERE id = ?', values: [id] })[0];
  const prompt = row === undefined ? undefined : promptRow(connection, row['system_prompt_hash'])?.['prompt'];
  return row === undefined || prompt === undefined ? row : { ...row, system_prompt: prompt };
}

/** Prompts that a row names by hash besides its own system prompt (`tool_names`). */
export function exportPrompts(connection: Connection, row: StoredRow): StoredRow[] {
  const named = row['tool_names'] === row['system_prompt_hash'] ? undefined : promptRow(connection, row['tool_names']);
  return named === undefined ? [] : [named];
}

function promptRow(connection: Connection, hash: StoredValue | undefined): StoredRow | undefined {
  if (typeof hash !== 'string' || !connection.has('system_prompts', 'prompt')) return undefined;
  return rowsOf(connection, { table: 'system_prompts', rest: 'WHERE hash = ?', values: [hash] })[0];
}

/** All message rows of a session as stored, by id, in batches. */
export function* exportRows(connection: Connection, id: SessionId): Generator<StoredRow[]> {
  const rest = `${indexedBy(connection, 'idx_messages_session_id')} WHERE session_id = ? ORDER BY id`;
  yield* exactRows(connection, { table: 'messages', rest, values: [id] });
}

export function exportRowCount(connection: Connection, id: SessionId): number {
  return Number(first(connection, 'SELECT count(*) AS n FROM messages WHERE session_id = ?', id)?.['n'] ?? 0);
}

export function exportUsage(connection: Connection, id: SessionId): StoredRow[] {
  if (!connection.has('session_model_usage', 'session_id')) return [];
  return rowsOf(connection, { table: 'session_model_usage', rest: 'WHERE session_id = ? ORDER BY rowid', values: [id] });
}

function rowsOf(connection: Connection, query: Parameters<typeof exactRows>[1]): StoredRow[] {
  return [...exactRows(connection, query)].flat();
}

/** Places looked at in one step, and bytes of content read in one go; a single message may be larger. */
const placesAtOnce = 256;
const bytesAtOnce = 1024 * 1024;

/**
 * What a reader saw of these segments (root first), each message in full. Rows that a compression copied stand once, where they
 * were said; a segment given alone is complete in itself.
 */
export function* exportMessages(connection: Connection, segments: readonly SessionId[]): Generator<Message[]> {
  for (const places of walkPlaces(connection, segments, 'after', undefined, placesAtOnce)) {
    const ids = JSON.stringify(places.map((place) => place.id));
    const sizes = all(
      connection,
      `SELECT m.id, octet_length(m.content) AS bytes FROM json_each(?) AS wanted CROSS JOIN messages AS m ON m.id = wanted.value
        ORDER BY wanted.key`,
      ids,
    );
    let group: number[] = [];
    let bytes = 0;
    for (const size of sizes) {
      group.push(Number(size['id']));
      bytes += Number(size['bytes'] ?? 0);
      if (bytes < bytesAtOnce) continue;
      yield wholeMessages(connection, group);
      group = [];
      bytes = 0;
    }
    if (group.length > 0) yield wholeMessages(connection, group);
  }
}

/** What a deletion of this session takes along: the segments of its lineage, root first, and the sub-agents' sessions below them. */
export interface Company {
  readonly segments: readonly SessionId[];
  readonly delegates: readonly SessionId[];
}

export function companyOf(connection: Connection, id: SessionId): Company {
  const node = nodeById(connection, id);
  if (node === undefined) return { segments: [id], delegates: [] };
  const source = lazySource(connection);
  const { segments } = lineageOf(connection, node, source);
  return { segments: segments.map((segment) => segment.id), delegates: delegatesBelow(segments, source) };
}

/**
 * Everything read until `end` is one state of the store, whatever others write meanwhile. Where a reader would hold writers up (a file without
 * WAL), `renew` lets them through and goes on from the state they left.
 */
export interface Snapshot {
  renew(): void;
  end(): void;
}

export function takeSnapshot(connection: Connection): Snapshot {
  const { db } = connection;
  const holdsWritersUp = String(db.pragma('journal_mode', { simple: true })).toLowerCase() !== 'wal';
  db.exec('BEGIN');
  return {
    renew() {
      if (holdsWritersUp) db.exec('COMMIT; BEGIN');
    },
    end() {
      if (db.inTransaction) db.exec('COMMIT');
    },
  };
}

/** SHA-256 over every stored cell of a session, its messages and its usage: equal exactly where nothing was changed in between. Hex. */
export function sessionDigest(connection: Connection, id: SessionId): string {
  const hash = createHash('sha256');
  const add = (kind: string, rows: Iterable<readonly StoredRow[]>): void => {
    for (const batch of rows) {
      for (const row of batch) {
        hash.update(kind);
        for (const [name, value] of Object.entries(row)) {
          const bytes = value instanceof Uint8Array ? value : Buffer.from(String(value), 'utf8');
          const type = value === null ? 'null' : value instanceof Uint8Array ? 'bytes' : typeof value;
          hash.update(`${JSON.stringify(name)}${type}${bytes.byteLength}:`).update(bytes);
        }
      }
    }
  };
  add('session', exactRows(connection, { table: 'sessions', rest: 'WHERE id = ?', values: [id] }));
  add('usage', [exportUsage(connection, id)]);
  add('message', exportRows(connection, id));
  return hash.digest('hex');
}
