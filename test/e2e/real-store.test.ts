import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { makeMachine, startHermes, type Machine } from '../support/hermes.ts';
import { leaveWhenIdle } from '../support/leave.ts';
import { rawRecap, rawSegments } from '../support/raw-recap.ts';
import { copyRealStore, hasRealStores, type RealStore } from '../support/real-stores.ts';
import type { Tui } from '../support/tui.ts';

/** A machine whose store was written by Hermes Agent. */
async function machineWith(name: RealStore): Promise<Machine> {
  const machine = await makeMachine({ isFresh: true });
  copyRealStore(name, machine.home);
  return machine;
}

/** Screen text without the frame of the panel, line breaks and blanks made one blank: what a person reads. */
const readable = (text: string): string => text.replace(/[│╭╮╰╯─]/g, ' ').replace(/\s+/g, ' ');
/** The same without any blank: lines break inside of Korean words. */
const letters = (text: string): string => readable(text).replace(/\s/g, '');

function lastRows(machine: Machine, id: string): { role: string; content: string; finish_reason: string | null }[] {
  const db = new Database(join(machine.home, 'state.db'), { readonly: true });
  try {
    return db
      .prepare('SELECT role, content, finish_reason FROM messages WHERE session_id = ? ORDER BY id DESC LIMIT 2')
      .all(id)
      .reverse() as never;
  } finally {
    db.close();
  }
}

async function isAnswered(tui: Tui): Promise<void> {
  await tui.until((t) => letters(t.text()).includes('◆답변입니다.done'), 'the answer');
  await tui.until((t) => t.text().includes('❯ Say something'), 'an empty line');
}

const question = '계속해 주세요, one more 👩‍👩‍👧';

describe.skipIf(!hasRealStores)('a store of Hermes Agent in the real program', () => {
  test.each<[what: string, store: RealStore, named: string, id: string, isReachable: boolean]>([
    ['by title, compressed twice', 'hermes-v31-40.db', 'Long refactor', '20260922_033205_cb08e8', false],
    ['by id, with a picture and tools', 'hermes-v31-40.db', '20260922_012520_7baa68', '20260922_012520_7baa68', false],
    ['by a unique beginning, compressed in place', 'hermes-v31-40.db', '20260922_0225', '20260922_022535_471887', false],
    ['of an older layout', 'hermes-v17-10.db', '', '', true],
  ])(
    'resumed %s: recap, next message, rows',
    async (_, store, named, wanted, isReachable) => {
      const machine = await machineWith(store);
      const oldest = String(machine.ask('SELECT id FROM sessions ORDER BY started_at LIMIT 1'));
      const db = new Database(join(machine.home, 'state.db'), { readonly: true });
      const id = wanted !== '' ? wanted : (rawSegments(db, oldest).at(-1) ?? oldest);
      const expected = rawRecap(db, id);
      db.close();
      const title = machine.ask('SELECT title FROM sessions WHERE id = ?', id);
      const before = machine.messages().length;
      // Not `ok` where an older SQLite indexed a text with a NUL (docs/session-store.md).
      const integrity = machine.ask('PRAGMA integrity_check');

      const tui = await startHermes(machine, { args: ['-r', named === '' ? oldest : named], cols: 120, rows: 60 });
      await tui.until((t) => t.text().includes('/directory .'), 'the notice about the directory');
      expect(tui.text()).not.toContain('Open elsewhere');
      const screen = tui.text();
      expect(screen).toContain('Previous conversation');
      expect(readable(screen)).toContain(`${expected.total} messages`);
      if (typeof title === 'string') expect(tui.lines()[0]).toContain(title);
      // As many of the newest entries as the panel has room for, and the count of the others.
      let shown = 0;
      for (const entry of expected.entries.toReversed()) {
        if (!letters(screen).includes(letters(entry.text))) break;
        shown += 1;
      }
      expect(shown, screen).toBeGreaterThanOrEqual(Math.min(10, expected.entries.length));
      const earlier = expected.total - shown;
      if (earlier > 0) expect(readable(screen)).toContain(`... ${earlier} earlier message`);
      else expect(readable(screen)).not.toContain('earlier message');
      for (const entry of expected.entries.slice(-shown)) {
        if (entry.tools !== undefined) expect(letters(screen)).toContain(letters(`[${entry.tools.count} tool call`));
      }
      expect(machine.messages().length).toBe(before);

      // The provider it was made with is not set up here: said, the draft kept, nothing stored, no other model taken silently.
      machine.model.script('답변입니다. **done**');
      tui.paste(question);
      tui.press('enter');
      if (isReachable) {
        await isAnswered(tui);
      } else {
        await tui.until((t) => t.text().includes('This session was made with'), 'the missing provider');
        expect(tui.text()).toContain('❯ 계속해 주세요, one more');
        expect(machine.messages().length).toBe(before);
        tui.press('ctrl+u');
        tui.write('/model scripted');
        await tui.until((t) => t.text().includes('/model scripted'), 'the command');
        tui.press('enter');
        await tui.until((t) => !t.text().includes('❯ /model'), 'the command to run');
        tui.press('ctrl+y');
        await tui.until((t) => t.text().includes('❯ 계속해 주세요, one more'), 'the draft');
        tui.press('enter');
        await isAnswered(tui);
      }
      expect((await leaveWhenIdle(tui)).code).toBe(0);
      expect(lastRows(machine, id)).toEqual([
        { role: 'user', content: question, finish_reason: null },
        { role: 'assistant', content: '답변입니다. **done**', finish_reason: 'stop' },
      ]);
      expect(machine.messages().length).toBe(before + 2);
      expect(machine.ask('SELECT end_reason FROM sessions WHERE id = ?', id)).toBe('tui_close');
      expect(machine.ask('SELECT title FROM sessions WHERE id = ?', id)).toBe(title);
      expect(machine.ask('PRAGMA integrity_check')).toBe(integrity);
    },
    60_000,
  );
});
