import type { Config, ProviderConfig } from '../config/types.ts';
import { AgentError } from '../errors.ts';
import { agentText } from '../text/en/agent.ts';
import { nearestWords } from '../text/nearest.ts';
import type { ModelChoice } from './events.ts';
import { BEARER_VARIABLES, findProvider, findProviderOfModel, PROVIDERS, UNSUPPORTED_PROVIDERS } from './provider-table.ts';
import type { ProviderFacts } from './provider-table.ts';

/** The two places a key can stand in; a variable of the process wins over the same one of `.env`. */
export interface ModelEnvironment {
  process: Readonly<Record<string, string | undefined>>;
  dotenv: Readonly<Record<string, string>>;
}

/** What a session, an alias or a person asks for, before it is known whether it can be had. */
export interface ModelWish {
  model?: string;
  provider?: string;
  baseUrl?: string;
  apiKey?: string;
  keyEnv?: string;
  apiMode?: string;
  contextLength?: number;
  maxTokens?: number;
}

/** The one error of a model that can't be had. */
export function missing(said: { message: string; hint: string }): AgentError {
  return new AgentError('no-model', said.message, { hint: said.hint });
}

/** Value and origin of the first of `names` that is set to more than blanks. */
export function findKey(names: readonly string[], env: ModelEnvironment): { value: string; from: string; name: string } | undefined {
  for (const name of names) {
    const own = env.process[name]?.trim();
    if (own !== undefined && own !== '') return { value: own, from: agentText.from.environment(name), name };
    const kept = env.dotenv[name]?.trim();
    if (kept !== undefined && kept !== '') return { value: kept, from: agentText.from.dotenv(name), name };
  }
  return undefined;
}

/** The key of a built-in provider and where it stands; absent when none is set. The value is for requests only, never for a screen. */
export function findProviderKey(facts: ProviderFacts, env: ModelEnvironment): { value: string; from: string; name: string } | undefined {
  return findKey(facts.keyVariables, env);
}

/** `api_mode` as written → wire format; absent when this program does not speak it. */
function readApiMode(apiMode: string | undefined, baseUrl: string | undefined): ModelChoice['api'] | undefined {
  switch (apiMode?.toLowerCase()) {
    case undefined:
    case '':
    case 'auto':
      return baseUrl !== undefined && /\/anthropic(\/v1)?\/?$/.test(baseUrl) ? 'anthropic' : 'openai-compatible';
    case 'chat_completions':
    case 'openai':
    case 'openai-compatible':
      return 'openai-compatible';
    case 'anthropic_messages':
    case 'anthropic':
      return 'anthropic';
    case 'gemini':
    case 'google':
      return 'google';
    default:
      return undefined;
  }
}

/** Endpoints as people paste them (`…/chat/completions`, a trailing slash, Anthropic's without `/v1`) → as the clients want them. */
export function normaliseBaseUrl(url: string, api: ModelChoice['api']): string {
  let base = url.trim().replace(/\/+$/, '');
  base = base.replace(/\/(chat\/completions|messages)$/, '');
  if (api === 'anthropic' && !/\/v\d+$/.test(base)) base += '/v1';
  return base;
}

function withLimits(choice: ModelChoice, wish: ModelWish): ModelChoice {
  return {
    ...choice,
    ...(wish.contextLength === undefined ? {} : { contextLength: wish.contextLength }),
    ...(wish.maxTokens === undefined ? {} : { maxTokens: wish.maxTokens }),
  };
}

/** A key written next to the endpoint, else the variable named there. */
function ownKey(entry: { apiKey?: string; keyEnv?: string }, env: ModelEnvironment): { value: string; from: string } | undefined {
  if (entry.apiKey !== undefined && entry.apiKey.trim() !== '') return { value: entry.apiKey.trim(), from: agentText.from.config };
  return entry.keyEnv === undefined ? undefined : findKey([entry.keyEnv], env);
}

function chooseEndpoint(provider: string, wish: ModelWish, baseUrl: string, env: ModelEnvironment): ModelChoice {
  const model = wish.model?.trim() ?? '';
  if (model === '') throw missing(agentText.noModelName(provider));
  const api = readApiMode(wish.apiMode, baseUrl);
  if (api === undefined) throw missing(agentText.unsupportedApi(provider, wish.apiMode ?? ''));
  // A known provider's own address keeps its key; a key is never sent to any other address without being told so.
  const known = PROVIDERS.find((facts) => !facts.isLocal && new URL(facts.baseUrl).host === hostOf(baseUrl));
  const key = ownKey(wish, env) ?? (known === undefined ? undefined : findProviderKey(known, env));
  return withLimits(
    {
      model,
      api,
      provider,
      baseUrl: normaliseBaseUrl(baseUrl, api),
      ...(key === undefined ? {} : { apiKey: key.value, keyFrom: key.from }),
    },
    wish,
  );
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

/** An entry of `custom_providers:` with the wish's own values over it. */
export function chooseCustom(entry: ProviderConfig, wish: ModelWish, env: ModelEnvironment): ModelChoice {
  const provider = `custom:${entry.name}`;
  const baseUrl = wish.baseUrl ?? entry.baseUrl;
  if (baseUrl === undefined) throw missing(agentText.noBaseUrl(provider));
  const model = wish.model ?? entry.model ?? entry.models[0];
  const apiMode = wish.apiMode ?? entry.apiMode;
  if (entry.keyEnv !== undefined && ownKey(wish, env) === undefined && ownKey(entry, env) === undefined) {
    throw missing(agentText.noKey(provider, [entry.keyEnv]));
  }
  const { apiKey = entry.apiKey, keyEnv = entry.keyEnv } = wish;
  return chooseEndpoint(
    provider,
    {
      ...wish,
      ...(model === undefined ? {} : { model }),
      ...(apiMode === undefined ? {} : { apiMode }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(keyEnv === undefined ? {} : { keyEnv }),
    },
    baseUrl,
    env,
  );
}

function chooseBuiltIn(facts: ProviderFacts, wish: ModelWish, env: ModelEnvironment): ModelChoice {
  let model = wish.model?.trim() ?? '';
  if (model === '') throw missing(agentText.noModelName(facts.label));
  const slash = model.indexOf('/');
  // `anthropic/claude-…` is how routers name it; the vendor's own endpoint wants the rest.
  if (facts.modelPrefixes !== undefined && slash > 0 && findProvider(model.slice(0, slash)) === facts) model = model.slice(slash + 1);
  const key = ownKey(wish, env) ?? findProviderKey(facts, env);
  if (key === undefined && facts.keyVariables.length > 0 && facts.isLocal !== true)
    throw missing(agentText.noKey(facts.label, facts.keyVariables));
  const moved = wish.baseUrl ?? findKey(facts.urlVariables ?? [], env)?.value;
  const api = wish.apiMode === undefined ? facts.api : (readApiMode(wish.apiMode, moved) ?? facts.api);
  const isBearer = key !== undefined && 'name' in key && BEARER_VARIABLES.includes(String(key.name));
  return withLimits(
    {
      model,
      api,
      provider: facts.id,
      baseUrl: normaliseBaseUrl(moved ?? facts.baseUrl, api),
      ...(key === undefined ? {} : { apiKey: key.value, keyFrom: key.from }),
      ...(isBearer ? { isBearer } : {}),
    },
    wish,
  );
}

/** The entry of `custom_providers:` called `name` or `custom:name`, any case. */
export function findCustom(name: string, providers: readonly ProviderConfig[]): ProviderConfig | undefined {
  const wanted = name
    .trim()
    .toLowerCase()
    .replace(/^custom:/, '');
  return providers.find((entry) => entry.name.toLowerCase() === wanted);
}

function nearestProviders(name: string, config: Config): string[] {
  return nearestWords(name.toLowerCase(), [
    ...PROVIDERS.map((facts) => facts.id),
    ...config.providers.map((entry) => `custom:${entry.name}`),
  ]);
}

/** Provider not named: own endpoints that list the model, a router for `vendor/model`, the vendor whose key is set, the router. */
function chooseByModel(wish: ModelWish & { model: string }, config: Config, env: ModelEnvironment): ModelChoice {
  const listed = config.providers.find((entry) => entry.model === wish.model || entry.models.includes(wish.model));
  if (listed !== undefined) return chooseCustom(listed, wish, env);
  const router = findProvider('openrouter');
  const hasRouter = router !== undefined && findProviderKey(router, env) !== undefined;
  const slash = wish.model.indexOf('/');
  if (hasRouter && slash > 0) return chooseBuiltIn(router, wish, env);
  const vendor = slash > 0 ? findProvider(wish.model.slice(0, slash)) : findProviderOfModel(wish.model);
  if (vendor !== undefined && findProviderKey(vendor, env) !== undefined) return chooseBuiltIn(vendor, wish, env);
  if (hasRouter) return chooseBuiltIn(router, wish, env);
  if (vendor !== undefined && vendor.isLocal !== true) throw missing(agentText.noKey(vendor.label, vendor.keyVariables));
  throw missing(agentText.noProviderFor(wish.model));
}

/** Names of the keys that are there, without their values. */
const foundKeys = (env: ModelEnvironment): string[] =>
  PROVIDERS.flatMap((facts) => (facts.isLocal === true ? [] : (findProviderKey(facts, env)?.name ?? [])));

/**
 * Turns a wish into something that can be called.
 * @throws AgentError `no-model` saying in one sentence what is missing.
 */
export function resolveWish(wish: ModelWish, config: Config, env: ModelEnvironment): ModelChoice {
  const provider = wish.provider?.trim() ?? '';
  if (provider === '' || provider.toLowerCase() === 'auto') {
    if (wish.baseUrl !== undefined) return chooseEndpoint('custom', wish, wish.baseUrl, env);
    if (wish.model === undefined || wish.model.trim() === '') throw missing(agentText.noModel(foundKeys(env)));
    return chooseByModel({ ...wish, model: wish.model.trim() }, config, env);
  }
  const custom = findCustom(provider, config.providers);
  if (custom !== undefined) return chooseCustom(custom, wish, env);
  if (provider.toLowerCase() === 'custom') {
    if (wish.baseUrl === undefined) throw missing(agentText.noBaseUrl('custom'));
    return chooseEndpoint('custom', wish, wish.baseUrl, env);
  }
  const facts = findProvider(provider);
  if (facts !== undefined) return chooseBuiltIn(facts, wish, env);
  if (UNSUPPORTED_PROVIDERS.includes(provider.toLowerCase())) throw missing(agentText.unsupportedProvider(provider));
  throw missing(agentText.unknownProvider(provider, nearestProviders(provider, config)));
}
