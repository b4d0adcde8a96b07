import type { Connection, Database } from '../connection.ts';
import { quoted } from './rows.ts';
import { inBin } from './trouble.ts';

/** A cell as it crosses over: texts as their bytes, whether or not they are valid. */
type Cell = null | bigint | number | string | Uint8Array;

/** First letters of SQLite's names of storage classes: null, integer, real, text, blob; `s` for a text that was set here. */
type Kind = 'n' | 'i' | 'r' | 't' | 'b' | 's';

/** One row on its way from the bin to the store. */
export interface RawRow {
  has(name: string): boolean;
  value(name: string): Cell;
  /** A text cell, decoded; undefined for anything else. */
  text(name: string): string | undefined;
  set(name: string, value: string | null): void;
  readonly kinds: string;
  readonly cells: readonly Cell[];
}

/**
 * Rows of the bin, in the order they were copied. The store's connection can't see the bin (no database can be attached inside a
 * transaction), so they pass through here, and nothing may be changed on the way: not bytes that are no text, not large integers.
 */
export function* rawRows(bin: Database, table: string, names: readonly string[], where: string): Generator<RawRow> {
  const kinds = names.map((name) => `substr(typeof(${quoted(name)}), 1, 1)`).join(' || ');
  const cells = names.map((name) => `CASE typeof(${quoted(name)}) WHEN 'text' THEN CAST(${quoted(name)} AS BLOB) ELSE ${quoted(name)} END`);
  const sql = `SELECT ${kinds}, ${cells.join(', ')} FROM main.${quoted(table)} WHERE ${where} ORDER BY rowid`;
  const at = new Map(names.map((name, index) => [name, index]));
  const statement = bin.prepare(sql).raw(true).safeIntegers(true);
  for (const row of inBin(statement.iterate())) {
    const [types, ...values] = row as [string, ...Cell[]];
    yield makeRow(at, [...types] as Kind[], values);
  }
}

function makeRow(at: ReadonlyMap<string, number>, kinds: Kind[], cells: Cell[]): RawRow {
  const cell = (name: string): Cell => {
    const index = at.get(name);
    return index === undefined ? null : (cells[index] ?? null);
  };
  return {
    get kinds() {
      return kinds.join('');
    },
    cells,
    has: (name) => at.has(name),
    value: cell,
    text(name) {
      const value = cell(name);
      return kinds[at.get(name) ?? -1] === 't' && value instanceof Uint8Array ? new TextDecoder().decode(value) : undefined;
    },
    set(name, value) {
      const index = at.get(name);
      if (index === undefined) return;
      kinds[index] = value === null ? 'n' : 's';
      cells[index] = value;
    },
  };
}

/** Inserts rows as they were. @returns of the function: the row id */
export function rawWriter(connection: Connection, table: string, names: readonly string[], or: '' | 'OR IGNORE'): (row: RawRow) => number {
  const head = `INSERT ${or} INTO ${quoted(table)} (${names.map(quoted).join(', ')}) VALUES`;
  const byKinds = new Map<string, string>();
  return (row) => {
    const { kinds } = row;
    let sql = byKinds.get(kinds);
    if (sql === undefined) {
      sql = `${head} (${[...kinds].map((kind) => (kind === 't' ? 'CAST(? AS TEXT)' : '?')).join(', ')})`;
      byKinds.set(kinds, sql);
    }
    return Number(connection.statement(sql).run(...row.cells).lastInsertRowid);
  };
}
