import { foldText } from '../../session/fold.ts';
import { hasTerm } from '../../session/match-text.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { columnOr } from '../reads/columns.ts';
import { lastActiveOf, readText } from '../rows.ts';
import { mayContain } from './may-contain.ts';
import type { Plan } from './plan.ts';

export interface Titled {
  /** By index of the term: whether the title has it. */
  readonly has: readonly boolean[];
  readonly folded: string;
  /** What the session row says of its last activity, milliseconds. */
  readonly active: number;
}

/** Sessions whose own title has one of the terms, the last active ones first: one pass over the sessions (0.2 µs each where it hasn't). */
export function titledSessions(connection: Connection, plan: Plan): ReadonlyMap<SessionId, Titled> {
  const { terms } = plan.text;
  if (terms.length === 0 || !connection.has('sessions', 'title')) return new Map();
  const title = 'CAST(s.title AS TEXT)';
  const conditions = terms.map((term) => mayContain(title, term));
  const heartbeat = columnOr(connection, 'sessions', 's', 'last_activity_at');
  const sql = `SELECT s.id, ${title}, ${heartbeat}, s.started_at FROM sessions AS s
    WHERE s.title IS NOT NULL AND hermes_stopped(s.id) = 0 AND (${conditions.map((each) => each.sql).join(' OR ')})
    ORDER BY COALESCE(${heartbeat}, s.started_at) DESC`;
  const rows = connection
    .statement(sql)
    .raw(true)
    .all(...conditions.flatMap((each) => each.values)) as unknown[][];
  const found = new Map<SessionId, Titled>();
  for (const [id, text, heard, started] of rows) {
    const folded = foldText(readText(text) ?? '');
    const has = terms.map((term) => hasTerm(folded, term));
    if (has.includes(true)) found.set(String(id), { has, folded, active: lastActiveOf(heard, undefined, started) });
  }
  return found;
}
