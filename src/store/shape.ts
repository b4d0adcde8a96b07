import type { Database, FtsLayout, StoreShape } from './connection.ts';

interface SchemaRow {
  type: 'table' | 'index' | 'trigger' | 'view';
  name: string;
  /** Column names between unit separators; null for everything but ordinary tables. */
  columns: string | null;
  /** Only of the full-text tables. */
  sql: string | null;
}

/**
 * One pass over the schema. Columns of virtual tables are not asked for: that would load the module, and a table whose tokenizer this program
 * lacks can't be loaded at all. `temp` and shadow tables cost nothing here.
 */
const READ_SCHEMA = `
  SELECT type, name,
    CASE WHEN type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
      THEN (SELECT group_concat(c.name, char(31)) FROM pragma_table_info(m.name) AS c) END AS columns,
    CASE WHEN name IN ('messages_fts', 'messages_fts_trigram') THEN sql END AS sql
  FROM sqlite_master AS m`;

/**
 * Reads what the file holds: two statements, 0.6 ms whatever the number of sessions.
 *
 * @throws SqliteError when the file is not a database or its schema is damaged
 */
export function readShape(db: Database): StoreShape {
  const columns = new Map<string, ReadonlySet<string>>();
  const indexes = new Set<string>();
  const triggers = new Set<string>();
  let base: string | undefined;
  let hasTrigram = false;
  for (const row of db.prepare<[], SchemaRow>(READ_SCHEMA).all()) {
    if (row.type === 'index') indexes.add(row.name);
    else if (row.type === 'trigger') triggers.add(row.name);
    else if (row.type === 'table') {
      columns.set(row.name, new Set(row.columns === null ? columnsOfVirtualTable(row.sql) : row.columns.split('\u001f')));
      if (row.name === 'messages_fts') base = row.sql ?? undefined;
      if (row.name === 'messages_fts_trigram') hasTrigram = true;
    }
  }
  const version = columns.has('schema_version') ? readVersion(db) : 0;
  return { columns, version, fts: base === undefined ? 'none' : layoutOf(base), hasTrigram, indexes, triggers };
}

function readVersion(db: Database): number {
  const row = db.prepare<[], { version: unknown }>('SELECT version FROM schema_version LIMIT 1').get();
  return typeof row?.version === 'number' ? row.version : 0;
}

/** Names in `fts5(a, b, option=…)`: every argument without an equals sign. */
function columnsOfVirtualTable(sql: string | null): string[] {
  const list = sql === null ? undefined : /\(([\s\S]*)\)/.exec(sql)?.[1];
  return (list ?? '')
    .split(',')
    .map((argument) => argument.trim())
    .filter((argument) => argument !== '' && !argument.includes('='))
    .map((argument) => /^["'`[]?(\w+)/.exec(argument)?.[1] ?? argument);
}

/**
 * Decided from the SQL of messages_fts, never from `state_meta.fts_storage_version`, which a fresh file lacks (store-v31.md B3): its own text =
 * v11 to v22; over `messages` with one column = v1 to v9; any other external content = the layout of v23 and later.
 */
function layoutOf(sql: string): FtsLayout {
  const content = /\bcontent\s*=\s*["']?(\w+)/i.exec(sql)?.[1];
  if (content === undefined) return 'legacy-inline';
  return content === 'messages' && columnsOfVirtualTable(sql).length === 1 ? 'v1-content' : 'external';
}
