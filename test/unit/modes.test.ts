import { expect, test } from 'vitest';
import { enterSequence, leaveSequence, mouseOff, mouseOn } from '../../src/terminal/modes.ts';
import { createEmulator } from '../support/emulator.ts';

const off = {
  alternateScreen: false,
  cursorVisible: true,
  bracketedPaste: false,
  mouse: 'none',
  mouseSgr: false,
  focus: false,
  synchronized: false,
  modifyOtherKeys: 0,
  kittyDepth: 0,
};

test.each([
  { mouse: true, kittyKeys: true },
  { mouse: true, kittyKeys: false },
  { mouse: false, kittyKeys: true },
  { mouse: false, kittyKeys: false },
])('every mode that is turned on is turned off again: %o', async (modes) => {
  const emulator = createEmulator({ cols: 20, rows: 4, kitty: true });
  await emulator.write('shell$ ls\r\nfile');
  await emulator.write(enterSequence(modes));
  expect(emulator.modes()).toEqual({
    ...off,
    alternateScreen: true,
    cursorVisible: false,
    bracketedPaste: true,
    focus: true,
    modifyOtherKeys: 1,
    mouse: modes.mouse ? 'drag' : 'none',
    mouseSgr: modes.mouse,
    kittyDepth: modes.kittyKeys ? 1 : 0,
  });
  await emulator.write('\x1b[?2026h\x1b[1;31mhalf a frame');
  await emulator.write(leaveSequence(modes));
  expect(emulator.modes()).toEqual(off);
  expect(emulator.lines().slice(0, 2)).toEqual(['shell$ ls', 'file']);
  expect(emulator.cursor()).toEqual({ x: 4, y: 1 });
  emulator.dispose();
});

test('the mouse is given back and taken again alone', async () => {
  const emulator = createEmulator({ cols: 20, rows: 4 });
  await emulator.write(enterSequence({ mouse: true, kittyKeys: false }) + mouseOff);
  expect(emulator.modes()).toMatchObject({ mouse: 'none', mouseSgr: false, bracketedPaste: true });
  await emulator.write(mouseOn);
  expect(emulator.modes()).toMatchObject({ mouse: 'drag', mouseSgr: true });
  emulator.dispose();
});
