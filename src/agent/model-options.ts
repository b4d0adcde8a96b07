import type { Config } from '../config/types.ts';
import { AgentError } from '../errors.ts';
import { agentText } from '../text/en/agent.ts';
import type { ModelChoice } from './events.ts';
import type { LocalServer } from './local-servers.ts';
import { chooseModel } from './models.ts';
import { PROVIDERS } from './provider-table.ts';
import { findProviderKey } from './resolve-model.ts';
import type { ModelEnvironment } from './resolve-model.ts';

/** One line of `/model`. An option without `choice` can't be used yet; `enable` says what to do. */
export interface ModelOption {
  kind: 'configured' | 'alias' | 'custom' | 'key' | 'local';
  /** What to type after `/model`; unique in the list. */
  name: string;
  model?: string;
  /** As shown: `OpenRouter`, `custom:lab`. */
  provider: string;
  keyFrom?: string;
  /** Present when a message could be sent with it now. */
  choice?: ModelChoice;
  enable: string;
}

/** The choice of `wanted`, or the sentence why there is none. */
function tryChoice(config: Config, env: ModelEnvironment, wanted?: Parameters<typeof chooseModel>[0]['wanted']): ModelChoice | string {
  try {
    return chooseModel({ config, env, ...(wanted === undefined ? {} : { wanted }) });
  } catch (error) {
    if (error instanceof AgentError) return `${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}`;
    throw error;
  }
}

function toOption(kind: ModelOption['kind'], name: string, provider: string, choice: ModelChoice | string, model?: string): ModelOption {
  if (typeof choice === 'string') return { kind, name, provider, ...(model === undefined ? {} : { model }), enable: choice };
  return {
    kind,
    name,
    provider: choice.provider,
    model: choice.model,
    ...(choice.keyFrom === undefined ? {} : { keyFrom: choice.keyFrom }),
    choice,
    enable: agentText.enable.ready,
  };
}

/**
 * Everything that could answer, in the order to show it: what is configured, aliases, own endpoints, keys found in the environment
 * (with a model to start from), servers running on this machine (`servers`, from `findLocalServers`). Nothing is asked over the network.
 */
export function listModelChoices(config: Config, env: ModelEnvironment, servers: readonly LocalServer[] = []): ModelOption[] {
  const options: ModelOption[] = [];
  const seen = new Set<string>();
  const add = (option: ModelOption): void => {
    const key = option.choice === undefined ? `${option.kind}\n${option.name}` : `${option.choice.baseUrl ?? ''}\n${option.choice.model}`;
    if (seen.has(key)) return;
    seen.add(key);
    options.push(option);
  };
  if (config.model.model !== undefined || config.model.provider !== undefined || config.model.baseUrl !== undefined) {
    const name = config.model.model ?? config.model.provider ?? 'custom';
    add(toOption('configured', name, config.model.provider ?? 'auto', tryChoice(config, env), config.model.model));
  }
  for (const alias of [...Object.keys(config.modelAliases), ...Object.keys(config.model.aliases)]) {
    add(
      toOption(
        'alias',
        alias,
        config.modelAliases[alias]?.provider ?? 'auto',
        tryChoice(config, env, alias),
        config.modelAliases[alias]?.model,
      ),
    );
  }
  for (const entry of config.providers) {
    const models = [...new Set([...(entry.model === undefined ? [] : [entry.model]), ...entry.models])];
    if (models.length === 0) {
      add({ kind: 'custom', name: `custom:${entry.name}`, provider: `custom:${entry.name}`, enable: agentText.enable.pickModel });
    }
    for (const model of models) {
      const provider = `custom:${entry.name}`;
      add(toOption('custom', `${provider}:${model}`, provider, tryChoice(config, env, { provider, model }), model));
    }
  }
  for (const facts of PROVIDERS) {
    const key = facts.isLocal === true ? undefined : findProviderKey(facts, env);
    if (key === undefined) continue;
    if (facts.suggestion === undefined) {
      add({ kind: 'key', name: facts.id, provider: facts.label, keyFrom: key.from, enable: agentText.enable.pickModel });
      continue;
    }
    add(
      toOption('key', `${facts.id}:${facts.suggestion}`, facts.id, tryChoice(config, env, { provider: facts.id, model: facts.suggestion })),
    );
  }
  for (const server of servers) {
    for (const model of server.models) {
      add({
        kind: 'local',
        name: `${server.kind}:${model}`,
        model,
        provider: server.label,
        choice: { model, api: 'openai-compatible', provider: server.kind, baseUrl: server.baseUrl },
        enable: agentText.enable.ready,
      });
    }
  }
  return options;
}

/** The providers a key would switch on, for the page that says how to set up the first model. */
export function listKeyVariables(): { provider: string; variables: readonly string[] }[] {
  return PROVIDERS.filter((facts) => facts.isLocal !== true).map((facts) => ({ provider: facts.label, variables: facts.keyVariables }));
}

/** What `/model --save` writes under `model:`; keys stay where they are and are never copied into config.yaml. */
export function modelSettings(choice: ModelChoice): Record<string, string> {
  const facts = PROVIDERS.find((known) => known.id === choice.provider);
  return {
    default: choice.model,
    provider: choice.provider,
    ...(choice.baseUrl !== undefined && (choice.provider === 'custom' || (facts !== undefined && facts.baseUrl !== choice.baseUrl))
      ? { base_url: choice.baseUrl }
      : {}),
  };
}
