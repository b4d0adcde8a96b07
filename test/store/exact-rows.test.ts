import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openForWriting } from '../../src/store/open.ts';
import { exactRows } from '../../src/store/reads/exact-rows.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

test('a column that held nothing for hundreds of rows is handed out once it does', () => {
  const connection = openForWriting(join(temporaryFolder(), 'state.db'), { now: () => 1_790_000_000_000 });
  onTestFinished(() => connection.close());
  const { db } = connection;
  db.exec("INSERT INTO sessions (id, source, started_at) VALUES ('early', 'cli', 1), ('late', 'cli', 2), ('last', 'cli', 3)");
  const add = db.prepare('INSERT INTO messages (session_id, role, content, timestamp, reasoning, token_count) VALUES (?, ?, ?, ?, ?, ?)');
  for (let row = 0; row < 300; row++) add.run('early', 'user', `row ${row}`, row + 1, null, null);
  add.run('late', 'assistant', 'one', 400, 'because', null);
  add.run('late', 'assistant', 'two', 401, null, 7);
  add.run('late', 'assistant', 'three', 402, null, null);
  add.run('last', 'assistant', 'four', 403, 'why not', 8);

  const read = (id: string) =>
    [...exactRows(connection, { table: 'messages', rest: 'WHERE session_id = ? ORDER BY id', values: [id] })].flat();
  const early = read('early');
  expect(early).toHaveLength(300);
  expect(early.at(-1)).toMatchObject({ content: 'row 299', reasoning: null, token_count: null });
  for (const _ of ['found missing', 'known by now']) {
    expect(read('late').map((row) => [row['content'], row['reasoning'], row['token_count']])).toEqual([
      ['one', 'because', null],
      ['two', null, 7],
      ['three', null, null],
    ]);
  }
  expect(read('last')[0]).toMatchObject({ content: 'four', reasoning: 'why not', token_count: 8 });
  expect(Object.keys(read('last')[0] ?? {})).toEqual(Object.keys(early[0] ?? {}));
});
