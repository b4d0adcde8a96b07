import { findLocalServers } from '../../agent/local-servers.ts';
import { listKeyVariables, listModelChoices, modelSettings, type ModelOption } from '../../agent/model-options.ts';
import { applyConfigEdit, proposeModelChange, type ConfigEdit } from '../../config/edit.ts';
import { appText } from '../../text/en/app.ts';
import { tildePath } from '../../text/paths.ts';
import { askModel } from '../../ui/screens/dialog/index.ts';
import { createModels, type ModelRow, type ModelsEffect } from '../../ui/screens/models/index.ts';
import type { Context } from './context.ts';

/** What the chooser lists; the options of local servers come with their answer. */
let options: readonly ModelOption[] = [];
/** The change that was shown with the question, so that exactly that is written. */
let proposed: { option: ModelOption; edit: ConfigEdit } | undefined;

export function openModelChooser(context: Context): void {
  const { loop } = context;
  loop().dispatch({ type: 'open', screen: { name: 'models', state: createModels() } });
  loop().dispatch({ type: 'to', name: 'models', action: { type: 'shown' } });
}

export function runModelsEffect(context: Context, effect: ModelsEffect): void {
  const { loop, run } = context;
  switch (effect.type) {
    case 'load-models': {
      options = listModelChoices(run.loaded().config, run.modelEnvironment());
      loop().dispatch({
        type: 'to',
        name: 'models',
        action: { type: 'loaded', what: 'models', rows: options.map((option) => rowOf(context, option)), variables: listKeyVariables() },
      });
      return;
    }
    case 'find-servers':
      context.track(findServers(context, effect.token));
      return;
    case 'choose':
      context.track(proposeModel(context, effect.name));
      return;
    case 'choose-by-name':
      loop().dispatch({ type: 'close', name: 'models' });
      context.track(takeModel(context, effect.name));
      return;
    case 'close':
      loop().dispatch({ type: 'close', name: 'models' });
      return;
    case 'run':
      loop().dispatch({ type: 'close', name: 'models' });
      loop().dispatch({ type: 'run', id: effect.id });
      return;
  }
}

function rowOf(context: Context, option: ModelOption): ModelRow {
  const chat = context.desk.current();
  return {
    name: option.name,
    kind: option.kind,
    provider: option.provider,
    ...(option.model === undefined ? {} : { model: option.model }),
    ...(option.keyFrom === undefined ? {} : { keyFrom: option.keyFrom }),
    isCurrent: option.model !== undefined && option.model === chat.seat.modelName(),
    ...(option.choice === undefined ? { missing: option.enable } : {}),
  };
}

async function findServers(context: Context, token: number): Promise<void> {
  const { run } = context;
  const servers = await findLocalServers();
  options = listModelChoices(run.loaded().config, run.modelEnvironment(), servers);
  const rows = options.filter((option) => option.kind === 'local').map((option) => rowOf(context, option));
  context.loop().dispatch({ type: 'to', name: 'models', action: { type: 'loaded', what: 'servers', token, rows } });
}

/** Shows the lines that would be written, and asks: for this session, or as the default. */
async function proposeModel(context: Context, name: string): Promise<void> {
  const option = options.find((each) => each.name === name);
  if (option?.choice === undefined) return;
  const { configPath } = context.run.loaded();
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
      configPath: tildePath(configPath, context.run.userHome),
      lines: edit.lines.map((line) => `${line.kind} ${line.text}`),
    }),
  );
}

/** The answer to that question. */
export async function answerModel(context: Context, choice: string): Promise<void> {
  const taken = proposed;
  proposed = undefined;
  if (taken?.option.choice === undefined || choice === 'cancel') return;
  const { desk, run, loop } = context;
  if (choice === 'default') {
    applyConfigEdit(taken.edit);
    await run.reload();
  }
  const { model, provider, baseUrl } = taken.option.choice;
  const chat = desk.current();
  await chat.seat.useModel({ model, provider, ...(baseUrl === undefined ? {} : { baseUrl }) });
  loop().dispatch({ type: 'close', name: 'models' });
  tellModel(context);
  if (choice === 'default') context.flash(appText.modelDefault(model, tildePath(taken.edit.path, run.userHome)));
}

/** `/model NAME`: for this session; `/model NAME --save` asks with the lines to be written. */
export async function takeModel(context: Context, args: string): Promise<void> {
  const name = args.replace(/(^|\s)--save(\s|$)/, ' ').trim();
  const chat = context.desk.current();
  if (/(^|\s)--save(\s|$)/.test(args)) {
    const { run } = context;
    const choice = await chat.seat.useModel(name);
    tellModel(context);
    options = [
      { kind: 'configured', name, model: choice.model, provider: choice.provider, choice, enable: '' },
      ...listModelChoices(run.loaded().config, run.modelEnvironment()),
    ];
    return proposeModel(context, name);
  }
  await chat.seat.useModel(name);
  tellModel(context);
}

function tellModel(context: Context): void {
  const { desk } = context;
  const chat = desk.current();
  const choice = chat.seat.model();
  desk.tell(chat, { type: 'session', session: { model: choice.model } });
  if (choice.contextLength !== undefined) desk.tell(chat, { type: 'context-limit', limit: choice.contextLength });
  context.flash(appText.model(choice.model, choice.provider));
}
