import { isBrokenText, type StoredRow, type StoredValue } from '../../session/stored.ts';
import type { Connection, StoreShape } from '../connection.ts';
import { all } from '../rows.ts';

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Inserts a row as it was stored somewhere else, to the byte: columns this table has, NULL where it may stand. Never replaces one
 * (store-v31.md B4.3.3).
 *
 * @param whenThere what happens to a row whose key is taken: an error, or nothing
 * @returns the row id
 */
export function insertExact(connection: Connection, table: string, row: StoredRow, whenThere: 'fail' | 'keep' = 'fail'): number {
  const filled = demandedColumns(connection, table);
  const names = Object.keys(row).filter((name) => connection.has(table, name) && (row[name] !== null || !filled.has(name)));
  const places = names.map((name) => (isText(row[name]) ? 'CAST(? AS TEXT)' : '?'));
  const sql = `INSERT INTO ${table} (${names.map(quoted).join(', ')}) VALUES (${places.join(', ')})${whenThere === 'keep' ? ' ON CONFLICT DO NOTHING' : ''}`;
  return Number(connection.statement(sql).run(...names.map((name) => row[name])).lastInsertRowid);
}

/** Bytes of a text that is no valid UTF-8: a driver binds bytes as a blob, so that SQLite has to be told. */
const isText = (value: StoredValue | undefined): boolean => value !== undefined && isBrokenText(value);

const demanded = new WeakMap<StoreShape, Map<string, ReadonlySet<string>>>();

/** Columns that take no NULL: they get their default instead. */
function demandedColumns(connection: Connection, table: string): ReadonlySet<string> {
  const known = demanded.get(connection.shape) ?? new Map<string, ReadonlySet<string>>();
  demanded.set(connection.shape, known);
  let names = known.get(table);
  if (names === undefined) {
    names = new Set(all(connection, 'SELECT name FROM pragma_table_info(?) WHERE "notnull" = 1', table).map((row) => String(row['name'])));
    known.set(table, names);
  }
  return names;
}

/** Names of cells with something in them that this table has no column for. */
export function lostColumns(connection: Connection, table: string, row: StoredRow): string[] {
  return Object.keys(row).filter((name) => !connection.has(table, name) && row[name] !== null);
}
