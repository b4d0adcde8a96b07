import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../fixtures/random.ts';
import { createLayout } from '../../src/store/schema/create.ts';
import { hermesBin, makeMachine, startHermes, type Machine } from '../support/hermes.ts';
import { leaveWhenIdle } from '../support/leave.ts';
import { startTmux } from '../support/tmux.ts';
import type { Tui } from '../support/tui.ts';

/** Rows 1, 2, 3 and 5 of the collected cases: what a list of sessions must never get wrong. */

interface Row {
  id: string;
  source?: string;
  title?: string;
  cwd?: string;
  startedAt: number;
  endedAt?: number | null;
  endReason?: string | null;
  parent?: string;
  config?: object;
  /** Role, text, seconds. */
  messages: readonly (readonly [role: string, text: string, at: number])[];
}

/** A machine whose store was written by another program, row by row. Times are seconds. */
async function machineOf(rows: readonly Row[]): Promise<Machine> {
  const machine = await makeMachine({ isFresh: true });
  const file = join(machine.home, 'state.db');
  const db = new Database(file);
  chmodSync(file, 0o600);
  db.pragma('journal_mode = WAL');
  db.transaction(() => {
    createLayout(db, Date.now());
    const session = db.prepare(
      `INSERT INTO sessions (id, source, created_source, title, title_source, cwd, started_at, ended_at, end_reason, parent_session_id, model_config, message_count, model)
       VALUES (?, ?, ?, ?, 'user', ?, ?, ?, ?, ?, ?, ?, 'scripted')`,
    );
    const message = db.prepare('INSERT INTO messages (session_id, role, content, timestamp, finish_reason) VALUES (?, ?, ?, ?, ?)');
    for (const row of rows) {
      const source = row.source ?? 'tui';
      const ended = row.endedAt === undefined ? (row.messages.at(-1)?.[2] ?? row.startedAt) + 1 : row.endedAt;
      const reason = row.endReason === undefined ? (ended === null ? null : 'tui_close') : row.endReason;
      session.run(
        ...[row.id, source, source, row.title ?? null, row.cwd ?? machine.work, row.startedAt, ended, reason],
        ...[row.parent ?? null, JSON.stringify(row.config ?? {}), row.messages.length],
      );
      for (const [role, text, at] of row.messages) message.run(row.id, role, text, at, role === 'assistant' ? 'stop' : null);
    }
  })();
  db.close();
  return machine;
}

const run = promisify(execFile);
async function shell(machine: Machine, ...args: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: machine.home, HERMES_HOME: machine.home, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
  const { stdout } = await run(process.execPath, [hermesBin, ...args], { cwd: machine.work, env, encoding: 'utf8' });
  return stdout;
}

/** Ids of a listing, in its order. */
const idsIn = (text: string): string[] => text.match(/\d{8}_\d{6}_[0-9a-f]{6}/g) ?? [];

async function openPicker(tui: Tui): Promise<void> {
  tui.press('ctrl+x');
  await tui.until((t) => t.text().includes('Sessions') && !t.text().includes('loading …'), 'the list');
}

/** Replaces the filter and waits until the screen shows what it finds. */
async function filter(tui: Tui, query: string, shows: (t: Tui) => boolean): Promise<void> {
  tui.press('ctrl+u');
  tui.paste(query);
  await tui.until(shows, `the list filtered by ${query}`);
}

const seconds = (): number => Math.floor(Date.now() / 1000);
const exchange = (text: string, at: number): Row['messages'] => [
  ['user', text, at],
  ['assistant', `About ${text}.`, at + 5],
];

describe('case 1: no session is missing from the list', () => {
  test('300 sessions, one of 24 MB, one whose first question is its 500th row: words, full ids and 8-character beginnings find each', async () => {
    const random = createRandom(11);
    const now = seconds();
    const rows: Row[] = [];
    for (let index = 0; index < 300; index++) {
      const at = now - (index + 1) * 600;
      // Ids of gateway and of imported sessions: their first 8 characters differ.
      const id = `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-a${random.hex(3)}-${random.hex(12)}`;
      rows.push({ id, startedAt: at - 60, messages: exchange(`topic number ${index}`, at - 60) });
    }
    const body = 'x'.repeat(11_990);
    rows[2] = {
      ...rows[2]!,
      messages: Array.from({ length: 2000 }, (_, n) => [
        n % 2 === 0 ? 'user' : 'assistant',
        n === 0 ? `zebrafinch ${body}` : body,
        now - 1800 - 4000 + n * 2,
      ]),
      startedAt: now - 6000,
    };
    rows[9] = {
      ...rows[9]!,
      messages: Array.from({ length: 520 }, (_, n) => [
        n === 499 ? 'user' : 'assistant',
        n === 499 ? 'zebrafinch, but late' : `note ${n}`,
        now - 6000 - 1000 + n,
      ]),
      startedAt: now - 8000,
    };
    const machine = await machineOf(rows);
    const tui = await startHermes(machine, { cols: 120, rows: 30 });
    await openPicker(tui);
    expect(tui.text()).toContain('300 of 300');
    await filter(tui, 'zebrafinch', (t) => t.text().includes('2 of 300'));
    expect(tui.text()).toContain('zebrafinch xxx');
    expect(tui.text()).toContain('zebrafinch, but late');
    for (const { id } of rows) {
      for (const text of [id, id.slice(0, 8)]) {
        await filter(tui, text, (t) => t.lines()[2]?.includes(text) === true && /\b1 of 300/.test(t.text()));
      }
    }
    // The one that is found is the one that opens.
    await filter(tui, rows[177]!.id.slice(0, 8), (t) => t.text().includes('topic number 177'));
    tui.press('enter');
    await tui.until((t) => t.text().includes('About topic number 177.'), 'the session that was found');
    expect((await leaveWhenIdle(tui)).code).toBe(0);
  }, 120_000);
});

describe('case 2: no list of known sources hides a chat', () => {
  const human = ['cli', 'tui', 'telegram', 'webui', 'acp', 'webhook', 'acme-bot', 'oneshot'];
  const machineMade = ['tool', 'kanban'];
  const rowsOf = (now: number): Row[] =>
    [...human, ...machineMade].map((source, index) => ({
      id: `20260101_0000${10 + index}_00000${index}`,
      source,
      startedAt: now - 100 * (index + 1),
      messages: exchange(`from ${source}`, now - 100 * (index + 1)),
    }));

  test('picker and list show the same; the machine-made are behind a toggle that is shown; -c takes the newest local one', async () => {
    const now = seconds();
    const machine = await machineOf(rowsOf(now));
    const list = await shell(machine, 'sessions', 'list');
    for (const source of human) expect(list).toContain(`from ${source}`);
    for (const source of machineMade) expect(list).not.toContain(`from ${source}`);
    expect(await shell(machine, 'sessions', 'list', '--source', 'kanban')).toContain('from kanban');

    const tui = await startHermes(machine, { cols: 120, rows: 40, args: ['-c'] });
    expect(tui.text()).toContain('from cli');
    await openPicker(tui);
    for (const source of human) expect(tui.text()).toContain(`from ${source}`);
    expect(tui.text()).toContain('8 of 8');
    expect(tui.text()).toContain('2 machine-made hidden');
    expect(tui.text()).not.toContain('from kanban');
    tui.press('alt+h');
    await tui.until((t) => t.text().includes('from kanban') && t.text().includes('from tool'), 'the machine-made ones');
    expect(tui.text()).toContain('10 of 10');
    tui.press('escape');
    await tui.until((t) => !t.text().includes('10 of 10'), 'the conversation');
    expect((await leaveWhenIdle(tui)).code).toBe(0);
  }, 60_000);
});

describe('case 3: one ordering on every surface', () => {
  test('the chat in use is first, whenever it was begun: list, picker, latest, -c, numbered /resume', async () => {
    const now = seconds();
    const day = 86_400;
    const a: Row = {
      id: '20260101_000001_aaaaaa',
      startedAt: now - 40 * day,
      messages: [...exchange('alpha begun long ago', now - 40 * day), ...exchange('alpha again', now - 65)],
    };
    const b: Row = { id: '20260101_000002_bbbbbb', startedAt: now - 3 * 3600, messages: exchange('beta of today', now - 2 * 3600) };
    const c: Row = {
      id: '20260101_000003_cccccc',
      startedAt: now - 4 * 3600,
      endedAt: null,
      messages: [['user', 'gamma without an end', now - 4 * 3600]],
    };
    const machine = await machineOf([c, a, b]);
    const order = [a.id, b.id, c.id];
    const list = await shell(machine, 'sessions', 'list');
    expect(idsIn(list)).toEqual(order);
    expect(list.split('\n').find((line) => line.includes(a.id))).toMatch(/\b1m ago/);

    for (const args of [['-c'], ['-r', 'latest'], ['--tui', '--resume', 'LATEST', '--in', '.']]) {
      const tui = await startHermes(machine, { args });
      expect(tui.text()).toContain('alpha again');
      expect((await leaveWhenIdle(tui)).code).toBe(0);
    }

    const tui = await startHermes(machine, { cols: 120 });
    await openPicker(tui);
    const places = ['alpha', 'beta', 'gamma'].map((word) => tui.lines().findIndex((line) => line.slice(0, 60).includes(word)));
    expect(places.every((place, index) => place > 0 && (index === 0 || place > places[index - 1]!))).toBe(true);
    tui.press('escape');
    await tui.until((t) => t.text().includes('❯ Say something'), 'the line');
    tui.write('/resume 2');
    await tui.until((t) => t.text().includes('/resume 2'), 'the command');
    tui.press('enter');
    await tui.until((t) => t.text().includes('About beta of today.'), 'the second session');
    expect((await leaveWhenIdle(tui)).code).toBe(0);
  }, 60_000);
});

describe('case 5, the list: a compressed chat is one row that unfolds', () => {
  test('a chain of four with a branch and a sub-agent', async () => {
    const now = seconds();
    const day = 86_400;
    const chain = [1, 2, 3, 4].map((n): Row => ({
      id: `20260101_00000${n}_c0ffe${n}`,
      title: n === 1 ? 'long talk' : `long talk #${n}`,
      startedAt: now - (10 - n) * day,
      messages: exchange(`layer ${n} word${n}`, now - (10 - n) * day + 10),
      endedAt: n === 4 ? null : now - (9 - n) * day - 10,
      endReason: n === 4 ? null : 'compression',
      ...(n === 1 ? {} : { parent: `20260101_00000${n - 1}_c0ffe${n - 1}` }),
    }));
    const branch: Row = {
      id: '20260101_000005_b00b00',
      title: 'another way',
      startedAt: now - 5 * day,
      parent: chain[1]!.id,
      config: { _branched_from: chain[1]!.id },
      messages: exchange('the branch', now - 5 * day + 5),
    };
    const delegate: Row = {
      id: '20260101_000006_de1e9a',
      source: 'subagent',
      startedAt: now - 4 * day,
      parent: chain[2]!.id,
      config: { _delegate_from: chain[2]!.id },
      messages: exchange('delegated work', now - 4 * day + 5),
    };
    const machine = await machineOf([...chain, branch, delegate]);
    const list = await shell(machine, 'sessions', 'list');
    expect(idsIn(list)).toEqual([branch.id, chain[3]!.id]);

    const tui = await startHermes(machine, { cols: 130, rows: 40 });
    await openPicker(tui);
    expect(tui.text()).toContain('2 of 2');
    expect(tui.text()).not.toContain('delegated work');
    await filter(tui, 'long talk', (t) => t.text().includes('1 of 2'));
    tui.press('right');
    await tui.until((t) => t.text().includes('another way'), 'the unfolded row');
    const text = tui.text();
    for (const part of ['segment 1 of 4', 'segment 2 of 4', 'segment 3 of 4', 'branch', 'sub-agent']) expect(text).toContain(part);
    expect(text).toContain('4 segments, 1 branch, 1 sub-agent');
    tui.press('left');
    await tui.until((t) => !t.text().includes('another way'), 'the folded row');
    // An id of any segment finds the row; resuming an old one opens the tip.
    for (const { id } of chain) await filter(tui, id, (t) => /\b1 of 2/.test(t.text()) && t.text().includes('long talk #4'));
    tui.press('escape');
    await tui.until((t) => t.text().includes('❯ Say something'), 'the line');
    expect((await leaveWhenIdle(tui)).code).toBe(0);
    const old = await startHermes(machine, { args: ['-r', chain[0]!.id], cols: 120 });
    expect(old.text()).toContain('layer 4 word4');
    expect(old.text()).toContain('layer 1 word1');
    expect(old.lines()[0]).toContain('long talk #4');
    expect((await leaveWhenIdle(old)).code).toBe(0);
  }, 60_000);
});

test('two homes and two profiles: list, -c and breadcrumbs stay inside each', async () => {
  const now = seconds();
  const first = await machineOf([
    { id: '20260101_000001_111111', startedAt: now - 900, messages: exchange('only in the first home', now - 900) },
    { id: '20260101_000002_111111', startedAt: now - 1900, messages: exchange('older in the first home', now - 1900) },
  ]);
  const second = await machineOf([
    { id: '20260101_000001_222222', startedAt: now - 100, messages: exchange('only in the second home', now - 100) },
  ]);
  expect(await shell(first, 'sessions', 'list')).not.toContain('second');
  expect(idsIn(await shell(second, 'sessions', 'list'))).toEqual(['20260101_000001_222222']);
  // One pane, left at a session of each home: each home has its own breadcrumb for it.
  const tmux = await startTmux({ cols: 100, rows: 30, cwd: first.work, command: 'sh' });
  const type = async (home: string, args: string, shows: string): Promise<string> => {
    await tmux.type(`clear; HERMES_HOME=${home} ${process.execPath} ${hermesBin} ${args}`);
    await tmux.send('Enter');
    const screen = await tmux.until((lines) => lines.join('\n').includes(shows), shows);
    return screen.join('\n');
  };
  const leave = async (): Promise<void> => {
    await tmux.send('C-d');
    await tmux.until((lines) => lines.some((line) => /^[#$] *$/.test(line)), 'the shell');
  };
  await type(first.home, '-r 20260101_000002_111111', 'About older in the first home.');
  await leave();
  expect(await type(second.home, '-c', 'About only in the second home.')).not.toContain('first home');
  await leave();
  expect(await type(first.home, '-c', 'About older in the first home.')).toContain("this pane's session");
  await leave();

  // A profile is a home below the home.
  const profile = join(first.home, 'profiles', 'work');
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  const empty = await run(process.execPath, [hermesBin, '-p', 'work', 'sessions', 'list'], {
    env: { PATH: process.env['PATH'], HOME: first.home, HERMES_HOME: first.home, TERM: 'xterm-256color' },
  });
  expect(empty.stdout).toBe('No sessions found.\n');
}, 60_000);

test('an older state.db put back from a backup: everything in it shows', async () => {
  const now = seconds();
  const machine = await machineOf([
    { id: '20260101_000001_aaaaaa', startedAt: now - 900 * 86_400, messages: exchange('ancient one', now - 900 * 86_400) },
    { id: '20260101_000002_bbbbbb', startedAt: now - 90 * 86_400, messages: exchange('old one', now - 90 * 86_400) },
  ]);
  const file = join(machine.home, 'state.db');
  const backup = new Database(file);
  backup.exec(`VACUUM INTO '${join(machine.home, 'backup.db')}'`);
  backup.close();
  machine.model.script('stored after the backup');
  const tui = await startHermes(machine);
  tui.write('a new one');
  await tui.until((t) => t.text().includes('❯ a new one'), 'the words');
  tui.press('enter');
  await tui.until((t) => t.text().includes('stored after the backup'), 'the answer');
  expect((await leaveWhenIdle(tui)).code).toBe(0);
  expect(await shell(machine, 'sessions', 'list')).toContain('a new one');

  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  copyFileSync(join(machine.home, 'backup.db'), file);
  expect(idsIn(await shell(machine, 'sessions', 'list'))).toEqual(['20260101_000002_bbbbbb', '20260101_000001_aaaaaa']);
  // The pane's own session is not in it: said, and the newest one opens.
  const again = await startHermes(machine, { args: ['-c'] });
  expect(again.text()).toContain('old one');
  await openPicker(again);
  expect(again.text()).toContain('2 of 2');
  again.press('escape');
  await again.until((t) => t.text().includes('❯ Say something'), 'the line');
  expect((await leaveWhenIdle(again)).code).toBe(0);
}, 60_000);
