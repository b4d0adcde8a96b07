import { menuText } from '../../../text/en/menu.ts';
import type { KeyOverrides } from '../../keymap.ts';
import type { InputAction, ScreenDefinition } from '../../screen.ts';
import { createMenu, menuDisabledReason, menuScopes, updateMenu, type MenuAction, type MenuEffect, type MenuState } from './model.ts';
import { menuRows, type RowSource } from './rows.ts';
import { viewMenu } from './view.ts';

export type { MenuAction, MenuEffect, MenuState } from './model.ts';
export type { CommandRow, RowSource } from './rows.ts';

export type MenuScreen = ScreenDefinition<MenuState, MenuAction | InputAction, MenuEffect>;

/** The help of the screen below, as a menu: every action with its key, those that can't run now with the reason. */
export const openMenu = (source: RowSource): MenuState => createMenu(menuText.title, menuRows(source));

/** The F1 menu; the palette is the same screen over other rows. */
export function createMenuScreen(options: { name?: string; overrides?: KeyOverrides } = {}): MenuScreen {
  return {
    name: options.name ?? 'menu',
    scopes: menuScopes,
    update: updateMenu,
    view: (state, context) => viewMenu(state, context, options.overrides),
    disabledReason: menuDisabledReason,
  };
}
