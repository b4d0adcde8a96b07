import path from 'node:path';
import { findLocalServers } from '../../agent/local-servers.ts';
import { listKeyVariables, listModelChoices, modelSettings, type ModelOption } from '../../agent/model-options.ts';
import { applyConfigEdit, proposeModelChange, type ConfigEdit } from '../../config/edit.ts';
import { appText } from '../../text/en/app.ts';
import { tildePath } from '../../text/paths.ts';
import { askModel } from '../../ui/screens/dialog/index.ts';
import { createModels, type ModelRow, type ModelsAction, type ModelsEffect } from '../../ui/screens/models/index.ts';
import type { Context, ModelChooser } from './context.ts';

const save = /(^|\s)--save(\s|$)/;

/** Carries out what the model chooser asks for; one for each run. */
export function createModelEffects(context: Context): ModelChooser & { run(effect: ModelsEffect): void } {
  const { loop, run } = context;
  /** What the chooser lists; the options of local servers come with their answer. */
  let options: readonly ModelOption[] = [];
  /** The change that was shown with the question, so that exactly that is written. */
  let proposed: { option: ModelOption; edit: ConfigEdit } | undefined;

  const tell = (action: ModelsAction): void => loop().dispatch({ type: 'to', name: 'models', action });
  const close = (): void => loop().dispatch({ type: 'close', name: 'models' });
  const rowsOf = (listed: readonly ModelOption[]): ModelRow[] => {
    const current = context.desk.current().seat.modelName();
    return listed.map((option) => rowOf(option, current));
  };

  async function findServers(token: number): Promise<void> {
    const servers = await findLocalServers();
    options = listModelChoices(run.loaded().config, run.modelEnvironment(), servers);
    tell({ type: 'loaded', what: 'servers', token, rows: rowsOf(options.filter((option) => option.kind === 'local')) });
  }

  /** Shows the lines that would be written, and asks: for this session, or as the default. */
  async function propose(name: string): Promise<void> {
    const option = options.find((each) => each.name === name);
    if (option?.choice === undefined) return;
    const { configPath } = run.loaded();
    const settings = modelSettings(option.choice);
    const edit = await proposeModelChange(configPath, {
      model: settings['default'] ?? option.choice.model,
      provider: settings['provider'] ?? option.choice.provider,
      baseUrl: settings['base_url'] ?? null,
    });
    proposed = { option, edit };
    context.ask(
      askModel({
        name,
        model: option.choice.model,
        configPath: tildePath(configPath, run.userHome),
        lines: edit.lines.map((line) => `${line.kind} ${line.text}`),
        hasDefault: context.run.loaded().config.model.model !== undefined,
      }),
    );
  }

  async function take(args: string): Promise<void> {
    const name = args.replace(save, ' ').trim();
    const choice = await context.desk.current().seat.useModel(name);
    tellModel(context);
    if (!save.test(args)) return;
    options = [
      { kind: 'configured', name, model: choice.model, provider: choice.provider, choice, enable: '' },
      ...listModelChoices(run.loaded().config, run.modelEnvironment()),
    ];
    await propose(name);
  }

  return {
    open() {
      loop().dispatch({ type: 'open', screen: { name: 'models', state: createModels() } });
      tell({ type: 'shown' });
    },
    take,
    async answer(choice) {
      const taken = proposed;
      proposed = undefined;
      if (taken?.option.choice === undefined || choice === 'cancel') return;
      if (choice === 'default') {
        applyConfigEdit(taken.edit);
        await run.reload();
      }
      const { model, provider, baseUrl } = taken.option.choice;
      await context.desk.current().seat.useModel({ model, provider, ...(baseUrl === undefined ? {} : { baseUrl }) });
      close();
      tellModel(context);
      if (choice === 'default') context.flash(appText.modelDefault(model, tildePath(taken.edit.path, run.userHome)));
    },
    run(effect) {
      switch (effect.type) {
        case 'load-models':
          options = listModelChoices(run.loaded().config, run.modelEnvironment());
          return tell({
            type: 'loaded',
            what: 'models',
            rows: rowsOf(options),
            variables: listKeyVariables(),
            envPath: tildePath(path.join(run.home.path, '.env'), run.userHome),
          });
        case 'find-servers':
          return context.track(findServers(effect.token));
        case 'choose':
          return context.track(propose(effect.name));
        case 'choose-by-name':
          close();
          return context.track(take(effect.name));
        case 'close':
          return close();
        case 'run':
          close();
          return loop().dispatch({ type: 'run', id: effect.id });
      }
    },
  };
}

function rowOf(option: ModelOption, current: string | undefined): ModelRow {
  return {
    name: option.name,
    kind: option.kind,
    provider: option.provider,
    ...(option.model === undefined ? {} : { model: option.model }),
    ...(option.keyFrom === undefined ? {} : { keyFrom: option.keyFrom }),
    isCurrent: option.model !== undefined && option.model === current,
    ...(option.choice === undefined ? { missing: option.enable } : {}),
  };
}

/** Which model answers from now on, and how much it holds. */
function tellModel(context: Context): void {
  const { desk } = context;
  const chat = desk.current();
  const choice = chat.seat.model();
  desk.tell(chat, { type: 'session', session: { model: choice.model } });
  if (choice.contextLength !== undefined) desk.tell(chat, { type: 'context-limit', limit: choice.contextLength });
  context.flash(appText.model(choice.model, choice.provider));
}
