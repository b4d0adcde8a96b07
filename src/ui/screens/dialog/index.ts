import type { KeyOverrides } from '../../keymap.ts';
import type { InputAction, ScreenDefinition } from '../../screen.ts';
import { dialogScopes, updateDialog } from './model.ts';
import type { DialogAction, DialogEffect, DialogState } from './types.ts';
import { viewDialog } from './view.ts';

export { dialogWidth } from './layout.ts';
export { createDialog } from './model.ts';
export type { Choice, DialogAction, DialogEffect, DialogState, Question } from './types.ts';
export * from './questions.ts';

export type DialogScreen = ScreenDefinition<DialogState, DialogAction | InputAction, DialogEffect>;

/** A question with answers. Mouse cells are relative to its box; `resize` tells the size of the whole screen. */
export const createDialogScreen = (options: { overrides?: KeyOverrides } = {}): DialogScreen => ({
  name: 'dialog',
  scopes: dialogScopes,
  update: updateDialog,
  view: (state, context) => viewDialog(state, context, options.overrides),
  disabledReason: () => undefined,
});
