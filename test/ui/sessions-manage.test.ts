import { describe, expect, it } from 'vitest';
import type { SessionRow } from '../../src/session/types.ts';
import { asciiGlyphs } from '../../src/ui/screen.ts';
import { lineText } from '../../src/ui/compose.ts';
import {
  createSessions,
  createSessionsScreen,
  selectedItem,
  type LiveHolder,
  type SessionsEffect,
} from '../../src/ui/screens/sessions/index.ts';
import { makeRow } from '../support/session-rows.ts';
import { driveScreen, fixedNow as now } from '../support/screen.ts';

/** Marks, and what is done with sessions of the list. */

const minute = 60_000;
const shop = '/home/ann/code/shop';
const rows: SessionRow[] = [
  makeRow({ id: 'p', title: 'pinned plan', cwd: shop, pinned: true, lastActive: now - 9 * minute }),
  makeRow({
    id: 'a2',
    rootId: 'a0',
    ids: ['a0', 'a1', 'a2'],
    segments: 3,
    title: '결제 모듈 리팩터링',
    cwd: shop,
    lastActive: now - minute,
  }),
  makeRow({ id: 'b', title: '👩‍👩‍👧 ｆｕｌｌ幅 deploy', cwd: shop, lastActive: now - 2 * minute }),
  makeRow({ id: 'c', preview: 'Can you look at this?', cwd: '/home/ann/notes', lastActive: now - 3 * minute }),
  makeRow({ id: 'd', title: 'login page', cwd: shop, lastActive: now - 4 * minute, archived: true, class: 'archived' }),
  makeRow({ id: 'e', title: 'weather', cwd: shop, lastActive: now - 5 * minute }),
];
const holder: LiveHolder = { id: 'a2', where: 'tmux %3', pid: 4242, since: now - minute, isOurs: false, isWorking: false };

function open(size = { width: 80, height: 24 }) {
  const screen = createSessionsScreen({ clock: () => 0 });
  const driver = driveScreen(screen, createSessions({ keys: [shop], isRepository: true }), size);
  driver.send({ type: 'shown' });
  driver.send({ type: 'loaded', what: 'rows', token: driver.state().loading.token, rows, isLast: true, now });
  driver.press('tab');
  const work = (): void => {
    while (driver.state().work.isPending) driver.send({ type: 'continue-filter', token: driver.state().work.token });
  };
  work();
  const type = (text: string): void => {
    driver.type(text);
    work();
  };
  /** Rows of the list as drawn, blanks at the end left out. */
  const list = (): string[] =>
    driver
      .lines()
      .slice(4, -2)
      .filter((line) => line !== '');
  return { ...driver, screen, type, work, list };
}

type Driver = ReturnType<typeof open>;
const cursor = ({ state }: Driver): string | undefined => {
  const item = selectedItem(state());
  return item?.kind === 'member' ? item.member.id : item?.entry.row.id;
};
const marks = ({ state }: Driver): string[] => [...state().marks];
const targetsOf = (effects: readonly SessionsEffect[]): string[] =>
  effects.flatMap((effect) => ('targets' in effect ? effect.targets.map((target) => target.id) : []));
const reason = (driver: Driver, id: Parameters<Driver['screen']['disabledReason']>[1]): string | undefined =>
  driver.screen.disabledReason(driver.state(), id);

describe('marks', () => {
  it('are set and taken off by Insert, Ctrl+Space, and Space while the filter is empty; the cursor goes on', () => {
    const picker = open();
    picker.press('insert', 'ctrl+space', 'space');
    expect(marks(picker)).toEqual(['p', 'a0', 'b']);
    expect(cursor(picker)).toBe('c');
    picker.press('up', 'space');
    expect(marks(picker)).toEqual(['p', 'a0']);
  });

  it('leave Space to the filter once something is typed', () => {
    const picker = open();
    picker.type('weather');
    picker.type(' ');
    expect(picker.state().field.lines[0]?.text).toBe('weather ');
    expect(marks(picker)).toEqual([]);
    picker.press('ctrl+space');
    expect(marks(picker)).toEqual(['e']);
  });

  it('are extended and drawn in by Shift and an arrow', () => {
    const picker = open();
    picker.press('shift+down', 'shift+down');
    expect(marks(picker)).toEqual(['p', 'a0', 'b']);
    picker.press('shift+up');
    expect(marks(picker)).toEqual(['p', 'a0']);
    expect(cursor(picker)).toBe('a2');
  });

  it('are counted in the header and drawn in a column of their own', () => {
    const picker = open();
    picker.press('down', 'insert', 'insert');
    expect(picker.lines()[0]).toContain('5 of 5  2 marked');
    expect(picker.list()[1]).toMatch(/^ ✓ {3}결제 모듈 리팩터링/);
    expect(picker.list()[2]).toMatch(/^ ✓ {3}👩‍👩‍👧 ｆｕｌｌ幅 deploy/);
    expect(picker.list()[0]).toMatch(/^ {2}★ {2}pinned plan/);
    const plain = picker.view(asciiGlyphs).lines.map(lineText);
    expect(plain[5]).toMatch(/^ v {3}결제/);
  });

  it.each([
    [40, 12],
    [80, 24],
    [120, 40],
  ])('keep every line inside %i x %i', (width, height) => {
    const picker = open({ width, height });
    picker.press('shift+down', 'shift+down', 'shift+down');
    // `lines` fails where one is wider than the screen.
    expect(picker.lines()).toHaveLength(height);
    expect(picker.lines().at(-1)).toContain('^D delete');
  });

  it('survive filter, scope and refresh, and go with their sessions', () => {
    const picker = open();
    picker.press('insert', 'insert', 'insert', 'insert');
    picker.type('weather');
    picker.press('tab');
    expect(marks(picker)).toEqual(['p', 'a0', 'b', 'c']);
    picker.send({ type: 'rows-changed', rows: [makeRow({ id: 'b', title: 'other', cwd: shop, lastActive: now })], removed: ['c'], now });
    expect(marks(picker)).toEqual(['p', 'a0', 'b']);
    const effects = picker.press('ctrl+d');
    expect(effects).toMatchObject([
      {
        type: 'delete',
        targets: [
          { id: 'p', isInView: false },
          { id: 'b', isInView: false },
          { id: 'a2', isInView: false },
        ],
      },
    ]);
  });

  it('are taken off by Esc before it closes the list', () => {
    const picker = open();
    picker.press('insert');
    expect(picker.press('escape')).toEqual([]);
    expect(marks(picker)).toEqual([]);
    expect(picker.press('escape')).toEqual([{ type: 'close' }]);
  });
});

describe('an action', () => {
  it('is for the row under the cursor, or for all that are marked', () => {
    const picker = open();
    picker.press('down');
    for (const key of ['ctrl+d', 'alt+a', 'alt+e', 'ctrl+t']) expect(targetsOf(picker.press(key)), key).toEqual(['a2']);
    picker.press('home', 'insert', 'end', 'insert');
    for (const key of ['ctrl+d', 'alt+a', 'alt+e', 'ctrl+t']) expect(targetsOf(picker.press(key)), key).toEqual(['p', 'e']);
    expect(picker.press('alt+c')).toEqual([{ type: 'copy', text: 'p\ne' }]);
  });

  it('pins and archives what is not yet, and takes it back where all are', () => {
    const picker = open();
    expect(picker.press('ctrl+t')).toMatchObject([{ isPinned: false }]);
    picker.press('insert', 'insert');
    expect(picker.press('ctrl+t')).toMatchObject([{ isPinned: true }]);
    picker.press('escape', 'alt+h');
    picker.work();
    picker.press('end', 'up');
    expect(cursor(picker)).toBe('d');
    expect(picker.press('alt+a')).toMatchObject([{ type: 'archive', isArchived: false }]);
  });

  it('names the whole lineage, whichever of its segments the cursor stands on', () => {
    const picker = open();
    picker.press('down', 'right');
    picker.send({
      type: 'loaded',
      what: 'lineage',
      rootId: 'a0',
      members: [
        { id: 'a0', kind: 'segment', lastActive: now, messageCount: 3 },
        { id: 'b', kind: 'branch', lastActive: now, messageCount: 3 },
        { id: 'x', kind: 'delegate', lastActive: now, messageCount: 3 },
      ],
    });
    picker.press('down');
    expect(picker.press('ctrl+d')).toMatchObject([{ targets: [{ id: 'a2', ids: ['a0', 'a1', 'a2'] }] }]);
    picker.press('down');
    expect(picker.press('ctrl+d')).toMatchObject([{ targets: [{ id: 'b', ids: ['b'] }] }]);
    picker.press('down');
    // Left out by the list: nothing of it is known.
    expect(picker.press('ctrl+d')).toEqual([]);
    expect(picker.state().notice).toBe(reason(picker, 'picker.delete'));
  });

  it('says why it can not be done', () => {
    const picker = open();
    picker.send({ type: 'live-changed', holders: [holder] });
    picker.press('down');
    expect(picker.press('ctrl+d')).toEqual([]);
    expect(picker.lines()[1]).toContain('it is open in tmux %3 (pid 4242)');
    picker.send({ type: 'live-changed', holders: [{ ...holder, isOurs: true }] });
    expect(reason(picker, 'picker.delete')).toContain('/delete');
    expect(reason(picker, 'picker.undo')).toBe('nothing of the list can be undone');
    expect(picker.press('ctrl+_')).toEqual([]);
    picker.press('insert', 'insert');
    expect(reason(picker, 'picker.rename')).toBe('several are marked; a title is for one');
    expect(targetsOf(picker.press('ctrl+d'))).toEqual(['a2', 'b']);
  });

  it('is undone by Ctrl+_ wherever the caret stands in the filter, and the filter has no undo', () => {
    const picker = open();
    picker.send({ type: 'undoable', what: 'deleted' });
    expect(picker.press('ctrl+_')).toEqual([{ type: 'undo' }]);
    picker.type('weather');
    picker.press('ctrl+a');
    expect(picker.press('ctrl+_')).toEqual([{ type: 'undo' }]);
    expect(picker.lines()[2]).toBe(' ❯ weather');
  });
});

describe('what others change', () => {
  it('leaves the cursor on its row, or at its place where the row is gone', () => {
    const picker = open();
    picker.press('down', 'down');
    expect(cursor(picker)).toBe('b');
    picker.send({ type: 'rows-changed', rows: [makeRow({ id: 'new', title: 'new', cwd: shop, lastActive: now })], removed: [], now });
    expect(cursor(picker)).toBe('b');
    picker.send({ type: 'rows-changed', rows: [], removed: ['b'], now });
    expect(cursor(picker)).toBe('c');
    expect(picker.text()).not.toContain('ｆｕｌｌ幅');
  });

  it('joins two rows where one became the segment of the other, and parts them again', () => {
    const picker = open();
    const joined = makeRow({
      id: 'e',
      rootId: 'b',
      ids: ['b', 'e'],
      segments: 2,
      title: 'weather',
      cwd: shop,
      lastActive: now - 2 * minute,
    });
    picker.send({ type: 'rows-changed', rows: [joined], removed: [], now });
    expect(picker.lines()[0]).toContain('4 of 4');
    const parted = [rows[2]!, rows[5]!];
    picker.send({ type: 'rows-changed', rows: parted, removed: [], now });
    expect(picker.lines()[0]).toContain('5 of 5');
    expect(picker.list().filter((line) => line.includes('weather'))).toHaveLength(1);
  });

  it('reads the members of an unfolded lineage anew', () => {
    const picker = open();
    picker.press('down', 'right');
    picker.send({
      type: 'loaded',
      what: 'lineage',
      rootId: 'a0',
      members: [{ id: 'a0', kind: 'segment', lastActive: now, messageCount: 3 }],
    });
    const effects = picker.send({ type: 'rows-changed', rows: [rows[1]!], removed: [], now });
    expect(effects).toContainEqual({ type: 'load-lineage', rootId: 'a0' });
  });
});

describe('a notice', () => {
  const said = 'Deleted “invoice export in the w…” · in the bin until 2026-12-30 · ^_ undoes';
  const line = (width: number): string => {
    const picker = open({ width, height: 12 });
    picker.press('insert');
    if (width === 80) expect(picker.lines()[1]).toContain('1 archived hidden');
    picker.send({ type: 'notice', text: said });
    return picker.lines()[1]!;
  };

  it('stands whole on 80 columns, before the count of what hides', () => {
    expect(line(80)).toBe(` ${said}`);
  });

  it('keeps its end, which names the key that undoes, where it is cut', () => {
    expect(line(40)).toMatch(/^ Deleted .*…/);
    expect(line(40).endsWith('2026-12-30 · ^_ undoes')).toBe(true);
  });
});

describe('a store that another program holds', () => {
  it.each([80, 40, 20])('is said to be waited for, %i columns wide, and what was done takes its place', (width) => {
    const picker = open({ width, height: 24 });
    const info = (): string => picker.lines()[1]!;
    picker.send({ type: 'notice', text: 'Pinned' });
    picker.send({ type: 'store-waiting', isWaiting: true });
    expect(info()).toMatch(width === 20 ? /^ wait.*store/ : /^ waiting for the store/);
    picker.send({ type: 'store-waiting', isWaiting: false });
    expect(info()).toMatch(/^ Pinned/);
  });

  it('leaves what was said in sight when the rows are read anew without anybody asking', () => {
    const picker = open();
    picker.send({ type: 'notice', text: 'The disk is full.' });
    picker.send({ type: 'reload' });
    expect(picker.lines()[1]).toMatch(/^ The disk is full\./);
    picker.send({ type: 'shown' });
    expect(picker.lines()[1]).not.toContain('The disk');
  });
});
