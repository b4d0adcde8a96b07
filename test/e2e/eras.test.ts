import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { buildEra } from '../../fixtures/eras/build.ts';
import type { Era } from '../../fixtures/eras/eras.ts';
import { columnSql, TABLES } from '../../src/store/schema/tables.ts';
import { missingStatements } from '../../src/store/schema/reconcile.ts';
import { openForReading } from '../../src/store/open.ts';
import { hermesBin, makeMachine, startHermes } from '../support/hermes.ts';
import { leaveWhenIdle } from '../support/leave.ts';
import type { Tui } from '../support/tui.ts';

interface Layout {
  version: number;
  columns: Map<string, string[]>;
  names: string[];
  sessions: Map<string, string>;
  messages: Map<string, string>;
}

function layoutOf(file: string, columns?: Map<string, string[]>): Layout {
  const db = new Database(file, { readonly: true });
  try {
    const names = db.prepare<[], string>('SELECT name FROM sqlite_master ORDER BY name').pluck().all();
    const columnsOf = (table: string): string[] => (db.pragma(`table_info(${table})`) as { name: string }[]).map((column) => column.name);
    const all = new Map(['sessions', 'messages'].map((table) => [table, columnsOf(table)]));
    const rows = (table: string): Map<string, string> => {
      const list = (columns ?? all).get(table)!.map((name) => `quote("${name}")`);
      const found = db.prepare(`SELECT id, ${list.join(` || '|' || `)} AS text FROM ${table}`).all() as { id: unknown; text: string }[];
      return new Map(found.map((row) => [String(row.id), row.text]));
    };
    const version = db.prepare<[], number>('SELECT version FROM schema_version').pluck().get() ?? 0;
    return { version, columns: all, names, sessions: rows('sessions'), messages: rows('messages') };
  } finally {
    db.close();
  }
}

test.each<Era>([6, 11, 16, 17, 22, 25, 30])(
  'a store of version %i: listed, resumed, gone on with and opened again; its own program can still bring it up to date',
  async (era) => {
    const machine = await makeMachine({ isFresh: true });
    const file = join(machine.home, 'state.db');
    buildEra(file, era);
    chmodSync(file, 0o600);
    const before = layoutOf(file);
    const reading = openForReading(file, { now: Date.now });
    const declared = missingStatements(reading.shape).join('\n');
    reading.close();

    const env = { PATH: process.env['PATH'], HOME: machine.home, HERMES_HOME: machine.home, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
    const list = spawnSync(process.execPath, [hermesBin, 'sessions', 'list'], { cwd: machine.work, env, encoding: 'utf8' });
    expect(list.stderr).toBe('');
    for (const shown of ['Refactoring auth #2', '결제 모듈 리팩터링', '20260303_090000_dddd01']) expect(list.stdout).toContain(shown);
    // Joined to its tip; and no sub-agent's session, whose source was `cli` once.
    for (const hidden of ['20260301_090000_aaaa01', '20260302_100000_cccc01']) expect(list.stdout).not.toContain(hidden);

    const tui = await startHermes(machine, { args: ['-r', 'Refactoring auth'], cols: 120 });
    await settle(tui);
    expect(tui.text()).toContain('Help me refactor the auth module please');
    expect(tui.text()).toContain('[1 tool call: terminal]');
    expect(tui.text()).toContain('The expiry path has two branches.');
    expect(tui.lines()[0]).toContain('Refactoring auth #2');
    expect(layoutOf(file)).toEqual(before);

    machine.model.script('An answer, 답변.');
    tui.write('go on');
    await tui.until((t) => t.text().includes('❯ go on'), 'the words');
    tui.press('enter');
    await tui.until((t) => t.text().includes('◆ An answer, 답변.'), 'the answer');
    expect((await leaveWhenIdle(tui)).code).toBe(0);

    const after = layoutOf(file, before.columns);
    expect(after.version).toBe(era);
    // Nothing was taken away; what came was declared.
    for (const table of ['sessions', 'messages']) {
      const old = before.columns.get(table)!;
      const now = layoutOf(file).columns.get(table)!;
      expect(now.slice(0, old.length)).toEqual(old);
      for (const name of now.slice(old.length)) {
        expect(declared).toContain(columnSql(TABLES.find((spec) => spec.name === table)!.columns.find((column) => column.name === name)!));
      }
    }
    expect(before.names.filter((name) => !after.names.includes(name))).toEqual([]);
    for (const name of after.names.filter((added) => !before.names.includes(added) && !added.startsWith('sqlite_autoindex')))
      expect(declared).toContain(name);
    for (const [id, text] of before.messages) expect(after.messages.get(id)).toBe(text);
    for (const [id, text] of before.sessions) if (id !== '20260301_190000_aaaa02') expect(after.sessions.get(id)).toBe(text);
    expect(after.messages.size).toBe(before.messages.size + 2);

    // Its own program adds what its newest layout has and this file lacks: every one of those statements still works.
    const migrating = new Database(file);
    for (const spec of TABLES) {
      const present = new Set((migrating.pragma(`table_info(${spec.name})`) as { name: string }[]).map((column) => column.name));
      if (present.size === 0) continue;
      for (const column of spec.columns)
        if (!present.has(column.name)) migrating.exec(`ALTER TABLE ${spec.name} ADD COLUMN ${columnSql(column)}`);
    }
    expect(migrating.pragma('integrity_check', { simple: true })).toBe('ok');
    migrating.exec(`INSERT INTO messages_fts (messages_fts) VALUES ('integrity-check')`);
    migrating.close();

    const again = await startHermes(machine, { args: ['-c'], cols: 120 });
    await settle(again);
    expect(again.text()).toContain('An answer, 답변.');
    // Another terminal than the one it was left in, which happens to have the same name.
    // The line may wrap.
    expect(again.text().replaceAll(/\s+/gu, ' ')).toContain('the newest of all');
    expect((await leaveWhenIdle(again)).code).toBe(0);
    expect(readdirSync(machine.home).filter((name) => name.includes('corrupt') || name.includes('bak'))).toEqual([]);

    async function settle(tui: Tui): Promise<void> {
      if (before.columns.get('sessions')!.includes('cwd')) {
        await tui.until((t) => t.text().includes('/directory .'), 'the notice about the directory');
      } else await tui.waitIdle();
    }
  },
  60_000,
);
