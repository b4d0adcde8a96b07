import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agent, you } from '../../fixtures/stores/conversation.ts';
import { about, command, leave, makePlace, ready, say, type Place } from '../support/place.ts';
import type { Tui } from '../support/tui.ts';

const isRoot = process.getuid?.() === 0;
/** Mode bits don't hold root back; there the program runs as somebody else. */
const asAnother = isRoot ? 'exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"' : 'exec "$@"';
const canMount = spawnSync('unshare', ['-m', 'true']).status === 0;
if (!canMount) console.warn('no mounts in a namespace of one’s own here: a full disk is not tried');

const fileHash = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');
const flat = (tui: Tui): string => tui.text().replaceAll(/[│\s]+/g, ' ');

describe('kill -9 while an answer streams', () => {
  it('loses nothing that was on screen for two seconds; the session resumes with it and goes on', async () => {
    const place = await makePlace();
    const tui = place.open([]);
    await ready(tui);
    tui.write('slow story');
    await tui.until((shown) => shown.text().includes('❯ slow story'), 'the line');
    tui.press('enter');
    await tui.until((shown) => shown.text().includes('word15'), 'fifteen words');
    const seen = Math.max(...[...tui.text().matchAll(/word(\d+)/g)].map((found) => Number(found[1])));
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect((await tui.kill('SIGKILL')).signal).toBe(9);
    const rows = place.rows<{ role: string; content: string; finish_reason: string | null }>('SELECT * FROM messages ORDER BY id');
    expect(rows.map((row) => row.role)).toEqual(['user', 'assistant']);
    expect(rows[1]!.content).toContain(`word${seen} `);
    expect(rows[1]!.finish_reason).toBe('interrupted');
    const [session] = place.rows<{ id: string; ended_at: number | null }>('SELECT id, ended_at FROM sessions');
    expect(session!.ended_at).toBeNull();

    const again = place.open(['-r', session!.id]);
    await ready(again);
    expect(again.text()).toContain('slow story');
    expect(again.text()).toContain('word1 word2');
    await say(again, 'going on');
    await leave(again);
    await expect
      .poll(() => place.rows<{ role: string }>('SELECT role FROM messages ORDER BY id').map((row) => row.role))
      .toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(place.rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });
});

/** A session, and another program that keeps its store locked. */
async function locked({ later = false } = {}) {
  const place = await makePlace();
  const [id] = place.seed([about('newer work')]);
  const tui = place.open(['-r', id!]);
  await ready(tui);
  const other = new BetterSqlite3(place.store);
  onTestFinished(() => void other.close());
  const lock = (): void => void other.exec('BEGIN IMMEDIATE');
  if (!later) lock();
  return { place, tui, id: id!, lock, release: (): void => void other.exec('COMMIT') };
}

describe('what is typed and not sent', () => {
  it('is there again after kill -9, a second after the last key', async () => {
    const place = await makePlace();
    const [id] = place.seed([about('newer work')]);
    const tui = place.open(['-r', id!]);
    await ready(tui);
    tui.write('half a thought');
    await tui.until((shown) => shown.text().includes('❯ half a thought'), 'the line');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await tui.kill('SIGKILL');
    const again = place.open(['-r', id!]);
    await ready(again);
    await again.until((shown) => shown.text().includes('❯ half a thought'), 'the draft');
    expect(place.rows('SELECT count(*) AS n FROM messages')).toEqual([{ n: 2 }]);
  });
});

describe('a writer that is locked out for eight seconds', () => {
  it('waits visibly while keys are answered and the list opens, and then nothing is lost', { timeout: 60_000 }, async () => {
    const place = await makePlace();
    place.seed([about('older work', { age: 50 }), about('newer work')]);
    const tui = place.open(['-r', 'newer work']);
    await ready(tui);
    const other = new BetterSqlite3(place.store);
    onTestFinished(() => void other.close());
    other.exec('BEGIN IMMEDIATE');
    const lockedAt = Date.now();
    tui.write('said in the lock');
    await tui.until((shown) => shown.text().includes('❯ said in the lock'), 'the line');
    tui.press('enter');
    await tui.until((shown) => shown.text().includes('waiting for the store'), 'the wait to be said', 3000);
    const delays: number[] = [];
    const typed = 'keys answered throughout';
    for (let index = 0; index < typed.length; index++) {
      tui.write(typed[index]!);
      delays.push(await tui.until((shown) => shown.text().includes(`❯ ${typed.slice(0, index + 1).trimEnd()}`), 'the key', 1000));
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
    // A wait for the lock inside the thread would hold every key up for a second and more.
    expect(Math.max(...delays)).toBeLessThan(400);
    tui.press('ctrl+x');
    await tui.until((shown) => shown.text().includes('older work'), 'the list', 2000);
    tui.press('escape');
    await tui.until((shown) => shown.text().includes('waiting for the store'), 'the conversation again');
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, lockedAt + 8000 - Date.now())));
    expect(place.rows("SELECT 1 FROM messages WHERE content = 'said in the lock'")).toEqual([]);
    other.exec('COMMIT');
    await tui.until((shown) => shown.text().includes('Answer to: said in the lock'), 'the answer', 10_000);
    expect(tui.text()).not.toContain('waiting for the store');
    expect(tui.text()).toContain(`❯ ${typed}`);
    tui.press('enter');
    await tui.until((shown) => shown.text().includes(`Answer to: ${typed}`), 'the second answer');
    await leave(tui);
    expect(
      place
        .rows<{ content: string }>('SELECT content FROM messages ORDER BY id')
        .slice(-4)
        .map((row) => row.content),
    ).toEqual(['said in the lock', 'Answer to: said in the lock', typed, `Answer to: ${typed}`]);
  });

  it('renames once it can', async () => {
    const { tui, place, release } = await locked();
    await command(tui, '/title named in the lock');
    await tui.until((shown) => shown.text().includes('waiting for the store'), 'the wait to be said', 3000);
    release();
    await tui.until((shown) => shown.lines()[0]!.includes('named in the lock'), 'the title');
    await leave(tui);
    expect(place.rows('SELECT title FROM sessions')).toEqual([{ title: 'named in the lock' }]);
  });

  it('is waited for on leaving: the session is stamped', async () => {
    const { tui, place, lock, release } = await locked({ later: true });
    await say(tui, 'before leaving');
    await tui.until((shown) => !shown.text().includes(' working'), 'the turn to end');
    lock();
    tui.press('ctrl+d');
    await tui.until((shown) => !shown.modes().alternateScreen, 'the screen to be given back');
    await tui.until((shown) => shown.text().includes('waiting for the store'), 'the wait to be said');
    release();
    expect((await tui.exited).code).toBe(0);
    expect(place.rows('SELECT end_reason FROM sessions')).toEqual([{ end_reason: 'tui_close' }]);
  });

  it('does not keep the program that is left from ending; the row stays open', async () => {
    const { tui, place, lock, release } = await locked({ later: true });
    await say(tui, 'before leaving');
    await tui.until((shown) => !shown.text().includes(' working'), 'the turn to end');
    const leftAt = Date.now();
    lock();
    tui.press('ctrl+d');
    await tui.until((shown) => shown.exitStatus() !== undefined, 'the end', 12_000);
    expect(Date.now() - leftAt).toBeLessThan(10_000);
    release();
    expect(place.rows('SELECT count(*) AS n FROM messages')).toEqual([{ n: 4 }]);
  });

  it('keeps the text as a draft when a signal ends the program while it waits', async () => {
    const { tui, place, id, release } = await locked();
    tui.write('said in the lock');
    await tui.until((shown) => shown.text().includes('❯ said in the lock'), 'the line');
    tui.press('enter');
    await tui.until((shown) => shown.text().includes('waiting for the store'), 'the wait to be said', 3000);
    expect((await tui.kill('SIGTERM')).code).toBe(143);
    release();
    const again = place.open(['-r', id]);
    await ready(again);
    await again.until((shown) => shown.text().includes('❯ said in the lock'), 'the draft');
    expect(place.rows('SELECT count(*) AS n FROM messages')).toEqual([{ n: 2 }]);
  });

  it('keeps the text as a draft when the program is killed while it waits', async () => {
    const place = await makePlace();
    const [id] = place.seed([about('newer work')]);
    const tui = place.open(['-r', id!]);
    await ready(tui);
    const other = new BetterSqlite3(place.store);
    onTestFinished(() => void other.close());
    other.exec('BEGIN IMMEDIATE');
    tui.write('said in the lock');
    await tui.until((shown) => shown.text().includes('❯ said in the lock'), 'the line');
    tui.press('enter');
    await tui.until((shown) => shown.text().includes('waiting for the store'), 'the wait to be said', 3000);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await tui.kill('SIGKILL');
    other.exec('COMMIT');
    const again = place.open(['-r', id!]);
    await ready(again);
    await again.until((shown) => shown.text().includes('❯ said in the lock'), 'the draft');
  });
});

describe('a store in a folder that can not be written', () => {
  async function readOnlyHome(): Promise<{ place: Place; ids: string[] }> {
    const place = await makePlace();
    const ids = place.seed([about('first work', { age: 30 }), about('second work')]);
    chmodSync(place.folder, 0o755);
    for (const name of readdirSync(place.home)) chmodSync(join(place.home, name), 0o444);
    chmodSync(place.home, 0o555);
    onTestFinished(() => chmodSync(place.home, 0o755));
    return { place, ids };
  }

  it('is browsed from a copy, which the header says; nothing can be sent, and the text stays', async () => {
    const { place, ids } = await readOnlyHome();
    const files = readdirSync(place.home);
    const hash = fileHash(place.store);
    const tui = place.open(['-r', ids[0]!], { shell: asAnother });
    await ready(tui);
    expect(tui.lines()[0]).toMatch(/copy of \d\d:\d\d/);
    expect(tui.text()).toContain('This of first work.');
    tui.press('ctrl+x');
    await tui.until((shown) => shown.text().includes('second work'), 'the list');
    tui.press('down');
    await tui.waitIdle();
    tui.write('second work');
    await tui.waitIdle();
    tui.press('enter');
    await tui.until((shown) => shown.text().includes('This of second work.'), 'the other session');
    expect(tui.lines()[0]).toMatch(/copy of \d\d:\d\d/);
    tui.press('pageup');
    await tui.waitIdle();
    tui.write('can this be kept?');
    await tui.waitIdle();
    tui.press('enter');
    await tui.waitIdle();
    expect(flat(tui)).toMatch(/private copy|can't be written|only read/);
    expect(tui.text()).toContain('can this be kept?');
    await tui.kill('SIGTERM');
    expect(fileHash(place.store)).toBe(hash);
    expect(readdirSync(place.home)).toEqual(files);
  });

  it('takes no new conversation either: one sentence, the text stays', async () => {
    const { place } = await readOnlyHome();
    const hash = fileHash(place.store);
    const tui = place.open([], { shell: asAnother });
    await ready(tui);
    tui.write('is anybody there?');
    await tui.waitIdle();
    tui.press('enter');
    await tui.until((shown) => /can't be written|only read|belongs to another user/.test(flat(shown)), 'the reason');
    await tui.waitIdle();
    expect(tui.text()).toContain('❯ is anybody there?');
    await tui.kill('SIGTERM');
    expect(fileHash(place.store)).toBe(hash);
  });
});

describe.runIf(isRoot && canMount)('a home on a full disk', () => {
  /** The program in a home on a disk of 3 MB; `fill` takes what is left of it before the program starts. */
  async function onSmallDisk(fill: string) {
    const place = await makePlace();
    place.seed([about('first work')]);
    const mounted = place.directory('mounted');
    const tui = place.open(['-c'], {
      env: { HERMES_HOME: mounted },
      shell: `exec unshare -m sh -c 'mount -t tmpfs -o size=3m tmpfs ${mounted} && cp ${place.home}/* ${mounted} && { ${fill}; exec "$@"; }' sh "$@"`,
    });
    await ready(tui);
    expect(tui.text()).toContain('This of first work.');
    // The disk is seen by the program alone.
    return { tui, filler: join(`/proc/${tui.pid}/root${mounted}`, 'fill') };
  }

  it('that fills up meanwhile: one sentence, the text stays, and is taken once there is room', async () => {
    const { tui, filler } = await onSmallDisk('true');
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k']);
    tui.write('is there room?');
    await tui.until((shown) => shown.text().includes('❯ is there room?'), 'the line');
    tui.press('enter');
    await tui.until((shown) => /is full/.test(flat(shown)), 'the reason');
    await tui.until((shown) => shown.text().includes('❯ is there room?'), 'the text to come back');
    rmSync(filler);
    tui.press('enter');
    await tui.until((shown) => shown.text().includes('Answer to: is there room?'), 'the answer');
    await leave(tui);
  });

  it('that is full from the beginning is still read', async () => {
    const { tui } = await onSmallDisk('dd if=/dev/zero of=$HERMES_HOME/fill bs=4k 2>/dev/null');
    expect(tui.lines()[0]).toMatch(/copy of \d\d:\d\d/);
    await leave(tui);
  });
});

describe('a store that is not as it should be', () => {
  /** Enough conversations for some hundred pages. */
  async function many(): Promise<Place> {
    const place = await makePlace();
    const text = 'All of it stands here, word for word. '.repeat(40);
    place.seed(
      Array.from({ length: 120 }, (_, index) =>
        about(`work ${index}`, { age: 1000 - index, messages: [you(`What of ${index}?`), agent(text)] }),
      ),
    );
    return place;
  }

  function overwritePages(place: Place): void {
    const db = new BetterSqlite3(place.store);
    const pages = db
      .prepare("SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' ORDER BY pageno")
      .pluck()
      .all() as number[];
    const size = db.pragma('page_size', { simple: true }) as number;
    db.close();
    const file = openSync(place.store, 'r+');
    // The last of them is where the next message would go.
    writeSync(file, Buffer.alloc(size, 0x5a), 0, size, (pages.at(-1)! - 1) * size);
    closeSync(file);
  }

  const damages: readonly [string, (place: Place) => void, RegExp][] = [
    ['a page overwritten inside the messages', overwritePages, /is damaged/],
    ['a file cut off in the middle', (place) => truncateSync(place.store, 40_960), /is damaged/],
    ['a file of 0 bytes', (place) => truncateSync(place.store, 0), /is an empty file/],
    ['a text file', (place) => writeFileSync(place.store, 'These are notes, not a database.\n'.repeat(200)), /not an SQLite database/],
  ];

  /** A file of this second may be one that another program has just begun. */
  const age = (place: Place): void => utimesSync(place.store, 1_700_000_000, 1_700_000_000);

  it.each(damages)('%s: -c says so in one sentence, and leaves the file as it is', async (_, damage, sentence) => {
    const place = await many();
    damage(place);
    age(place);
    const hash = fileHash(place.store);
    const tui = place.open(['-c'], { cols: 200 });
    await tui.until((shown) => sentence.test(flat(shown)), 'the sentence');
    expect(flat(tui)).not.toMatch(/\n\s+at |SQLITE_|Error:/);
    if (tui.exitStatus() === undefined && tui.modes().alternateScreen) await tui.kill('SIGTERM');
    else expect((await tui.exited).code).toBe(1);
    expect(fileHash(place.store)).toBe(hash);
  });

  it.each(damages)('%s: the list says so instead of being empty, a message is not stored and stays', async (_, damage, sentence) => {
    const place = await many();
    damage(place);
    age(place);
    const hash = fileHash(place.store);
    const tui = place.open([]);
    await ready(tui);
    tui.press('ctrl+x');
    await tui.until((shown) => sentence.test(flat(shown)), 'the sentence in place of rows');
    expect(tui.text()).not.toMatch(/no sessions yet/i);
    tui.press('escape');
    await tui.until((shown) => shown.text().includes('❯ Say'), 'the conversation');
    tui.write('keep this');
    await tui.until((shown) => shown.text().includes('❯ keep this'), 'the line');
    tui.press('enter');
    await tui.until((shown) => sentence.test(flat(shown)), 'the sentence');
    await tui.until((shown) => shown.text().includes('❯ keep this'), 'the text to come back');
    await tui.kill('SIGTERM');
    expect(fileHash(place.store)).toBe(hash);
    for (const suffix of ['-wal', '-journal']) {
      const left = `${place.store}${suffix}`;
      expect(existsSync(left) ? readFileSync(left).length : 0).toBe(0);
    }
  });

  it('a store of a newer layout is read and continued as far as it is known, and the number is left alone', async () => {
    const place = await makePlace();
    const [id] = place.seed([about('from the future')]);
    const db = new BetterSqlite3(place.store);
    db.exec('UPDATE schema_version SET version = 99; ALTER TABLE messages ADD COLUMN mood TEXT; CREATE TABLE moods (id TEXT)');
    db.close();
    const hash = place.hash();
    const tui = place.open(['-r', id!]);
    await ready(tui);
    expect(tui.text()).toContain('This of from the future.');
    await tui.until((shown) => /layout 99/.test(flat(shown)), 'the number of the layout');
    expect(place.hash()).toBe(hash);
    await say(tui, 'and on');
    await leave(tui);
    expect(place.rows('SELECT version FROM schema_version')).toEqual([{ version: 99 }]);
    expect(place.rows("SELECT count(*) AS n FROM pragma_table_info('messages') WHERE name = 'mood'")).toEqual([{ n: 1 }]);
  });

  it('a store that may not be read is said so', async () => {
    const place = await makePlace();
    place.seed([about('secret work')]);
    chmodSync(place.folder, 0o755);
    chmodSync(place.home, 0o755);
    chmodSync(join(place.home, 'config.yaml'), 0o644);
    chmodSync(place.store, 0o000);
    const tui = place.open(['-c'], { shell: asAnother });
    expect((await tui.exited).code).toBe(1);
    expect(flat(tui)).toMatch(/may not be read by this user/);
  });
});
