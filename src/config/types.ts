import type { ConfigError } from '../errors.ts';

/** A model endpoint of `custom_providers:` / `providers:` (state-db.md 11). */
export interface ProviderConfig {
  name: string;
  baseUrl?: string;
  apiKey?: string;
  keyEnv?: string;
  /** chat_completions (default), anthropic_messages … as written. */
  apiMode?: string;
  model?: string;
  models: readonly string[];
}

/** The `model:` section, string or map. */
export interface ModelConfig {
  model?: string;
  provider?: string;
  baseUrl?: string;
  apiKey?: string;
  apiMode?: string;
  contextLength?: number;
  maxTokens?: number;
  aliases: Readonly<Record<string, string>>;
}

export type ThemeName = 'auto' | 'dark' | 'light' | 'dark-16' | 'light-16' | 'none';

/** What a run goes by; every value has a default, so that a broken file never stops a run that can go on. */
export interface Config {
  model: ModelConfig;
  providers: readonly ProviderConfig[];
  modelAliases: Readonly<Record<string, { model: string; provider?: string; baseUrl?: string; apiKey?: string; keyEnv?: string }>>;
  display: {
    interface: 'tui' | 'cli';
    resumeDisplay: 'full' | 'minimal';
    resumeExchanges: number;
    resumeMaxUserChars: number;
    resumeMaxAssistantChars: number;
    resumeMaxAssistantLines: number;
    resumeSkipToolOnly: boolean;
    ambiguousWidth: 'auto' | 'narrow' | 'wide';
    theme: ThemeName;
    mouse: boolean;
  };
  session: { terminalContinue: boolean };
  sessions: {
    maxResumeMessages: number;
    /** Days a deleted session stays in the bin; 0: it is erased at once. The default where the file has a value that can't be used. */
    trashDays: number;
    /** Old ended sessions move to the bin by themselves. */
    autoPrune: boolean;
    /** 0: nothing is pruned by itself; so too where the file has a value that can't be used. */
    retentionDays: number;
    vacuumAfterPrune: boolean;
    minVacuumIntervalDays: number;
    minIntervalHours: number;
    /** Idle sessions are archived by themselves. */
    autoArchive: boolean;
    /** 0: nothing is archived by itself; so too where the file has a value that can't be used. */
    autoArchiveDays: number;
  };
  database: { journalMode: 'wal' | 'delete' };
  sessionSearch: {
    /** What the agent's search answers with: messages as they are, or summaries by a model; `off`: the agent has no such tool. */
    mode: 'messages' | 'summary' | 'off';
    /** Which model summarises (`auxiliary.session_search`); absent: the one that answers. */
    model?: { model?: string; provider?: string; baseUrl?: string; apiKey?: string };
    /** How long one summary may take. */
    timeoutMs: number;
    /** Summaries made at the same time. */
    atOnce: number;
  };
  /** `tui.keys`: command id → key. */
  keys: Readonly<Record<string, string>>;
}

export interface LoadedConfig {
  config: Config;
  /** Values that could not be used, each with file, line, key and what was expected; the default stands instead. */
  problems: readonly ConfigError[];
  /** Variables of `.env`, under those of the process. */
  env: Readonly<Record<string, string>>;
  configPath: string;
  /** Line of each key of `tui.keys` in config.yaml, by command id: for messages about clashes. */
  keyLines?: Readonly<Record<string, number>>;
  /** How config.yaml was read: from its cache, parsed and cached, or parsed without; absent when there is none. */
  cache?: 'hit' | 'written' | 'newer' | 'off';
}

/** Where everything of this run lives. */
export interface Home {
  /** `~/.hermes`, a profile's folder, or HERMES_HOME. */
  path: string;
  /** Absent for the default profile. */
  profile?: string;
  storePath: string;
}
