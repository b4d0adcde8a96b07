import type { Term } from '../../session/match-text.ts';
import type { Test } from '../../session/query.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { columnOr } from '../reads/columns.ts';
import type { Condition } from '../reads/scope.ts';
import { all, first, readTime } from '../rows.ts';
import { searchedSql } from './documents.ts';
import { allOf, anyOf, mayContain, mayContainContent, mayContainInJson } from './may-contain.ts';
import type { AskedTest, Plan } from './plan.ts';

/** Conditions over `messages AS m` for every message that can match by its own text. */
export function mayMatch(connection: Connection, plan: Plan): Condition {
  const { terms } = plan.text;
  return anyOf(
    plan.clauses.map((clause) =>
      allOf([
        ...clause.tests.flatMap((asked) => testSql(connection, asked)),
        ...clause.terms.map((index) => mayHave(connection, terms[index]!)),
      ]),
    ),
  );
}

/** The same for messages whose title may have the rest of the words: one of the terms that count is enough. */
export function mayMatchWithTitle(connection: Connection, plan: Plan): Condition {
  const { terms, wanted } = plan.text;
  return anyOf([...wanted.map((index) => mayHave(connection, terms[index]!)), mayMatch(connection, plan)]);
}

function mayHave(connection: Connection, term: Term): Condition {
  const parts = [mayContainContent('m.content', term)];
  if (connection.has('messages', 'tool_name')) parts.push(mayContain('m.tool_name', term));
  if (connection.has('messages', 'tool_calls')) {
    const calls = mayContainInJson('m.tool_calls', term);
    parts.push({ sql: `(m.tool_calls IS NOT NULL AND ${calls.sql})`, values: calls.values });
  }
  return anyOf(parts);
}

/** What SQL can say of a test; a test that must not be true is left to the matcher. */
function testSql(connection: Connection, { test, isWanted }: AskedTest): Condition[] {
  if (!isWanted) return [];
  return wantedTestSql(connection, test) ?? [];
}

function wantedTestSql(connection: Connection, test: Test): Condition[] | undefined {
  switch (test.field) {
    case 'role':
      return [{ sql: 'm.role = ?', values: [test.is] }];
    case 'tool': {
      const column = (name: string): string => columnOr(connection, 'messages', 'm', name);
      return [{ sql: `(${column('tool_name')} = ? OR ${column('tool_calls')} IS NOT NULL)`, values: [test.is] }];
    }
    case 'said':
      // A time more than a day ahead counts as now, so only the beginning can be asked for.
      return test.from === undefined ? undefined : [{ sql: 'm.timestamp * 1000.0 >= ?', values: [test.from] }];
    default:
      return undefined;
  }
}

export interface ScanStep {
  /** Messages that may match, newest first. */
  readonly ids: readonly number[];
  /** All messages with ids above `to`, up to `from`, were looked at in this step. */
  readonly to: number;
  readonly from: number;
  /** When that one was said, milliseconds. */
  readonly backTo?: number;
}

/** How long one step may take, milliseconds: between two of them other questions are answered. */
const stepMs = 25;
const narrowest = 256;

/** Goes over all messages, newest rows first, in steps. SQL alone decides what is handed out; 0.4 µs a message. */
export function* scanAll(connection: Connection, condition: Condition, top: number): Generator<ScanStep, void, undefined> {
  const statement = connection
    .statement(
      `SELECT m.id FROM messages AS m WHERE m.id > ? AND m.id <= ? AND ${condition.sql} AND ${searchedSql(connection)}
        AND hermes_stopped(m.id) = 0 ORDER BY m.id DESC`,
    )
    .pluck();
  let width = 8_192;
  for (let at = top; ;) {
    // Gaps in the ids are passed over in one seek.
    const from = first(connection, 'SELECT max(id) AS id FROM messages WHERE id <= ?', at)?.['id'];
    if (typeof from !== 'number') return;
    const to = from - width;
    const began = performance.now();
    const ids = statement.all(to, from, ...condition.values) as number[];
    const took = performance.now() - began;
    const said = first(connection, 'SELECT timestamp AS t FROM messages WHERE id > ? ORDER BY id LIMIT 1', to)?.['t'];
    const backTo = readTime(said);
    yield { ids, to, from: at, ...(backTo === undefined ? {} : { backTo }) };
    at = to;
    width = Math.max(narrowest, Math.min(width * 4, Math.round((width * stepMs) / Math.max(took, 0.5))));
  }
}

/** Sessions of one step. */
const sessionsAtOnce = 100;

/** Goes over the messages of some sessions only, in the order of the list. */
export function* scanSessions(
  connection: Connection,
  condition: Condition,
  sessions: readonly SessionId[],
): Generator<number[], void, undefined> {
  const sql = `SELECT m.id FROM json_each(?) AS wanted CROSS JOIN messages AS m ON m.session_id = wanted.value
    WHERE ${condition.sql} AND ${searchedSql(connection)} AND hermes_stopped(m.id) = 0`;
  for (let at = 0; at < sessions.length; at += sessionsAtOnce) {
    const rows = all(connection, sql, JSON.stringify(sessions.slice(at, at + sessionsAtOnce)), ...condition.values);
    yield rows.map((row) => Number(row['id'])).sort((a, b) => b - a);
  }
}
