import type { Database } from '../connection.ts';
import { LAYOUT_VERSION } from '../schema/create.ts';

/**
 * Makes the copied rows fit together again, before indexes are made over them: sessions whose row is lost are put back around their messages and
 * usage, references to what is gone end, of two sessions with one title the newer keeps it, and the layout's number is there.
 *
 * @param db the fresh store, with its tables filled and nothing else made
 * @returns ids of the sessions that were put back
 */
export function mendRows(db: Database): readonly string[] {
  const columns = (table: string): ReadonlySet<string> =>
    new Set(db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table));
  const sessions = columns('sessions');
  if (!sessions.has('id') || columns('messages').size === 0) return [];

  const recovered = db
    .prepare<[], string>(
      `INSERT INTO sessions (id, source, started_at) SELECT session_id, 'recovered', min(timestamp) FROM messages
       WHERE session_id NOT IN (SELECT id FROM sessions) GROUP BY session_id RETURNING id`,
    )
    .pluck()
    .all();
  if (sessions.has('message_count')) {
    const count = db.prepare(
      'UPDATE sessions SET message_count = (SELECT count(*) FROM messages WHERE session_id = sessions.id) WHERE id = ?',
    );
    for (const id of recovered) count.run(id);
  }
  const clear = (column: string, table: string, key: string): void => {
    if (sessions.has(column) && columns(table).has(key))
      db.exec(`UPDATE sessions SET ${column} = NULL WHERE ${column} IS NOT NULL AND ${column} NOT IN (SELECT ${key} FROM ${table})`);
  };
  clear('parent_session_id', 'sessions', 'id');
  clear('system_prompt_hash', 'system_prompts', 'hash');
  if (columns('session_model_usage').has('session_id'))
    db.exec('DELETE FROM session_model_usage WHERE session_id NOT IN (SELECT id FROM sessions)');
  if (sessions.has('title')) {
    db.exec(`UPDATE sessions SET title = NULL WHERE title IS NOT NULL AND rowid NOT IN (
      SELECT rowid FROM (SELECT rowid, row_number() OVER (PARTITION BY title ORDER BY started_at DESC) AS place FROM sessions WHERE title IS NOT NULL) WHERE place = 1)`);
  }
  restoreVersion(db, sessions, columns('messages'), columns('session_model_usage'));
  return recovered;
}

/** Hermes Agent takes a store without the row for a new one (store-v31.md B4.1); a number too low only makes it look once more. */
function restoreVersion(db: Database, sessions: ReadonlySet<string>, messages: ReadonlySet<string>, usage: ReadonlySet<string>): void {
  if (db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'schema_version'`).get() === undefined) return;
  if (db.prepare('SELECT 1 FROM schema_version').get() !== undefined) return;
  const version = messages.has('message_uid')
    ? LAYOUT_VERSION
    : sessions.has('system_prompt_hash')
      ? 25
      : usage.has('task')
        ? 22
        : sessions.has('git_branch')
          ? 17
          : sessions.has('title')
            ? 4
            : 1;
  db.prepare('INSERT INTO schema_version (version) VALUES (?)').run(version);
}
