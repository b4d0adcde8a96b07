import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { takeSeat } from '../../src/app/seat.ts';
import { findWorkspace } from '../../src/app/workspace.ts';
import { buildRecap } from '../../src/session/recap.ts';
import { reservedTitle } from '../../src/session/title.ts';
import type { SessionRow } from '../../src/session/types.ts';
import { openStore } from '../../src/store/client.ts';
import type { SessionStore } from '../../src/app/recorder.ts';
import { continueFilter, foundAt, startFilter } from '../../src/ui/screens/sessions/filter.ts';
import { createBook, mergeRows, type Entry, type RowBook } from '../../src/ui/screens/sessions/rows.ts';
import { copyRealStore, hasRealStores, type RealStore } from '../support/real-stores.ts';
import { rawRecap } from '../support/raw-recap.ts';
import { makeRun, startEchoModel, writeLabConfig } from '../support/seat.ts';
import { bundleStoreWorkers, type StoreWorkers } from '../support/store-worker.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

/** Every file, and how many of its conversations are continued: all, or evenly chosen ones. */
const files: readonly (readonly [name: RealStore, continued: number])[] = [
  ['hermes-v31-empty.db', 0],
  ['hermes-v17-10.db', Infinity],
  ['hermes-v31-40.db', Infinity],
  ['hermes-v17-1000.db', 80],
];

type Db = Database.Database;

let workers: StoreWorkers;
beforeAll(async () => {
  workers = await bundleStoreWorkers();
});
afterAll(() => workers.dispose());

function look<T>(path: string, question: (db: Db) => T): T {
  const db = new Database(path, { readonly: true });
  try {
    return question(db);
  } finally {
    db.close();
  }
}

/** Every row of the ordinary tables as text, under a key, in the columns of `columns`. */
function rowsOf(db: Db, columns: ReadonlyMap<string, readonly string[]>): Map<string, Map<string, string>> {
  const result = new Map<string, Map<string, string>>();
  for (const [table, names] of columns) {
    const text = names.map((name) => `quote("${name}")`).join(` || '|' || `);
    const rows = db.prepare(`SELECT rowid AS rowid, ${text} AS text FROM "${table}"`).all() as { rowid: number; text: string }[];
    result.set(table, new Map(rows.map((row) => [String(row.rowid), row.text])));
  }
  return result;
}

function ordinaryTables(db: Db): Map<string, string[]> {
  const names = db
    .prepare<[], string>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT GLOB 'messages_fts*' AND name NOT GLOB 'sqlite_*'`,
    )
    .pluck()
    .all();
  return new Map(names.map((name) => [name, (db.pragma(`table_info("${name}")`) as { name: string }[]).map((column) => column.name)]));
}

/** The checks of SQLite and of both full-text tables; on a copy, since a check counts as a write. */
function health(path: string): string[] {
  const copy = join(temporaryFolder(), 'checked.db');
  copyFileSync(path, copy);
  if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
  const db = new Database(copy);
  try {
    const findings = [String(db.pragma('integrity_check', { simple: true })), JSON.stringify(db.pragma('foreign_key_check'))];
    for (const table of ['messages_fts', 'messages_fts_trigram']) {
      for (const rank of [0, 1]) {
        try {
          db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', ?)`).run(rank);
        } catch (error) {
          findings.push(`${table} ${rank} ${(error as Error & { code: string }).code}`);
        }
      }
    }
    return findings;
  } finally {
    db.close();
  }
}

const facts = (path: string) =>
  look(path, (db) => ({
    version: db.prepare('SELECT * FROM schema_version').all(),
    meta: db.prepare(`SELECT * FROM state_meta WHERE key NOT GLOB 'hermes_tui.*' ORDER BY key`).all(),
    applicationId: db.pragma('application_id'),
    userVersion: db.pragma('user_version'),
    journal: db.pragma('journal_mode'),
    fullText: db.prepare(`SELECT type, name, sql FROM sqlite_master WHERE name GLOB 'messages_fts*' ORDER BY name`).all(),
    triggers: db.prepare(`SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name`).all(),
  }));

const hasNul = (path: string): boolean =>
  look(path, (db) => db.prepare(`SELECT 1 FROM messages WHERE instr(content, char(0)) > 0 LIMIT 1`).get() !== undefined);

async function listAll(store: SessionStore): Promise<SessionRow[]> {
  const rows: SessionRow[] = [];
  for await (const chunk of store.read.listRows()) if (chunk.type === 'rows') rows.push(...chunk.rows);
  return rows;
}

/** The row a picker puts first when this is pasted into its filter, whatever the scope hides; all rows are in. */
function pickedBy(query: string, book: RowBook): readonly string[] {
  const nothingInScope: Entry[] = [];
  const filter = startFilter(query, book, nothingInScope);
  continueFilter(filter, book, { clock: () => 0, budgetMs: 1 });
  return foundAt(filter, 0)?.row.ids ?? [];
}

function shortestOwnPrefix(id: string, ids: readonly string[]): string {
  for (let length = 4; length < id.length; length++) {
    const prefix = id.slice(0, length);
    if (ids.every((other) => other === id || !other.startsWith(prefix))) return prefix;
  }
  return id;
}

/** Columns of `sessions` that a rename and one more exchange may change, and nothing else. */
const ownColumns = new Set([
  ...['title', 'title_source', 'ended_at', 'end_reason', 'last_activity_at', 'message_count', 'model', 'model_config'],
  ...['input_tokens', 'output_tokens', 'api_call_count', 'billing_provider', 'billing_base_url', 'archived', 'auto_archived'],
  // Nobody knew them before; 0 is what an era that had no such counter means.
  ...['cache_read_tokens', 'cache_write_tokens', 'reasoning_tokens'],
]);
const added = 'one more question: 질문 👩‍👩‍👧';
const answer = '**Answered** — 답변\nsecond line';

describe.skipIf(!hasRealStores).each(files)('%s', (name, wanted) => {
  test('every session is listed, found by id and by prefix, resumed with the right recap, renamed and continued; the rest stays', async () => {
    const home = temporaryFolder();
    const path = copyRealStore(name, home);
    const model = await startEchoModel(() => answer);
    onTestFinished(() => model.stop());
    writeLabConfig(home, model.url);
    const clock = look(path, (db) => db.prepare<[], number | null>('SELECT max(timestamp) FROM messages').pluck().get() ?? 1_790_000_000);
    const startedAt = Date.now();
    // An hour after the last message, as the answers of Hermes Agent were asked for.
    const now = () => (clock + 3600) * 1000 + (Date.now() - startedAt);
    const tables = look(path, ordinaryTables);
    const before = look(path, (db) => rowsOf(db, tables));
    const healthBefore = health(path);
    const factsBefore = facts(path);
    const allIds = look(path, (db) => db.prepare<[], string>('SELECT id FROM sessions ORDER BY id').pluck().all());

    const run = await makeRun(home, workers, now);
    const store = openStore({ path, workers, now }) as SessionStore;
    onTestFinished(() => store.close());
    const rows = await listAll(store);

    // ── Listed: each session belongs to one row; the shell's list has the same rows in the same order.
    expect(rows.flatMap((row) => row.ids).toSorted()).toEqual(allIds);
    const shown = rows.filter((row) => row.class === 'shown');
    const shell = await store.read.listForShell({ limit: 10_000 });
    expect(shell.rows.map((row) => row.id)).toEqual(shown.map((row) => row.id));
    expect(shell.more).toBe(0);
    const counts = await store.read.rowCounts();
    expect(counts.total).toBe(rows.length);
    expect(counts.shown + counts.empty + counts.machine + counts.archived).toBe(counts.total);

    // ── Found by its whole id and by the shortest beginning that is its own: by the picker and by -r.
    const book = createBook();
    mergeRows(book, rows, now());
    const rowOf = new Map(rows.flatMap((row) => row.ids.map((id) => [id, row] as const)));
    for (const id of allIds) {
      expect(pickedBy(id, book), id).toContain(id);
      const prefix = shortestOwnPrefix(id, allIds);
      expect(pickedBy(prefix, book), `${id} by ${prefix}`).toContain(id);
      for (const text of [id, prefix]) {
        expect(await store.read.resolveSession(text), text).toMatchObject({ kind: 'found', session: { id: rowOf.get(id)?.id } });
      }
    }

    // ── Resumed: the recap is the one worked out the slow way, from any segment of the lineage.
    const display = run.loaded().config.display;
    const raw = new Database(path, { readonly: true });
    onTestFinished(() => void raw.close());
    for (const row of rows) {
      const expected = rawRecap(raw, row.id);
      for (const id of row.ids) {
        const target = await store.read.resumeTarget(id);
        expect(target?.id, id).toBe(row.id);
        const found = await store.read.recapMessages(row.id, { limit: display.resumeExchanges });
        const recap = buildRecap(found.messages, { exchanges: display.resumeExchanges, earlierOutside: found.earlier });
        const entries = recap.entries.map(({ role, text, cut, tools }) => ({ role, text, cut, tools }));
        expect(entries, `recap of ${id}`).toEqual(expected.entries);
        expect(recap.earlierCount, `earlier messages of ${id}`).toBe(expected.earlier);
        expect(found.earlier + found.messages.filter((message) => !message.isSummary && message.text !== '').length).toBe(expected.total);
      }
    }
    raw.close();

    // ── Renamed and continued, through the thread that writes.
    const step = Math.max(1, Math.floor(rows.length / wanted));
    const chosen = rows.filter((_, index) => index % step === 0);
    expect(chosen.length).toBeGreaterThanOrEqual(Math.min(rows.length, wanted));
    const handedBack: string[] = [];
    for (const row of chosen) {
      const session = await store.read.resumeTarget(row.id);
      if (session === undefined) throw new Error(`${row.id} is gone`);
      const title = `이름 ${row.id} "α" & 雪's`;
      const renaming = store.write.renameSession(session.id, title);
      if (session.hidden && session.title === reservedTitle) await expect(renaming).rejects.toMatchObject({ trouble: 'refused' });
      else expect(await renaming).toBe(title);
      const trouble: unknown[] = [];
      const seat = takeSeat({
        run,
        store,
        session,
        workspace: findWorkspace(home),
        source: 'tui',
        onTrouble: (error) => trouble.push(error),
      });
      seat.subscribe((event) => {
        if (event.type === 'store-trouble') handedBack.push(event.text ?? '');
      });
      // Their models are reached with keys this machine has not.
      await seat.useModel('custom:lab:small');
      expect(await seat.conversation.send(added), row.id).toBe('answered');
      await seat.end('tui_close');
      expect(JSON.stringify(model.requests.at(-1)?.body), row.id).toContain(JSON.stringify(added).slice(1));
      expect(trouble).toEqual([]);
      const messages = (await store.read.messagesBefore(session.id, undefined, 2)).messages;
      expect(messages.map(({ role, text, finishReason }) => ({ role, text, finishReason }))).toEqual([
        { role: 'user', text: added, finishReason: undefined },
        { role: 'assistant', text: answer, finishReason: 'stop' },
      ]);
      const after = await store.read.sessionById(session.id);
      expect(after).toMatchObject({ source: session.source, messageCount: session.messageCount + 2, startedAt: session.startedAt });
      // First stamp wins, except where a handoff says otherwise.
      const isHandedOver = ['pending', 'running', 'completed'].includes(session.handoffState ?? '');
      expect(after?.endReason, row.id).toBe(isHandedOver ? undefined : 'tui_close');
      if (!(session.hidden && session.title === reservedTitle)) {
        expect(await store.read.resolveSession(title)).toMatchObject({ kind: 'found', by: 'title', session: { id: session.id } });
      }
      const expected = look(path, (db) => rawRecap(db, session.id));
      expect(expected.entries.at(-1)?.text).toBe(answer);
      const recap = await store.read.recapMessages(session.id, { limit: 10 });
      expect(buildRecap(recap.messages, { earlierOutside: recap.earlier }).earlierCount).toBe(expected.earlier);
    }
    expect(handedBack).toEqual([]);
    const newest = (await listAll(store)).filter((row) => row.class === 'shown' && !row.pinned).map((row) => row.id);
    const last = chosen.filter((row) => row.class === 'shown' && !row.pinned).at(-1);
    expect(newest[0]).toBe(last?.id);
    await store.close();

    // ── What was there is there, to the byte; what came is what was said.
    const after = look(path, (db) => rowsOf(db, tables));
    const touched = new Set(chosen.map((row) => row.id));
    const columns = tables.get('sessions') ?? [];
    const texts = (text: string | undefined): string[] => (text === undefined ? [] : splitQuoted(text));
    for (const [rowid, text] of before.get('sessions') ?? []) {
      const now = after.get('sessions')?.get(rowid);
      if (now === text) continue;
      const was = texts(text);
      const is = texts(now);
      expect(was.length).toBe(columns.length);
      const changed = columns.filter((_, index) => was[index] !== is[index]);
      expect(touched.has(is[0]?.slice(1, -1) ?? ''), `session ${was[0]} was left alone but for ${changed.join(', ')}`).toBe(true);
      expect(changed.filter((column) => !ownColumns.has(column))).toEqual([]);
    }
    const counted = (map: Map<string, Map<string, string>>, table: string): number => map.get(table)?.size ?? 0;
    expect(counted(after, 'sessions')).toBe(counted(before, 'sessions'));
    expect(counted(after, 'messages')).toBe(counted(before, 'messages') + 2 * chosen.length);
    for (const [table, old] of before) {
      if (table === 'sessions' || table === 'session_turn_leases') continue;
      for (const [rowid, text] of old) expect(after.get(table)?.get(rowid), `${table} ${rowid}`).toBe(text);
    }
    // Leases of others that have not run out stay; ours are let go.
    for (const text of after.get('session_turn_leases')?.values() ?? [])
      expect([...(before.get('session_turn_leases')?.values() ?? [])]).toContain(text);

    expect(facts(path)).toEqual(factsBefore);
    if (!hasNul(path)) expect(healthBefore).toEqual(['ok', '[]']);
    expect(health(path)).toEqual(healthBefore);
  }, 60_000);
});

/** The values of a row joined by `|`, as SQLite's quote() writes them. */
function splitQuoted(text: string): string[] {
  return [...text.matchAll(/(?:^|\|)((?:X?'(?:[^']|'')*'|[^'|]*))/g)].map((match) => match[1] ?? '');
}
