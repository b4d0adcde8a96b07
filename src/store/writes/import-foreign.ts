import type { ForeignSession, ForeignTurn } from '../../session/foreign.ts';
import { newSessionId } from '../../session/id.ts';
import { nextLineageTitle, sanitizeTitle } from '../../session/title.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection, OpenConnection } from '../connection.ts';
import { decodeContent, encodeContent, scrubText } from '../content.ts';
import { foreignCopies } from '../reads/foreign-copies.ts';
import { turnLease } from '../reads/facts.ts';
import { lineageTitles } from '../reads/resolve.ts';
import { isStored } from '../reads/sessions.ts';
import { all, first, writeTime } from '../rows.ts';
import { columnSql, tableNamed } from '../schema/tables.ts';
import { insertRow, recount, touch, updateRow } from './rows.ts';

export interface ForeignImport {
  readonly session: ForeignSession;
  /** What its title begins with, `Imported from Claude Code: …`, out of the line a person began with. */
  title(line: string): string;
}

export type ForeignOutcome =
  | { readonly kind: 'imported'; readonly id: SessionId; readonly title: string | undefined; readonly messages: number }
  /** Imported before; nothing new in the log. */
  | { readonly kind: 'same'; readonly id: SessionId }
  /** Imported before, and the log had gone on: that many messages were added, or made longer. */
  | { readonly kind: 'grown'; readonly id: SessionId; readonly messages: number }
  /** Imported before, and both went on, each its own way. */
  | { readonly kind: 'continued'; readonly id: SessionId }
  /** Imported before, and somebody's turn is running on it. */
  | { readonly kind: 'busy'; readonly id: SessionId }
  /** Nobody said anything. */
  | { readonly kind: 'empty' };

/**
 * Adds the column an origin stands in to a store from before version 18, as Hermes Agent's own next start would: without it, the same log would
 * be imported twice. Inside a transaction.
 */
export function makeRoomForOrigin(connection: OpenConnection): void {
  // Under the lock now: another program may have been quicker.
  connection.refreshShape();
  if (connection.has('sessions', 'origin_json')) return;
  const column = tableNamed('sessions').columns.find(({ name }) => name === 'origin_json');
  if (column === undefined) throw new TypeError('no column sessions.origin_json in the layout');
  connection.db.exec(`ALTER TABLE sessions ADD COLUMN ${columnSql(column)}`);
  connection.refreshShape();
}

/** Characters of the opening line that a title takes (state-db.md 3). */
const lineLength = 60;

/**
 * Stores another agent's conversation as a session of its source (state-db.md 3), or finds the copy that was made of it before. A copy that
 * nobody continued here follows its log. The whole of it in one transaction; the log is read while it is stored.
 *
 * The model is kept with the origin, not in `model`: the conversation goes on with the one that is configured here.
 */
export function importForeign(connection: Connection, { session, title }: ForeignImport): ForeignOutcome {
  const copy = foreignCopies(connection, session.tool).get(session.foreignId);
  return copy === undefined ? storeCopy(connection, session, title) : followLog(connection, copy, session);
}

function storeCopy(connection: Connection, session: ForeignSession, makeTitle: ForeignImport['title']): ForeignOutcome {
  const now = connection.now();
  let id: SessionId | undefined;
  let title: string | undefined;
  let messages = 0;
  for (const turn of session.turns()) {
    if (id === undefined) {
      id = newSessionId(now, (candidate) => isStored(connection, candidate));
      insertRow(connection, 'sessions', {
        id,
        source: session.tool,
        created_source: session.tool,
        model_config: '{}',
        origin_json: originOf(session, now),
        started_at: writeTime(Math.min(session.startedAt, turn.at)),
        cwd: session.cwd,
        git_branch: session.gitBranch,
      });
    }
    if (title === undefined && turn.role === 'user') title = titleOf(connection, turn.text, makeTitle);
    insertTurn(connection, id, turn);
    messages += 1;
  }
  if (id === undefined) return { kind: 'empty' };
  updateRow(connection, 'sessions', id, { title, title_source: title === undefined ? undefined : 'derived' });
  settle(connection, id);
  return { kind: 'imported', id, title, messages };
}

function originOf(session: ForeignSession, now: number): string {
  return JSON.stringify({
    imported_from: {
      tool: session.tool,
      path: session.path,
      foreign_session_id: session.foreignId,
      imported_at: writeTime(now),
      ...(session.model === undefined ? {} : { model: session.model }),
    },
  });
}

/** The first line with something in it, and the next number where somebody has that title. */
function titleOf(connection: Connection, text: string, makeTitle: ForeignImport['title']): string | undefined {
  // A paste of a million lines needs only its beginning looked at.
  const line = text
    .slice(0, 4096)
    .split(/[\r\n]+/)
    .map(sanitizeTitle)
    .find((found) => found !== undefined);
  if (line === undefined) return undefined;
  const title = sanitizeTitle(makeTitle(Array.from(line).slice(0, lineLength).join('').trim()));
  if (title === undefined) return undefined;
  const taken = lineageTitles(connection, title);
  return taken.includes(title) ? nextLineageTitle(title, taken) : title;
}

function insertTurn(connection: Connection, id: SessionId, turn: ForeignTurn): void {
  insertRow(connection, 'messages', {
    session_id: id,
    role: turn.role,
    content: encodeContent(turn.text),
    timestamp: writeTime(turn.at),
    finish_reason: turn.role === 'assistant' ? 'stop' : undefined,
  });
}

/** Counters and heartbeat, out of what is stored. */
function settle(connection: Connection, id: SessionId): void {
  recount(connection, id);
  const newest = first(connection, 'SELECT max(timestamp) AS t FROM messages WHERE session_id = ?', id)?.['t'];
  if (typeof newest === 'number') touch(connection, id, newest * 1000);
}

interface Stored {
  readonly id: number;
  readonly role: string;
  readonly text: string;
}

/**
 * Adds what a log has said since. The stored rows must be its beginning, word by word; the last one may have become longer, since an answer
 * that is under way is one turn. Anything else was said or changed here.
 */
function followLog(connection: Connection, id: SessionId, session: ForeignSession): ForeignOutcome {
  if (turnLease(connection, id) !== undefined) return { kind: 'busy', id };
  const ids = all(connection, 'SELECT id FROM messages WHERE session_id = ? ORDER BY id', id).map((row) => Number(row['id']));
  const isOpen = first(connection, `SELECT 1 FROM sessions WHERE id = ? AND COALESCE(end_reason, '') = ''`, id) !== undefined;
  const stored = (index: number): Stored | undefined => readStored(connection, ids[index]);

  let index = 0;
  let longer: { row: Stored; turn: ForeignTurn } | undefined;
  const added: ForeignTurn[] = [];
  for (const turn of session.turns()) {
    const row = stored(index);
    const text = scrubText(turn.text);
    index += 1;
    if (row === undefined) added.push(turn);
    else if (row.role === turn.role && row.text === text) continue;
    else if (index === ids.length && row.role === turn.role && text.startsWith(`${row.text}\n`)) longer = { row, turn };
    else return { kind: 'continued', id };
  }
  // More here than there: it was continued, and the log was not.
  if (index < ids.length) return { kind: 'same', id };
  if (added.length === 0 && longer === undefined) return { kind: 'same', id };
  if (!isOpen) return { kind: 'continued', id };
  if (longer !== undefined) lengthen(connection, longer.row.id, longer.turn.text);
  for (const turn of added) insertTurn(connection, id, turn);
  settle(connection, id);
  return { kind: 'grown', id, messages: added.length + (longer === undefined ? 0 : 1) };
}

function readStored(connection: Connection, id: number | undefined): Stored | undefined {
  if (id === undefined) return undefined;
  const row = first(connection, 'SELECT role, content FROM messages WHERE id = ?', id);
  return row === undefined ? undefined : { id, role: String(row['role']), text: decodeContent(row['content']).text };
}

/** A change of the text empties `display_order`; the row gets its place back, or it would be counted as missing until Hermes reads it. */
function lengthen(connection: Connection, id: number, text: string): void {
  const place = connection.has('messages', 'display_order')
    ? first(connection, 'SELECT display_order AS place FROM messages WHERE id = ?', id)?.['place']
    : undefined;
  updateRow(connection, 'messages', id, { content: encodeContent(text) });
  if (typeof place === 'number') updateRow(connection, 'messages', id, { display_order: place });
}
