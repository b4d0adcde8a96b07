import { findLocalServers } from '../../agent/local-servers.ts';
import { listKeyVariables, listModelChoices, modelSettings, type ModelOption } from '../../agent/model-options.ts';
import type { ModelChoice } from '../../agent/events.ts';
import { applyConfigEdit, proposeModelChange } from '../../config/edit.ts';
import { appText } from '../../text/en/app.ts';
import { lineText } from '../../text/en/line.ts';
import { modelsText } from '../../text/en/models.ts';
import { tildePath } from '../../text/paths.ts';
import { askModel } from '../../ui/screens/dialog/index.ts';
import type { LineContext } from './context.ts';

/** `/model`: the list, by numbers; `/model NAME` takes one for this session, `--save` asks to make it the default. */
export async function chooseModel(context: LineContext, args: string): Promise<void> {
  const isSaving = /(^|\s)--save(\s|$)/.test(args);
  const name = args.replace(/(^|\s)--save(\s|$)/, ' ').trim();
  const { seat } = context.current();
  if (name !== '') {
    const choice = await seat.useModel(name);
    if (isSaving) return proposeDefault(context, name, choice);
    return context.say(appText.model(choice.model, choice.provider));
  }
  const { run } = context;
  const options = listModelChoices(run.loaded().config, run.modelEnvironment(), await findLocalServers());
  if (options.length === 0) {
    context.say(
      [modelsText.none, modelsText.noneHint, ...listKeyVariables().map((row) => `  ${row.provider}: ${row.variables.join(', ')}`)].join(
        '\n',
      ),
    );
    return;
  }
  const current = seat.modelName();
  options.forEach((option, index) => context.say(`${String(index + 1).padStart(3)}. ${describeOption(option, current)}`));
  if (!context.isInteractive) return;
  const reply = await context.ask({
    id: 'models',
    title: modelsText.title,
    text: [lineText.pickModel],
    choices: [],
    safe: 'none',
  });
  if (reply === undefined || !('text' in reply)) return;
  const typed = reply.text.trim();
  if (typed === '') return;
  const picked = /^\d+$/.test(typed) ? options[Number(typed) - 1] : options.find((option) => option.name === typed);
  if (picked === undefined) return context.fail(lineText.noAnswer(typed));
  if (picked.choice === undefined) return context.fail(modelsText.unusable(picked.enable));
  return proposeDefault(context, picked.name, picked.choice);
}

function describeOption(option: ModelOption, current: string | undefined): string {
  const parts = [
    option.name,
    option.provider,
    ...(option.keyFrom === undefined ? [] : [modelsText.keyFrom(option.keyFrom)]),
    ...(option.model !== undefined && option.model === current ? [modelsText.inUse] : []),
    ...(option.choice === undefined ? [modelsText.unusable(option.enable)] : []),
  ];
  return parts.join(', ');
}

/** Shows the lines that would be written and asks: for this session, or as the default. Nothing is written before the answer. */
async function proposeDefault(context: LineContext, name: string, choice: ModelChoice): Promise<void> {
  const { run } = context;
  const { configPath } = run.loaded();
  const shownPath = tildePath(configPath, run.userHome);
  const settings = modelSettings(choice);
  const edit = await proposeModelChange(configPath, {
    model: settings['default'] ?? choice.model,
    provider: settings['provider'] ?? choice.provider,
    baseUrl: settings['base_url'] ?? null,
  });
  const lines = edit.lines.map((line) => `${line.kind} ${line.text}`);
  const reply = await context.ask(
    askModel({ name, model: choice.model, configPath: shownPath, lines, hasDefault: run.loaded().config.model.model !== undefined }),
  );
  if (reply === undefined || !('id' in reply) || reply.id === 'cancel') return context.say(appText.cancelled);
  if (reply.id === 'default') {
    applyConfigEdit(edit);
    await run.reload();
  }
  const { model, provider, baseUrl } = choice;
  await context.current().seat.useModel({ model, provider, ...(baseUrl === undefined ? {} : { baseUrl }) });
  context.say(reply.id === 'default' ? appText.modelDefault(model, shownPath) : appText.model(model, provider));
}
