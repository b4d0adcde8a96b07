import type { KeyOverrides } from '../../keymap.ts';
import type { InputAction, ScreenDefinition } from '../../screen.ts';
import {
  insightsDisabledReason,
  insightsScopes,
  updateInsights,
  type InsightsAction,
  type InsightsEffect,
  type InsightsState,
} from './model.ts';
import { viewInsights } from './view.ts';

export { createInsights } from './model.ts';
export type { InsightsAction, InsightsEffect, InsightsState } from './model.ts';

export type InsightsScreen = ScreenDefinition<InsightsState, InsightsAction | InputAction, InsightsEffect>;

/** Tokens, cost, tools and habits of the last days. */
export function createInsightsScreen(options: { overrides?: KeyOverrides } = {}): InsightsScreen {
  return {
    name: 'insights',
    scopes: insightsScopes,
    update: updateInsights,
    view: (state, context) => viewInsights(state, context, options.overrides),
    disabledReason: insightsDisabledReason,
  };
}
