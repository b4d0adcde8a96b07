import type { InputAction, ScreenDefinition } from '../../screen.ts';
import type { KeyOverrides } from '../../keymap.ts';
import { chatDisabledReason, chatScopes, updateChat } from './model.ts';
import type { ChatAction, ChatEffect, ChatState } from './state.ts';
import { viewChat } from './view.ts';

export { createLook } from './looking.ts';
export { createChat, type ChatStart } from './model.ts';
export { chatWakeAt } from './state.ts';
export { composerText } from './composer.ts';
export type * from './state.ts';

/** The conversation. `now` is the clock, milliseconds since the epoch. */
export function createChatScreen(options: {
  now: () => number;
  overrides?: KeyOverrides;
}): ScreenDefinition<ChatState, ChatAction | InputAction, ChatEffect> {
  return {
    name: 'chat',
    scopes: chatScopes,
    update: (state, action) => updateChat(state, action, options.now),
    view: (state, context) => viewChat(state, context, options.overrides),
    disabledReason: chatDisabledReason,
  };
}
