import path from 'node:path';
import { expect, test } from 'vitest';
import type { ShellContext } from '../../src/commands/context.ts';
import { openWriter } from '../../src/commands/write-store.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const contextOf = (storePath: string) => ({ home: { storePath }, now: Date.now, err: { write: () => true } }) as unknown as ShellContext;

/** The connection has no page left to add: what SQLite says of a full disk. */
function fill(connection: OpenConnection): void {
  connection.db.pragma(`max_page_count = ${connection.db.pragma('page_count', { simple: true }) as number}`);
  connection.db.exec(`CREATE TABLE filler AS SELECT randomblob(1000000) AS bytes`);
}

test('a full disk is said as one, by a step before or after the writing too, and the first failure is the one that is told', async () => {
  const context = contextOf(path.join(temporaryFolder(), 'state.db'));
  await expect(openWriter(context, { prepare: fill })).rejects.toMatchObject({ code: 'store-full' });

  const untouched = await openWriter(context, { finish: fill });
  expect(() => untouched.close()).toThrow(expect.objectContaining({ code: 'store-full' }) as Error);

  const failed = await openWriter(context, { finish: fill });
  const first = new Error('the first');
  await expect(
    failed.write(() => {
      throw first;
    }),
  ).rejects.toBe(first);
  expect(() => failed.close()).not.toThrow();
});
