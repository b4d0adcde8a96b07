import { describe, expect, it } from 'vitest';
import { commands, type CommandId, type CommandSpec } from '../../src/commands/table.ts';
import { createPaletteScreen, openPalette } from '../../src/ui/screens/palette/index.ts';
import { matchRows } from '../../src/ui/screens/menu/match.ts';
import { driveScreen } from '../support/screen.ts';

const specs = commands as readonly (CommandSpec & { id: CommandId })[];

function open(size = { width: 80, height: 24 }, disabledReason: (id: CommandId) => string | undefined = () => undefined) {
  return driveScreen(createPaletteScreen(), openPalette({ scopes: ['chat', 'field', 'global'], disabledReason }), size);
}

describe('the command palette', () => {
  it('looks like this at 80x24', () => {
    const palette = open();
    expect(palette.lines().slice(0, 8)).toEqual([
      expect.stringMatching(/^▌Commands {3}\d+ actions$/),
      ' Start a new conversation, with a title if one is given',
      ' ❯',
      '─'.repeat(80),
      '▌ New conversation      /new        Start a new conversation, with a title if…',
      '  Title                 /title      Show the title, or set it',
      '  Status                /status     Show session, model, directory, times and…',
      '  Directory             /directory  Choose the directory this conversation wor…',
    ]);
  });

  it('holds every command of the table that has a name, and the key it has here', () => {
    const palette = open();
    expect(palette.state().rows.map(({ id }) => id)).toEqual(
      specs.filter(({ surfaces }) => surfaces.includes('palette')).map(({ id }) => id),
    );
    expect(palette.state().rows.find(({ id }) => id === 'app.sessions')?.keys).toEqual(['^X']);
  });

  it('runs what is found, after it has closed', () => {
    const palette = open();
    palette.type('theme');
    expect(palette.press('enter')).toEqual([{ type: 'close' }, { type: 'run', id: 'app.theme' }]);
  });

  it('takes a slash name too', () => {
    const palette = open();
    palette.type('/hist');
    expect(palette.state().list.selected).toBe('session.history');
  });

  it('keeps what can not run now in the list, and says why', () => {
    const palette = open({ width: 40, height: 12 }, (id) => (id === 'message.copy' ? 'there is no answer yet' : undefined));
    palette.type('copy');
    expect(palette.press('enter')).toEqual([]);
    expect(palette.lines()[1]).toBe(' not now: there is no answer yet');
  });

  it('ranks a name that begins so above one that holds it, whole words above scattered letters', () => {
    const { rows } = open().state();
    expect(matchRows(rows, 'mo').slice(0, 2).sort()).toEqual(['app.mouse', 'model.choose']);
    const found = matchRows(rows, 'red');
    expect(found[0]).toBe('app.redraw');
    expect(matchRows(rows, 'rdrw')).toEqual(['app.redraw']);
  });

  it('lets the screen be drawn again and be suspended without closing', () => {
    expect(open().press('ctrl+l')).toEqual([{ type: 'run', id: 'app.redraw' }]);
    expect(open().press('ctrl+x')).toEqual([{ type: 'close' }, { type: 'run', id: 'app.sessions' }]);
  });
});
