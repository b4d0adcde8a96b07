import type { Connection, Database } from '../connection.ts';
import { STORE } from './file.ts';

/** A table whose rows follow their session. `belongs` says which, of `r`, for a session called `g.id`. */
export interface Following {
  readonly table: string;
  readonly belongs: string;
  /** Rows are found by an index of the table's, session by session; else each row is asked whether its session is among those. */
  readonly isIndexed: boolean;
}

/** The column of every copied row that says which entry of the bin it belongs to; no program calls a column so. */
export const ENTRY = '"bin entry"';

/** Told apart from the tables whose rows hang on one session: a prompt is shared by many. */
export const PROMPTS = 'system_prompts';

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Columns of `async_delegations` that name a session. */
const delegationColumns = ['parent_session_id', 'origin_session', 'origin_session_id'];

/**
 * Every table of this file whose rows go where their session goes, sessions first. Among them the tables of other programs whose rows SQLite
 * would delete with their session: they must come back with it.
 */
export function followingTables(connection: Connection): Following[] {
  const tables: Following[] = [
    { table: 'sessions', belongs: 'r.id = g.id', isIndexed: true },
    { table: 'messages', belongs: 'r.session_id = g.id', isIndexed: true },
  ];
  if (connection.has('session_model_usage')) tables.push({ table: 'session_model_usage', belongs: 'r.session_id = g.id', isIndexed: true });
  const names = delegationColumns.filter((column) => connection.has('async_delegations', column));
  if (names.length > 0) {
    tables.push({ table: 'async_delegations', belongs: isOneOf(names), isIndexed: false });
  }
  if (connection.has('state_meta')) tables.push({ table: 'state_meta', belongs: "r.key = 'loop:' || g.id", isIndexed: true });
  return [...tables, ...cascadingTables(connection, new Set(tables.map((known) => known.table)))];
}

const isOneOf = (columns: readonly string[]): string => `g.id IN (${columns.map((name) => `r.${quoted(name)}`).join(', ')})`;

/** `FROM` and `WHERE` over the rows of `table` (a name with its schema) that follow the sessions in `temp.<ids>`; SQLite has no statistics to go by. */
export function followingRows({ belongs, isIndexed }: Following, table: string, ids: string): string {
  const [outer, inner] = isIndexed ? [`temp.${ids} AS g`, `${table} AS r`] : [`${table} AS r`, `temp.${ids} AS g`];
  return `FROM ${outer} CROSS JOIN ${inner} WHERE ${belongs}`;
}

function cascadingTables(connection: Connection, known: ReadonlySet<string>): Following[] {
  const found: Following[] = [];
  for (const table of connection.shape.columns.keys()) {
    if (known.has(table)) continue;
    const keys = connection.db.prepare<[string], ForeignKey>('SELECT "from", "table" AS parent, on_delete FROM pragma_foreign_key_list(?)');
    const columns = keys.all(table).filter((key) => key.parent.toLowerCase() === 'sessions' && key.on_delete === 'CASCADE');
    if (columns.length > 0) found.push({ table, belongs: isOneOf(columns.map((key) => key.from)), isIndexed: false });
  }
  return found;
}

interface ForeignKey {
  readonly from: string;
  readonly parent: string;
  readonly on_delete: string;
}

/** Columns as the file has them, in its order. */
export function columnsOf(db: Database, schema: string, table: string): string[] {
  return db.prepare<[string, string], string>('SELECT name FROM pragma_table_info(?, ?)').pluck().all(table, schema);
}

/**
 * Copies the rows of the sessions in `temp.moving` (id, entry) from the store, inside a transaction of the bin's. SQLite does it without
 * looking at them: a number stays a number, bytes that are no text stay as they are, columns this program does not know come along.
 *
 * @returns the columns copied, by table: what an entry is put back with
 */
export function copyRows(bin: Database, connection: Connection): Record<string, readonly string[]> {
  const copied: Record<string, readonly string[]> = {};
  for (const following of followingTables(connection)) {
    const { table } = following;
    const columns = columnsOf(bin, STORE, table);
    makeRoom(bin, table, columns);
    const names = columns.map(quoted).join(', ');
    bin.exec(
      `INSERT INTO main.${quoted(table)} (${ENTRY}, ${names}) SELECT g.entry, ${columns.map((name) => `r.${quoted(name)}`).join(', ')}
        ${followingRows(following, `${STORE}.${quoted(table)}`, 'moving')}`,
    );
    copied[table] = columns;
  }
  copyPrompts(bin, connection, copied);
  return copied;
}

/** Prompts of the sessions in `temp.moving`, once each: they are long, and thousands of sessions share one. */
function copyPrompts(bin: Database, connection: Connection, copied: Record<string, readonly string[]>): void {
  const references = promptColumns(connection);
  if (references.length === 0) return;
  const columns = columnsOf(bin, STORE, PROMPTS);
  makeRoom(bin, PROMPTS, columns);
  const names = columns.map(quoted).join(', ');
  const used = references
    .map((column) => `SELECT s.${column} FROM ${STORE}.sessions AS s JOIN temp.moving AS g ON g.id = s.id`)
    .join(' UNION ');
  bin.exec(
    `INSERT INTO main.${PROMPTS} (${names}) SELECT ${names} FROM ${STORE}.${PROMPTS}
      WHERE hash IN (${used}) AND hash NOT IN (SELECT hash FROM main.${PROMPTS})`,
  );
  copied[PROMPTS] = columns;
}

/** Columns of `sessions` that refer to a shared prompt (state-db.md 1.4). */
export function promptColumns(connection: Connection): string[] {
  if (!connection.has(PROMPTS)) return [];
  return ['system_prompt_hash', 'tool_names'].filter((column) => connection.has('sessions', column));
}

/** Columns without a type take every value as it is. */
function makeRoom(bin: Database, table: string, columns: readonly string[]): void {
  const present = new Set(columnsOf(bin, 'main', table));
  if (present.size === 0) {
    bin.exec(`CREATE TABLE main.${quoted(table)} (${[ENTRY, ...columns.map(quoted)].join(', ')})`);
    const key = table === PROMPTS ? 'hash' : ENTRY;
    bin.exec(`CREATE INDEX main.${quoted(`${table} by entry`)} ON ${quoted(table)} (${key})`);
    return;
  }
  for (const name of columns) if (!present.has(name)) bin.exec(`ALTER TABLE main.${quoted(table)} ADD COLUMN ${quoted(name)}`);
}

/** Tables of the bin that hold rows of entries. */
export function copiedTables(bin: Database): string[] {
  const all = bin.prepare<[], string>(
    "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
  );
  return all
    .pluck()
    .all()
    .filter((name) => !['bin', 'entries', PROMPTS].includes(name));
}
