import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { about, leave, makePlace, ready, say, type Place } from '../support/place.ts';
import type { Tui } from '../support/tui.ts';

/** One session open in a first pane, and a second pane that opens it too. */
async function twoPanes(): Promise<{ place: Place; holder: Tui; second: Tui; id: string }> {
  const place = await makePlace();
  const [id] = place.seed([about('shared work')]);
  const holder = place.open(['-r', id!]);
  await ready(holder);
  await holder.until(() => records(place).some((record) => record.sessions.some((session) => session.id === id)), 'the register');
  const second = place.open(['-r', id!]);
  await ready(second);
  await second.until((shown) => shown.text().includes('Open elsewhere'), 'the question');
  return { place, holder, second, id: id! };
}

interface LiveFile {
  pid: number;
  sessions: { id: string }[];
}

function records(place: Place): LiveFile[] {
  const folder = join(place.home, 'tui', 'live');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as LiveFile);
}

const roles = (place: Place): string[] =>
  place.rows<{ role: string }>('SELECT role FROM messages WHERE active = 1 ORDER BY id').map((row) => row.role);

describe('a session that is open in another pane', () => {
  it('names its owner: where, pid, since; and leaving it alone changes nothing', async () => {
    const { place, holder, second } = await twoPanes();
    const hash = place.hash();
    const text = second.text().replaceAll(/[│\s]+/g, ' ');
    expect(text).toMatch(/This session is open in \S+.* \(pid \d+, since [^)]+\)/);
    expect(text).toContain(`pid ${holder.pid}`);
    for (const choice of ['Read along', 'Branch a copy', 'Take over']) expect(text).toContain(choice);
    second.press('escape');
    await second.until((shown) => !shown.text().includes('Open elsewhere'), 'the question to close');
    await leave(second);
    await leave(holder);
    expect(place.hash()).toBe(hash);
  });

  it('is marked in the list of another pane, with its owner', async () => {
    const place = await makePlace();
    const [id] = place.seed([about('shared work'), about('another')]);
    const holder = place.open(['-r', id!]);
    await ready(holder);
    await holder.until(() => records(place).some((record) => record.sessions.length > 0), 'the register');
    const second = place.open([]);
    await ready(second);
    second.press('ctrl+x');
    await second.until((shown) => shown.lines().some((line) => /● .*shared work/.test(line)), 'the mark of a live session');
  });

  it('shows along what the other writes, within two seconds', async () => {
    const { place, holder, second } = await twoPanes();
    second.press('r');
    await second.until((shown) => !shown.text().includes('Branch a copy'), 'the question to close');
    holder.write('news from the holder');
    await holder.until((shown) => shown.text().includes('❯ news'), 'the typed line');
    holder.press('enter');
    await holder.until((shown) => shown.text().includes('Answer to: news'), 'the answer');
    const waited = await second.until((shown) => shown.text().includes('Answer to: news from the holder'), 'the answer here too', 5000);
    expect(waited).toBeLessThan(2500);
    expect(second.text()).toContain('● news from the holder');
    // Nothing is said twice.
    await second.waitIdle();
    expect(second.text().split('Answer to: news').length).toBe(2);
    // Reading along writes nothing.
    second.write('not for this one\r');
    await second.until((shown) => shown.text().includes('Branch a copy'), 'the question again');
    expect(roles(place)).toEqual(['user', 'assistant', 'user', 'assistant']);
    // What was typed goes along.
    second.press('t');
    await second.until((shown) => shown.text().includes('Taken over: it goes on here'), 'the session here', 12_000);
    await second.until((shown) => shown.text().includes('❯ not for this one'), 'the line');
  });

  it('shows an answer grow while it is read along, and only then that it was cut off', async () => {
    const { holder, second } = await twoPanes();
    second.press('r');
    await second.until((shown) => !shown.text().includes('Branch a copy'), 'the question to close');
    holder.write('slow one');
    await holder.until((shown) => shown.text().includes('❯ slow one'), 'the line');
    holder.press('enter');
    for (const word of ['word3', 'word30']) {
      await second.until((shown) => shown.text().includes(word), `${word} here too`, 12_000);
      expect(second.text()).not.toContain('interrupted');
    }
    holder.press('escape');
    await second.until((shown) => shown.text().includes('interrupted'), 'the end here too', 5000);
    expect(second.text().split('word30 ').length).toBe(2);
  });

  it('can be branched: the copy goes on here, the original is left alone', async () => {
    const { place, holder, second, id } = await twoPanes();
    second.press('b');
    await second.until((shown) => shown.text().includes('A copy of the conversation'), 'the copy');
    await say(second, 'only in the copy');
    await say(holder, 'only in the original');
    const counts = place.rows<{ session_id: string; n: number }>('SELECT session_id, count(*) AS n FROM messages GROUP BY session_id');
    expect(counts).toHaveLength(2);
    expect(counts.find((row) => row.session_id === id)!.n).toBe(4);
    expect(place.rows('SELECT content FROM messages WHERE session_id = ? ORDER BY id', id).map((row) => row['content'])).not.toContain(
      'only in the copy',
    );
    await leave(second);
    await leave(holder);
    const ended = place.rows<{ id: string; end_reason: string }>('SELECT id, end_reason FROM sessions');
    expect(ended.map((row) => row.end_reason)).toEqual(['tui_close', 'tui_close']);
  });

  it('can be taken over: the holder turns read-only, keeps its draft and does not stamp it', async () => {
    const { place, holder, second, id } = await twoPanes();
    holder.write('half a thought');
    await holder.until((shown) => shown.text().includes('❯ half a thought'), 'the draft');
    second.press('t');
    await second.until((shown) => shown.text().includes('Taken over: it goes on here'), 'the session here', 12_000);
    await holder.until((shown) => shown.text().includes('taken over'), 'the notice there');
    expect(holder.text()).toContain('half a thought');
    await say(second, 'said by the taker');
    holder.press('enter');
    await holder.until((shown) => shown.text().includes('Branch a copy'), 'the question who has it now');
    holder.press('escape');
    await holder.until((shown) => !shown.text().includes('Branch a copy'), 'the question to close');
    expect(holder.text()).toContain('half a thought');
    expect(place.rows('SELECT content FROM messages ORDER BY id').map((row) => row['content'])).toEqual([
      'What of shared work?',
      'This of shared work.',
      'said by the taker',
      'Answer to: said by the taker',
    ]);
    holder.press('ctrl+c');
    await holder.until((shown) => !shown.text().includes('❯ half'), 'the line to be cleared');
    await leave(holder);
    expect(place.rows('SELECT ended_at FROM sessions WHERE id = ?', id)).toEqual([{ ended_at: null }]);
    await leave(second);
    expect(place.rows('SELECT end_reason FROM sessions WHERE id = ?', id)).toEqual([{ end_reason: 'tui_close' }]);
  });

  it('can be taken over while it answers: what arrived is stored, and the taker sees it', async () => {
    const { place, holder, second } = await twoPanes();
    holder.write('slow one');
    await holder.until((shown) => shown.text().includes('❯ slow one'), 'the line');
    holder.press('enter');
    await holder.until((shown) => shown.text().includes('word6'), 'some words');
    second.press('t');
    await second.until((shown) => shown.text().includes('Taken over: it goes on here'), 'the session here', 12_000);
    expect(second.text()).toContain('word6');
    await say(second, 'and now here');
    // The one who had it reads along, and sees its own part once.
    await holder.until((shown) => shown.text().includes('Answer to: and now here'), 'the answer there');
    expect(holder.text().split('● slow one').length).toBe(2);
    expect(holder.text().split('word1 ').length).toBe(2);
    expect(roles(place)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
    expect(place.rows('SELECT finish_reason FROM messages ORDER BY id').map((row) => row['finish_reason'])[3]).toBe('interrupted');
  });

  it('whose holder was killed opens without a question', async () => {
    const { holder, second, place, id } = await twoPanes();
    await second.close();
    await holder.kill('SIGKILL');
    const third = place.open(['-r', id]);
    await ready(third);
    await say(third, 'going on');
    expect(third.text()).not.toContain('Open elsewhere');
  });

  it('stays in legal order when both panes send within a second', async () => {
    const { place, holder, second } = await twoPanes();
    second.press('t');
    await second.until((shown) => shown.text().includes('Taken over: it goes on here'), 'the session here', 12_000);
    for (const [tui, text] of [
      [holder, 'from the first'],
      [second, 'from the second'],
    ] as const)
      tui.write(text);
    await holder.until((shown) => shown.text().includes('❯ from the first'), 'the line there');
    await second.until((shown) => shown.text().includes('❯ from the second'), 'the line here');
    holder.press('enter');
    second.press('enter');
    await second.until((shown) => shown.text().includes('Answer to: from the second'), 'the answer');
    await holder.until((shown) => shown.text().includes('read only') || shown.text().includes('taken over'), 'the refusal');
    await expect.poll(() => roles(place)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(holder.text()).toContain('from the first');
  });

  it('that another program deletes is not brought back by a message: the text stays, nothing blank appears', async () => {
    const place = await makePlace();
    const [id] = place.seed([about('shared work'), about('another')]);
    const holder = place.open(['-r', id!]);
    await ready(holder);
    const other = new BetterSqlite3(place.store);
    other.pragma('foreign_keys = ON');
    other.prepare('DELETE FROM messages WHERE session_id = ?').run(id);
    other.prepare('DELETE FROM sessions WHERE id = ?').run(id);
    other.close();
    holder.write('is it still there?');
    await holder.until((shown) => shown.text().includes('❯ is it'), 'the line');
    holder.press('enter');
    await holder.until((shown) => /gone|not in the store/.test(shown.text()), 'the reason');
    await holder.until((shown) => shown.text().includes('❯ is it still there?'), 'the text to come back');
    await holder.kill('SIGTERM');
    expect(place.rows('SELECT title FROM sessions')).toEqual([{ title: 'another' }]);
    expect(place.rows('SELECT count(*) AS n FROM messages')).toEqual([{ n: 2 }]);
  });

  it('opened at the same moment by two panes is held by one of them', async () => {
    const place = await makePlace();
    const [id] = place.seed([about('shared work')]);
    const both = [place.open(['-r', id!]), place.open(['-r', id!])];
    await Promise.all(both.map(ready));
    await expect.poll(() => both.filter((tui) => tui.text().includes('Open elsewhere')).length, { timeout: 8000 }).toBe(1);
    const asked = both.find((tui) => tui.text().includes('Open elsewhere'))!;
    const free = both.find((tui) => tui !== asked)!;
    await say(free, 'by the holder');
    expect(roles(place)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });
});
