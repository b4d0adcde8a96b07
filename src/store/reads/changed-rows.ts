import type { SessionId, SessionRow } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { first } from '../rows.ts';
import { columnOr } from './columns.ts';
import { lazySource, lineageOf, selectNodes, wholeSource, type Lineage } from './lineages.ts';
import { sessionRows } from './row-details.ts';

/** What became of a listing since it was read, or since it was asked about last. */
export interface RowChanges {
  /** Lineages that began, changed, were joined or parted, as they are now; in no order. */
  readonly rows: SessionRow[];
  /** Sessions that are gone; what is left of their lineages is among `rows`. */
  readonly removed: SessionId[];
}

/** What this connection handed out last, held in a temporary table of its own (`temp.seen_sessions`). */
interface Seen {
  readonly marker: number;
  /** Columns of this file that the table holds; another program may add one. */
  readonly columns: string;
  /** `PRAGMA data_version`: another number after every commit of another connection. */
  version: number;
  sessions: number;
  /** Highest row id of the messages. */
  message: number;
}

/** A changed session, as the comparison of both tables finds it. */
type Found = readonly [
  rowid: number,
  id: SessionId,
  before: SessionId | null,
  parent: SessionId | null,
  parentBefore: SessionId | null,
  isParted: number,
];
type Gone = readonly [rowid: number, id: SessionId, parent: SessionId | null];

const seen = new WeakMap<Connection, Seen>();
let markers = 0;

/** By the row id: for DISTINCT the planner would rather read the index of all sessions' messages. */
const newMessagesSql = 'SELECT DISTINCT m.session_id FROM main.messages AS m NOT INDEXED WHERE m.id > ?';

/** From here on all sessions are read at once: looking each up costs more. */
const manyChanges = 500;

/** Everything of a session that its row in a list is made of. */
const listed = [
  ...['id', 'parent_session_id', 'source', 'created_source', 'title', 'model', 'started_at', 'ended_at', 'end_reason', 'session_key'],
  ...['last_activity_at', 'message_count', 'archived', 'hidden', 'pinned', 'cwd', 'git_repo_root', 'git_branch', 'handoff_state'],
];
/** Columns by which a session hangs on its parent, or its children on it: with them lineages join and part. */
const joining = ['parent_session_id', 'source', 'started_at', 'ended_at', 'end_reason', 'session_key', 'config'];

/** The compared columns, in the order of the table: `config` holds `model_config` where it has a marker of a lineage. */
function comparedColumns(connection: Connection): [name: string, sql: string][] {
  const plain = listed.map((name): [string, string] => [name, columnOr(connection, 'sessions', 's', name)]);
  const config = connection.has('sessions', 'model_config')
    ? `CASE WHEN instr(s.model_config, '_from"') > 0 THEN s.model_config END`
    : 'NULL';
  return [...plain, ['config', config]];
}

const columnsKey = (connection: Connection): string =>
  comparedColumns(connection)
    .map(([, sql]) => sql)
    .join();

const dataVersion = (connection: Connection): number => Number(first(connection, 'PRAGMA data_version')?.['data_version']);
const countSessions = (connection: Connection): number => Number(first(connection, 'SELECT count(*) AS n FROM sessions')?.['n']);
const newestMessage = (connection: Connection): number => Number(first(connection, 'SELECT max(id) AS id FROM messages')?.['id'] ?? 0);

/**
 * Remembers every session as it is now, in memory of this connection (200 bytes each; 5 ms for 10,000, 50 ms for 100,000). Rows read
 * afterwards are as new or newer, so nothing is missed between the two.
 *
 * @returns what `changedRows` wants to be handed
 */
export function rememberSessions(connection: Connection): number {
  const { db } = connection;
  const version = dataVersion(connection);
  const columns = comparedColumns(connection);
  markers += 1;
  const marker = markers;
  db.pragma('temp_store = MEMORY');
  db.transaction(() => {
    db.exec('DROP TABLE IF EXISTS temp.seen_sessions');
    db.exec(`CREATE TABLE temp.seen_sessions (at INTEGER PRIMARY KEY, ${columns.map(([name]) => name).join(', ')})`);
    db.exec(`INSERT INTO temp.seen_sessions SELECT s.rowid, ${columns.map(([, sql]) => sql).join(', ')} FROM main.sessions AS s`);
    seen.set(connection, {
      marker,
      columns: columnsKey(connection),
      version,
      sessions: countSessions(connection),
      message: newestMessage(connection),
    });
  })();
  return marker;
}

/**
 * What anybody changed since the last call, or since the listing that gave out `marker`: new messages and sessions, titles, pins,
 * archives, ends, deletions, restored ones; undone messages by their session's counter. Comparing costs 6 ms for 10,000 sessions and 66 ms for 100,000, and nothing where the file was not
 * written to.
 *
 * @returns undefined where there is nothing to compare with (the file was opened anew, another listing was read): read the whole list again
 */
export function changedRows(connection: Connection, marker: number): RowChanges | undefined {
  const known = seen.get(connection);
  if (known?.marker !== marker || known.columns !== columnsKey(connection)) return undefined;
  // Asked before the comparison: what is committed between the two is compared twice, never left out.
  const version = dataVersion(connection);
  if (version === known.version) return { rows: [], removed: [] };
  const changes = connection.db.transaction(() => compare(connection, known))();
  known.version = version;
  return changes;
}

function compare(connection: Connection, known: Seen): RowChanges {
  const columns = comparedColumns(connection);
  const differs = (names: readonly [string, string][]): string => names.map(([name, sql]) => `${sql} IS NOT t.${name}`).join(' OR ');
  const parent = columnOr(connection, 'sessions', 's', 'parent_session_id');
  const found = select<Found>(
    connection,
    `SELECT s.rowid, s.id, t.id, ${parent}, t.parent_session_id, t.at IS NULL OR ${differs(columns.filter(([name]) => joining.includes(name)))}
      FROM main.sessions AS s LEFT JOIN temp.seen_sessions AS t ON t.at = s.rowid WHERE t.at IS NULL OR ${differs(columns)}`,
  );
  const sessions = countSessions(connection);
  const isNumberRight = sessions === known.sessions + found.filter(([, , before]) => before === null).length;
  const gone = isNumberRight ? [] : goneSessions(connection);

  const removed = [...gone.map(([, id]) => id), ...found.flatMap(([, id, before]) => (before === null || before === id ? [] : [before]))];
  const affected = new Set(found.map(([, id]) => id));
  // Whatever came, went or hangs elsewhere can join its neighbours to another lineage.
  const parted = new Set<SessionId | null>(removed);
  for (const [, , above] of gone) parted.add(above);
  for (const [, id, , above, aboveBefore, isParted] of found) if (isParted === 1) parted.add(id).add(above).add(aboveBefore);
  parted.delete(null);
  for (const id of parted) affected.add(id!);
  for (const id of childrenOf(connection, [...parted] as SessionId[])) affected.add(id);
  for (const [id] of select<[SessionId]>(connection, newMessagesSql, known.message)) {
    affected.add(id);
  }
  Object.assign(known, { sessions, message: newestMessage(connection) });
  rememberChanges(connection, found, gone);
  return { rows: rowsOf(connection, [...affected]), removed };
}

function rememberChanges(connection: Connection, found: readonly Found[], gone: readonly Gone[]): void {
  const rowids = (rows: readonly (Found | Gone)[]): string => JSON.stringify(rows.map(([rowid]) => rowid));
  connection.statement('DELETE FROM temp.seen_sessions WHERE at IN (SELECT value FROM json_each(?))').run(rowids(gone));
  const columns = comparedColumns(connection).map(([, sql]) => sql);
  const sql = `INSERT OR REPLACE INTO temp.seen_sessions SELECT s.rowid, ${columns.join(', ')}
    FROM json_each(?) AS wanted CROSS JOIN main.sessions AS s ON s.rowid = wanted.value`;
  connection.statement(sql).run(rowids(found));
}

function select<Values extends readonly unknown[]>(connection: Connection, sql: string, ...values: readonly unknown[]): Values[] {
  return connection
    .statement(sql)
    .raw(true)
    .all(...values) as unknown[] as Values[];
}

function goneSessions(connection: Connection): Gone[] {
  const isThere = 'SELECT 1 FROM main.sessions AS s WHERE s.rowid = t.at';
  return select<Gone>(connection, `SELECT t.at, t.id, t.parent_session_id FROM temp.seen_sessions AS t WHERE NOT EXISTS (${isThere})`);
}

function childrenOf(connection: Connection, ids: readonly SessionId[]): SessionId[] {
  if (ids.length === 0 || !connection.has('sessions', 'parent_session_id')) return [];
  const sql = 'SELECT s.id FROM main.sessions AS s WHERE s.parent_session_id IN (SELECT value FROM json_each(?))';
  return select<[SessionId]>(connection, sql, JSON.stringify(ids)).map(([id]) => id);
}

function rowsOf(connection: Connection, ids: readonly SessionId[]): SessionRow[] {
  if (ids.length === 0) return [];
  const isMany = ids.length > manyChanges;
  const all = isMany ? selectNodes(connection, '') : [];
  const source = isMany ? wholeSource(all) : lazySource(connection);
  const lineages = new Map<SessionId, Lineage>();
  const wanted = new Set(ids);
  for (const id of wanted) {
    const node = source.node(id);
    if (node === undefined) continue;
    // Of several sessions that could go on with a compressed one, the latest in use does (session/lineage.ts).
    const above = node.parentId === undefined ? undefined : source.node(node.parentId);
    if (above?.endReason === 'compression') for (const sibling of source.children(above.id)) wanted.add(sibling.id);
    const lineage = lineageOf(connection, node, source);
    lineages.set(lineage.root.id, lineage);
  }
  return sessionRows(connection, [...lineages.values()], { previews: 'all' });
}
