import type { KeyOverrides } from '../../keymap.ts';
import type { InputAction, ScreenDefinition } from '../../screen.ts';
import { searchDisabledReason, searchScopes, updateSearch } from './model.ts';
import type { SearchAction, SearchEffect, SearchState } from './types.ts';
import { viewSearch } from './view.ts';

export { createSearch } from './model.ts';
export type * from './types.ts';

export type SearchScreen = ScreenDefinition<SearchState, SearchAction | InputAction, SearchEffect>;

/** The search over everything that was said. `now` is the clock, milliseconds since the epoch. */
export function createSearchScreen(options: { now: () => number; overrides?: KeyOverrides }): SearchScreen {
  return {
    name: 'search',
    scopes: searchScopes,
    update: (state, action) => updateSearch(state, action, options.now),
    view: (state, context) => viewSearch(state, context, options.overrides),
    disabledReason: searchDisabledReason,
  };
}
