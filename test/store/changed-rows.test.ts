import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRandom, type Random } from '../../fixtures/random.ts';
import type { SessionRow } from '../../src/session/types.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { changedRows } from '../../src/store/reads/changed-rows.ts';
import { listRows } from '../../src/store/reads/list-rows.ts';
import { insertRow, recount } from '../../src/store/writes/rows.ts';
import { fillRandomStore } from '../support/random-store.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const now = 1_780_000_000_000;

function openBoth(fill: (writer: OpenConnection) => void): { writer: OpenConnection; reader: OpenConnection } {
  const path = join(temporaryFolder(), 'state.db');
  const writer = openForWriting(path, { now: () => now });
  fill(writer);
  const reader = openForReading(path, { now: () => now });
  onTestFinished(() => {
    reader.close();
    writer.close();
  });
  return { writer, reader };
}

function readAll(connection: OpenConnection): { marker: number; rows: Map<string, SessionRow> } {
  let marker = 0;
  const rows = new Map<string, SessionRow>();
  for (const chunk of listRows(connection)) {
    if (chunk.type === 'counts') marker = chunk.marker;
    else for (const row of chunk.rows) rows.set(row.rootId, row);
  }
  return { marker, rows };
}

/** What a list that was told the changes holds afterwards. */
function apply(rows: Map<string, SessionRow>, changes: { rows: readonly SessionRow[]; removed: readonly string[] }): void {
  const touched = new Set([...changes.removed, ...changes.rows.flatMap((row) => row.ids)]);
  for (const [rootId, row] of rows) if (row.ids.some((id) => touched.has(id))) rows.delete(rootId);
  for (const row of changes.rows) rows.set(row.rootId, row);
}

const fill = (writer: OpenConnection): void => {
  for (const id of ['a', 'b', 'c']) {
    insertRow(writer, 'sessions', { id, source: 'cli', started_at: 1000, title: `title ${id}`, message_count: 1 });
    insertRow(writer, 'messages', { session_id: id, role: 'user', content: `of ${id}`, timestamp: 1001 });
  }
};

test.each<[what: string, sql: string, rows: string[], removed: string[]]>([
  ['a title', `UPDATE sessions SET title = 'other' WHERE id = 'a'`, ['a'], []],
  ['a title that was taken away', `UPDATE sessions SET title = NULL WHERE id = 'a'`, ['a'], []],
  ['a pin', `UPDATE sessions SET pinned = 1 WHERE id = 'b'`, ['b'], []],
  ['the archive', `UPDATE sessions SET archived = 1 WHERE id = 'c'`, ['c'], []],
  ['an end', `UPDATE sessions SET ended_at = 5000, end_reason = 'cli_close' WHERE id = 'c'`, ['c'], []],
  ['a deletion', `DELETE FROM messages WHERE session_id = 'b'; DELETE FROM sessions WHERE id = 'b'`, [], ['b']],
  ['a message alone', `INSERT INTO messages (session_id, role, content, timestamp) VALUES ('a', 'assistant', 'x', 2000)`, ['a'], []],
  ['a new session', `INSERT INTO sessions (id, source, started_at) VALUES ('d', 'cli', 3000)`, ['d'], []],
  [
    'a session deleted and another one in its place',
    `DELETE FROM messages WHERE session_id = 'c'; DELETE FROM sessions WHERE id = 'c'; INSERT INTO sessions (id, source, started_at) VALUES ('d', 'cli', 3000)`,
    ['d'],
    ['c'],
  ],
])('%s of another program is found once', (_, sql, rows, removed) => {
  const { writer, reader } = openBoth(fill);
  const { marker } = readAll(reader);
  expect(changedRows(reader, marker)).toEqual({ rows: [], removed: [] });
  writer.db.exec(sql);
  const changes = changedRows(reader, marker);
  expect(changes?.rows.map((row) => row.id)).toEqual(rows);
  expect(changes?.removed).toEqual(removed);
  expect(changedRows(reader, marker)).toEqual({ rows: [], removed: [] });
});

test('a change that came between the counts and the rows is not lost', () => {
  const { writer, reader } = openBoth(fill);
  const chunks = listRows(reader);
  const first = chunks.next().value;
  writer.db.exec(`UPDATE sessions SET title = 'meanwhile' WHERE id = 'a'`);
  for (const _ of chunks);
  expect(first?.type === 'counts' ? changedRows(reader, first.marker)?.rows.map((row) => row.title) : undefined).toEqual(['meanwhile']);
});

test('another listing, or a file opened anew, makes the whole list necessary', () => {
  const { reader } = openBoth(fill);
  const { marker } = readAll(reader);
  readAll(reader);
  expect(changedRows(reader, marker)).toBeUndefined();
  const other = openForReading(reader.path, { now: () => now });
  onTestFinished(() => other.close());
  expect(changedRows(other, marker)).toBeUndefined();
});

test('a list that is told the changes equals one that is read anew', () => {
  for (const seed of [1, 2, 3, 4]) {
    const random = createRandom(seed);
    const { writer, reader } = openBoth((store) => {
      fillRandomStore(store, random, 150, now);
      store.db.pragma('foreign_keys = OFF');
    });
    const { marker, rows } = readAll(reader);
    for (let round = 0; round < 60; round++) {
      const sql: string[] = [];
      writer.db.transaction(() => {
        for (let left = random.between(1, 4); left > 0; left--) sql.push(change(writer, random, `${seed}_${round}_${left}`));
      })();
      const changes = changedRows(reader, marker);
      if (changes === undefined) throw new Error('the marker was forgotten');
      apply(rows, changes);
      const fresh = openForReading(reader.path, { now: () => now });
      const expected = readAll(fresh).rows;
      fresh.close();
      expect(sorted(rows), `seed ${seed}, round ${round}: ${sql.join('; ')}`).toEqual(sorted(expected));
    }
  }
}, 60_000);

const sorted = (rows: ReadonlyMap<string, SessionRow>): SessionRow[] =>
  [...rows.values()].toSorted((a, b) => (a.rootId < b.rootId ? -1 : 1));

/** One thing another program might do, whatever this one thinks of it. @returns what it was */
function change(writer: OpenConnection, random: Random, name: string): string {
  const ids = writer.db.prepare('SELECT id FROM sessions ORDER BY id').pluck().all() as string[];
  const id = random.pick(ids);
  const other = random.pick(ids);
  const run = (sql: string, ...values: unknown[]): string => {
    writer.db.prepare(sql).run(...values);
    return `${sql} ${JSON.stringify(values)}`;
  };
  switch (random.between(0, 9)) {
    case 0:
      return run('UPDATE sessions SET title = ? WHERE id = ?', `named ${name}`, id);
    case 1:
      return run('UPDATE sessions SET pinned = 1 - pinned, archived = 1 - archived WHERE id = ?', id);
    case 2:
      run('DELETE FROM messages WHERE session_id = ?', id);
      return run('DELETE FROM sessions WHERE id = ?', id);
    case 3:
      return run('UPDATE sessions SET parent_session_id = ? WHERE id = ?', random.pick([null, other]), id);
    case 4:
      return run(
        'UPDATE sessions SET end_reason = ?, ended_at = ? WHERE id = ?',
        random.pick([null, 'compression', 'branched']),
        now / 1000 - 50,
        id,
      );
    case 5:
      return run('UPDATE sessions SET last_activity_at = ? WHERE id = ?', now / 1000 - random.between(0, 1000), id);
    case 6: {
      const parent = random.pick([undefined, other]);
      insertRow(writer, 'sessions', {
        id: `new_${name}`,
        source: 'cli',
        started_at: now / 1000 - 10,
        parent_session_id: parent,
        message_count: 1,
        model_config: '{}',
      });
      insertRow(writer, 'messages', { session_id: `new_${name}`, role: 'user', content: 'hello', timestamp: now / 1000 - 9 });
      return `new session below ${parent}`;
    }
    case 7:
      insertRow(writer, 'messages', { session_id: id, role: 'assistant', content: 'more', timestamp: now / 1000 - random.between(0, 500) });
      return `message for ${id}`;
    case 8:
      writer.db.prepare('UPDATE messages SET active = 0 WHERE session_id = ?').run(id);
      recount(writer, id);
      return `undone ${id}`;
    default:
      return run('UPDATE sessions SET model_config = ? WHERE id = ?', JSON.stringify({ _branched_from: other }), id);
  }
}
