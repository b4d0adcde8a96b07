import { paletteText } from '../../../text/en/palette.ts';
import type { KeyOverrides } from '../../keymap.ts';
import { createMenuScreen, type MenuScreen, type MenuState } from '../menu/index.ts';
import { createMenu } from '../menu/model.ts';
import { paletteRows, type RowSource } from '../menu/rows.ts';

/** The command palette: every command of the table that has a name, found by typing. */
export const openPalette = (source: RowSource): MenuState => createMenu(paletteText.title, paletteRows(source));

export const createPaletteScreen = (options: { overrides?: KeyOverrides } = {}): MenuScreen =>
  createMenuScreen({ ...options, name: 'palette' });
