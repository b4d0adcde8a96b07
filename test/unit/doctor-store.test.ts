import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { makeDemoStore } from '../../fixtures/stores/demo-store.ts';
import type { Outside } from '../../src/commands/doctor/outside.ts';
import type { Finding, FindingId } from '../../src/commands/doctor/report.ts';
import { checkSessionStore, isSessionStored } from '../../src/commands/doctor/store.ts';
import { holderText } from '../../src/store/writes/holder.ts';
import { contextOf, doctorNow, wellOutside } from '../support/doctor.ts';
import { copyRealStore, hasRealStores } from '../support/real-stores.ts';
import { runShell } from '../support/shell.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

interface Made {
  home: string;
  path: string;
  ids: string[];
}

function makeStore(): Made {
  const home = join(temporaryFolder(), '세션 모음');
  mkdirSync(home, { mode: 0o700 });
  const path = join(home, 'state.db');
  return { home, path, ids: makeDemoStore(path, '/home/ann', doctorNow) };
}

function change(path: string, ...statements: string[]): void {
  const db = new BetterSqlite3(path);
  try {
    // Shadow tables are protected otherwise.
    db.unsafeMode();
    for (const statement of statements) db.exec(statement);
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}

const check = (home: string, changes: Partial<Pick<Outside, 'uid' | 'canWrite' | 'isOnNetworkDisk'>> = {}): Finding[] =>
  checkSessionStore(contextOf(home), wellOutside(changes));
const pick = (findings: readonly Finding[], id: FindingId): Finding => {
  const found = findings.find((finding) => finding.id === id);
  if (found === undefined) throw new Error(`no finding ${id} in ${JSON.stringify(findings)}`);
  return found;
};
const wrong = (findings: readonly Finding[]): Finding[] => findings.filter((finding) => finding.mark === 'wrong');

describe('a store that works', () => {
  test('says path, size, mode, layout, index, journal, integrity, counts and who is at work, and finds nothing wrong', () => {
    const { home, path } = makeStore();
    const findings = check(home);
    expect(findings.map((finding) => finding.id)).toEqual([
      'file',
      'access',
      'disk',
      'layout',
      'index',
      'pages',
      'journal',
      'contents',
      'leases',
    ]);
    expect(findings.every((finding) => finding.mark === 'ok')).toBe(true);
    expect(pick(findings, 'file').text).toMatch(new RegExp(`^${path}, [\\d.]+ [kM]B`));
    expect(pick(findings, 'access').text).toContain('600');
    expect(pick(findings, 'layout').text).toBe('version 31');
    expect(pick(findings, 'journal').text).toBe('WAL');
    expect(pick(findings, 'contents').text).toMatch(/^\d+ sessions, \d+ messages$/);
  });

  test('is not changed by being looked at: no byte of the file, no other file but those of SQLite itself', () => {
    const { home, path } = makeStore();
    const before = readFileSync(path);
    check(home);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(home).filter((name) => !/^state\.db(-wal|-shm)?$/.test(name))).toEqual([]);
  });

  test('is asked for one session', () => {
    const { home, ids } = makeStore();
    expect(isSessionStored(contextOf(home), ids[0] as string)).toBe(true);
    expect(isSessionStored(contextOf(home), 'no-such-session')).toBe(false);
    expect(isSessionStored(contextOf(join(home, 'none')), 'x')).toBe(false);
    writeFileSync(join(home, 'state.db'), 'no database at all, for as many bytes as a header has and some more of them to be sure of it');
    expect(isSessionStored(contextOf(home), 'x')).toBeUndefined();
  });

  test('names running turns, and those whose process is gone', () => {
    const { home, path, ids } = makeStore();
    const lease = (holder: string, id: string): string =>
      `INSERT INTO session_turn_leases (conversation_id, holder, acquired_at, expires_at) VALUES ('${id}', '${holder}', ${doctorNow / 1000}, ${doctorNow / 1000 + 60})`;
    // A process that was, and has been reaped.
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    change(path, lease(holderText('a'), ids[0] as string), lease(holderText('b').replace(/^pid=\d+/, `pid=${pid}`), ids[1] as string));
    const found = pick(check(home), 'leases');
    expect(found.mark).toBe('ok');
    const lineOf = (id: string | undefined): string | undefined => found.details?.find((line) => line.startsWith(`${id}: `));
    expect(lineOf(ids[0])).toContain('until');
    expect(lineOf(ids[0])).not.toContain('is gone');
    expect(lineOf(ids[1])).toContain('is gone');
  });

  test.runIf(hasRealStores).each([['hermes-v17-10.db'], ['hermes-v31-empty.db'], ['hermes-v31-40.db']] as const)(
    '%s, made by Hermes Agent',
    (name) => {
      const home = temporaryFolder();
      copyRealStore(name, home);
      const findings = check(home);
      expect(wrong(findings)).toEqual([]);
      expect(pick(findings, 'layout').text).toContain(name.includes('v17') ? 'version 17' : 'version 31');
      expect(pick(findings, 'pages').mark).toBe('ok');
    },
  );
});

describe('a store in trouble: one sentence, what to try, no exception', () => {
  const firstLine = (finding: Finding): void => {
    expect(finding.text).not.toMatch(/\n|Error:|SQLITE_/);
    expect(finding.hint).toBeTruthy();
  };

  test('none yet is fine', () => {
    expect(check(join(temporaryFolder(), 'none'))).toEqual([expect.objectContaining({ id: 'file', mark: 'ok' })]);
  });

  test.each<[string, (path: string) => void]>([
    [
      'no database',
      (path) => writeFileSync(path, 'this is not a database, and it is longer than the header of one would have to be; truly it is'),
    ],
    [
      'an empty file',
      (path) => {
        truncateSync(path, 0);
        // A file this young could be one that another program has just begun.
        utimesSync(path, 1000, 1000);
      },
    ],
    ['a database of something else', (path) => change(path, 'PRAGMA foreign_keys = OFF', 'ALTER TABLE sessions RENAME TO things')],
  ])('%s is wrong', (_title, spoil) => {
    const { home, path } = makeStore();
    spoil(path);
    const findings = check(home);
    expect(wrong(findings).map((finding) => finding.id)).toEqual(['file']);
    firstLine(wrong(findings)[0] as Finding);
  });

  test('damaged pages are wrong, with what SQLite said below', () => {
    const { home, path } = makeStore();
    change(path, 'VACUUM');
    const bytes = readFileSync(path);
    // Pages in the middle, the schema left readable.
    bytes.fill(0xa5, Math.floor(bytes.length * 0.4), Math.floor(bytes.length * 0.6));
    writeFileSync(path, bytes);
    const [found] = wrong(check(home));
    firstLine(found as Finding);
    expect(found?.text).toContain('damaged');
  });

  test.each(['messages_fts', 'messages_fts_trigram'])(
    'an index %s full of noise is wrong, the conversations are said to be intact, and the command given mends it',
    async (table) => {
      const { home, path } = makeStore();
      // Rows above 10 hold the segments.
      change(path, `UPDATE ${table}_data SET block = CAST(replace(hex(zeroblob(length(block) / 4)), '00', 'zzzz') AS BLOB) WHERE id > 10`);
      const [found, ...others] = wrong(check(home));
      expect(found).toMatchObject({ id: 'index', text: expect.stringContaining('intact') as string });
      expect(others).toEqual([]);
      const command = /hermes (sessions repair)$/.exec(found?.hint ?? '')?.[1];
      expect((await runShell([...(command as string).split(' '), '--no-backup'], path)).code).toBe(0);
      expect(wrong(check(home))).toEqual([]);
    },
  );

  test('an index that its own mark calls out of date is worth a look', () => {
    const { home, path } = makeStore();
    change(path, "INSERT OR REPLACE INTO state_meta (key, value) VALUES ('fts_stale', '1')");
    expect(pick(check(home), 'index').mark).toBe('look');
  });

  test('a newer layout is worth a look, and still read', () => {
    const { home, path } = makeStore();
    change(path, 'UPDATE schema_version SET version = 99');
    const findings = check(home);
    expect(pick(findings, 'layout')).toMatchObject({ mark: 'look', text: expect.stringContaining('99') as string });
    expect(wrong(findings)).toEqual([]);
  });

  test('locked by another program is worth a look', () => {
    const { home, path } = makeStore();
    const other = new BetterSqlite3(path);
    try {
      other.pragma('locking_mode = EXCLUSIVE');
      other.exec('BEGIN EXCLUSIVE');
      const findings = check(home);
      expect(pick(findings, 'file')).toMatchObject({ mark: 'look', hint: expect.any(String) as string });
      expect(wrong(findings)).toEqual([]);
    } finally {
      other.close();
    }
  });

  test.each<[string, Parameters<typeof check>[1], FindingId, Finding['mark']]>([
    ['not writable', { canWrite: () => false }, 'access', 'wrong'],
    ["another user's", { uid: 424_242 }, 'access', 'look'],
    ['on a network disk', { isOnNetworkDisk: () => true }, 'disk', 'look'],
  ])('%s', (_title, changes, id, mark) => {
    expect(pick(check(makeStore().home, changes), id).mark).toBe(mark);
  });

  test('readable by others, with the command that ends it', () => {
    const { home, path } = makeStore();
    chmodSync(path, 0o644);
    expect(pick(check(home), 'access')).toMatchObject({ mark: 'look', hint: expect.stringContaining(`chmod 600 '${path}'`) as string });
  });

  test('a -wal that has grown long is named', () => {
    const { home, path } = makeStore();
    const writer = new BetterSqlite3(path);
    try {
      writer.pragma('wal_autocheckpoint = 0');
      writer.exec('CREATE TABLE filler (text)');
      writer.prepare('INSERT INTO filler VALUES (zeroblob(68 * 1024 * 1024))').run();
      expect(pick(check(home), 'file')).toMatchObject({ mark: 'look', text: expect.stringMatching(/, and 6\d\.\d MB in -wal$/) as string });
    } finally {
      writer.close();
    }
  });
});
