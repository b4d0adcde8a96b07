import {
  buildInsights,
  type Insights,
  type InsightsQuery,
  type ModelFacts,
  type NotableKind,
  type NotableSession,
  type SourceFacts,
} from '../../session/insights.ts';
import type { Connection } from '../connection.ts';
import { all, first, put, readNumber, readText, readTime, newestMessageSql, type Row } from '../rows.ts';
import { columnOr } from './columns.ts';
import { readSkills, readTools, readUserMessages } from './tool-calls.ts';

const daySeconds = 86_400;

/** The sessions a report is about, as a condition over `sessions AS s`. */
export interface Window {
  readonly sql: string;
  readonly values: readonly unknown[];
  /** Every session of the file is in it, so that messages need not be asked whose they are. */
  readonly isWhole: boolean;
}

/**
 * The report of `hermes insights` (state-db.md 6.1), from what a file of any era has. A start that no clock could have shown, or one more than a
 * day ahead, says nothing about when a session was: those are counted as `undated` and left out of everything else.
 *
 * Processor time with every one of 10,000 sessions and 200,000 messages in the window: 92 ms, of which the tools' names take 40 and who wrote the
 * messages 18; 23 ms for the last 30 days of 400.
 */
export function insights(connection: Connection, query: InsightsQuery): Insights {
  const now = connection.now();
  const window = windowOf(connection, query, now / 1000);
  const starts = connection
    .statement(`SELECT s.started_at FROM sessions AS s WHERE ${window.sql}`)
    .pluck()
    .all(...window.values) as number[];
  const tools = readTools(connection, window);
  const facts = {
    sources: readSources(connection, window),
    models: [...readUsage(connection, window), ...readSessionModels(connection, window)],
    accounted: readAccounted(connection, window),
    starts: starts.map((seconds) => seconds * 1000),
    userMessages: readUserMessages(connection, window),
    activeMs: readActiveMs(connection, window, now / 1000),
    tools,
    skills: readSkills(connection, window, tools),
    notable: readNotable(connection, window, now / 1000),
    undated: countUndated(connection, query, now / 1000),
  };
  return buildInsights(facts, query, now);
}

const dated = 's.started_at > 0 AND s.started_at <= ?';
const ofSource = (query: InsightsQuery): string => (query.source === undefined ? '' : ' AND s.source = ?');
const sourceValues = (query: InsightsQuery): readonly unknown[] => (query.source === undefined ? [] : [query.source]);

/** The plus signs keep the planner from walking an index over rows that are nearly all wanted. */
function windowOf(connection: Connection, query: InsightsQuery, now: number): Window {
  const sql = `+${dated} AND +s.started_at >= ?${ofSource(query)}`;
  const values = [now + daySeconds, now - query.days * daySeconds, ...sourceValues(query)];
  const counts = first(connection, `SELECT count(*) AS all_rows, count(*) FILTER (WHERE ${sql}) AS wanted FROM sessions AS s`, ...values);
  return { sql, values, isWhole: counts?.['all_rows'] === counts?.['wanted'] };
}

function countUndated(connection: Connection, query: InsightsQuery, now: number): number {
  const sql = `SELECT count(*) AS n FROM sessions AS s WHERE NOT (${dated})${ofSource(query)}`;
  return count(first(connection, sql, now + daySeconds, ...sourceValues(query)), 'n');
}

const count = (row: Row | undefined, column: string): number => Math.max(0, readNumber(row?.[column]) ?? 0);

/** A counter of the session; a negative one is broken and counts nothing. */
const counter = (connection: Connection, table: string, alias: string, column: string): string =>
  connection.has(table, column) ? `max(0, COALESCE(${alias}.${column}, 0))` : '0';

function readSources(connection: Connection, window: Window): SourceFacts[] {
  const total = (column: string): string => `sum(${counter(connection, 'sessions', 's', column)})`;
  const sql = `SELECT s.source AS source, count(*) AS sessions, ${total('message_count')} AS messages, ${total('tool_call_count')} AS calls,
      ${total('input_tokens')} AS input, ${total('output_tokens')} AS output,
      ${total('cache_read_tokens')} AS cache_read, ${total('cache_write_tokens')} AS cache_write
    FROM sessions AS s WHERE ${window.sql} GROUP BY s.source`;
  return all(connection, sql, ...window.values).map((row) => ({
    source: readText(row['source']) ?? '',
    sessions: count(row, 'sessions'),
    messages: count(row, 'messages'),
    toolCalls: count(row, 'calls'),
    ...tokensOf(row),
  }));
}

const tokensOf = (row: Row) => ({
  inputTokens: count(row, 'input'),
  outputTokens: count(row, 'output'),
  cacheReadTokens: count(row, 'cache_read'),
  cacheWriteTokens: count(row, 'cache_write'),
});

/** A session's own numbers, for sessions that nothing was accounted for model by model. */
function readSessionModels(connection: Connection, window: Window): ModelFacts[] {
  const hasUsage = connection.has('session_model_usage', 'session_id');
  const unaccounted = hasUsage ? ' AND NOT EXISTS (SELECT 1 FROM session_model_usage AS u WHERE u.session_id = s.id)' : '';
  return readModels(connection, 'sessions', 's', `FROM sessions AS s WHERE ${window.sql}${unaccounted}`, window);
}

/** `session_model_usage`, of version 20 and later: one row a session, model, route and task. */
function readUsage(connection: Connection, window: Window): ModelFacts[] {
  if (!connection.has('session_model_usage', 'session_id')) return [];
  const from = `FROM session_model_usage AS u JOIN sessions AS s ON s.id = u.session_id WHERE ${window.sql}`;
  return readModels(connection, 'session_model_usage', 'u', from, window);
}

/** A session has several rows a model (routes, tasks), so its models are counted apart from their tokens. */
function readAccounted(connection: Connection, window: Window): { model: string; sessions: number }[] {
  if (!connection.has('session_model_usage', 'session_id')) return [];
  const sql = `SELECT u.model AS model, count(DISTINCT u.session_id) AS sessions
    FROM session_model_usage AS u JOIN sessions AS s ON s.id = u.session_id WHERE ${window.sql} GROUP BY u.model`;
  return all(connection, sql, ...window.values).map((row) => ({ model: readText(row['model']) ?? '', sessions: count(row, 'sessions') }));
}

/**
 * A cost of 0 is how the tables say that nobody knows one, unless `cost_status` says that it was included; what was billed goes before what was
 * estimated, row by row.
 */
function readModels(connection: Connection, table: string, alias: string, from: string, window: Window): ModelFacts[] {
  const column = (name: string): string => columnOr(connection, table, alias, name);
  const text = (name: string): string => `COALESCE(${column(name)}, '')`;
  const total = (name: string): string => `sum(${counter(connection, table, alias, name)})`;
  const known = (name: string): string => `COALESCE(${column(name)}, 0) > 0`;
  const kind = `CASE WHEN ${known('actual_cost_usd')} THEN 'billed' WHEN ${known('estimated_cost_usd')} THEN 'estimated'
    WHEN ${text('cost_status')} = 'included' THEN 'included' ELSE 'none' END`;
  const sql = `SELECT ${text('model')} AS model, ${text('billing_provider')} AS provider, ${text('billing_base_url')} AS base_url,
      ${kind} AS kind, ${alias === 's' ? 'count(*)' : '0'} AS sessions, ${total('input_tokens')} AS input, ${total('output_tokens')} AS output,
      ${total('cache_read_tokens')} AS cache_read, ${total('cache_write_tokens')} AS cache_write,
      sum(CASE ${kind} WHEN 'billed' THEN ${column('actual_cost_usd')} WHEN 'estimated' THEN ${column('estimated_cost_usd')} ELSE 0 END) AS usd
    ${from} GROUP BY 1, 2, 3, 4`;
  return all(connection, sql, ...window.values).map((row) => {
    const facts: { -readonly [Key in keyof ModelFacts]: ModelFacts[Key] } = {
      model: readText(row['model']) ?? '',
      sessions: count(row, 'sessions'),
      ...tokensOf(row),
      isEstimate: row['kind'] === 'estimated',
    };
    put(facts, 'provider', readText(row['provider']) || undefined);
    put(facts, 'baseUrl', readText(row['base_url']) || undefined);
    if (row['kind'] !== 'none') facts.storedUsd = count(row, 'usd');
    return facts;
  });
}

/** Seconds from a session's start to its last sign of life: heartbeat, else newest message, else its end; a clock that ran ahead ends now. */
function durationSql(connection: Connection): string {
  const sane = (value: string): string => `CASE WHEN ${value} > 0 AND ${value} <= 4200000000 THEN ${value} END`;
  const heartbeat = sane(columnOr(connection, 'sessions', 's', 'last_activity_at'));
  return `max(0, min(COALESCE(${heartbeat}, ${newestMessageSql('s')}, ${sane('s.ended_at')}, s.started_at), ?) - s.started_at)`;
}

function readActiveMs(connection: Connection, window: Window, now: number): number {
  const row = first(
    connection,
    `SELECT sum(${durationSql(connection)}) AS seconds FROM sessions AS s WHERE ${window.sql}`,
    now,
    ...window.values,
  );
  return count(row, 'seconds') * 1000;
}

/** The session that leads in each respect; of equal ones the newest. */
function readNotable(connection: Connection, window: Window, now: number): NotableSession[] {
  const of = (column: string): string => counter(connection, 'sessions', 's', column);
  const measures: readonly (readonly [NotableKind, string, readonly unknown[]])[] = [
    ['longest', durationSql(connection), [now]],
    ['messages', of('message_count'), []],
    ['tokens', `${of('input_tokens')} + ${of('output_tokens')}`, []],
    ['tools', of('tool_call_count'), []],
  ];
  const title = columnOr(connection, 'sessions', 's', 'title');
  return measures.flatMap(([kind, measure, values]) => {
    const sql = `SELECT s.id AS id, ${title} AS title, s.started_at AS started_at, ${measure} AS value FROM sessions AS s
      WHERE ${window.sql} ORDER BY value DESC, s.started_at DESC, s.id DESC LIMIT 1`;
    const row = first(connection, sql, ...values, ...window.values);
    if (row === undefined) return [];
    const notable: { -readonly [Key in keyof NotableSession]: NotableSession[Key] } = {
      kind,
      id: String(row['id']),
      startedAt: readTime(row['started_at']) ?? 0,
      value: kind === 'longest' ? count(row, 'value') * 1000 : count(row, 'value'),
    };
    put(notable, 'title', readText(row['title']));
    return [notable];
  });
}
