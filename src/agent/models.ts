import type { Config } from '../config/types.ts';
import { AgentError } from '../errors.ts';
import type { Session } from '../session/types.ts';
import { agentText } from '../text/en/agent.ts';
import type { ModelChoice } from './events.ts';
import { findProvider, findProviderOfModel } from './provider-table.ts';
import { chooseCustom, findCustom, findKey, missing, resolveWish } from './resolve-model.ts';
import type { ModelEnvironment, ModelWish } from './resolve-model.ts';

export type { ModelEnvironment, ModelWish } from './resolve-model.ts';

export interface ModelRequest {
  config: Config;
  env: ModelEnvironment;
  /** `/model NAME` or `--model`: an alias, a model, or `provider:model`. Wins over everything. */
  wanted?: string | ModelWish;
  /** What the resumed session was made with; kept on resume (state-db.md 2.8). */
  session?: ModelWish;
}

/** `model:` of config.yaml as a wish. */
function configWish(config: Config): ModelWish {
  const { model, provider, baseUrl, apiKey, apiMode, contextLength, maxTokens } = config.model;
  return {
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(apiMode === undefined ? {} : { apiMode }),
    ...(contextLength === undefined ? {} : { contextLength }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

/** An alias, `provider:model`, or a model name with the configured provider where that fits. */
function namedWish(name: string, config: Config): ModelWish {
  const text = name.trim();
  const alias = config.modelAliases[text];
  if (alias !== undefined) return alias;
  const renamed = config.model.aliases[text];
  if (renamed !== undefined) return parsedWish(renamed, config);
  return parsedWish(text, config);
}

function parsedWish(text: string, config: Config): ModelWish {
  const custom = /^custom:([^:]+):(.+)$/.exec(text);
  if (custom?.[1] !== undefined && custom[2] !== undefined) return { provider: `custom:${custom[1]}`, model: custom[2] };
  const colon = text.indexOf(':');
  if (colon > 0 && colon < text.length - 1) {
    const before = text.slice(0, colon);
    // Only a provider's name counts as one: `qwen3:8b` is a model with a tag.
    if (findCustom(before, config.providers) !== undefined || findProvider(before) !== undefined) {
      return { provider: before, model: text.slice(colon + 1) };
    }
  }
  if (text === config.model.model) return configWish(config);
  return { model: text };
}

/** A bare model name goes to the endpoint that is configured, unless its name says that another serves it. */
function withConfiguredEndpoint(wish: ModelWish, config: Config): ModelWish {
  if (wish.provider !== undefined || wish.baseUrl !== undefined || wish.model === undefined) return wish;
  if (config.providers.some((entry) => entry.model === wish.model || entry.models.includes(wish.model ?? ''))) return wish;
  const { model: _, contextLength: __, maxTokens: ___, ...endpoint } = configWish(config);
  if (endpoint.provider === undefined && endpoint.baseUrl === undefined) return wish;
  const vendor = findProviderOfModel(wish.model);
  const configured = endpoint.provider === undefined ? undefined : findProvider(endpoint.provider);
  if (vendor !== undefined && configured?.modelPrefixes !== undefined && vendor !== configured) return wish;
  return { ...endpoint, ...wish };
}

/** What a stored session says about its model: the row, and the keys of its `model_config` (state-db.md 2.8). */
export function sessionWish(session: Pick<Session, 'model' | 'modelConfig'>, billingProvider?: string): ModelWish {
  const text = (key: string): string | undefined => {
    const value = session.modelConfig[key];
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  };
  const model = session.model ?? text('model');
  const provider = text('provider') ?? billingProvider;
  const baseUrl = text('base_url');
  return {
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined || provider === '' ? {} : { provider }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}

/** A stored address counts only while config.yaml still names it: the store is not where addresses for keys come from. */
function sessionChoice(stored: ModelWish & { model: string }, config: Config, env: ModelEnvironment): ModelChoice {
  const main = configWish(config);
  const sameProvider =
    stored.provider === undefined ||
    stored.provider === main.provider ||
    (main.provider === undefined &&
      main.baseUrl !== undefined &&
      stored.provider === 'custom' &&
      (stored.baseUrl ?? main.baseUrl) === main.baseUrl);
  if (stored.model === main.model && sameProvider) return resolveWish(main, config, env);
  if (stored.provider === 'custom' || (stored.provider === undefined && stored.baseUrl !== undefined)) {
    const byUrl = config.providers.find((entry) => entry.baseUrl !== undefined && entry.baseUrl === stored.baseUrl);
    if (byUrl !== undefined) return chooseCustom(byUrl, { model: stored.model }, env);
    if (main.baseUrl !== undefined && main.baseUrl === stored.baseUrl) return resolveWish({ ...main, model: stored.model }, config, env);
    throw missing(agentText.unknownProvider(stored.baseUrl ?? 'custom', []));
  }
  if (stored.provider === undefined) return resolveWish(withConfiguredEndpoint({ model: stored.model }, config), config, env);
  const { baseUrl: _, ...rest } = stored;
  return resolveWish(stored.provider === main.provider ? { ...main, ...rest } : rest, config, env);
}

/** The choice config.yaml and HERMES_INFERENCE_MODEL make, without any session. */
function defaultChoice(config: Config, env: ModelEnvironment): ModelChoice {
  const named = findKey(['HERMES_INFERENCE_MODEL'], env);
  const wish = named === undefined ? configWish(config) : withConfiguredEndpoint(namedWish(named.value, config), config);
  return resolveWish(wish, config, env);
}

/**
 * Which model answers. Order: what was asked for, what the session was made with, HERMES_INFERENCE_MODEL, `model:`.
 * @throws AgentError `no-model` naming what is missing. A session whose provider is gone is never given another one silently.
 */
export function chooseModel({ config, env, wanted, session }: ModelRequest): ModelChoice {
  if (wanted !== undefined) {
    return resolveWish(typeof wanted === 'string' ? withConfiguredEndpoint(namedWish(wanted, config), config) : wanted, config, env);
  }
  if (session?.model === undefined || session.model.trim() === '') return defaultChoice(config, env);
  try {
    return sessionChoice({ ...session, model: session.model }, config, env);
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    throw missing(
      agentText.sessionModelGone(
        session.model,
        session.provider ?? session.baseUrl ?? 'an unknown provider',
        error.message,
        findDefault(config, env),
      ),
    );
  }
}

/** The model a new conversation would get, for an offer; absent when there is none. */
function findDefault(config: Config, env: ModelEnvironment): string | undefined {
  try {
    return defaultChoice(config, env).model;
  } catch (error) {
    if (error instanceof AgentError) return undefined; // nothing to offer, and that is the answer
    throw error;
  }
}
