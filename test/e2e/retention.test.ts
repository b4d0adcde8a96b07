import { spawn } from 'node:child_process';
import { appendFileSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openForWriting } from '../../src/store/open.ts';
import { about, leave, makePlace, program, ready, type Place } from '../support/place.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const dayInMinutes = 1440;

/** Conversations of yesterday, a hundred and four hundred days, one of them pinned, one left open by a kill. */
async function agedPlace(settings: string): Promise<Place> {
  const place = await makePlace();
  place.seed([
    about('yesterday', { age: 1.1 * dayInMinutes }),
    about('old one', { age: 100 * dayInMinutes }),
    about('older one', { age: 400 * dayInMinutes }),
    about('pinned one', { age: 400 * dayInMinutes, isPinned: true }),
    about('killed one', { age: 120 * dayInMinutes, isOpen: true }),
  ]);
  appendFileSync(join(place.home, 'config.yaml'), settings);
  return place;
}

const titles = (place: Place): string[] =>
  place.rows<{ title: string }>('SELECT title FROM sessions ORDER BY title').map((row) => row.title);
const notice = /3 sessions idle for 90 days are in the bin until \d{4}-\d\d-\d\d · hermes sessions restore/;
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

describe('sessions.auto_prune', () => {
  it('moves what is old to the bin after the first frame, and says so once', async () => {
    const place = await agedPlace('sessions:\n  auto_prune: true\n');
    const tui = place.open([]);
    await ready(tui);
    await tui.until((shown) => notice.test(flat(shown.text())), 'what was done');
    expect(titles(place)).toEqual(['pinned one', 'yesterday']);
    expect(place.rows(`SELECT value FROM state_meta WHERE key = 'last_auto_prune'`)).toHaveLength(1);
    await leave(tui);
  });

  it('leaves alone what this or another pane has open', async () => {
    const place = await agedPlace('sessions:\n  auto_prune: true\n');
    const tui = place.open(['-r', 'older one']);
    await ready(tui);
    await tui.until((shown) => /2 sessions idle for 90 days/.test(flat(shown.text())), 'what was done');
    expect(titles(place)).toEqual(['older one', 'pinned one', 'yesterday']);
    await leave(tui);
  });

  it('works in line mode too, and what went comes back with restore', async () => {
    const place = await agedPlace('sessions:\n  auto_prune: true\n');
    const line = place.open(['--cli']);
    await line.until((shown) => notice.test(flat(shown.text())), 'what was done');
    line.write('/quit\r');
    expect((await line.exited).code).toBe(0);
    const trash = await run(place, ['sessions', 'trash']);
    for (const title of ['old one', 'older one', 'killed one']) expect(trash.out).toContain(title);
    const id = /(\S+)\s*$/m.exec(trash.out.split('\n').find((row) => row.includes('killed one')) ?? '')?.[1] ?? '';
    expect((await run(place, ['sessions', 'restore', id])).code).toBe(0);
    expect(titles(place)).toContain('killed one');
  });

  it('never runs in a shell command or a one-shot', async () => {
    const place = await agedPlace('sessions:\n  auto_prune: true\n');
    await run(place, ['sessions', 'list']);
    await run(place, ['sessions', 'trash']);
    await run(place, ['-q', 'hello']);
    expect(titles(place)).toEqual(expect.arrayContaining(['killed one', 'old one', 'older one', 'pinned one', 'yesterday']));
  });
});

describe('hermes sessions optimize', () => {
  it('ended by Ctrl+C at any moment leaves a whole store with every message', async () => {
    const original = join(temporaryFolder(), 'state.db');
    const { db, close } = openForWriting(original, { now: Date.now });
    db.exec(`INSERT INTO sessions (id, source, started_at) VALUES ('s', 'cli', 1)`);
    const add = db.prepare(`INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', ?, ?)`);
    for (let batch = 0; batch < 10; batch += 1)
      db.transaction(() => {
        for (let at = 0; at < 1000; at += 1) add.run(`message ${batch} ${at} ${Math.sin(batch * at)} ${'filler words '.repeat(40)}`, at);
      })();
    close();
    for (const delay of [150, 250, 350, 500]) {
      const home = temporaryFolder();
      copyFileSync(original, join(home, 'state.db'));
      const child = spawn(process.execPath, [program, 'sessions', 'optimize'], {
        env: { PATH: process.env['PATH'], HOME: home, HERMES_HOME: home },
      });
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      await new Promise((resolve) => setTimeout(resolve, delay));
      child.kill('SIGINT');
      await ended;
      const left = new BetterSqlite3(join(home, 'state.db'));
      expect(left.pragma('integrity_check', { simple: true })).toBe('ok');
      expect(left.prepare('SELECT count(*) FROM messages').pluck().get()).toBe(10_000);
      left.exec(`INSERT INTO messages_fts (messages_fts, rank) VALUES ('integrity-check', 1)`);
      left.close();
    }
  });
});

function run(place: Place, args: readonly string[]): Promise<{ code: number | null; out: string }> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], HOME: place.folder, HERMES_HOME: place.home, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (bytes: Buffer) => (out += bytes.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out })));
}
