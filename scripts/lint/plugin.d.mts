import type { ESLint, Linter } from 'eslint';

export const hermes: ESLint.Plugin;
export const hermesRules: Linter.RulesRecord;
