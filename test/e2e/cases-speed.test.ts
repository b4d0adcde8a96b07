import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateStore } from '../../fixtures/stores/generate.ts';
import { createLayout } from '../../src/store/schema/create.ts';
import { hermesBin, makeMachine, startHermes, type Machine } from '../support/hermes.ts';
import { leaveWhenIdle } from '../support/leave.ts';
import { watchLoopDelay } from '../support/loop-delay.ts';
import { spawnTui, type Tui } from '../support/tui.ts';

/**
 * Rows 17 and 18 of the collected cases. Figures are printed; the limits are the ones that hold on a machine busy with other tests, the
 * exact ones are the benchmark's.
 */
const busy = 4;

const least = (list: readonly number[]): number => Math.min(...list);

async function machineWithLongSession(): Promise<Machine> {
  const machine = await makeMachine({ isFresh: true });
  const file = join(machine.home, 'state.db');
  const db = new Database(file);
  chmodSync(file, 0o600);
  db.pragma('journal_mode = WAL');
  const now = Date.now() / 1000;
  db.transaction(() => {
    createLayout(db, Date.now());
    db.prepare(
      `INSERT INTO sessions (id, source, title, cwd, started_at, message_count, model) VALUES (?, 'tui', ?, ?, ?, ?, 'scripted')`,
    ).run(...['20260101_000001_00long', 'the long one', machine.work, now - 90_000, 15_000]);
    const insert = db.prepare(
      `INSERT INTO messages (session_id, role, content, tool_name, timestamp) VALUES ('20260101_000001_00long', ?, ?, ?, ?)`,
    );
    const huge = 'x line of a long result 가나다\n'.repeat(17_500);
    for (let n = 0; n < 15_000; n++) {
      const at = now - 80_000 + n * 5;
      if (n % 750 === 2) insert.run('tool', huge, 'terminal', at);
      else if (n % 2 === 0) insert.run('user', n === 0 ? 'the very first question' : `question ${n}: 왜 그런가요?`, null, at);
      else insert.run('assistant', `Answer ${n}, in **two** lines.\n\nThe second one has \`code\`.`, null, at);
    }
  })();
  db.close();
  return machine;
}

const paint = async (start: () => Tui, shows: (text: string) => boolean): Promise<{ tui: Tui; ms: number }> => {
  const begin = performance.now();
  const tui = start();
  await tui.until((t) => shows(t.text()), 'the first paint', 20_000);
  return { tui, ms: performance.now() - begin };
};

describe('case 17: a session of 15,000 messages, 20 of them 500 KB', () => {
  test('opens like a short one, and keys are answered all the way to its top and while an answer streams', async () => {
    const machine = await machineWithLongSession();
    const watch = watchLoopDelay(machine.home);
    const start = (args: string[]) => () =>
      spawnTui({
        command: process.execPath,
        args: [hermesBin, ...args],
        cwd: machine.work,
        env: { HERMES_HOME: machine.home, ...watch.env },
        cols: 100,
        rows: 40,
      });
    // The program itself, without a session: what a first paint costs on this machine now.
    const plain: number[] = [];
    const resumed: number[] = [];
    for (let round = 0; round < 3; round++) {
      const bare = await paint(start([]), (text) => text.includes('❯'));
      plain.push(bare.ms);
      await bare.tui.kill('SIGKILL');
      const long = await paint(start(['-r', 'the long one']), (text) => text.includes('Answer 14999'));
      resumed.push(long.ms);
      await long.tui.kill('SIGKILL');
    }
    const { tui } = await paint(start(['-r', 'the long one']), (text) => text.includes('Answer 14999'));
    expect(tui.text()).toContain('earlier messages');
    await tui.waitIdle();

    watch.toggle(tui.pid);
    await tui.quiet(100);
    for (let page = 0; page < 250; page++) {
      tui.press('pageup');
      if (page % 5 === 4) await tui.waitIdle();
    }
    await tui.waitIdle();
    expect(tui.text()).not.toContain('Answer 14999');
    tui.press('home');
    const toTop = await tui.until((t) => t.text().includes('the very first question'), 'the top', 20_000);
    watch.toggle(tui.pid);
    const scrolling = await watch.read();

    machine.model.script(Array.from({ length: 300 }, (_, n) => `word${n} `));
    tui.press('end');
    await tui.until((t) => t.text().includes('Answer 14999'), 'the end');
    watch.toggle(tui.pid);
    tui.write('stream now');
    await tui.until((t) => t.text().includes('❯ stream now'), 'the words');
    tui.press('enter');
    await tui.until((t) => t.text().includes('word20 '), 'the answer to begin');
    const keys: number[] = [];
    for (const letter of 'typing while it streams') {
      const typed = performance.now();
      const before = tui.cursor().x;
      tui.write(letter);
      await tui.until((t) => t.cursor().x !== before, `the letter ${letter}`);
      keys.push(performance.now() - typed);
    }
    await tui.until((t) => t.text().includes('word299'), 'the whole answer', 20_000);
    watch.toggle(tui.pid);
    const streaming = await watch.read();
    keys.sort((a, b) => a - b);

    console.log(
      [
        `15,000 messages: first paint ${least(resumed).toFixed(0)} ms, without a session ${least(plain).toFixed(0)} ms`,
        `event loop late while scrolling: p50 ${scrolling.p50.toFixed(1)}, p99 ${scrolling.p99.toFixed(1)}, max ${scrolling.max.toFixed(1)} ms; Home to the top ${toTop} ms`,
        `while streaming: p99 ${streaming.p99.toFixed(1)}, max ${streaming.max.toFixed(1)} ms; a key ${keys[Math.floor(keys.length / 2)]?.toFixed(0)} ms, slowest ${keys.at(-1)?.toFixed(0)} ms`,
      ].join('\n'),
    );
    expect(least(resumed)).toBeLessThan(Math.max(200, least(plain) * 1.5) * busy);
    expect(scrolling.p99).toBeLessThan(50 * busy);
    expect(streaming.p99).toBeLessThan(50 * busy);
    tui.press('ctrl+u');
    expect((await leaveWhenIdle(tui)).code).toBe(0);
  }, 180_000);
});

describe('case 18: a list of 13,000 sessions', () => {
  let folder: string;
  let home: string;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-many-')));
    home = folder;
    generateStore(join(home, 'state.db'), { sessions: 13_000, messagesPerSession: 20, now: Date.now(), hasSearchIndex: false });
    chmodSync(join(home, 'state.db'), 0o600);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const browse = () =>
    spawnTui({
      command: process.execPath,
      args: [hermesBin, 'sessions', 'browse'],
      cwd: folder,
      env: { HERMES_HOME: home },
      cols: 120,
      rows: 40,
    });
  const hasRows = (text: string): boolean => /\d+[mhd] ago|\d+[mhd]\b/.test(text) && /\d of [\d,]+/.test(text);
  const memory = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

  test('rows at once, each of six quick keys in its own frame, the arrow held, Enter opens', async () => {
    const { tui, ms } = await paint(browse, hasRows);
    const loaded = await tui.until((t) => /of 1[\d,]+/.test(t.text()) && !t.text().includes('loading …'), 'all rows', 20_000);
    const all = /of (1[\d,]+)/.exec(tui.text())?.[1];
    const keys: number[] = [];
    for (const [index, letter] of [...'retrie'].entries()) {
      const typed = performance.now();
      tui.write(letter);
      await tui.until((t) => t.lines()[2]?.includes('retrie'.slice(0, index + 1)) === true, 'the letter');
      keys.push(performance.now() - typed);
    }
    await tui.waitIdle();
    tui.press('ctrl+u');
    await tui.until((t) => t.text().includes(`${all} of ${all}`), 'all rows again');
    const held = performance.now();
    for (let n = 0; n < 300; n++) tui.press('down');
    await tui.waitIdle();
    const down = performance.now() - held;
    const rss = memory(tui.pid);
    tui.press('enter');
    await tui.until((t) => t.text().includes('Previous conversation'), 'the conversation');
    await tui.waitIdle();
    console.log(
      [
        `13,000 sessions: first rows ${ms.toFixed(0)} ms after exec, all after ${loaded} ms more`,
        `a key ${keys.map((key) => key.toFixed(0)).join(', ')} ms; ↓ 300 times in ${down.toFixed(0)} ms; ${rss.toFixed(0)} MB`,
      ].join('\n'),
    );
    expect(ms).toBeLessThan(600 * busy);
    expect(Math.max(...keys)).toBeLessThan(50 * busy);
    expect(rss).toBeLessThan(160);
    expect((await leaveWhenIdle(tui)).code).toBe(0);
  }, 60_000);

  test('Ctrl+C while it loads leaves, at any moment of it', async () => {
    for (const wait of [0, 30, 80, 160, 300]) {
      const tui = browse();
      await tui.until((t) => t.stats.bytes > 0, 'the first byte');
      await new Promise((resolve) => setTimeout(resolve, wait));
      const pressed = performance.now();
      tui.press('ctrl+c');
      await tui.until((t) => t.exitStatus() !== undefined, `the program to end, ${wait} ms after its first byte`);
      expect(performance.now() - pressed).toBeLessThan(500 * busy);
      expect(tui.exitStatus()?.code).toBe(0);
      expect(tui.text()).toContain('Cancelled.');
    }
  }, 60_000);

  test('the same list from a conversation', async () => {
    // The first opening of a program each time.
    const opened: number[] = [];
    for (let run = 0; run < 3; run++) {
      const tui = await startHermes({ home, work: folder, ids: [] } as unknown as Machine, { cols: 120, rows: 40 });
      tui.press('ctrl+x');
      opened.push(await tui.until((t) => hasRows(t.text()), 'rows'));
      tui.press('escape');
      await tui.until((t) => t.text().includes('❯ Say something'), 'the line');
      expect((await leaveWhenIdle(tui)).code).toBe(0);
    }
    console.log(`from a conversation: rows after ${opened.join(', ')} ms`);
    expect(least(opened)).toBeLessThan(200 * busy);
  }, 60_000);
});
