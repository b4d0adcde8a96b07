import type { SkillFacts } from '../../session/insights.ts';
import type { Connection } from '../connection.ts';
import { all, first, put, readNumber, readText, readTime } from '../rows.ts';
import { indexedBy, liveSql } from './columns.ts';
import type { Window } from './insights.ts';

/** Tools that read and write skills; the skill's name is an argument of theirs. */
const skillTools = { skill_view: 'loads', skill_manage: 'edits' } as const;

/**
 * Messages of the window's sessions. All of them are walked where every session is wanted; else they are found session by session, which costs a
 * third more a message.
 */
function messagesOf(window: Window, index: string): { from: string; values: readonly unknown[] } {
  if (window.isWhole) return { from: `FROM messages AS m ${index}`, values: [] };
  return { from: `FROM sessions AS s CROSS JOIN messages AS m ${index} ON ${window.sql} AND m.session_id = s.id`, values: window.values };
}

/** Live messages that users wrote (the counters of a session are about the same rows). */
export function readUserMessages(connection: Connection, window: Window): number {
  const { from, values } = messagesOf(window, '');
  const row = first(connection, `SELECT count(*) AS n ${from} WHERE m.role = 'user' AND ${liveSql(connection, 'm')}`, ...values);
  return readNumber(row?.['n']) ?? 0;
}

/** Assistants' rows with calls are few and the partial index knows them; results, which can be megabytes long, are not read. */
function callsOf(connection: Connection, window: Window): { from: string; where: string; values: readonly unknown[] } {
  const { from, values } = messagesOf(window, indexedBy(connection, 'idx_messages_assistant_calls_by_session'));
  return { from, where: `m.role = 'assistant' AND m.tool_calls IS NOT NULL AND ${liveSql(connection, 'm')}`, values };
}

/** The array of calls; an older program wrapped it into a JSON string (state-db.md 2.8). Broken JSON calls nothing. */
const carefulCalls = `CASE WHEN NOT json_valid(m.tool_calls) THEN '[]' WHEN json_type(m.tool_calls) = 'array' THEN m.tool_calls
  WHEN json_type(m.tool_calls) = 'text' AND json_valid(m.tool_calls ->> '$') THEN m.tool_calls ->> '$' ELSE '[]' END`;
const carefulName = `CASE j.type WHEN 'object' THEN COALESCE(j.value ->> '$.function.name', j.value ->> '$.name') END`;

/** Calls by tool. Where no assistant's row has any (a gateway that stores results only), the results are counted. */
export function readTools(connection: Connection, window: Window): ToolCount[] {
  const called = namedOnly(countWellFormed(connection, window) ?? countCalls(connection, window, carefulName, carefulCalls));
  if (called.length > 0) return called;
  const { from, values } = messagesOf(window, '');
  const sql = `SELECT m.tool_name AS name, count(*) AS calls ${from} WHERE m.role = 'tool' AND ${liveSql(connection, 'm')} GROUP BY 1`;
  return namedOnly(readCounts(connection, sql, values));
}

export interface ToolCount {
  readonly name: string;
  readonly calls: number;
}

/** Without a check of every text, which takes a quarter of the time. @returns undefined where one is not what all programs write today */
function countWellFormed(connection: Connection, window: Window): ToolCount[] | undefined {
  try {
    const counts = countCalls(connection, window, `j.value ->> '$.function.name'`, 'm.tool_calls');
    return counts.some(({ name }) => name === '') ? undefined : counts;
  } catch (error) {
    // Broken JSON is an error of the whole statement; every other fault comes back from the careful one.
    if ((error as { code?: unknown }).code === 'SQLITE_ERROR') return undefined;
    throw error;
  }
}

function countCalls(connection: Connection, window: Window, name: string, calls: string): ToolCount[] {
  const { from, where, values } = callsOf(connection, window);
  return readCounts(
    connection,
    `SELECT ${name} AS name, count(*) AS calls ${from} JOIN json_each(${calls}) AS j WHERE ${where} GROUP BY 1`,
    values,
  );
}

const readCounts = (connection: Connection, sql: string, values: readonly unknown[]): ToolCount[] =>
  all(connection, sql, ...values).map((row) => ({ name: readText(row['name']) ?? '', calls: readNumber(row['calls']) ?? 0 }));

const namedOnly = (counts: readonly ToolCount[]): ToolCount[] => counts.filter(({ name }) => name !== '');

/** Which skills were read and written; asked only where a tool for that was called at all. */
export function readSkills(connection: Connection, window: Window, tools: readonly { name: string }[]): SkillFacts[] {
  if (!tools.some(({ name }) => name in skillTools)) return [];
  const { from, where, values } = callsOf(connection, window);
  const args = `j.value ->> '$.function.arguments'`;
  const sql = `SELECT tool, skill, count(*) AS calls, max(at) AS at FROM (
      SELECT ${carefulName} AS tool, CASE WHEN json_valid(${args}) THEN ${args} ->> '$.name' END AS skill, m.timestamp AS at
      ${from} JOIN json_each(${carefulCalls}) AS j WHERE ${where} AND m.tool_calls LIKE '%skill\\_%' ESCAPE '\\'
    ) WHERE tool IN (${Object.keys(skillTools)
      .map((name) => `'${name}'`)
      .join(', ')}) AND COALESCE(skill, '') <> '' GROUP BY 1, 2`;
  const skills = new Map<string, { name: string; loads: number; edits: number; lastUsed?: number }>();
  for (const row of all(connection, sql, ...values)) {
    const name = readText(row['skill']) ?? '';
    const skill = skills.get(name) ?? { name, loads: 0, edits: 0 };
    skill[skillTools[row['tool'] as keyof typeof skillTools]] += readNumber(row['calls']) ?? 0;
    const at = readTime(row['at']);
    put(skill, 'lastUsed', at === undefined ? skill.lastUsed : Math.max(at, skill.lastUsed ?? 0));
    skills.set(name, skill);
  }
  return [...skills.values()];
}
