import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildEra } from '../../fixtures/eras/build.ts';
import { ERAS } from '../../fixtures/eras/eras.ts';
import type { ProgramWrites } from '../../src/app/program-writes.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import type { RetentionPolicy } from '../../src/session/retention.ts';
import type { StoredRecord } from '../../src/session/stored-record.ts';
import { openStore } from '../../src/store/client.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { reads } from '../../src/store/reads/index.ts';
import type { Reads } from '../../src/store/reads/index.ts';
import { transact } from '../../src/store/worker/transact.ts';
import { importRecord } from '../../src/store/writes/import-record.ts';
import { writes } from '../../src/store/writes/index.ts';
import { insertRow } from '../../src/store/writes/rows.ts';
import { bundleStoreWorkers, type StoreWorkers } from '../support/store-worker.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const day = 86_400_000;
const realNow = new Date(2026, 5, 15, 10, 30).getTime();
const on: RetentionPolicy = { ...DEFAULTS.sessions, autoPrune: true };

let clock = realNow;
const now = () => clock;

interface Aged {
  readonly days: number;
  /** Days ago it began; as long ago as it was last active. */
  readonly began?: number;
  readonly ended?: boolean;
  readonly values?: Readonly<Record<string, unknown>>;
}

function add(connection: OpenConnection, id: string, { days, began = days, ended = true, values = {} }: Aged): void {
  const at = (ago: number): number => (realNow - ago * day) / 1000;
  insertRow(connection, 'sessions', {
    id,
    source: 'cli',
    started_at: at(began),
    last_activity_at: at(days),
    message_count: 1,
    ...(ended ? { ended_at: at(days), end_reason: 'cli_close' } : {}),
    ...values,
  });
  insertRow(connection, 'messages', { session_id: id, role: 'user', content: `words of ${id}`, timestamp: at(days) });
}

function emptyStore(): OpenConnection {
  clock = realNow;
  const connection = openForWriting(join(temporaryFolder(), 'state.db'), { now });
  onTestFinished(() => connection.close());
  return connection;
}

/** Sessions of 1, 31, 91 and 400 days, and one of each kind that is spared. */
function agedStore(): OpenConnection {
  const connection = emptyStore();
  for (const days of [1, 31, 91, 400]) add(connection, `d${days}`, { days });
  add(connection, 'P-pinned', { days: 200, values: { pinned: 1 } });
  add(connection, 'Q-used-yesterday', { days: 1, began: 200 });
  add(connection, 'R-root', { days: 200, values: { end_reason: 'compression' } });
  add(connection, 'R-tip', { days: 2, values: { parent_session_id: 'R-root' } });
  add(connection, 'A-archived', { days: 200, values: { archived: 1 } });
  add(connection, 'O-open', { days: 120, ended: false });
  add(connection, 'O-young', { days: 80, ended: false });
  add(connection, 'H-held', { days: 120, ended: false });
  add(connection, 'L-leased', { days: 120, ended: false });
  add(connection, 'F-future', { days: -40 });
  add(connection, 'B-bot', { days: 300, values: { title: 'Bot Chat', hidden: 1 } });
  add(connection, 'G-routed', { days: 300, ended: false, values: { source: 'telegram' } });
  insertRow(connection, 'gateway_routing', { session_key: 'k', entry_json: '{"session_id":"G-routed"}', updated_at: 1 });
  insertRow(connection, 'session_turn_leases', {
    conversation_id: 'L-leased',
    holder: 'elsewhere',
    acquired_at: realNow / 1000,
    expires_at: realNow / 1000 + 900 * 86_400,
  });
  // A whole conversation of old parts: a delegate goes along, a branch stands by itself.
  add(connection, 'C-root', { days: 300, values: { end_reason: 'compression' } });
  add(connection, 'C-tip', { days: 250, values: { parent_session_id: 'C-root' } });
  add(connection, 'C-delegate', {
    days: 250,
    values: { parent_session_id: 'C-tip', source: 'subagent', model_config: '{"_delegate_from":"C-tip"}' },
  });
  add(connection, 'C-branch', { days: 5, values: { parent_session_id: 'C-tip', model_config: '{"_branched_from":"C-tip"}' } });
  return connection;
}

const held = { 'H-held': 'tmux %3 (pid 812)' };
const prune = (connection: OpenConnection, policy = on): number =>
  transact(connection.db, () => writes.pruneIdle(connection, policy, held)).pruned;
const archive = (connection: OpenConnection, policy: RetentionPolicy): number =>
  transact(connection.db, () => writes.archiveIdle(connection, policy, held)).archived;
const purge = (connection: OpenConnection, policy = on): number =>
  transact(connection.db, () => writes.purgeBin(connection, policy)).erased;
const ids = (connection: OpenConnection, where = '1'): unknown[] =>
  connection.db.prepare(`SELECT id FROM sessions WHERE ${where} ORDER BY id`).pluck().all();
const meta = (connection: OpenConnection, key: string): unknown =>
  connection.db.prepare('SELECT value FROM state_meta WHERE key = ?').pluck().get(key);
const setMeta = (connection: OpenConnection, key: string, value: string): void =>
  void connection.db.prepare('INSERT OR REPLACE INTO state_meta VALUES (?, ?)').run(key, value);

const old = ['C-delegate', 'C-root', 'C-tip', 'O-open', 'd400', 'd91'];

describe('pruning', () => {
  test('takes whole idle lineages, and open ones nobody holds; spares pinned, archived, held, working, routed and young ones', () => {
    const connection = agedStore();
    const before = ids(connection);
    expect(prune(connection)).toBe(4);
    expect(before.filter((id) => !ids(connection).includes(id))).toEqual(old);
    expect(
      reads
        .binEntries(connection)
        .map((entry) => entry.id)
        .sort(),
    ).toEqual(['C-tip', 'O-open', 'd400', 'd91']);
    transact(connection.db, () => writes.restoreFromBin(connection, ['C-tip', 'O-open', 'd400', 'd91']));
    expect(ids(connection)).toEqual(before);
  });

  test('an old log that was imported lately stays, one that was imported long ago goes', () => {
    const connection = agedStore();
    const imported = (daysAgo: number): string => JSON.stringify({ imported_from: { imported_at: (realNow - daysAgo * day) / 1000 } });
    add(connection, 'I-lately', { days: 300, values: { source: 'claude-code', origin_json: imported(1) } });
    add(connection, 'I-long-ago', { days: 300, values: { source: 'claude-code', origin_json: imported(200) } });
    add(connection, 'I-broken', { days: 300, values: { source: 'claude-code', origin_json: '{"imported_from":' } });
    expect(prune(connection)).toBe(6);
    expect(ids(connection, "id GLOB 'I-*'")).toEqual(['I-lately']);
  });

  /** The way a program goes about it: once a day, while somebody works. */
  function pruneAfter(connection: OpenConnection, days: number): number {
    clock = realNow + days * day;
    add(connection, `now-${days}`, { days: 1 - days });
    return prune(connection);
  }
  const marks = (connection: OpenConnection): unknown[] =>
    connection.db.prepare(`SELECT key FROM state_meta WHERE key GLOB 'hermes_tui.kept:*' ORDER BY key`).pluck().all();

  test('what somebody restored is old from that moment on, and goes by hand at once', () => {
    const connection = agedStore();
    expect(prune(connection)).toBe(4);
    transact(connection.db, () => writes.restoreFromBin(connection, ['C-tip', 'O-open', 'd400', 'd91']));
    connection.db.exec(`UPDATE sessions SET last_activity_at = ${(realNow + day) / 1000} WHERE id = 'O-open'`);
    expect(pruneAfter(connection, 2)).toBe(0);
    expect(marks(connection), 'the one that was used since needs none').toEqual(
      ['C-tip', 'd400', 'd91'].map((id) => `hermes_tui.kept:${id}`),
    );
    transact(connection.db, () => writes.moveToBin(connection, { ids: ['d400'], held: {} }));
    expect(marks(connection)).toEqual(['hermes_tui.kept:C-tip', 'hermes_tui.kept:d91']);
    pruneAfter(connection, 89);
    expect(ids(connection)).toEqual(expect.arrayContaining(['C-root', 'C-tip', 'd91']));
    pruneAfter(connection, 93);
    for (const id of ['C-root', 'C-tip', 'd91']) expect(ids(connection)).not.toContain(id);
    expect(marks(connection)).toEqual([]);
  });

  test('an old record of an own export stays until it is old since its import', () => {
    const connection = agedStore();
    const at = (realNow - 300 * day) / 1000;
    const row = { id: 'I-backup', source: 'cli', started_at: at, ended_at: at, end_reason: 'cli_close', message_count: 1 };
    const message = { id: 9000, session_id: 'I-backup', role: 'user', content: 'words', timestamp: at, active: 1 };
    const record = { row, prompts: [], usage: [], messages: () => [message].values() } as unknown as StoredRecord;
    transact(connection.db, () => importRecord(connection, record));
    expect(prune(connection)).toBe(4);
    expect(ids(connection)).toContain('I-backup');
    pruneAfter(connection, 93);
    expect(ids(connection)).not.toContain('I-backup');
  });

  test.each<[string, number]>([
    ['a clock two years ahead', 730 * day],
    ['a clock a hundred years ahead', 36_500 * day],
  ])('%s takes nothing a right one would not', (_, ahead) => {
    const connection = agedStore();
    const before = ids(connection);
    clock = realNow + ahead;
    prune(connection);
    // The session of the future is the last activity then; it is no more than 40 days ahead, and nobody's clock now.
    const gone = before.filter((id) => !ids(connection).includes(id));
    for (const young of ['d1', 'd31', 'Q-used-yesterday', 'R-tip', 'R-root', 'C-branch']) expect(gone).not.toContain(young);
  });

  test('a clock two years ahead takes exactly what a right one takes', () => {
    const connection = agedStore();
    connection.db.exec(`DELETE FROM messages WHERE session_id = 'F-future'; DELETE FROM sessions WHERE id = 'F-future'`);
    const before = ids(connection);
    clock = realNow + 730 * day;
    expect(prune(connection)).toBe(4);
    expect(before.filter((id) => !ids(connection).includes(id))).toEqual(old);
  });

  test('after a long holiday nothing is older than on the day it began', () => {
    const connection = emptyStore();
    for (const days of [200, 205, 289, 291]) add(connection, `d${days}`, { days });
    expect(prune(connection)).toBe(1);
    expect(ids(connection)).toEqual(['d200', 'd205', 'd289']);
  });

  test.each<[string, Partial<RetentionPolicy>]>([
    ['the settings of an empty config.yaml', DEFAULTS.sessions],
    ['retention_days: 0', { retentionDays: 0 }],
    ['a value that is no number', { retentionDays: NaN }],
  ])('%s deletes nothing and writes nothing, whatever the clock says', (_, policy) => {
    const connection = agedStore();
    const before = ids(connection);
    const version = connection.db.pragma('data_version', { simple: true });
    for (const ahead of [0, 730 * day]) {
      clock = realNow + ahead;
      expect(reads.retentionDue(connection, { ...on, ...policy })).toEqual({});
      expect(prune(connection, { ...on, ...policy })).toBe(0);
    }
    expect(ids(connection)).toEqual(before);
    expect(meta(connection, 'last_auto_prune')).toBeUndefined();
    expect(connection.db.pragma('data_version', { simple: true })).toBe(version);
  });

  test('is stamped in seconds, and runs again only after min_interval_hours; a stamp of the future is not believed', () => {
    const connection = agedStore();
    expect(prune(connection)).toBe(4);
    expect(meta(connection, 'last_auto_prune')).toBe(String(realNow / 1000));
    add(connection, 'late', { days: 100 });
    clock = realNow + 23 * 3_600_000;
    expect([reads.retentionDue(connection, on), prune(connection)]).toEqual([{}, 0]);
    clock = realNow + day;
    expect(prune(connection)).toBe(1);
    add(connection, 'later', { days: 100 });
    setMeta(connection, 'last_auto_prune', String(realNow / 1000 + 900 * 86_400));
    expect(prune(connection)).toBe(1);
    for (const broken of ['yesterday', '', '-1']) {
      add(connection, `after ${broken}`, { days: 100 });
      setMeta(connection, 'last_auto_prune', broken);
      expect(prune(connection), broken).toBe(1);
    }
  });

  test('with trash_days: 0 they are erased, and the bin stays empty', () => {
    const connection = agedStore();
    expect(prune(connection, { ...on, trashDays: 0 })).toBe(4);
    expect(reads.binEntries(connection)).toEqual([]);
    expect(ids(connection)).not.toContain('d91');
  });

  test('a session without any believable time is never old', () => {
    const connection = emptyStore();
    add(connection, 'd1', { days: 1 });
    add(connection, 'broken', { days: 1, values: { started_at: 0, last_activity_at: 0 } });
    connection.db.exec(`DELETE FROM messages WHERE session_id = 'broken'`);
    expect(prune(connection)).toBe(0);
  });
});

describe('archiving', () => {
  const policy = { ...on, autoArchive: true, autoPrune: false, autoArchiveDays: 30 };

  test('hides idle lineages, open ones too, with the mark that it was not by hand; a resume shows them again', () => {
    const connection = agedStore();
    expect(archive(connection, policy)).toBe(6);
    const automatic = ['C-root', 'C-tip', 'O-open', 'O-young', 'd31', 'd400', 'd91'];
    expect(ids(connection, 'archived = 1 AND auto_archived = 1')).toEqual(automatic);
    expect(ids(connection, 'archived = 1 AND auto_archived = 0')).toEqual(['A-archived']);
    expect(meta(connection, 'last_auto_archive')).toBe(String(realNow / 1000));
    expect(archive(connection, policy)).toBe(0);
    transact(connection.db, () => writes.reopenSession(connection, 'd91'));
    expect(ids(connection, `archived = 1 AND id = 'd91'`)).toEqual([]);
  });

  test('is off by default, and in a store that has no place for the mark', () => {
    const connection = agedStore();
    expect(archive(connection, on)).toBe(0);
    connection.db.exec('ALTER TABLE sessions DROP COLUMN auto_archived');
    connection.refreshShape();
    expect(archive(connection, policy)).toBe(0);
    expect(ids(connection, 'archived = 1')).toEqual(['A-archived']);
  });
});

describe('the bin', () => {
  /** What was deleted 40 and 10 days ago. */
  function storeWithBin(): OpenConnection {
    const connection = agedStore();
    for (const [id, ago] of [
      ['d400', 40],
      ['d91', 10],
    ] as const) {
      clock = realNow - ago * day;
      transact(connection.db, () => writes.moveToBin(connection, { ids: [id], held: {} }));
    }
    clock = realNow;
    return connection;
  }
  const inBin = (connection: OpenConnection): string[] => reads.binEntries(connection).map((entry) => entry.id);

  test('lets go of what was in it for trash_days, and keeps the rest', () => {
    const connection = storeWithBin();
    expect(reads.retentionDue(connection, DEFAULTS.sessions)).toEqual({ eraseBefore: realNow - 30 * day });
    expect(purge(connection)).toBe(1);
    expect(inBin(connection)).toEqual(['d91']);
    expect(reads.retentionDue(connection, DEFAULTS.sessions)).toEqual({});
  });

  test('is not emptied by a clock two years ahead', () => {
    const connection = storeWithBin();
    connection.db.exec(`DELETE FROM messages WHERE session_id = 'F-future'; DELETE FROM sessions WHERE id = 'F-future'`);
    clock = realNow + 730 * day;
    expect(purge(connection)).toBe(1);
    expect(inBin(connection)).toEqual(['d91']);
  });

  test('keeps what was deleted while the clock had fallen back to 1970', () => {
    const connection = agedStore();
    clock = 1000 * day;
    transact(connection.db, () => writes.moveToBin(connection, { ids: ['d91'], held: {} }));
    clock = realNow;
    expect(purge(connection)).toBe(0);
    expect(inBin(connection)).toEqual(['d91']);
  });

  test('with trash_days: 0 keeps nothing from before today', () => {
    const connection = storeWithBin();
    expect(purge(connection, { ...on, trashDays: 0 })).toBe(2);
    expect(inBin(connection)).toEqual([]);
  });
});

describe('through the threads', () => {
  let workers: StoreWorkers;
  beforeAll(async () => {
    workers = await bundleStoreWorkers({});
  });
  afterAll(() => workers.dispose());

  test('of programs that start at once one does the work, the others find it done', async () => {
    const connection = agedStore();
    const { path } = connection;
    connection.close();
    const stores = Array.from({ length: 4 }, () => openStore<Reads, ProgramWrites>({ path, workers, now }));
    const due = await Promise.all(stores.map((store) => store.read.retentionDue(on)));
    expect(due.filter((one) => one.pruneBefore !== undefined)).toHaveLength(4);
    const pruned = await Promise.all(stores.map((store) => store.write.pruneIdle(on)));
    expect(pruned.map((one) => one.pruned).sort()).toEqual([0, 0, 0, 5]);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('a scrub after an erasure leaves the words in no file of the home', async () => {
    const connection = agedStore();
    const { path } = connection;
    connection.close();
    const store = openStore<Reads, ProgramWrites>({ path, workers, now });
    expect(await store.read.retentionDue({ ...on, trashDays: 0 })).toHaveProperty('pruneBefore');
    expect((await store.write.pruneIdle({ ...on, trashDays: 0 })).pruned).toBe(5);
    expect((await store.housekeep('scrub')).notVacuumed).toBeUndefined();
    const files = readdirSync(dirname(path), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const file of files) {
      const bytes = readFileSync(join(file.parentPath, file.name));
      expect(bytes.includes('words of d91'), file.name).toBe(false);
    }
    expect(readFileSync(path).includes('words of d31')).toBe(true);
    await store.close();
  });

  test('nothing due: the store is not opened for writing', async () => {
    const connection = agedStore();
    const { path } = connection;
    connection.db.pragma('journal_mode = DELETE');
    connection.close();
    const store = openStore<Reads, ProgramWrites>({ path, workers, now });
    expect(await store.read.retentionDue(DEFAULTS.sessions)).toEqual({});
    await store.close();
    const reading = openForReading(path, { now });
    expect(reading.db.pragma('journal_mode', { simple: true })).toBe('delete');
    reading.close();
  });
});

test.each(ERAS)('a store of version %i is swept', (version) => {
  clock = realNow;
  const path = join(temporaryFolder(), 'state.db');
  buildEra(path, version);
  const connection = openForWriting(path, { now });
  const newest = Number(connection.db.prepare('SELECT max(timestamp) FROM messages').pluck().get()) * 1000;
  clock = newest + 2 * day;
  const before = ids(connection).length;
  const going = prune(connection, { ...on, retentionDays: 1 });
  expect(going).toBeGreaterThanOrEqual(0);
  expect(ids(connection).length).toBeLessThanOrEqual(before);
  expect(connection.db.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(connection.db.pragma('foreign_key_check')).toEqual([]);
  connection.close();
});
