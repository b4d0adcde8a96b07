import type { Test } from '../../session/query.ts';
import type { SessionId } from '../../session/types.ts';
import { isDuring } from '../../session/query-match.ts';
import type { Connection } from '../connection.ts';
import { decodeContent, decodeToolCalls } from '../content.ts';
import { isShown } from '../reads/messages.ts';
import { columnOr, visibleSql } from '../reads/columns.ts';
import { readText, readTime } from '../rows.ts';

/** A message as a search looks at it. */
export interface SearchedMessage {
  readonly id: number;
  readonly sessionId: SessionId;
  readonly role: string;
  /** Milliseconds; 0 when the stored one can't be believed. */
  readonly timestamp: number;
  readonly toolNames: readonly string[];
  /** The content as a reader sees it, the tool's name, names and arguments of calls; what is empty is left out. */
  readonly fields: readonly string[];
}

/** Rows that a reader sees, as SQL over `messages AS m`: neither undone nor hidden nor bookkeeping (store-v31.md B3). */
export function searchedSql(connection: Connection): string {
  const hidden = connection.has('messages', 'display_kind') ? `COALESCE(m.display_kind, '') <> 'hidden'` : '1';
  return `(${visibleSql(connection, 'm')}) AND ${hidden} AND m.role <> 'session_meta'`;
}

/** The messages among `ids` that a reader sees, in that order; one at a time, since each may have megabytes. */
export function* searchedMessages(connection: Connection, ids: readonly number[]): Generator<SearchedMessage, void, undefined> {
  const column = (name: string): string => columnOr(connection, 'messages', 'm', name);
  const sql = `SELECT m.id, m.session_id, m.role, m.timestamp, m.content, ${column('tool_name')}, ${column('tool_calls')}, ${column('display_metadata')}
    FROM json_each(?) AS wanted CROSS JOIN messages AS m ON m.id = wanted.value
    WHERE ${searchedSql(connection)} AND hermes_stopped(m.id) = 0 ORDER BY wanted.key`;
  for (const each of connection.statement(sql).raw(true).iterate(JSON.stringify(ids))) {
    const row = each as unknown[];
    if (row[7] === null || isShown({ display_metadata: row[7] })) yield readSearched(row);
  }
}

function readSearched(row: readonly unknown[]): SearchedMessage {
  const fields: string[] = [];
  const toolNames: string[] = [];
  const content = row[4];
  const text = typeof content === 'string' && content.charCodeAt(0) !== 0 ? content : decodeContent(content).text;
  if (text !== '') fields.push(text);
  const name = readText(row[5]);
  if (name !== undefined && name !== '') {
    fields.push(name);
    toolNames.push(name);
  }
  if (row[6] !== null) {
    for (const call of decodeToolCalls(row[6])) {
      if (call.name !== '') fields.push(call.name);
      toolNames.push(call.name);
      if (call.arguments !== '') fields.push(plainArguments(call.arguments));
    }
  }
  return {
    id: row[0] as number,
    sessionId: String(row[1]),
    role: readText(row[2]) ?? '',
    timestamp: readTime(row[3]) ?? 0,
    toolNames,
    fields,
  };
}

/** Arguments are JSON: what a model wrote as `\n` or `\uac00` is the sign it stands for. */
function plainArguments(json: string): string {
  if (!json.includes('\\')) return json;
  return json.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code: string | undefined, letter: string | undefined) =>
    code === undefined ? (escapes[letter!] ?? letter!) : String.fromCharCode(parseInt(code, 16)),
  );
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Whether the message itself passes; undefined for a test of its lineage. */
export function testMessage(message: SearchedMessage, test: Test, now: number): boolean | undefined {
  switch (test.field) {
    case 'role':
      return message.role === test.is;
    case 'tool':
      return message.toolNames.includes(test.is);
    case 'said':
      return isDuring(message.timestamp, test, now);
    default:
      return undefined;
  }
}
