import type { Config } from './types.ts';

/** What stands where config.yaml says nothing, or something that can't be used (state-db.md 5 and 11). */
export const DEFAULTS: Config = {
  model: { aliases: {} },
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
  sessions: {
    maxResumeMessages: 20_000,
    trashDays: 30,
    autoPrune: false,
    retentionDays: 90,
    vacuumAfterPrune: true,
    minVacuumIntervalDays: 30,
    minIntervalHours: 24,
    autoArchive: false,
    autoArchiveDays: 3,
  },
  database: { journalMode: 'wal' },
  sessionSearch: { mode: 'messages', timeoutMs: 60_000, atOnce: 3 },
  keys: {},
};
