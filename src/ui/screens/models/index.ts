import type { KeyOverrides } from '../../keymap.ts';
import type { InputAction, ScreenDefinition } from '../../screen.ts';
import { modelScopes, modelsDisabledReason, updateModels, type ModelsAction, type ModelsEffect, type ModelsState } from './model.ts';
import { viewModels } from './view.ts';

export { createModels } from './model.ts';
export type { ModelRow, ModelsAction, ModelsEffect, ModelsState } from './model.ts';

export type ModelsScreen = ScreenDefinition<ModelsState, ModelsAction | InputAction, ModelsEffect>;

/** Chooses the model that answers. */
export function createModelsScreen(options: { overrides?: KeyOverrides } = {}): ModelsScreen {
  return {
    name: 'models',
    scopes: modelScopes,
    update: updateModels,
    view: (state, context) => viewModels(state, context, options.overrides),
    disabledReason: modelsDisabledReason,
  };
}
