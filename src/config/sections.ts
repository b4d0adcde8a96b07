import { configText as text } from '../text/en/config.ts';
import { describeFound, dotted, type Checks } from './checks.ts';
import { DEFAULTS } from './defaults.ts';
import type { Config, ModelConfig, ProviderConfig, ThemeName } from './types.ts';

type Path = readonly (string | number)[];

export const THEMES: readonly ThemeName[] = ['auto', 'dark', 'light', 'dark-16', 'light-16', 'none'];

/** The whole Config from the checked values; keys of Hermes Agent that are not read here are passed over in silence. */
export function readSections(checks: Checks): Config {
  // A section that is no map at all is said once, not once per key.
  for (const section of ['display', 'session', 'sessions', 'session_search', 'auxiliary', 'database']) checks.map([section]);
  return {
    model: readModel(checks),
    providers: readProviders(checks),
    modelAliases: readModelAliases(checks),
    display: readDisplay(checks),
    session: { terminalContinue: checks.flag(['session', 'terminal_continue']) ?? DEFAULTS.session.terminalContinue },
    sessions: readSessions(checks),
    database: { journalMode: checks.choice(['database', 'journal_mode'], ['wal', 'delete']) ?? DEFAULTS.database.journalMode },
    sessionSearch: readSessionSearch(checks),
    keys: readKeys(checks),
  };
}

/** Hermes Agent's `auxiliary.*` pattern: a model of its own for a side task; `provider: auto` and empty texts are its words for none. */
function readSessionSearch(checks: Checks): Config['sessionSearch'] {
  const d = DEFAULTS.sessionSearch;
  const at = (key: string): Path => ['auxiliary', 'session_search', key];
  const named = (key: string): string | undefined => {
    const value = checks.raw(at(key)) === '' ? undefined : checks.text(at(key));
    return value === 'auto' || value === 'main' ? undefined : value;
  };
  const model = present<NonNullable<Config['sessionSearch']['model']>>({
    model: named('model'),
    provider: named('provider'),
    baseUrl: checks.raw(at('base_url')) === '' ? undefined : checks.address(at('base_url')),
    apiKey: named('api_key'),
  });
  const seconds = checks.whole(at('timeout'), 1);
  return {
    mode: checks.choice(['session_search', 'mode'], ['messages', 'summary', 'off']) ?? d.mode,
    ...(model.model === undefined ? {} : { model }),
    timeoutMs: seconds === undefined ? d.timeoutMs : seconds * 1000,
    atOnce: Math.min(10, checks.whole(at('max_concurrency'), 1) ?? d.atOnce),
  };
}

function readSessions(checks: Checks): Config['sessions'] {
  const d = DEFAULTS.sessions;
  const at = (key: string): Path => ['sessions', key];
  const whole = (key: string, least: number): number | undefined => checks.whole(at(key), least);
  /** A number of days that can't be read must never delete or hide anything. */
  const days = (key: string, usual: number): number => whole(key, 0) ?? (checks.raw(at(key)) === undefined ? usual : 0);
  return {
    maxResumeMessages: whole('max_resume_messages', 0) ?? d.maxResumeMessages,
    trashDays: whole('trash_days', 0) ?? d.trashDays,
    autoPrune: checks.flag(at('auto_prune')) ?? d.autoPrune,
    retentionDays: days('retention_days', d.retentionDays),
    vacuumAfterPrune: checks.flag(at('vacuum_after_prune')) ?? d.vacuumAfterPrune,
    minVacuumIntervalDays: whole('min_vacuum_interval_days', 0) ?? d.minVacuumIntervalDays,
    minIntervalHours: whole('min_interval_hours', 0) ?? d.minIntervalHours,
    autoArchive: checks.flag(at('auto_archive')) ?? d.autoArchive,
    autoArchiveDays: days('auto_archive_days', d.autoArchiveDays),
  };
}

/** Drops what is undefined: an absent value has no key. */
function present<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** `model:` is a name, or a map of the name and where it is served. */
function readModel(checks: Checks): ModelConfig {
  const value = checks.raw(['model']);
  if (value === undefined) return DEFAULTS.model;
  if (typeof value !== 'object' || Array.isArray(value)) return present<ModelConfig>({ model: checks.text(['model']), aliases: {} });
  return present<ModelConfig>({
    model: checks.text(['model', 'default']) ?? checks.text(['model', 'model']),
    provider: checks.text(['model', 'provider']),
    baseUrl: checks.address(['model', 'base_url']),
    apiKey: checks.text(['model', 'api_key']),
    apiMode: checks.text(['model', 'api_mode']),
    contextLength: checks.whole(['model', 'context_length'], 1),
    maxTokens: checks.whole(['model', 'max_tokens'], 1),
    aliases: readAliases(checks, ['model', 'aliases']),
  });
}

function readAliases(checks: Checks, path: Path): Record<string, string> {
  const aliases: Record<string, string> = {};
  for (const [name, target] of Object.entries(checks.map(path))) {
    const isMap = typeof target === 'object' && target !== null && !Array.isArray(target);
    const model = checks.text(isMap ? [...path, name, 'model'] : [...path, name]);
    if (model !== undefined) aliases[name] = model;
  }
  return aliases;
}

function readModelAliases(checks: Checks): Config['modelAliases'] {
  const aliases: Record<string, Config['modelAliases'][string]> = {};
  for (const [name, target] of Object.entries(checks.map(['model_aliases']))) {
    const path = ['model_aliases', name];
    const isMap = typeof target === 'object' && target !== null && !Array.isArray(target);
    const model = checks.text(isMap ? [...path, 'model'] : path);
    if (model === undefined) {
      if (isMap && checks.raw([...path, 'model']) === undefined)
        checks.complain(path, text.expected(dotted([...path, 'model']), 'the name of a model', 'nothing'));
      continue;
    }
    aliases[name] = isMap
      ? present<Config['modelAliases'][string]>({
          model,
          provider: checks.text([...path, 'provider']),
          baseUrl: checks.address([...path, 'base_url']),
          apiKey: checks.text([...path, 'api_key']),
          keyEnv: checks.text([...path, 'key_env']),
        })
      : { model };
  }
  return aliases;
}

/** `custom_providers:` (a list) and `providers:` (by name) say the same; the first of a name counts. */
function readProviders(checks: Checks): readonly ProviderConfig[] {
  const found = new Map<string, ProviderConfig>();
  const add = (path: Path, name: string | undefined): void => {
    if (name === undefined) return checks.complain(path, text.providerName(dotted(path)));
    if (found.has(name.toLowerCase())) return checks.complain(path, text.providerTwice(dotted(path), name));
    found.set(name.toLowerCase(), readProvider(checks, path, name));
  };
  checks.list(['custom_providers']).forEach((entry, at) => {
    const path = ['custom_providers', at];
    if (isMap(entry)) add(path, checks.text([...path, 'name']));
    else checks.complain(path, text.expected(dotted(path), 'a map with name and base_url', describeFound(entry)));
  });
  for (const [name, entry] of Object.entries(checks.map(['providers']))) {
    const path = ['providers', name];
    if (isMap(entry)) add(path, name);
    else if (entry !== null) checks.complain(path, text.expected(dotted(path), 'a map with base_url', describeFound(entry)));
  }
  return [...found.values()];
}

function readProvider(checks: Checks, path: Path, name: string): ProviderConfig {
  const addressKey = ['base_url', 'url', 'api'].find((key) => checks.raw([...path, key]) !== undefined) ?? 'base_url';
  return present<ProviderConfig>({
    name,
    baseUrl: checks.address([...path, addressKey]),
    apiKey: checks.text([...path, 'api_key']),
    keyEnv: checks.text([...path, 'key_env']),
    apiMode: checks.text([...path, 'api_mode']),
    model: checks.text([...path, 'model']) ?? checks.text([...path, 'default_model']),
    models: readModelNames(checks, [...path, 'models']),
  });
}

/** `models:` is a list of names or of maps with `id`/`name`, or a map by name. */
function readModelNames(checks: Checks, path: Path): string[] {
  const value = checks.raw(path);
  if (isMap(value)) return Object.keys(value);
  return checks.list(path).flatMap((entry, at) => {
    const key = isMap(entry) ? ['id', 'name', 'model'].find((candidate) => candidate in entry) : undefined;
    return checks.text(key === undefined ? [...path, at] : [...path, at, key]) ?? [];
  });
}

function readDisplay(checks: Checks): Config['display'] {
  const d = DEFAULTS.display;
  const at = (key: string): Path => ['display', key];
  return {
    interface: checks.choice(at('interface'), ['tui', 'cli']) ?? d.interface,
    resumeDisplay: checks.choice(at('resume_display'), ['full', 'minimal']) ?? d.resumeDisplay,
    resumeExchanges: checks.whole(at('resume_exchanges'), 1) ?? d.resumeExchanges,
    resumeMaxUserChars: checks.whole(at('resume_max_user_chars'), 1) ?? d.resumeMaxUserChars,
    resumeMaxAssistantChars: checks.whole(at('resume_max_assistant_chars'), 1) ?? d.resumeMaxAssistantChars,
    resumeMaxAssistantLines: checks.whole(at('resume_max_assistant_lines'), 1) ?? d.resumeMaxAssistantLines,
    resumeSkipToolOnly: checks.flag(at('resume_skip_tool_only')) ?? d.resumeSkipToolOnly,
    ambiguousWidth: checks.choice(at('ambiguous_width'), ['auto', 'narrow', 'wide']) ?? d.ambiguousWidth,
    theme: checks.choice(at('theme'), THEMES) ?? d.theme,
    mouse: readMouse(checks) ?? d.mouse,
  };
}

/** Hermes Agent also knows `wheel`, `buttons` and `all` here: each of them is a mouse that is on. */
function readMouse(checks: Checks): boolean | undefined {
  const path = ['display', 'mouse_tracking'];
  const value = checks.raw(path);
  return typeof value === 'string' && ['wheel', 'buttons', 'all'].includes(value.trim().toLowerCase()) ? true : checks.flag(path);
}

/** `tui:` is a section of this program: an unknown key there is a slip of the pen. */
function readKeys(checks: Checks): Record<string, string> {
  for (const name of Object.keys(checks.map(['tui'])))
    if (name !== 'keys') checks.complain(['tui', name], text.unknownKey(`tui.${name}`, ['keys']));
  const keys: Record<string, string> = {};
  for (const command of Object.keys(checks.map(['tui', 'keys']))) {
    const key = checks.text(['tui', 'keys', command]);
    if (key !== undefined) keys[command] = key;
  }
  return keys;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
