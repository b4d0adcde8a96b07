import { DEFAULTS } from '../../src/config/defaults.ts';
import { afterEach, describe, expect, it } from 'vitest';

import { findLocalServers } from '../../src/agent/local-servers.ts';
import type { LocalServerKind } from '../../src/agent/local-servers.ts';
import { listProviderModels } from '../../src/agent/model-listing.ts';
import { listModelChoices, modelSettings } from '../../src/agent/model-options.ts';
import { chooseModel, sessionWish } from '../../src/agent/models.ts';
import type { ModelEnvironment, ModelRequest } from '../../src/agent/models.ts';
import { findProvider, PROVIDERS } from '../../src/agent/provider-table.ts';
import { normaliseBaseUrl } from '../../src/agent/resolve-model.ts';
import { readRetryAfter } from '../../src/agent/trouble.ts';
import type { Config, ModelConfig } from '../../src/config/types.ts';
import { AgentError } from '../../src/errors.ts';
import { localChoice, startByteServer } from '../support/model-server.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

function config(model: Partial<ModelConfig> = {}, more: Partial<Config> = {}): Config {
  return {
    model: { aliases: {}, ...model },
    providers: [],
    modelAliases: {},
    display: {
      interface: 'tui',
      resumeDisplay: 'full',
      resumeExchanges: 10,
      resumeMaxUserChars: 300,
      resumeMaxAssistantChars: 200,
      resumeMaxAssistantLines: 3,
      resumeSkipToolOnly: true,
      ambiguousWidth: 'auto',
      theme: 'auto',
      mouse: true,
    },
    session: { terminalContinue: true },
    sessions: DEFAULTS.sessions,
    sessionSearch: DEFAULTS.sessionSearch,
    database: { journalMode: 'wal' },
    keys: {},
    ...more,
  };
}

function env(process: Record<string, string> = {}, dotenv: Record<string, string> = {}): ModelEnvironment {
  return { process, dotenv };
}

function troubleOf(request: ModelRequest): AgentError {
  try {
    chooseModel(request);
  } catch (error) {
    if (error instanceof AgentError) return error;
    throw error;
  }
  throw new Error('a model was chosen');
}

const lab = { name: 'lab', baseUrl: 'http://lab.example/v1', keyEnv: 'LAB_KEY', model: 'lab-large', models: ['lab-small'] };

describe('the model of config.yaml', () => {
  it.each([
    [
      'a bare name with its vendor’s key',
      { model: 'claude-sonnet-4-5' },
      { ANTHROPIC_API_KEY: 'k' },
      { provider: 'anthropic', api: 'anthropic' },
    ],
    [
      'vendor/model with a router’s key',
      { model: 'anthropic/claude-sonnet-4-5' },
      { OPENROUTER_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' },
      { provider: 'openrouter', model: 'anthropic/claude-sonnet-4-5' },
    ],
    [
      'vendor/model with the vendor’s key alone',
      { model: 'anthropic/claude-sonnet-4-5' },
      { ANTHROPIC_API_KEY: 'k' },
      { provider: 'anthropic', model: 'claude-sonnet-4-5' },
    ],
    [
      'a named provider',
      { model: 'gpt-5-mini', provider: 'openai' },
      { OPENAI_API_KEY: 'k' },
      { provider: 'openai', baseUrl: 'https://api.openai.com/v1' },
    ],
    [
      'a provider by another name',
      { model: 'gemini-2.5-flash', provider: 'google' },
      { GEMINI_API_KEY: 'k' },
      { provider: 'gemini', api: 'google' },
    ],
    ['an own address', { model: 'm', baseUrl: 'http://10.0.0.5:9000/v1/' }, {}, { provider: 'custom', baseUrl: 'http://10.0.0.5:9000/v1' }],
    ['an address pasted with its path', { model: 'm', baseUrl: 'http://h/v1/chat/completions' }, {}, { baseUrl: 'http://h/v1' }],
    [
      'an Anthropic-style address',
      { model: 'm', provider: 'custom', baseUrl: 'https://h/anthropic', apiKey: 'k' },
      {},
      { api: 'anthropic', baseUrl: 'https://h/anthropic/v1' },
    ],
    [
      'a local server without a key',
      { model: 'qwen3:8b', provider: 'ollama' },
      {},
      { provider: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
    ],
    [
      'a moved endpoint',
      { model: 'm', provider: 'openai' },
      { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://proxy/v1' },
      { baseUrl: 'http://proxy/v1' },
    ],
    ['limits', { model: 'm', provider: 'ollama', contextLength: 32_000, maxTokens: 500 }, {}, { contextLength: 32_000, maxTokens: 500 }],
  ])('%s', (_name, model, process, expected) => {
    expect(chooseModel({ config: config(model), env: env(process) })).toMatchObject(expected);
  });

  it.each([
    ['nothing', {}, {}],
    ['a name without any key', { model: 'claude-sonnet-4-5' }, {}],
    ['a provider without its key', { model: 'x', provider: 'deepseek' }, {}],
    ['a provider that needs a sign-in', { model: 'x', provider: 'copilot' }, { GITHUB_TOKEN: 'k' }],
    ['a misspelt provider', { model: 'x', provider: 'anthropc' }, {}],
    ['a wire format not spoken here', { model: 'x', baseUrl: 'http://h', apiMode: 'codex_responses' }, {}],
    ['custom without an address', { model: 'x', provider: 'custom' }, {}],
  ])('%s is no model, with a hint', (_name, model, process) => {
    const error = troubleOf({ config: config(model), env: env(process) });
    expect(error.trouble).toBe('no-model');
    expect(error.hint).toBeTruthy();
  });

  it('names the keys that are there while no model is chosen', () => {
    const error = troubleOf({ config: config({}), env: env({ OPENAI_API_KEY: 'secret' }) });
    expect(error.message).toContain('OPENAI_API_KEY');
    expect(error.message).not.toContain('secret');
  });

  it('suggests the provider that was meant', () => {
    expect(troubleOf({ config: config({ model: 'x', provider: 'anthropc' }), env: env() }).hint).toContain('anthropic');
  });

  it('says where the key came from; the process wins over .env; blanks are no key', () => {
    const openai = config({ model: 'gpt-5-mini', provider: 'openai' });
    expect(chooseModel({ config: openai, env: env({ OPENAI_API_KEY: 'a' }, { OPENAI_API_KEY: 'b' }) })).toMatchObject({
      apiKey: 'a',
      keyFrom: 'OPENAI_API_KEY',
    });
    expect(chooseModel({ config: openai, env: env({ OPENAI_API_KEY: ' ' }, { OPENAI_API_KEY: 'b' }) })).toMatchObject({
      apiKey: 'b',
      keyFrom: '.env (OPENAI_API_KEY)',
    });
  });

  it('sends a known provider’s key to no other address', () => {
    const choice = chooseModel({ config: config({ model: 'm', baseUrl: 'http://elsewhere/v1' }), env: env({ OPENAI_API_KEY: 'secret' }) });
    expect(choice.apiKey).toBeUndefined();
    expect(
      chooseModel({ config: config({ model: 'm', baseUrl: 'https://api.openai.com/v1' }), env: env({ OPENAI_API_KEY: 'k' }) }).apiKey,
    ).toBe('k');
  });

  it('sends a sign-in token as a bearer', () => {
    expect(chooseModel({ config: config({ model: 'claude-x', provider: 'anthropic' }), env: env({ ANTHROPIC_TOKEN: 't' }) })).toMatchObject(
      { isBearer: true },
    );
  });

  it('is overridden by HERMES_INFERENCE_MODEL', () => {
    const request = { config: config({ model: 'a', provider: 'ollama' }), env: env({ HERMES_INFERENCE_MODEL: 'b' }) };
    expect(chooseModel(request)).toMatchObject({ model: 'b', provider: 'ollama' });
  });
});

describe('own endpoints and aliases', () => {
  const withLab = config({ model: 'lab-large', provider: 'custom:lab' }, { providers: [lab] });

  it('are chosen by custom:name, by bare name and by a model they list', () => {
    const request = { env: env({ LAB_KEY: 'k' }) };
    expect(chooseModel({ ...request, config: withLab })).toMatchObject({ provider: 'custom:lab', apiKey: 'k', model: 'lab-large' });
    expect(chooseModel({ ...request, config: config({ provider: 'lab' }, { providers: [lab] }) })).toMatchObject({ model: 'lab-large' });
    expect(chooseModel({ ...request, config: config({ model: 'lab-small' }, { providers: [lab] }) })).toMatchObject({
      provider: 'custom:lab',
    });
  });

  it('name the variable that is not set', () => {
    expect(troubleOf({ config: withLab, env: env() }).hint).toContain('LAB_KEY');
  });

  it.each([
    ['custom:lab:lab-small', { provider: 'custom:lab', model: 'lab-small' }],
    ['lab:lab-small', { provider: 'custom:lab', model: 'lab-small' }],
    ['ollama:qwen3:8b', { provider: 'ollama', model: 'qwen3:8b' }],
    ['qwen3:8b', { provider: 'custom:lab', model: 'qwen3:8b' }],
    ['fast', { provider: 'ollama', model: 'tiny' }],
    ['big', { provider: 'custom:lab', model: 'lab-large' }],
  ])('/model %s', (wanted, expected) => {
    const named = config(
      { model: 'lab-large', provider: 'custom:lab', aliases: { big: 'lab-large' } },
      { providers: [lab], modelAliases: { fast: { model: 'tiny', provider: 'ollama' } } },
    );
    expect(chooseModel({ config: named, env: env({ LAB_KEY: 'k' }), wanted })).toMatchObject(expected);
  });
});

describe('the model of a resumed session', () => {
  const base = config({ model: 'gpt-5-mini', provider: 'openai' }, { providers: [lab] });
  const keys = env({ OPENAI_API_KEY: 'k', LAB_KEY: 'k', ANTHROPIC_API_KEY: 'k', HERMES_INFERENCE_MODEL: 'gpt-5' });

  it.each([
    ['its own provider', { model: 'claude-sonnet-4-5', provider: 'anthropic' }, { model: 'claude-sonnet-4-5', provider: 'anthropic' }],
    ['an own endpoint', { model: 'lab-small', provider: 'custom:lab' }, { model: 'lab-small', provider: 'custom:lab' }],
    ['an endpoint stored by address alone', { model: 'lab-small', provider: 'custom', baseUrl: lab.baseUrl }, { provider: 'custom:lab' }],
    ['a model without a provider', { model: 'gpt-4o' }, { model: 'gpt-4o', provider: 'openai' }],
    ['nothing stored', {}, { model: 'gpt-5', provider: 'openai' }],
  ])('%s is kept', (_name, session, expected) => {
    expect(chooseModel({ config: base, env: keys, session })).toMatchObject(expected);
  });

  it.each([
    ['an endpoint that is gone', { model: 'm', provider: 'custom:old' }, 'custom:old'],
    ['a provider without its key', { model: 'grok-4', provider: 'xai' }, 'xai'],
    ['an address that config.yaml no longer names', { model: 'm', provider: 'custom', baseUrl: 'http://evil/v1' }, 'custom'],
    ['an unknown provider', { model: 'm', provider: 'acme' }, 'acme'],
  ])('%s is named and nothing is taken instead', (_name, session, provider) => {
    const error = troubleOf({ config: base, env: keys, session });
    expect(error.trouble).toBe('no-model');
    expect(error.message).toContain(provider);
    expect(error.hint).toContain('gpt-5');
  });

  it('gives way to what is asked for by name', () => {
    expect(chooseModel({ config: base, env: keys, session: { model: 'm', provider: 'custom:old' }, wanted: 'gpt-5-mini' })).toMatchObject({
      model: 'gpt-5-mini',
    });
  });

  it('is read from the row and its model_config, whatever else stands there', () => {
    expect(sessionWish({ model: 'm', modelConfig: { provider: 'custom:lab', base_url: 'http://x', yolo_mode: true } })).toEqual({
      model: 'm',
      provider: 'custom:lab',
      baseUrl: 'http://x',
    });
    expect(sessionWish({ model: 'm', modelConfig: { provider: 7 } }, 'openrouter')).toEqual({ model: 'm', provider: 'openrouter' });
  });
});

describe('/model', () => {
  it('lists what is configured, aliases, own endpoints, keys found and servers here, each once', () => {
    const all = config(
      { model: 'gpt-5-mini', provider: 'openai' },
      { providers: [lab], modelAliases: { fast: { model: 'tiny', provider: 'ollama' } } },
    );
    const options = listModelChoices(all, env({ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', HF_TOKEN: 'k' }), [
      { kind: 'ollama', label: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', models: ['qwen3:8b', 'tiny'] },
    ]);
    expect(options.map((option) => [option.kind, option.name, option.choice !== undefined])).toEqual([
      ['configured', 'gpt-5-mini', true],
      ['alias', 'fast', true],
      ['custom', 'custom:lab:lab-large', false],
      ['custom', 'custom:lab:lab-small', false],
      ['key', 'anthropic:claude-sonnet-4-5', true],
      ['key', 'huggingface', false],
      ['local', 'ollama:qwen3:8b', true],
    ]);
    expect(options.every((option) => option.enable !== '')).toBe(true);
    expect(JSON.stringify(options.map(({ choice: _, ...shown }) => shown))).not.toContain('"k"');
  });

  it('offers names that choose what they say', () => {
    const keys = env(Object.fromEntries(PROVIDERS.flatMap((facts) => facts.keyVariables.slice(0, 1).map((name) => [name, 'k']))));
    for (const option of listModelChoices(config(), keys)) {
      if (option.choice === undefined) continue;
      expect(chooseModel({ config: config(), env: keys, wanted: option.name })).toEqual(option.choice);
    }
  });

  it('saves the address only where it is not the provider’s own, and never the key', () => {
    const keys = env({ OPENAI_API_KEY: 'secret', OPENAI_BASE_URL: 'http://proxy/v1' });
    expect(modelSettings(chooseModel({ config: config({ model: 'a', provider: 'openai' }), env: keys }))).toEqual({
      default: 'a',
      provider: 'openai',
      base_url: 'http://proxy/v1',
    });
    expect(modelSettings(chooseModel({ config: config({ model: 'a', provider: 'ollama' }), env: env() }))).toEqual({
      default: 'a',
      provider: 'ollama',
    });
  });
});

describe('the table of providers', () => {
  it('has no name twice and only addresses that parse', () => {
    const names = PROVIDERS.flatMap((facts) => [facts.id, ...(facts.aliases ?? [])]);
    expect(new Set(names).size).toBe(names.length);
    for (const facts of PROVIDERS) {
      expect(normaliseBaseUrl(facts.baseUrl, facts.api)).toBe(facts.baseUrl);
      expect(findProvider(facts.id.toUpperCase())).toBe(facts);
    }
  });
});

describe('servers on this machine', () => {
  async function ports(
    make: Partial<Record<LocalServerKind, (path: string) => string | undefined>>,
  ): Promise<Record<LocalServerKind, number>> {
    const free: Record<string, number> = {};
    for (const kind of ['ollama', 'lmstudio', 'llamacpp', 'vllm'] as const) {
      const answer = make[kind];
      const server = await startByteServer((response, request) => {
        const body = answer?.(request.path);
        if (body === undefined) response.writeHead(404).end('nothing');
        else response.writeHead(200).end(body);
      });
      free[kind] = server.port;
      if (answer === undefined) await server.stop();
      else stops.push(() => server.stop());
    }
    return free as Record<LocalServerKind, number>;
  }

  it('are found with their models; a web page on the same port is not one', async () => {
    const found = await findLocalServers({
      ports: await ports({
        ollama: (path) => (path === '/api/tags' ? '{"models":[{"name":"qwen3:8b"}]}' : undefined),
        lmstudio: (path) => (path === '/v1/models' ? '{"data":[{"id":"gemma"}],"object":"list"}' : undefined),
        llamacpp: () => '<html>my dev server</html>',
      }),
      timeoutMs: 2000,
    });
    expect(found.map(({ kind, models }) => [kind, models])).toEqual([
      ['ollama', ['qwen3:8b']],
      ['lmstudio', ['gemma']],
    ]);
  });

  it('cost no more than the time limit when a port accepts and says nothing', async () => {
    const mute = await startByteServer(() => undefined);
    stops.push(() => mute.stop());
    const none = await ports({});
    const startedAt = performance.now();
    expect(await findLocalServers({ ports: { ...none, vllm: mute.port }, timeoutMs: 100 })).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(1500);
  });
});

describe('the models of a provider', () => {
  it.each([
    ['openai-compatible', '{"data":[{"id":"a"},{"id":"b"}]}', 'authorization'],
    ['anthropic', '{"data":[{"id":"a"},{"id":"b"}]}', 'x-api-key'],
    ['google', '{"models":[{"name":"models/a"},{"name":"models/b"}]}', 'x-goog-api-key'],
  ] as const)('are listed over %s with its own kind of key', async (api, body, header) => {
    const server = await startByteServer((response) => void response.writeHead(200).end(body));
    stops.push(() => server.stop());
    expect(await listProviderModels(localChoice(server.url, api), { now: () => 0 })).toEqual(['a', 'b']);
    expect(String(server.requests[0]?.headers[header])).toContain('test-key-123456');
  });

  it('fail as a turn would', async () => {
    const server = await startByteServer((response) => void response.writeHead(401).end('{"error":{"message":"bad test-key-123456"}}'));
    stops.push(() => server.stop());
    const failed = listProviderModels(localChoice(server.url), { now: () => 0 });
    await expect(failed).rejects.toMatchObject({ trouble: 'unauthorized' });
    await expect(failed).rejects.not.toThrow('test-key-123456');
  });
});

describe('how long a provider asks to wait', () => {
  const now = Date.UTC(2026, 8, 1, 12, 0, 0);
  it.each([
    ['seconds', { 'retry-after': '20' }, 20_000],
    ['a date', { 'retry-after': 'Tue, 01 Sep 2026 12:00:30 GMT' }, 30_000],
    ['a date in the past', { 'retry-after': 'Tue, 01 Sep 2026 11:00:00 GMT' }, undefined],
    ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
    ['nothing', {}, undefined],
  ])('%s', (_name, headers, expected) => {
    expect(readRetryAfter(headers, now)).toBe(expected);
  });
});
