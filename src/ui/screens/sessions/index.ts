import type { KeyOverrides } from '../../keymap.ts';
import type { InputAction, ScreenDefinition } from '../../screen.ts';
import { scopesOf, updateSessions } from './model.ts';
import { disabledReason } from './disabled.ts';
import type { Clock } from './settle.ts';
import type { SessionsAction, SessionsEffect, SessionsState } from './types.ts';
import { viewSessions } from './view.ts';

export { loadFuzzyMatch } from './fuzzy.ts';
export type { FuzzyMatch } from './fuzzy.ts';
export { createSessions } from './model.ts';
export { selectedItem } from './selected.ts';
export type { Clock } from './settle.ts';
export type * from './types.ts';

export type SessionsScreen = ScreenDefinition<SessionsState, SessionsAction | InputAction, SessionsEffect>;

/** The session picker. `clock` is a monotonic clock in milliseconds: filtering is cut into slices by it. */
export function createSessionsScreen(options: { clock: Clock; overrides?: KeyOverrides }): SessionsScreen {
  return {
    name: 'sessions',
    scopes: scopesOf,
    update: (state, action) => updateSessions(state, action, options.clock),
    view: (state, context) => viewSessions(state, context, options.overrides),
    disabledReason,
  };
}
