import { join } from 'node:path';
import { ConfigError } from '../errors.ts';
import { configText as text } from '../text/en/config.ts';
import { describeFound, openChecks } from './checks.ts';
import { mergeVariables, readEnvFile } from './env.ts';
import { readSections, THEMES } from './sections.ts';
import type { ParsedConfig } from './parse-yaml.ts';
import type { Config, Home, LoadedConfig } from './types.ts';
import { readYaml, type CacheUse } from './yaml-cache.ts';

const NOTHING: ParsedConfig = { value: {}, lines: {}, problems: [], secrets: [] };

export interface LoadOptions {
  /** Variables of the process; they win over those of `.env`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Reads config.yaml and `.env` of a home. Never throws: what can't be used is in `problems`, and its default stands. Without a config.yaml,
 * or with one that has not changed since it was parsed last, no YAML parser is loaded and nothing is waited for (about 0.5 ms).
 */
export async function loadConfig(home: Home, { env, now }: LoadOptions): Promise<LoadedConfig> {
  const configPath = join(home.path, 'config.yaml');
  const file = readEnvFile(join(home.path, '.env'), env);
  const variables = mergeVariables(env, file.variables);
  const problems: ConfigError[] = [...file.problems];
  let parsed = NOTHING;
  let cache: CacheUse | undefined;
  try {
    ({ parsed, cache } = await readYaml(configPath, home.path, now));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') problems.push(new ConfigError(configPath, text.unreadable(code)));
  }
  for (const { line, message, hint } of parsed.problems)
    problems.push(new ConfigError(configPath, message, { line, ...(hint === undefined ? {} : { hint }) }));
  const checks = openChecks(configPath, parsed, variables);
  const config = underEnvironment(readSections(checks), variables, problems);
  const keyLines: Record<string, number> = {};
  for (const command of Object.keys(config.keys)) keyLines[command] = checks.lineOf(['tui', 'keys', command]) ?? 1;
  return {
    config,
    problems: [...problems, ...checks.problems],
    env: variables,
    configPath,
    keyLines,
    ...(cache === undefined ? {} : { cache }),
  };
}

/** HERMES_INFERENCE_MODEL and HERMES_TUI_THEME are said for this run and win over the file. */
function underEnvironment(config: Config, variables: Readonly<Record<string, string>>, problems: ConfigError[]): Config {
  const model = variables['HERMES_INFERENCE_MODEL']?.trim();
  const wanted = variables['HERMES_TUI_THEME']?.trim().toLowerCase();
  const theme = THEMES.find((name) => name === wanted);
  if (wanted && theme === undefined) {
    const message = text.environmentValue('HERMES_TUI_THEME', THEMES.join(' or '), describeFound(wanted));
    problems.push(new ConfigError('environment', message));
  }
  return {
    ...config,
    model: model ? { ...config.model, model } : config.model,
    display: theme === undefined ? config.display : { ...config.display, theme },
  };
}
