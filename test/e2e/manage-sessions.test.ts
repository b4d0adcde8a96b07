import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { agent, you, type Conversation } from '../../fixtures/stores/conversation.ts';
import { localDate } from '../../src/text/relative-time.ts';
import { makeMachine, startHermes, untilGone, untilText, type Machine } from '../support/hermes.ts';
import { leaveWhenIdle } from '../support/leave.ts';
import type { Tui } from '../support/tui.ts';

/** Cases 4, 5, 6, 8, 9: what is done with sessions of the list, and with the one that is open. */

const titles = ['walrus plan', 'otter notes', 'heron sketch', 'badger list', 'lynx draft', 'marten log'];

const machineOf = (more: (work: string) => readonly Conversation[] = () => []): Promise<Machine> =>
  makeMachine({
    conversations: (cwd) => [
      ...titles.map((title, index): Conversation => {
        const word = title.split(' ')[0]!;
        return {
          title,
          source: 'tui',
          cwd,
          age: index + 1,
          messages: [you(`tell me of the ${word}zz`), agent(`The ${word} is an animal.`)],
        };
      }),
      ...more(cwd),
    ],
  });

async function openList(tui: Tui): Promise<void> {
  tui.press('ctrl+x');
  await tui.until((t) => t.text().includes('Sessions') && !t.text().includes('loading …') && t.text().includes(titles[0]!), 'the list');
  await tui.waitIdle();
}

/** Another program with the store open. */
function otherProgram(machine: Machine): Database.Database {
  const db = new Database(join(machine.home, 'state.db'));
  db.pragma('busy_timeout = 5000');
  onTestFinished(() => void db.close());
  return db;
}

const found = (machine: Machine, word: string): unknown =>
  machine.ask('SELECT count(*) FROM messages_fts WHERE messages_fts MATCH ?', `"${word}"`);
const isStored = (machine: Machine, title: string): boolean => machine.ask('SELECT count(*) FROM sessions WHERE title = ?', title) === 1;
/** Closes the list, then the program: Ctrl+D deletes in the list. */
async function leaveList(tui: Tui): Promise<void> {
  tui.press('escape');
  await untilGone(tui, '▌Sessions');
  expect((await leaveWhenIdle(tui)).code).toBe(0);
}

/** The row under the cursor. */
const selected = (tui: Tui): string => tui.lines().find((line) => /^[▌]/.test(line) && !line.startsWith('▌Sessions')) ?? '';

test('the footer names what a newcomer is asked for', async () => {
  const machine = await machineOf();
  const tui = await startHermes(machine, { cols: 80, rows: 24 });
  await openList(tui);
  for (const word of ['delete', 'rename', 'archive', 'pin', 'copy id', 'hidden']) expect(tui.lines().at(-1)).toContain(word);
  await leaveList(tui);
});

test('delete asks, No is the answer of Enter; what was deleted is not found any more, and Ctrl+_ brings back all of it', async () => {
  const machine = await machineOf();
  machine.ask('SELECT 1');
  const db = otherProgram(machine);
  db.prepare("UPDATE sessions SET pinned = 1 WHERE title = 'heron sketch'").run();
  const tui = await startHermes(machine, { cols: 100, rows: 30 });
  await openList(tui);
  tui.press('ctrl+d');
  await untilText(tui, 'Delete this session?');
  expect(tui.text()).toContain('“heron sketch” · 2 messages');
  expect(tui.text()).toContain('It is PINNED.');
  expect(tui.text()).toMatch(/bin until \d{4}-\d\d-\d\d/);
  tui.press('enter');
  await untilGone(tui, 'Delete this session?');
  expect(isStored(machine, 'heron sketch')).toBe(true);
  tui.press('ctrl+d');
  await untilText(tui, 'Delete this session?');
  // The Hangul letter on the key of y.
  tui.write('ㅛ');
  await untilText(tui, 'Deleted “heron sketch” · in the bin until');
  expect(tui.text()).toContain('^_ undoes');
  await tui.until((t) => selected(t).includes('walrus plan'), 'the cursor to stay at its place');
  expect(isStored(machine, 'heron sketch')).toBe(false);
  expect(found(machine, 'heronzz')).toBe(0);
  tui.press('ctrl+_');
  await untilText(tui, '“heron sketch” restored');
  expect(isStored(machine, 'heron sketch')).toBe(true);
  expect(found(machine, 'heronzz')).toBe(1);
  expect(machine.ask("SELECT pinned FROM sessions WHERE title = 'heron sketch'")).toBe(1);
  await leaveList(tui);
});

test('case 15: a pin, an archive and a deletion that wait for another program say so in the list, and are done then', async () => {
  const machine = await machineOf();
  const db = otherProgram(machine);
  const tui = await startHermes(machine, { cols: 80, rows: 24 });
  await openList(tui);
  const locked = async (act: () => Promise<void>, done: string): Promise<void> => {
    db.exec('BEGIN IMMEDIATE');
    await act();
    await untilText(tui, 'waiting for the store');
    db.exec('COMMIT');
    await tui.until((t) => t.text().includes(done) && !t.text().includes('waiting for the store'), done);
  };
  await locked(async () => tui.press('ctrl+t'), 'Pinned “walrus plan”');
  await locked(async () => tui.press('alt+a'), 'Archived “walrus plan”');
  tui.press('ctrl+d');
  await untilText(tui, 'Delete this session?');
  await locked(async () => tui.write('y'), 'Deleted “');
  await leaveList(tui);
});

test('case 8: the row that was asked about is the one deleted, whatever comes in meanwhile', async () => {
  const machine = await machineOf();
  const tui = await startHermes(machine, { cols: 100, rows: 30 });
  await openList(tui);
  tui.press('down', 'down');
  await tui.until((t) => selected(t).includes('heron sketch'), 'the third row');
  tui.press('ctrl+d');
  await untilText(tui, '“heron sketch”');
  const db = otherProgram(machine);
  const insert = db.prepare("INSERT INTO sessions (id, source, title, started_at, cwd, message_count) VALUES (?, 'tui', ?, ?, ?, 1)");
  const say = db.prepare("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', 'hello', ?)");
  for (let index = 0; index < 3; index++) {
    const now = Date.now() / 1000;
    db.transaction(() => {
      insert.run(`2030010${index}_000000_abcdef`, `intruder ${index}`, now, machine.work);
      say.run(`2030010${index}_000000_abcdef`, now);
    })();
    await tui.until((t) => t.text().includes(`intruder ${index}`), 'the new session in the list behind the question', 1500);
  }
  tui.press('left', 'enter');
  await untilText(tui, 'Deleted “heron sketch”');
  expect(isStored(machine, 'heron sketch')).toBe(false);
  expect(machine.ask('SELECT count(*) FROM sessions')).toBe(titles.length - 1 + 3);
  tui.press('ctrl+_');
  await untilText(tui, 'restored');
  expect(found(machine, 'heronzz')).toBe(1);
  await leaveList(tui);
});

test('case 5: a chain goes as one, with its sub-agent, and its branch stays', async () => {
  const machine = await machineOf((cwd) => {
    const part = (text: string, age: number, parent?: Conversation['parent']): Conversation => ({
      source: 'tui',
      cwd,
      age,
      messages: [you(text), agent('Yes.')],
      ...(parent === undefined ? {} : { parent }),
    });
    return [
      { ...part('layerone quokka', 0.9), title: 'chain', endReason: 'compression' },
      { ...part('layertwo', 0.8, { index: 6, kind: 'compression' }), title: 'chain #2', endReason: 'compression' },
      { ...part('layerthree', 0.7, { index: 7, kind: 'compression' }), title: 'chain #3' },
      { ...part('branchword', 0.6, { index: 6, kind: 'branch' }), title: 'my branch' },
      part('delegateword', 0.5, { index: 8, kind: 'delegate' }),
    ];
  });
  const tui = await startHermes(machine, { cols: 100, rows: 30 });
  await openList(tui);
  tui.paste('chain');
  await tui.until((t) => selected(t).includes('chain #3'), 'the chain');
  tui.press('ctrl+d');
  await untilText(tui, '3 segments, 1 sub-agent');
  tui.write('y');
  await untilText(tui, 'Deleted “chain #3”');
  for (const word of ['layerone', 'layertwo', 'layerthree', 'delegateword']) expect(found(machine, word), word).toBe(0);
  expect(found(machine, 'branchword')).toBe(1);
  expect(isStored(machine, 'my branch')).toBe(true);
  tui.press('ctrl+_');
  await untilText(tui, 'restored');
  for (const word of ['layerone', 'layertwo', 'layerthree', 'delegateword']) expect(found(machine, word), word).toBe(1);
  await leaveList(tui);
});

test('marked ones are deleted together, pinned ones are spared, hidden ones counted; archive and pin are undone one after the other', async () => {
  const machine = await machineOf();
  otherProgram(machine).prepare("UPDATE sessions SET pinned = 1 WHERE title = 'walrus plan'").run();
  const tui = await startHermes(machine, { cols: 100, rows: 30 });
  await openList(tui);
  tui.press('insert', 'ctrl+space');
  tui.write(' ');
  await untilText(tui, '3 marked');
  tui.paste('heron');
  await untilText(tui, '1 of 6');
  tui.press('ctrl+d');
  await untilText(tui, 'Delete 2 sessions?');
  expect(tui.text()).toContain('“otter notes”, “heron sketch” · 4 messages');
  expect(tui.text()).toContain('1 of them is not in this view.');
  expect(tui.text()).toContain('1 pinned one stays');
  tui.write('y');
  await untilText(tui, 'Deleted 2 sessions');
  expect(isStored(machine, 'walrus plan')).toBe(true);
  expect(machine.ask('SELECT count(*) FROM sessions')).toBe(4);
  tui.press('ctrl+u');
  await untilGone(tui, 'marked');

  tui.press('end', 'alt+a');
  await untilText(tui, 'Archived “marten log”');
  tui.press('home', 'ctrl+t');
  await untilText(tui, 'Pin of “walrus plan” taken away');
  tui.press('ctrl+_');
  await untilText(tui, '“walrus plan” pinned again');
  tui.press('ctrl+_');
  await untilText(tui, 'Undone: the archiving of “marten log”');
  tui.press('ctrl+_');
  await untilText(tui, '2 sessions restored');
  expect(machine.ask('SELECT count(*) FROM sessions WHERE archived = 0')).toBe(6);
  expect(machine.ask("SELECT pinned FROM sessions WHERE title = 'walrus plan'")).toBe(1);
  tui.press('ctrl+_');
  await untilText(tui, 'nothing of the list can be undone');
  await leaveList(tui);
});

test('a title that is taken names who has it and offers the next number', async () => {
  const machine = await machineOf();
  const tui = await startHermes(machine, { cols: 100, rows: 30 });
  await openList(tui);
  tui.press('ctrl+r');
  await untilText(tui, 'Rename');
  tui.press('ctrl+u');
  tui.paste('otter notes');
  tui.press('enter');
  await untilText(tui, `“otter notes” is taken by ${machine.ids[1]}`);
  await untilText(tui, 'Use “otter notes #2”');
  tui.press('enter');
  await untilText(tui, 'Renamed to “otter notes #2”');
  expect(isStored(machine, 'otter notes #2')).toBe(true);
  tui.press('ctrl+_');
  await untilText(tui, 'it is “walrus plan” again');
  tui.press('escape');
  await untilGone(tui, '▌Sessions');
  expect((await leaveWhenIdle(tui)).code).toBe(0);
});

test.each([
  [
    'a title',
    "UPDATE sessions SET title = 'renamed elsewhere' WHERE title = 'otter notes'",
    (t: Tui) => t.text().includes('renamed elsewhere'),
  ],
  ['a pin', "UPDATE sessions SET pinned = 1 WHERE title = 'marten log'", (t: Tui) => /★.*marten log/.test(t.text())],
  ['the archive', "UPDATE sessions SET archived = 1 WHERE title = 'otter notes'", (t: Tui) => !t.text().includes('otter notes')],
  [
    'a deletion',
    "DELETE FROM messages WHERE session_id = (SELECT id FROM sessions WHERE title = 'otter notes'); DELETE FROM sessions WHERE title = 'otter notes'",
    (t: Tui) => !t.text().includes('otter notes'),
  ],
] as const)('%s of another program shows at once, and the cursor stays on its row', async (_, sql, shows) => {
  const machine = await machineOf();
  const tui = await startHermes(machine, { cols: 100, rows: 30 });
  await openList(tui);
  tui.press('down', 'down');
  await tui.until((t) => selected(t).includes('heron sketch'), 'the third row');
  otherProgram(machine).exec(sql);
  // The poll alone would take up to two seconds.
  expect(await tui.until(shows, 'the change')).toBeLessThan(1500);
  expect(selected(tui)).toContain('heron sketch');
  await leaveList(tui);
});

test('case 4: the session that is open is refused in the list; /delete ends and deletes it, and nothing blank comes back', async () => {
  const machine = await machineOf();
  const tui = await startHermes(machine, { cols: 100, rows: 30, args: ['-r', 'otter notes'] });
  await untilText(tui, 'otter is an animal');
  await openList(tui);
  tui.paste('otter');
  await tui.until((t) => selected(t).includes('otter notes'), 'the open one');
  tui.press('ctrl+d');
  await untilText(tui, '/delete in its conversation');
  tui.press('escape');
  await untilGone(tui, '▌Sessions');
  tui.paste('/delete');
  tui.press('enter');
  await untilText(tui, 'The conversation ends, and a new one begins.');
  tui.write('y');
  await untilText(tui, 'Deleted “otter notes” · in the bin until');
  expect(isStored(machine, 'otter notes')).toBe(false);
  expect((await leaveWhenIdle(tui)).code).toBe(0);
  expect(machine.ask('SELECT count(*) FROM sessions')).toBe(titles.length - 1);
});

test('/pin, /archive, /save and /export are for the conversation that is open', async () => {
  const machine = await machineOf();
  const folder = join(machine.work, 'out');
  mkdirSync(folder);
  const tui = await startHermes(machine, { cols: 120, rows: 30, args: ['-r', 'otter notes'] });
  await untilText(tui, 'otter is an animal');
  const run = async (line: string, said: string): Promise<void> => {
    tui.paste(line);
    tui.press('enter');
    await tui.until((t) => t.text().replace(/\s+/g, ' ').includes(said), said, 15_000);
  };
  await run('/pin', 'Pinned “otter notes”');
  await run('/archive', 'Archived “otter notes”');
  expect(machine.ask("SELECT pinned + archived FROM sessions WHERE title = 'otter notes'")).toBe(2);
  await run('/save', 'Saved to');
  expect(existsSync(join(machine.home, 'sessions', 'saved', `hermes_session_${machine.ids[1]}.md`))).toBe(true);
  await run('/export jsonl out', 'Exported');
  expect(readdirSync(folder)).toEqual([`${machine.ids[1]}.jsonl`]);
  const before = readdirSync(machine.work);
  const own = `hermes-export-${localDate(Date.now())}`;
  await run('/export', own);
  // Document and manifest lie in a folder of their own, and a second export neither mixes with the first nor fails over it.
  await run('/export md', `${own}-2`);
  const made = readdirSync(machine.work).filter((name) => !before.includes(name));
  expect(made.toSorted()).toEqual([
    expect.stringMatching(/^hermes-export-\d{4}-\d\d-\d\d$/),
    expect.stringMatching(/^hermes-export-.*-2$/),
  ]);
  for (const name of made) {
    expect(readdirSync(join(machine.work, name)).toSorted()).toEqual([`${machine.ids[1]}-otter-notes.md`, 'manifest.jsonl']);
    expect(tui.text().replace(/\s+/g, '')).toContain(name);
  }
  expect((await leaveWhenIdle(tui)).code).toBe(0);
});

test('case 4: a session another pane has open is refused by name, alone and among several', async () => {
  const machine = await machineOf();
  const holder = await startHermes(machine, { cols: 80, rows: 24, args: ['-r', 'walrus plan'] });
  await untilText(holder, 'walrus is an animal');
  const tui = await startHermes(machine, { cols: 110, rows: 30 });
  await openList(tui);
  await tui.until((t) => selected(t).includes('●'), 'the live mark');
  tui.press('ctrl+d');
  await untilText(tui, 'it is open in');
  tui.press('insert', 'insert', 'ctrl+d');
  await untilText(tui, 'Delete this session?');
  await tui.until((t) => /Cannot delete active session: \S+ is open in/.test(t.text().replace(/[│\s]+/g, ' ')), 'the one that is left');
  tui.write('y');
  await untilText(tui, 'Deleted “otter notes”');
  expect(isStored(machine, 'walrus plan')).toBe(true);
  expect(isStored(machine, 'otter notes')).toBe(false);
  await leaveList(tui);
  expect((await leaveWhenIdle(holder)).code).toBe(0);
});

test('marked ones are exported into a folder, a file each', async () => {
  const machine = await machineOf();
  const tui = await startHermes(machine, { cols: 120, rows: 30 });
  await openList(tui);
  tui.press('insert', 'insert', 'alt+e');
  await untilText(tui, 'Export 2 sessions');
  tui.press('ctrl+u');
  tui.paste(join(machine.work, 'both'));
  tui.press('tab', 'tab', 'enter');
  await tui.until((t) => t.text().includes('Exported 2 sessions'), 'the export', 15_000);
  expect(readdirSync(join(machine.work, 'both')).toSorted()).toEqual(
    machine.ids
      .slice(0, 2)
      .map((id) => `${id}.jsonl`)
      .toSorted(),
  );
  // Into a folder that is there, they go in one of their own, which is named.
  tui.press('insert', 'insert', 'alt+e');
  await untilText(tui, 'Export 2 sessions');
  tui.press('ctrl+u');
  tui.paste(join(machine.work, 'both'));
  tui.press('tab', 'tab', 'enter');
  await tui.until((t) => /Exported 2 sessions to .*hermes-export-\d/.test(t.text()), 'the second export', 15_000);
  const [own] = readdirSync(join(machine.work, 'both')).filter((name) => name.startsWith('hermes-export-'));
  expect(readdirSync(join(machine.work, 'both', own!))).toHaveLength(2);
  await leaveList(tui);
});

test('without a bin the question says that it is final, and its words leave every file', async () => {
  const machine = await makeMachine({
    conversations: (cwd) => [{ title: 'walrus plan', source: 'tui', cwd, age: 1, messages: [you('secretword'), agent('Yes.')] }],
    config: ['sessions:', '  trash_days: 0'],
  });
  const tui = await startHermes(machine, { cols: 100, rows: 30 });
  await openList(tui);
  tui.press('ctrl+d');
  await untilText(tui, 'There is no bin');
  tui.write('y');
  await untilText(tui, 'Erased “walrus plan” for good');
  expect(tui.text()).not.toContain('undoes');
  expect(machine.ask('SELECT count(*) FROM sessions')).toBe(0);
  const files = readdirSync(machine.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const said = files.filter((file) => readFileSync(join(file.parentPath, file.name)).includes('secretword'));
  expect(said.map((file) => file.name)).toEqual([]);
  await leaveList(tui);
});

test('line mode: /delete asks, and goes on in a new conversation', async () => {
  const machine = await machineOf();
  const tui = await startHermes(machine, { cols: 100, rows: 30, args: ['--cli', '-r', 'otter notes'], waitFor: '' });
  await untilText(tui, 'otter');
  tui.write('/pin\r');
  await untilText(tui, 'Pinned “otter notes”');
  tui.write('/delete\r');
  await untilText(tui, 'It is PINNED.');
  tui.write('1\r');
  await untilText(tui, 'Deleted “otter notes” · in the bin until');
  expect(isStored(machine, 'otter notes')).toBe(false);
  tui.write('/quit\r');
  expect((await tui.exited).code).toBe(0);
});
