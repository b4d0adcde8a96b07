import type { Query, Test } from '../../session/query.ts';
import type { Connection } from '../connection.ts';
import { newestMessageSql } from '../rows.ts';
import { columnOr } from './columns.ts';
import type { Condition } from './scope.ts';

const oneDay = 86_400_000;
const latestSaneTime = 4_200_000_000_000;

/** True for every row, false for none. */
const always: Condition = { sql: '1', values: [] };
const never: Condition = { sql: '0', values: [] };

/**
 * The query as SQL over `sessions AS s`: true for every session that can be the tip of a lineage the query fits, so that the rest need not
 * be read. What it lets pass is looked at once more by `evaluate` (src/session/query-match.ts), which alone decides: SQLite folds the case
 * of ASCII letters only, and numbers and times of a session that has a parent may be those of several segments.
 *
 * @returns undefined where the query excludes nothing by SQL
 */
export function tipsOf(connection: Connection, query: Query): Tips | undefined {
  const found = may(connection, query, true);
  return found.sql === always.sql ? undefined : { ...found, isExact: isExact(query) };
}

export interface Tips extends Condition {
  /** Of a session that stands alone the SQL says the last word. */
  readonly isExact: boolean;
}

function isExact(query: Query): boolean {
  if (query.type === 'and' || query.type === 'or') return query.nodes.every(isExact);
  if (query.type === 'not') return isExact(query.node);
  if (query.type === 'text' || 'contains' in query.test) return false;
  return !['role', 'tool', 'said'].includes(query.test.field) && !('value' in query.test && query.test.value === 'live');
}

/** Sessions for which the answer can be `wanted`; asked both ways, since what may be yes and what may be no overlap. */
function may(connection: Connection, query: Query, wanted: boolean): Condition {
  switch (query.type) {
    case 'and':
    case 'or': {
      const parts = query.nodes.map((node) => may(connection, node, wanted));
      return (query.type === 'and') === wanted ? all(parts) : any(parts);
    }
    case 'not':
      return may(connection, query.node, !wanted);
    case 'text':
      return always;
    case 'test':
      return mayPass(connection, query.test, wanted);
  }
}

function all(parts: readonly Condition[]): Condition {
  const telling = parts.filter((part) => part.sql !== always.sql);
  return telling.length === 0 ? always : merge(telling, ' AND ');
}

function any(parts: readonly Condition[]): Condition {
  if (parts.some((part) => part.sql === always.sql)) return always;
  return parts.length === 0 ? never : merge(parts, ' OR ');
}

const merge = (parts: readonly Condition[], word: string): Condition => ({
  sql: `(${parts.map((part) => part.sql).join(word)})`,
  values: parts.flatMap((part) => part.values),
});

const columns = {
  source: 'source',
  provider: 'billing_provider',
  user: 'user_id',
  'chat-id': 'chat_id',
  'chat-type': 'chat_type',
  'end-reason': 'end_reason',
  title: 'title',
  model: 'model',
  branch: 'git_branch',
} as const;

function mayPass(connection: Connection, test: Test, wanted: boolean): Condition {
  // A blob reads as the text its bytes are, as everywhere (src/store/rows.ts).
  const text = (name: string): string => (connection.has('sessions', name) ? `CAST(s.${name} AS TEXT)` : name === 'source' ? "''" : 'NULL');
  const exactly = (sql: string, ...values: unknown[]): Condition => ({ sql: `${wanted ? '' : 'NOT '}COALESCE(${sql}, 0)`, values });
  /** Facts of the whole lineage: a session with a parent may be one of several segments. */
  const ofLineage = (condition: Condition): Condition => {
    if (!connection.has('sessions', 'parent_session_id') || condition.sql === always.sql) return condition;
    return { ...condition, sql: `(${condition.sql} OR s.parent_session_id IS NOT NULL)` };
  };
  const containing = (column: string, part: string): Condition => {
    const needle = part.normalize('NFC').toLowerCase();
    // Letters beyond ASCII are folded and composed in JavaScript only; a text without any can't contain one.
    const isBeyondAscii = `COALESCE(octet_length(${column}) <> length(${column}), 0)`;
    if (/[^\0-\x7f]/.test(needle)) return wanted ? { sql: isBeyondAscii, values: [] } : always;
    const found = exactly(`instr(lower(${column}), ?) > 0`, needle);
    return { ...found, sql: `(${found.sql} OR ${isBeyondAscii})` };
  };

  switch (test.field) {
    case 'source':
    case 'provider':
    case 'user':
    case 'chat-id':
    case 'chat-type':
    case 'end-reason':
      return exactly(`${text(columns[test.field])} = ?`, test.is);
    case 'title':
      return ofLineage(containing(text(columns.title), test.contains));
    case 'model':
    case 'branch':
      return containing(text(columns[test.field]), test.contains);
    case 'workspace':
      return containing(`COALESCE(NULLIF(${text('git_repo_root')}, ''), NULLIF(${text('cwd')}, ''))`, test.contains);
    case 'cwd': {
      const below = test.under.endsWith('/') ? test.under : `${test.under}/`;
      return exactly(`(${text('cwd')} = ? OR substr(${text('cwd')}, 1, ?) = ?)`, test.under, [...below].length, below);
    }
    case 'messages':
    case 'tokens':
    case 'cost':
    case 'tool-calls': {
      const bounds = [test.min ?? -Infinity, test.max ?? Infinity];
      return ofLineage(exactly(`${numberSql(connection, test.field)} BETWEEN ? AND ?`, ...bounds));
    }
    case 'started':
      return ofLineage(exactly(...during(`${timeSql('s.started_at')}`, test, connection.now())));
    case 'active':
      return ofLineage(exactly(...during(activeSql(connection), test, connection.now())));
    case 'is':
      if (test.value === 'live') return always;
      if (test.value === 'ended') return exactly(`${columnOr(connection, 'sessions', 's', 'ended_at')} IS NOT NULL`);
      return exactly(`${columnOr(connection, 'sessions', 's', test.value, '0')} = 1`);
    case 'role':
    case 'tool':
    case 'said':
      return always;
  }
}

const isNumber = (value: string): string => `typeof(${value}) IN ('integer', 'real')`;

function numberSql(connection: Connection, field: 'messages' | 'tokens' | 'cost' | 'tool-calls'): string {
  const number = (name: string, missing: string): string =>
    connection.has('sessions', name) ? `CASE WHEN ${isNumber(`s.${name}`)} THEN s.${name} ELSE ${missing} END` : missing;
  switch (field) {
    case 'messages':
      return `(${number('message_count', '0')})`;
    case 'tool-calls':
      return `(${number('tool_call_count', '0')})`;
    case 'tokens':
      return `((${number('input_tokens', '0')}) + (${number('output_tokens', '0')}))`;
    case 'cost':
      return `(${number('actual_cost_usd', `(${number('estimated_cost_usd', 'NULL')})`)})`;
  }
}

/** Milliseconds, the same product JavaScript makes; NULL for what no clock could have shown. */
const timeSql = (seconds: string): string =>
  `CASE WHEN ${isNumber(seconds)} AND ${seconds} * 1000.0 > 0 AND ${seconds} * 1000.0 <= ${latestSaneTime} THEN ${seconds} * 1000.0 END`;

/** `lastActiveOf` of src/store/rows.ts. */
function activeSql(connection: Connection): string {
  const newest = `COALESCE(${newestMessageSql} * 1000.0, 0)`;
  const heartbeat = connection.has('sessions', 'last_activity_at') ? `COALESCE(${timeSql('s.last_activity_at')}, 0)` : '0';
  return `COALESCE(NULLIF(max(${heartbeat}, ${newest}), 0), ${timeSql('s.started_at')})`;
}

/** `isDuring` of src/session/query-match.ts: a time more than a day ahead counts as now. */
function during(time: string, window: { from?: number; until?: number }, now: number): [sql: string, ...values: number[]] {
  const { from = -Infinity, until = Infinity } = window;
  const horizon = now + oneDay;
  const isNowInside = from <= now && now < until;
  const parts: [sql: string, value: number][] = [];
  if (from !== -Infinity) parts.push([`${time} >= ?`, from]);
  if (until <= horizon) parts.push([`${time} < ?`, until]);
  // Only a window that ends or begins within the next day asks for this.
  if (!isNowInside && until > now) parts.push([`${time} <= ?`, horizon]);
  if (parts.length === 0) return [`${time} IS NOT NULL`];
  const sql = parts.map((part) => part[0]).join(' AND ');
  const values = parts.map((part) => part[1]);
  return isNowInside && until <= horizon ? [`(${sql} OR ${time} > ?)`, ...values, horizon] : [`(${sql})`, ...values];
}
