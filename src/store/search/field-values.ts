import type { Connection } from '../connection.ts';
import { all } from '../rows.ts';

/** What a query's fields can be completed with. */
export interface FieldValues {
  readonly source: readonly string[];
  readonly workspace: readonly string[];
  readonly branch: readonly string[];
  readonly model: readonly string[];
  readonly tool: readonly string[];
}

/** Sessions and messages looked at, the newest ones: what somebody completes was in use lately. 10 ms for 50,000 sessions. */
const newestSessions = 5_000;
const newestMessages = 10_000;
const most = 50;

/** Values of the fields of a query as they stand in the store, the most recent first. */
export function fieldValues(connection: Connection): FieldValues {
  return {
    source: distinct(connection, 'sessions', 'source'),
    workspace: folders([...distinct(connection, 'sessions', 'git_repo_root'), ...distinct(connection, 'sessions', 'cwd')]),
    branch: distinct(connection, 'sessions', 'git_branch'),
    model: distinct(connection, 'sessions', 'model'),
    tool: distinct(connection, 'messages', 'tool_name'),
  };
}

function distinct(connection: Connection, table: 'sessions' | 'messages', column: string): string[] {
  if (!connection.has(table, column)) return [];
  const newest = table === 'sessions' ? newestSessions : newestMessages;
  const sql = `SELECT value FROM (SELECT ${column} AS value, rowid AS place FROM ${table} ORDER BY rowid DESC LIMIT ${newest})
    WHERE typeof(value) = 'text' AND value <> '' GROUP BY value ORDER BY max(place) DESC LIMIT ${most}`;
  return all(connection, sql).map((row) => String(row['value']));
}

/** Names of folders: what is typed behind `workspace:`. */
const folders = (paths: readonly string[]): string[] =>
  [...new Set(paths.map((path) => path.split('/').findLast((part) => part !== '') ?? ''))].filter((name) => name !== '').slice(0, most);
