import type { OpenConnection, StoreShape } from '../connection.ts';
import { CJK_TRIGGERS } from './fts.ts';
import { APART_INDEX, createIndexSql, INDEXES, indexNamed, paysOff } from './indexes.ts';
import { columnSql, createTableSql, tableNamed } from './tables.ts';

/**
 * What a store that another program made, at any version, must have before this program writes to it. Everything else of a newer layout stays
 * absent, and whatever version stands in the file stays there: its own program still has its migrations to do, and they look at both
 * (docs/session-store.md says for each line why it is needed and why the others are not).
 */
export const NEEDED_COLUMNS: Readonly<Record<'sessions' | 'messages', readonly string[]>> = {
  sessions: ['cwd', 'git_branch', 'git_repo_root', 'title', 'title_source', 'last_activity_at', 'archived', 'pinned'],
  messages: ['finish_reason', 'reasoning'],
};

/** Locks that both programs honour, and the place of our own `hermes_tui.` keys. */
const NEEDED_TABLES = ['state_meta', 'compression_locks', 'session_turn_leases'] as const;

/** Without these a list, a transcript or a lineage takes a scan of the whole table. */
const NEEDED_INDEXES = [
  'idx_sessions_parent',
  'idx_sessions_started',
  'idx_sessions_effective_activity',
  'idx_messages_session',
  'idx_messages_session_id',
  'idx_messages_session_active',
] as const;

/** @returns the statements that are missing, in order; empty for a file that has all */
export function missingStatements(shape: StoreShape): readonly string[] {
  const statements: string[] = [];
  const columns = new Map([...shape.columns].map(([table, names]) => [table, new Set(names)]));
  const indexes = new Set<string>(NEEDED_INDEXES);

  for (const name of NEEDED_TABLES) {
    if (columns.has(name)) continue;
    const spec = tableNamed(name);
    statements.push(createTableSql(spec));
    columns.set(name, new Set(spec.columns.map((column) => column.name)));
    for (const index of INDEXES) if (index.table === name) indexes.add(index.name);
  }
  for (const [table, names] of Object.entries(NEEDED_COLUMNS)) {
    const present = columns.get(table);
    for (const name of names) {
      if (present === undefined || present.has(name)) continue;
      statements.push(`ALTER TABLE ${table} ADD COLUMN ${addedColumn(table, name)}`);
      present.add(name);
      // A new column holds no duplicates; one that is there may, and which title then gives way is for the other program to say.
      if (name === 'title') indexes.add('idx_sessions_title_unique');
    }
  }
  for (const name of indexes) {
    const spec = indexNamed(name);
    const present = columns.get(spec.table);
    const canBeMade = spec.needs.every((word) => present?.has(word) === true);
    if (canBeMade && !shape.indexes.has(name)) statements.push(createIndexSql(spec));
  }
  const cjkTriggers = CJK_TRIGGERS.filter((name) => shape.triggers.has(name));
  for (const name of cjkTriggers) statements.push(`DROP TRIGGER ${name}`);
  if (cjkTriggers.length > 0) {
    statements.push(`INSERT INTO state_meta (key, value) VALUES ('fts_cjk_stale', '1') ON CONFLICT (key) DO UPDATE SET value = '1'`);
  }
  return statements;
}

function addedColumn(table: string, name: string): string {
  const column = tableNamed(table).columns.find((one) => one.name === name);
  if (column === undefined) throw new TypeError(`no column ${table}.${name} in the layout`);
  return columnSql(column);
}

/**
 * Adds what is missing, all or nothing, and looks at the result.
 *
 * @throws SqliteError, `SQLITE_BUSY` among them; the file is unchanged then
 */
export function reconcile(connection: OpenConnection): void {
  if (statementsFor(connection).length === 0) return;
  connection.db
    .transaction(() => {
      // Under the lock now: another program may have been quicker.
      connection.refreshShape();
      for (const sql of statementsFor(connection)) connection.db.exec(sql);
    })
    .immediate();
  connection.refreshShape();
}

/** With the index of our own that a large store is given. */
function statementsFor(connection: OpenConnection): readonly string[] {
  const missing = missingStatements(connection.shape);
  if (connection.shape.indexes.has(APART_INDEX.name)) return missing;
  const bound = connection.db.prepare<[], number | null>('SELECT max(rowid) FROM sessions').pluck().get() ?? 0;
  return paysOff(bound) ? [...missing, createIndexSql(APART_INDEX)] : missing;
}
