import { statSync, type Stats } from 'node:fs';
import path from 'node:path';
import { readEnvFile } from '../../config/env.ts';
import { listProfiles } from '../../config/home.ts';
import type { Home, LoadedConfig } from '../../config/types.ts';
import type { ConfigError } from '../../errors.ts';
import { doctorText as text } from '../../text/en/doctor.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import type { ShellContext } from '../context.ts';
import { formatMode, othersMay } from './modes.ts';
import type { Outside } from './outside.ts';
import type { Finding } from './report.ts';

/** Home, profile, and every value of config.yaml and .env that can't be used, with file and line. Values of .env are never shown. */
export function checkConfig({ home }: ShellContext, outside: Outside, loaded: LoadedConfig): Finding[] {
  const envPath = path.join(home.path, '.env');
  const { configPath, problems } = loaded;
  const ofEnv = problems.filter((problem) => problem.path === envPath);
  const ofConfig = problems.filter((problem) => problem.path !== envPath);
  return [
    checkHome(home, outside),
    checkProfile(home),
    checkConfigFile(configPath, ofConfig),
    ...ofConfig.map(asFinding),
    ...checkEnvFile(envPath, outside),
    ...ofEnv.map(asFinding),
  ];
}

function asFinding(problem: ConfigError): Finding {
  return { id: 'problem', mark: 'wrong', text: problem.message, hint: problem.hint };
}

function checkHome(home: Home, { uid }: Outside): Finding {
  const found = look(home.path);
  if (found === undefined) return { id: 'home', mark: 'ok', text: text.homeMissing(home.path) };
  if (!found.isDirectory()) return { id: 'home', mark: 'wrong', text: text.homeNotFolder(home.path), hint: text.homeNotFolderHint };
  if (uid !== undefined && found.uid !== uid) {
    return { id: 'home', mark: 'look', text: text.homeForeign(home.path, found.uid), hint: text.foreignHint };
  }
  if (othersMay(found)) {
    return {
      id: 'home',
      mark: 'look',
      text: text.homeOpen(home.path, formatMode(found)),
      hint: text.privateHint('700', shellQuote(home.path)),
    };
  }
  return { id: 'home', mark: 'ok', text: home.path };
}

function checkProfile(home: Home): Finding {
  const root = home.profile === undefined ? home.path : path.dirname(path.dirname(home.path));
  const others = listProfiles(root).filter((name) => name !== home.profile);
  return { id: 'profile', mark: 'ok', text: text.otherProfiles(home.profile ?? text.profileDefault, others) };
}

function checkConfigFile(configPath: string, problems: readonly ConfigError[]): Finding {
  if (problems.length > 0) return { id: 'config', mark: 'note', text: text.configProblems(configPath, problems.length) };
  return { id: 'config', mark: 'ok', text: look(configPath) === undefined ? text.noConfig(configPath) : text.configRead(configPath) };
}

function checkEnvFile(envPath: string, { facts, uid }: Outside): Finding[] {
  const found = look(envPath);
  if (found === undefined) return [{ id: 'env', mark: 'ok', text: text.noEnv(envPath) }];
  const { variables } = readEnvFile(envPath, facts.env);
  if (othersMay(found) && (uid === undefined || found.uid === uid)) {
    return [
      { id: 'env', mark: 'look', text: text.envOpen(envPath, formatMode(found)), hint: text.privateHint('600', shellQuote(envPath)) },
    ];
  }
  return [{ id: 'env', mark: 'ok', text: text.envRead(envPath, Object.keys(variables).length) }];
}

function look(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // A folder on the way can't be entered: reading the file is what says so.
    return undefined;
  }
}
