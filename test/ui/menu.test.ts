import { describe, expect, it } from 'vitest';
import { commands, type CommandId, type CommandSpec } from '../../src/commands/table.ts';
import { createMenuScreen, openMenu, type MenuState } from '../../src/ui/screens/menu/index.ts';
import { createSessions, createSessionsScreen, type SessionsEffect } from '../../src/ui/screens/sessions/index.ts';
import { driveScreen, fixedNow as now } from '../support/screen.ts';
import { makeRow, makeRows } from '../support/session-rows.ts';

const specs = commands as readonly (CommandSpec & { id: CommandId })[];
const workspace = { keys: ['/home/ann/code/p1'], isRepository: true };

function openPicker() {
  const screen = createSessionsScreen({ clock: () => 0 });
  const picker = driveScreen(screen, createSessions(workspace), { width: 80, height: 24 });
  picker.send({ type: 'shown' });
  const rows = [...makeRows(30, now), makeRow({ id: 'cron', class: 'machine', lastActive: 1 })];
  picker.send({ type: 'loaded', what: 'rows', token: 1, rows, isLast: true, now });
  picker.send({ type: 'command', id: 'list.scope' });
  return { ...picker, screen };
}

/** The menu over a picker with thirty sessions. */
function openOverPicker(size = { width: 80, height: 24 }) {
  const picker = openPicker();
  const source = {
    scopes: picker.screen.scopes(picker.state()),
    disabledReason: (id: CommandId) => picker.screen.disabledReason(picker.state(), id),
  };
  return { picker, ...driveScreen(createMenuScreen(), openMenu(source), size) };
}

const idsOf = (state: MenuState): readonly CommandId[] => state.rows.map(({ id }) => id);

describe('the F1 menu of the picker', () => {
  it('looks like this at 80x24', () => {
    const menu = openOverPicker();
    expect(menu.lines().slice(0, 12)).toEqual([
      expect.stringMatching(/^▌Help {3}\d+ actions$/),
      ' Rename the session under the cursor',
      ' ❯',
      '─'.repeat(80),
      '  Sessions              ^X          not now: this is the list',
      '▌ Rename                ^R          Rename the session under the cursor',
      '  Pin                   ^T          Pin the session, or take the pin away; pin…',
      '  Archive               M-a         Archive the session, or bring it back out…',
      '  Delete                ^D          Move the session, or the marked ones, to t…',
      '  Export                M-e         Write the session, or the marked ones, to…',
      '  Mark                  Ins Ctrl+S… Mark the session, or take its mark off; ac…',
      '  Mark upwards          Shift+↑     Extend the marks by the row above',
    ]);
    expect(menu.lines().at(-1)).toMatch(/^ Enter run {2}↑ up {2}↓ down +Esc back$/);
  });

  it('looks like this at 40x12, with the sentence of the selected row under the header', () => {
    const menu = openOverPicker({ width: 40, height: 12 });
    expect(menu.lines()).toEqual([
      expect.stringMatching(/^▌Help {3}\d+ actions$/),
      ' Rename the session under the cursor',
      ' ❯',
      '─'.repeat(40),
      '  Sessions               ^X',
      '▌ Rename                 ^R',
      '  Pin                    ^T',
      '  Archive                M-a',
      '  Delete                 ^D',
      '  Export                 M-e',
      '─'.repeat(40),
      ' Enter run  ↑ up  ↓ down       Esc back',
    ]);
  });

  it('lists every action of its scopes', () => {
    const menu = openOverPicker();
    const scopes = ['picker', 'list', 'field', 'global'] as const;
    const wanted = specs
      .filter((spec) => spec.id !== 'app.help' && scopes.some((scope) => spec.keys?.[scope] !== undefined))
      .map(({ id }) => id);
    expect([...idsOf(menu.state())].sort()).toEqual([...wanted].sort());
  });

  it('leaves nothing of other screens in', () => {
    const ids = idsOf(openOverPicker().state());
    for (const id of ['message.send', 'reading.copy', 'dialog.left', 'transcript.top', 'app.leave'] as const) expect(ids).not.toContain(id);
  });

  it('shows a command whose key another one takes here, without that key', () => {
    const row = openOverPicker()
      .state()
      .rows.find(({ id }) => id === 'app.palette');
    expect(row?.keys).toEqual([]);
  });

  it('shows what can not run now, with the reason, and does not run it', () => {
    const menu = openOverPicker();
    menu.type('fold');
    expect(menu.state().list.selected).toBe('picker.fold');
    expect(menu.press('enter')).toEqual([]);
    expect(menu.lines()[1]).toBe(' not now: nothing is unfolded here');
  });

  it('reaches every action by arrows and Enter alone, at 80x24 and at 40x12', () => {
    for (const size of [
      { width: 80, height: 24 },
      { width: 40, height: 12 },
    ]) {
      const reached = new Set<CommandId>();
      const count = openOverPicker(size).state().rows.length;
      const menu = openOverPicker(size);
      menu.press('home');
      for (let row = 0; row < count; row++) {
        const selected = menu.state().rows.find(({ id }) => id === menu.state().list.selected)!;
        expect(menu.text()).toContain(selected.name.slice(0, 10));
        const effects = menu.press('enter');
        if (selected.reason === undefined) expect(effects).toEqual([{ type: 'close' }, { type: 'run', id: selected.id }]);
        reached.add(selected.id);
        menu.press('down');
      }
      expect(reached.size).toBe(count);
    }
  });

  it('does in the picker what the key does', () => {
    const effectOf: Partial<Record<CommandId, SessionsEffect['type']>> = {
      'list.take': 'resume',
      'picker.rename': 'rename',
      'picker.pin': 'pin',
      'picker.copy-id': 'copy',
      'picker.unfold': 'load-lineage',
      'app.back': 'close',
    };
    for (const [id, type] of Object.entries(effectOf)) {
      const { picker } = openOverPicker();
      expect(
        picker.send({ type: 'command', id: id as CommandId }).map((effect) => effect.type),
        id,
      ).toEqual([type]);
    }
    const { picker } = openOverPicker();
    picker.send({ type: 'command', id: 'picker.hidden' });
    expect(picker.state().revealed).toBe('machine');
  });
});

describe('typing in the menu', () => {
  it('finds an action by its name, its sentence or its key', () => {
    const menu = openOverPicker();
    menu.type('pin');
    expect(menu.state().list.selected).toBe('picker.pin');
    menu.press('ctrl+u');
    menu.type('machine-made');
    expect(menu.state().list.selected).toBe('picker.hidden');
    menu.press('ctrl+u');
    menu.type('m-c');
    expect(menu.state().list.selected).toBe('picker.copy-id');
  });

  it('says so when nothing is called like that', () => {
    const menu = openOverPicker();
    menu.type('qqqq');
    expect(menu.lines().slice(4, 7)).toEqual(['', '    No action is called qqqq', '    ^U clears the words']);
    expect(menu.press('enter')).toEqual([]);
  });

  it('closes with Esc, Ctrl+C and F1', () => {
    for (const key of ['escape', 'ctrl+c', 'f1']) expect(openOverPicker().press(key)).toEqual([{ type: 'close' }]);
  });
});

describe('keys that were changed', () => {
  it('stand in the menu as they are now', () => {
    const { picker } = openOverPicker();
    const overrides = { 'picker.pin': 'f5' };
    const state = openMenu({ scopes: picker.screen.scopes(picker.state()), disabledReason: () => undefined, overrides });
    expect(state.rows.find(({ id }) => id === 'picker.pin')?.keys).toEqual(['F5']);
  });

  it('are written without arrows where the terminal has none', () => {
    const { picker } = openOverPicker();
    const state = openMenu({ scopes: picker.screen.scopes(picker.state()), disabledReason: () => undefined, plain: true });
    expect(state.rows.find(({ id }) => id === 'picker.unfold')?.keys).toEqual(['Right']);
  });
});

describe('the mouse in the menu', () => {
  const press = (y: number) =>
    ({ type: 'mouse', event: { type: 'mouse', action: 'press', button: 'left', x: 4, y, shift: false, alt: false, ctrl: false } }) as const;

  it('selects, then runs', () => {
    const menu = openOverPicker();
    expect(menu.send(press(5))).toEqual([]);
    expect(menu.send(press(5))).toEqual([{ type: 'close' }, { type: 'run', id: 'picker.rename' }]);
  });
});
