import path from 'node:path';
import type { ModelChoice } from '../../agent/events.ts';
import { LOCAL_PORTS, type LocalServer } from '../../agent/local-servers.ts';
import { listModelChoices } from '../../agent/model-options.ts';
import { chooseModel, type ModelEnvironment } from '../../agent/models.ts';
import { PROVIDERS } from '../../agent/provider-table.ts';
import { readEnvFile } from '../../config/env.ts';
import type { Config } from '../../config/types.ts';
import { AgentError } from '../../errors.ts';
import { doctorText as text } from '../../text/en/doctor.ts';
import type { ShellContext } from '../context.ts';
import type { Outside } from './outside.ts';
import type { Finding } from './report.ts';

/** Names of other usable models that are shown. */
const mostReady = 4;

/**
 * The configured model, where its key stands, whether its endpoint answers, and what else could. Only the configured endpoint is asked,
 * for its list of models; besides that, the four usual ports of this machine. Keys are never part of a finding.
 */
export async function checkModels(context: ShellContext, outside: Outside, config: Config): Promise<Finding[]> {
  const dotenv = readEnvFile(path.join(context.home.path, '.env'), outside.facts.env).variables;
  const env: ModelEnvironment = { process: outside.facts.env, dotenv };
  const [configured, servers] = await Promise.all([checkConfigured(context, outside, config, env), outside.findServers()]);
  return [...configured.findings, ...listReady(config, env, configured.choice), ...listServers(servers)];
}

async function checkConfigured(
  context: ShellContext,
  outside: Outside,
  config: Config,
  env: ModelEnvironment,
): Promise<{ findings: Finding[]; choice?: ModelChoice }> {
  let choice: ModelChoice;
  try {
    choice = chooseModel({ config, env });
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    const { model, provider, baseUrl } = config.model;
    const isFresh = model === undefined && provider === undefined && baseUrl === undefined;
    if (isFresh) return { findings: [{ id: 'model', mark: 'look', text: text.noModel, hint: text.noModelHint }] };
    return { findings: [{ id: 'model', mark: 'wrong', text: error.message, hint: error.hint ?? text.modelHint }] };
  }
  return {
    choice,
    findings: [
      { id: 'model', mark: 'ok', text: text.model(choice.model, choice.provider) },
      {
        id: 'key',
        mark: choice.keyFrom === undefined ? 'note' : 'ok',
        text: choice.keyFrom === undefined ? text.noKey : text.keyFrom(choice.keyFrom),
      },
      await checkEndpoint(context, outside, choice),
    ],
  };
}

async function checkEndpoint(context: ShellContext, outside: Outside, choice: ModelChoice): Promise<Finding> {
  const url = withoutSecrets(choice.baseUrl ?? '');
  const startedAt = context.now();
  try {
    const models = await outside.listModels(choice);
    if (models.length === 0) return { id: 'endpoint', mark: 'look', text: text.noListing(url), hint: text.noListingHint };
    if (!models.includes(choice.model)) {
      return { id: 'endpoint', mark: 'look', text: text.notListed(url, choice.model, models.length), hint: text.notListedHint };
    }
    return { id: 'endpoint', mark: 'ok', text: text.reached(url, models.length, Math.round(context.now() - startedAt)) };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return judgeTrouble(error, choice, url);
  }
}

function judgeTrouble(error: AgentError, choice: ModelChoice, url: string): Finding {
  const { trouble } = error;
  const said = choice.apiKey === undefined ? error.message : error.message.replaceAll(choice.apiKey, '***');
  const hints: Readonly<Record<string, string>> = text.unreached;
  return {
    id: 'endpoint',
    // Too many requests: address and key were accepted.
    mark: trouble === 'rate-limited' ? 'look' : 'wrong',
    text: said.replaceAll(choice.baseUrl ?? url, url),
    hint: hints[trouble] ?? text.unreached.other,
  };
}

/** An address may carry a user and a password, or a key in its query. */
function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.username === '' && parsed.password === '' && parsed.search === '') return url;
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}

function listReady(config: Config, env: ModelEnvironment, current: ModelChoice | undefined): Finding[] {
  const ready = listModelChoices(config, env).filter(
    ({ choice }) => choice !== undefined && (choice.model !== current?.model || choice.baseUrl !== current.baseUrl),
  );
  if (ready.length === 0) return [];
  const names = ready.slice(0, mostReady).map((option) => option.name);
  return [{ id: 'ready', mark: 'note', text: text.ready(names, ready.length - names.length) }];
}

function listServers(servers: readonly LocalServer[]): Finding[] {
  if (servers.length > 0) {
    return servers.map(({ label, baseUrl, models }) => ({ id: 'local', mark: 'ok', text: text.localServer(label, baseUrl, models) }));
  }
  const asked = Object.keys(LOCAL_PORTS).map((kind) => PROVIDERS.find((facts) => facts.id === kind)?.label ?? kind);
  return [{ id: 'local', mark: 'note', text: text.noLocal(asked) }];
}
