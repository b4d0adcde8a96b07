import { NotFoundError } from '../../src/errors.ts';
import type { Connection } from '../../src/store/connection.ts';

/** Small methods of every kind a worker can serve; tests of the threads need no more. */
export const reads = {
  countMessages(connection: Connection): number {
    return connection.statement('SELECT count(*) FROM messages').pluck().get() as number;
  },
  add(_: Connection, a: number, b: number): number {
    return a + b;
  },
  columnsOf(connection: Connection, table: string): string[] {
    return [...(connection.shape.columns.get(table) ?? [])];
  },
  findNothing(_: Connection, id: string): never {
    throw new NotFoundError(`No session ${id}.`, 'Try another.');
  },
  giveBackFunction(): () => void {
    return () => undefined;
  },
  /** Runs until it is stopped, or for 10,000,000,000 rows. */
  countForEver(connection: Connection): number {
    const sql = `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 10000000000 AND hermes_stopped(i) = 0) SELECT count(*) FROM n`;
    return connection.statement(sql).pluck().get() as number;
  },
  *listMessages(connection: Connection, size: number): Generator<number[], void, undefined> {
    let chunk: number[] = [];
    for (const id of connection.db.prepare<[], number>('SELECT id FROM messages ORDER BY id').pluck().iterate()) {
      chunk.push(id);
      if (chunk.length === size) {
        yield chunk;
        chunk = [];
      }
    }
    if (chunk.length > 0) yield chunk;
  },
  *numbersFrom(_: Connection, first: number): Generator<number, void, undefined> {
    for (let number = first; ; number += 1) yield number;
  },
  *failAfter(_: Connection, count: number): Generator<number, void, undefined> {
    for (let number = 0; number < count; number += 1) yield number;
    throw new NotFoundError('That was all.');
  },
  die(): never {
    process.exit(3);
  },
};

export const writes = {
  addSession(connection: Connection, id: string): void {
    connection
      .statement(`INSERT INTO sessions (id, source, started_at) VALUES (?, 'tui', ?) ON CONFLICT (id) DO NOTHING`)
      .run(id, connection.now() / 1000);
  },
  addMessage(connection: Connection, session: string, text: string): number {
    const added = connection
      .statement(`INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)`)
      .run(session, text, connection.now() / 1000);
    connection.statement('UPDATE sessions SET message_count = message_count + 1 WHERE id = ?').run(session);
    return Number(added.lastInsertRowid);
  },
  addThenFail(connection: Connection, session: string): never {
    writes.addMessage(connection, session, 'must not stay');
    throw new NotFoundError('Changed my mind.');
  },
  async addLater(connection: Connection, session: string): Promise<void> {
    writes.addMessage(connection, session, 'must not stay');
  },
  journalMode(connection: Connection): string {
    return connection.db.pragma('journal_mode', { simple: true }) as string;
  },
};
