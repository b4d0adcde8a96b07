import { StoreError } from '../errors.ts';
import { storeText } from '../text/en/store.ts';
import type { OpenConnection } from './connection.ts';
import { areTablesSound } from './damage.ts';

const INDEX_TABLES = ['messages_fts', 'messages_fts_trigram'] as const;

/**
 * Makes the full-text index anew from the messages, in whatever layout the file has. The tables are checked first: what looks like damage of the
 * index may be damage of the file, and then nothing may be written (about a second per gigabyte). Rebuilding takes about 2 s per 100,000 messages.
 *
 * @throws StoreError `corrupt` when the tables themselves are damaged, `index` while the other program's own rebuild is unfinished
 */
export function rebuildIndex(connection: OpenConnection): void {
  const { db } = connection;
  if (!areTablesSound(connection)) throw new StoreError('corrupt', storeText.damaged(connection.path), { hint: storeText.damagedHint });
  db.transaction(() => {
    refuseDuringRebuild(connection);
    for (const table of INDEX_TABLES) {
      if (connection.has(table)) db.prepare(`INSERT INTO ${table} (${table}) VALUES ('rebuild')`).run();
    }
  }).immediate();
}

/** Rows between the marks would be put into the index a second time when that rebuild goes on. */
function refuseDuringRebuild(connection: OpenConnection): void {
  if (!connection.has('state_meta')) return;
  const mark = connection.statement("SELECT 1 FROM state_meta WHERE key = 'fts_rebuild_high_water'").get();
  if (mark !== undefined) throw new StoreError('index', storeText.indexBeingRebuilt, { hint: storeText.indexBeingRebuiltHint });
}
