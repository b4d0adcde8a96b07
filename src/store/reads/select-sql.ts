import type { Query, Test } from '../../session/query.ts';
import type { Connection } from '../connection.ts';
import { newestMessageSql } from '../rows.ts';
import { ofAnySegment, ofAnySum } from './chain-sql.ts';
import { columnOr } from './columns.ts';
import type { Condition } from './scope.ts';

const oneDay = 86_400_000;
const latestSaneTime = 4_200_000_000_000;

/** True for every row, false for none. */
const always: Condition = { sql: '1', values: [] };
const never: Condition = { sql: '0', values: [] };

export interface Tips extends Condition {
  /** Of a session that stands alone the SQL says the last word. */
  readonly isExact: boolean;
}

/**
 * The query as SQL over `sessions AS s`: true for every session that can be the tip of a lineage the query fits, so that the rest need not
 * be read. What it lets pass is looked at once more by `evaluate` (src/session/query-match.ts), which alone decides: here a session with
 * parents may be the last of any of the chains that end in it.
 *
 * @param trust `heartbeats`: a heartbeat is taken for the last activity, which it is but for what was written within `heartbeatSlack` after it;
 *   asking the messages of every session costs 50 ms on 100,000
 * @returns undefined where the query excludes nothing by SQL
 */
export function tipsOf(connection: Connection, query: Query, trust: Trust = 'messages'): Tips | undefined {
  registerContains(connection);
  const found = may({ connection, trust }, query, true);
  return found.sql === always.sql ? undefined : { ...found, isExact: isExact(query, trust) };
}

/** Where the last activity of a session is read from. */
export type Trust = 'messages' | 'heartbeats';

/** How much later than a heartbeat messages may have been written, milliseconds; programs send one a minute (state-db.md 2.6). */
export const heartbeatSlack = 3_600_000;

interface Asked {
  readonly connection: Connection;
  readonly trust: Trust;
}

function isExact(query: Query, trust: Trust): boolean {
  if (query.type === 'and' || query.type === 'or') return query.nodes.every((node) => isExact(node, trust));
  if (query.type === 'not') return isExact(query.node, trust);
  if (query.type === 'text') return false;
  const { field } = query.test;
  if (field === 'active') return trust === 'messages';
  return !['role', 'tool', 'said'].includes(field) && !('value' in query.test && query.test.value === 'live');
}

const withFunctions = new WeakSet<object>();

/** `hermes_contains(text, part)`: as `evaluate` compares, `part` folded already. Only texts beyond ASCII are worth the call, 0.5 µs each. */
function registerContains({ db }: Connection): void {
  if (withFunctions.has(db)) return;
  db.function('hermes_contains', { deterministic: true, directOnly: true }, (text: unknown, part: unknown) =>
    Number(String(text).normalize('NFC').toLowerCase().includes(String(part))),
  );
  withFunctions.add(db);
}

/** Sessions for which the answer can be `wanted`; asked both ways, since what may be yes and what may be no overlap. */
function may(asked: Asked, query: Query, wanted: boolean): Condition {
  switch (query.type) {
    case 'and':
    case 'or': {
      const parts = query.nodes.map((node) => may(asked, node, wanted));
      return (query.type === 'and') === wanted ? all(parts) : any(parts);
    }
    case 'not':
      return may(asked, query.node, !wanted);
    case 'text':
      return always;
    case 'test':
      return mayPass(asked, query.test, wanted);
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

/** Letters of ASCII that another one is folded or composed to: a text without that one and without the letter itself can't contain it. */
const becomeAscii: ReadonlyMap<string, string> = new Map([
  ['k', '\u212a'],
  ['i', '\u0130'],
  [';', '\u037e'],
  ['`', '\u1fef'],
]);

function mayPass({ connection, trust }: Asked, test: Test, wanted: boolean): Condition {
  // A blob reads as the text its bytes are, as everywhere (src/store/rows.ts).
  const text = (name: string, alias = 's'): string =>
    connection.has('sessions', name) ? `CAST(${alias}.${name} AS TEXT)` : name === 'source' ? "''" : 'NULL';
  // As an argument of a function both sides of an AND are computed; as a condition the first no settles it.
  const exactly = (sql: string, ...values: unknown[]): Condition => ({ sql: wanted ? `(${sql})` : `NOT COALESCE(${sql}, 0)`, values });
  const containing = (column: string, part: string): Condition => {
    const needle = part.normalize('NFC').toLowerCase();
    const isAscii = `octet_length(${column}) = length(${column})`;
    if (!/^[\0-\x7f]{1,1000}$/.test(needle)) {
      const found = `instr(lower(${column}), ?) > 0`;
      return exactly(`CASE WHEN ${isAscii} THEN ${found} ELSE hermes_contains(${column}, ?) END`, needle, needle);
    }
    // LIKE first: it is the cheapest, and folds the letters of ASCII; a text without any others it has judged already.
    const origins = [...becomeAscii].filter(([letter]) => needle.includes(letter)).map(([, origin]) => ` OR instr(${column}, '${origin}')`);
    const pattern = `%${needle.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
    const found = `(${column} LIKE ? ESCAPE '\\'${origins.join('')}) AND (${isAscii} OR hermes_contains(${column}, ?))`;
    return exactly(found, pattern, needle);
  };

  switch (test.field) {
    case 'source':
    case 'provider':
    case 'user':
    case 'chat-id':
    case 'chat-type':
    case 'end-reason':
      return { sql: `${text(columns[test.field])} ${wanted ? 'IS' : 'IS NOT'} ?`, values: [test.is] };
    case 'title':
      // An earlier segment lends its title to one that has none.
      return ofAnySegment(
        connection,
        (alias) => containing(text('title', alias), test.contains),
        columnOr(connection, 'sessions', 's', 'title'),
      );
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
      const { field, min = -Infinity, max = Infinity } = test;
      // Sums of costs depend on the order of their parts by less than that.
      const slack = (field === 'cost' ? 1e-6 : 0) * (wanted ? 1 : -1);
      const within = (sum: string, by: number): Condition => exactly(`(${sum}) BETWEEN ? AND ?`, min - by, max + by);
      return ofAnySum(
        connection,
        { of: (alias) => numberSql(connection, alias, field), isAlwaysKnown: field !== 'cost' },
        within(numberSql(connection, 's', field), 0),
        (sum) => within(sum, slack),
      );
    }
    case 'started':
      return ofAnySegment(connection, (alias) =>
        exactly(...sane(`${alias}.started_at`, during(`(${alias}.started_at * 1000.0)`, test, connection.now()))),
      );
    case 'active': {
      const { from, until } = test;
      if (trust === 'messages') {
        const own = (alias: string): Condition => exactly(...activeDuring(connection, alias, test));
        // All segments are older than a lineage that is, its tip among them.
        return wanted && from === undefined ? own('s') : ofAnySegment(connection, own);
      }
      // What was written after the heartbeat can only make it younger; who asks looks for fresher segments too (list-page.ts).
      const window = { ...(from === undefined ? {} : { from: from - heartbeatSlack }), ...(until === undefined ? {} : { until }) };
      const [trusted, ...values] = during('(s.last_activity_at * 1000.0)', window, connection.now());
      const [asked, ...others] = during(activeSql(connection), window, connection.now());
      const sql = `CASE WHEN s.last_activity_at > 0 AND s.last_activity_at <= 4200000000 THEN ${trusted} ELSE ${asked} END`;
      return wanted ? exactly(sql, ...values, ...others) : always;
    }
    case 'among':
      return exactly('s.id IN (SELECT value FROM json_each(?))', JSON.stringify([...test.ids]));
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

/** SQLite sorts numbers before texts, and the empty text is the first of these; `typeof` takes three times as long. */
const isNumber = (value: string): string => `${value} < ''`;

type NumberField = 'messages' | 'tokens' | 'cost' | 'tool-calls';

function numberSql(connection: Connection, alias: string, field: NumberField): string {
  const number = (name: string, missing: string): string =>
    connection.has('sessions', name) ? `CASE WHEN ${isNumber(`${alias}.${name}`)} THEN ${alias}.${name} ELSE ${missing} END` : missing;
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

/** A comparison of `seconds * 1000.0`, for values a clock could have shown only; last, since few rows come so far. */
const sane = (seconds: string, [compared, ...values]: [sql: string, ...values: number[]]): [sql: string, ...values: number[]] => [
  `(${compared} AND ${timeSql(seconds)} IS NOT NULL)`,
  ...values,
];

/** `lastActiveOf` of src/store/rows.ts, milliseconds; NULL where no time can be believed. */
export function activeSql(connection: Connection, alias = 's'): string {
  const heartbeat = connection.has('sessions', 'last_activity_at') ? `COALESCE(${timeSql(`${alias}.last_activity_at`)}, 0)` : '0';
  const newest = `COALESCE(${newestMessageSql(alias)} * 1000.0, 0)`;
  return `COALESCE(NULLIF(max(${heartbeat}, ${newest}), 0), ${timeSql(`${alias}.started_at`)})`;
}

/** The same without a look at the messages where there is a heartbeat. */
export const heartbeatSql = (connection: Connection): string => `COALESCE(${timeSql('s.last_activity_at')}, ${activeSql(connection)})`;

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

/**
 * Whether the last activity is in the window. A heartbeat at or after its end settles that: messages could only make it later, and of sessions so
 * young they are not asked for.
 */
function activeDuring(
  connection: Connection,
  alias: string,
  window: { from?: number; until?: number },
): [sql: string, ...values: number[]] {
  const now = connection.now();
  const { until } = window;
  const [sql, ...values] = during(activeSql(connection, alias), window, now);
  if (until === undefined || until > now || !connection.has('sessions', 'last_activity_at')) return [sql, ...values];
  return [`(COALESCE(${timeSql(`${alias}.last_activity_at`)}, 0) < ? AND ${sql})`, until, ...values];
}
