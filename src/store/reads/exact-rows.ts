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

/** Rows that are looked at before a column counts as empty. */
const rowsToLearnFrom = 200;

/**
 * Rows with every column of the table, to the byte (src/session/stored.ts), in batches of about 256 KB of text.
 *
 * SQLite's own types reach JavaScript as text and doubles, which is right for all but a few rows and four times as fast as asking for the
 * exact ones; rows in which something could have been lost on the way (U+FFFD, a large number, a number in a column without affinity) are read a second
 * time, cell by cell. Half of the columns hold nothing in most files, and a NULL costs as much as a value on its way: once that is known, they
 * are asked for together, and a row that has something there after all is one of those read a second time.
 */
export function* exactRows(connection: Connection, query: RowsQuery): Generator<StoredRow[]> {
  const plan = planFor(connection, query.table);
  const { names, loose, empty } = plan;
  const { columns, sqlOf } = selectionOf(plan);
  const statement = connection.statement(sqlOf(query.rest)).raw(true);
  let batch: StoredRow[] = [];
  let characters = 0;
  for (const cells of statement.iterate(...query.values) as IterableIterator<StoredValue[]>) {
    // A copy of a whole row costs a twentieth of one that grows column by column.
    let row: Record<string, StoredValue> = { ...empty };
    let isDoubtful = cells[1] === 1;
    for (let index = 0; index < columns.length; index++) {
      const value = cells[index + 2] as StoredValue;
      if (value === null) continue;
      const column = columns[index] as number;
      row[names[column] as string] = value;
      if (typeof value === 'string') {
        characters += value.length;
        if (value.includes('\ufffd')) isDoubtful = true;
      } else if (typeof value === 'number') {
        if (loose[column] || value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER) isDoubtful = true;
      }
    }
    if (isDoubtful) row = exactRow(connection.statement(plan.exact), names, loose, cells[0]);
    if (isDoubtful || plan.rowsSeen < rowsToLearnFrom) learn(plan, row);
    batch.push(row);
    if (characters < batchCharacters && batch.length < 1000) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

/** What is asked of a table, made once for each shape of a file. */
interface Plan {
  readonly table: string;
  readonly names: readonly string[];
  /** Columns without affinity: there 5 and 5.0 are two values (SQLite, "Determination Of Column Affinity"). */
  readonly loose: readonly boolean[];
  /** A row of NULLs. */
  readonly empty: StoredRow;
  /** SQL for one row by rowid: of each column its type, and its value, texts as bytes. */
  readonly exact: string;
  rowsSeen: number;
  /** Columns in which something was found. */
  readonly filled: boolean[];
  selection?: Selection | undefined;
}

/** Which columns are asked for one by one. */
interface Selection {
  readonly columns: readonly number[];
  /**
   * The statement for the rest of one: the rowid, whether one of the other columns holds something, then these. Statements are found by
   * their text, and a new one of this length for each of 10,000 sessions takes 40 ms.
   */
  sqlOf(rest: string): string;
}

function selectionOf(plan: Plan): Selection {
  if (plan.selection !== undefined) return plan.selection;
  const { names, table } = plan;
  const isLearning = plan.rowsSeen < rowsToLearnFrom;
  const columns = [...names.keys()].filter((index) => isLearning || plan.filled[index]);
  const others = names.filter((_, index) => !columns.includes(index)).map((name) => `${quoted(name)} IS NOT NULL`);
  const cells = [
    'rowid',
    others.length === 0 ? '0' : `(${others.join(' OR ')})`,
    ...columns.map((index) => quoted(names[index] as string)),
  ];
  const texts = new Map<string, string>();
  const selection: Selection = {
    columns,
    sqlOf(rest) {
      const text = texts.get(rest) ?? `SELECT ${cells.join(', ')} FROM ${table} ${rest}`;
      texts.set(rest, text);
      return text;
    },
  };
  plan.selection = selection;
  return selection;
}

function learn(plan: Plan, row: StoredRow): void {
  plan.rowsSeen += 1;
  if (plan.rowsSeen === rowsToLearnFrom) plan.selection = undefined;
  plan.names.forEach((name, index) => {
    if (plan.filled[index] || row[name] === null) return;
    plan.filled[index] = true;
    plan.selection = undefined;
  });
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
    table,
    names,
    rowsSeen: 0,
    filled: names.map(() => false),
    loose: columns.map(({ type }) => type === '' || (/BLOB/i.test(type) && !/INT|CHAR|CLOB|TEXT/i.test(type))),
    empty: Object.fromEntries(names.map((name) => [name, null])),
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
