import type { Connection } from '../connection.ts';

/** Rows a transcript shows and a search finds: live ones and those archived by compaction, never undone ones (state-db.md 2.8). */
export function visibleSql(connection: Connection, alias: string): string {
  if (!connection.has('messages', 'active')) return '1';
  const live = `(${alias}.active = 1 OR ${alias}.active IS NULL`;
  return connection.has('messages', 'compacted') ? `${live} OR ${alias}.compacted = 1)` : `${live})`;
}

/** Rows the model is given: the live set. */
export function liveSql(connection: Connection, alias: string): string {
  return connection.has('messages', 'active') ? `(${alias}.active = 1 OR ${alias}.active IS NULL)` : '1';
}

/** The column, or what stands for it in an era that does not have it. */
export function columnOr(connection: Connection, table: string, alias: string, column: string, missing = 'NULL'): string {
  return connection.has(table, column) ? `${alias}.${column}` : missing;
}

/** `INDEXED BY name` where the file has it: the planner has no statistics in these files and sometimes prefers the rowid. */
export function indexedBy(connection: Connection, name: string): string {
  return connection.shape.indexes.has(name) ? `INDEXED BY ${name}` : '';
}

/**
 * The beginning of a content cell. SQLite's text functions stop at a NUL, with which stored parts begin: `length` is 0 there and the bytes
 * are taken instead. `octet_length` reads the row's header only.
 */
export function contentStartSql(alias: string, characters: number, partsBytes: number): string {
  return `CASE WHEN length(${alias}.content) = 0 AND octet_length(${alias}.content) > 0
    THEN substr(CAST(${alias}.content AS BLOB), 1, ${partsBytes}) ELSE substr(${alias}.content, 1, ${characters}) END`;
}

/** A row nobody said, whatever its role: written for the model (`hidden`), or an event such as a switch of the model (state-db.md 2.8). */
export function isEventSql(connection: Connection, alias: string): string {
  return connection.has('messages', 'display_kind') ? `COALESCE(${alias}.display_kind, '') <> ''` : '0';
}
