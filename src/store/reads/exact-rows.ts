import { brokenText, type StoredRow, type StoredValue } from '../../session/stored.ts';
import type { Connection, Statement, StoreShape } from '../connection.ts';

/** Which rows, in SQL: `FROM` on, the table without an alias, `ORDER BY` included; `values` for its question marks. */
export interface RowsQuery {
  readonly table: string;
  readonly rest: string;
  readonly values: readonly unknown[];
}

/** Characters of text in one batch, about; a single row may be larger. */
const batchCharacters = 256 * 1024;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Rows with every column of the table, to the byte (src/session/stored.ts), in batches of about 256 KB of text.
 *
 * SQLite's own types reach JavaScript as text and doubles, which is right for all but a few rows and four times as fast as asking for the
 * exact ones; rows in which something could have been lost on the way (U+FFFD, a large number, a number in a column without affinity) are read a second
 * time, cell by cell.
 */
export function* exactRows(connection: Connection, query: RowsQuery): Generator<StoredRow[]> {
  const { names, loose, empty, select, exact } = planFor(connection, query.table);
  const statement = connection.statement(`${select} ${query.rest}`).raw(true);
  let batch: StoredRow[] = [];
  let characters = 0;
  for (const cells of statement.iterate(...query.values) as IterableIterator<StoredValue[]>) {
    // A copy of a whole row costs a twentieth of one that grows column by column.
    const row: Record<string, StoredValue> = { ...empty };
    let isDoubtful = false;
    for (let index = 0; index < names.length; index++) {
      const value = cells[index + 1] as StoredValue;
      if (value === null) continue;
      row[names[index] as string] = value;
      if (typeof value === 'string') {
        characters += value.length;
        if (value.includes('\ufffd')) isDoubtful = true;
      } else if (typeof value === 'number') {
        if (loose[index] || value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) isDoubtful = true;
      }
    }
    batch.push(isDoubtful ? exactRow(connection.statement(exact), names, loose, cells[0]) : row);
    if (characters < batchCharacters && batch.length < 1000) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

/** What is asked of a table, made once for each shape of a file. */
interface Plan {
  readonly names: readonly string[];
  /** Columns without affinity: there 5 and 5.0 are two values (SQLite, "Determination Of Column Affinity"). */
  readonly loose: readonly boolean[];
  /** A row of NULLs. */
  readonly empty: StoredRow;
  /** SQL up to the name of the table: the rowid, then all columns. */
  readonly select: string;
  /** SQL for one row by rowid: of each column its type, and its value, texts as bytes. */
  readonly exact: string;
}

const plans = new WeakMap<StoreShape, Map<string, Plan>>();

function planFor(connection: Connection, table: string): Plan {
  const known = plans.get(connection.shape) ?? new Map<string, Plan>();
  plans.set(connection.shape, known);
  let plan = known.get(table);
  if (plan === undefined) {
    plan = makePlan(connection, table);
    known.set(table, plan);
  }
  return plan;
}

function makePlan(connection: Connection, table: string): Plan {
  const columns = connection.statement('SELECT name, type FROM pragma_table_info(?)').all(table) as { name: string; type: string }[];
  const names = columns.map(({ name }) => name);
  const pairs = names
    .map(quoted)
    .map((name) => `typeof(${name}), CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) ELSE ${name} END`);
  return {
    names,
    loose: columns.map(({ type }) => type === '' || (/BLOB/i.test(type) && !/INT|CHAR|CLOB|TEXT/i.test(type))),
    empty: Object.fromEntries(names.map((name) => [name, null])),
    select: `SELECT rowid AS "", ${names.map(quoted).join(', ')} FROM ${table}`,
    exact: `SELECT ${pairs.join(', ')} FROM ${table} WHERE rowid = ?`,
  };
}

function exactRow(statement: Statement, names: readonly string[], loose: readonly boolean[], rowid: unknown): StoredRow {
  const found = statement.raw(true).safeIntegers(true).get(rowid) as StoredValue[];
  return Object.fromEntries(
    names.map((name, index) => [name, exactValue(String(found[index * 2]), found[index * 2 + 1] as StoredValue, loose[index] === true)]),
  );
}

function exactValue(type: string, value: StoredValue, isLoose: boolean): StoredValue {
  if (type === 'text') {
    const bytes = value as Uint8Array;
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    return Buffer.from(text, 'utf8').equals(bytes) ? text : brokenText(bytes);
  }
  if (typeof value === 'bigint' && !isLoose && Number.isSafeInteger(Number(value))) return Number(value);
  return value;
}
