import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readPlainFile } from '../text/plain-file.ts';
import { ConfigError, NotFoundError, UsageError } from '../errors.ts';
import { configText as text } from '../text/en/config.ts';
import type { Home } from './types.ts';

const PROFILE_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const RESERVED: readonly string[] = ['hermes', 'default', 'test', 'tmp', 'root', 'sudo'];

export interface HomeQuestion {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home directory. */
  readonly userHome: string;
  /** For a relative HERMES_HOME. */
  readonly cwd: string;
  /** Value of `-p`. */
  readonly profile?: string | undefined;
}

/**
 * Where everything of this run lives (state-db.md 11): HERMES_HOME, else `~/.hermes`; below it a profile, by `-p`, else by the file
 * `active_profile`. A HERMES_HOME that is itself a profile (its parent is called `profiles`) stays, unless `-p` names another one beside it.
 * Looks only, creates nothing. Throws UsageError for a name that no profile can have, NotFoundError for one that isn't there.
 */
export function resolveHome({ env, userHome, cwd, profile }: HomeQuestion): Home {
  const given = env['HERMES_HOME']?.trim();
  const home = given ? resolve(cwd, given.replace(/^~(?=\/|$)/, userHome)) : join(userHome, '.hermes');
  const isProfile = basename(dirname(home)) === 'profiles';
  const root = isProfile ? dirname(dirname(home)) : home;
  if (profile !== undefined) return profileHome(root, checkName(profile.trim()), undefined);
  if (isProfile) return at(home, basename(home));
  const sticky = readActiveProfile(root);
  return sticky === undefined ? at(root) : profileHome(root, sticky.name, sticky.file);
}

/** Names of the profiles that exist below a root, sorted. */
export function listProfiles(root: string): string[] {
  try {
    return readdirSync(join(root, 'profiles'), { withFileTypes: true })
      .filter((entry) => PROFILE_NAME.test(entry.name) && isFolder(join(root, 'profiles', entry.name)))
      .map((entry) => entry.name)
      .sort();
  } catch {
    // No folder `profiles`: there are none.
    return [];
  }
}

function checkName(name: string): string {
  if (name === 'default') return name;
  if (RESERVED.includes(name)) throw new UsageError(text.profileReserved(name), text.profileNameHint);
  if (!PROFILE_NAME.test(name)) throw new UsageError(text.profileName(name), text.profileNameHint);
  return name;
}

function profileHome(root: string, name: string, stickyFile: string | undefined): Home {
  if (name === 'default') return at(root);
  const path = join(root, 'profiles', name);
  if (isFolder(path)) return at(path, name);
  const others = text.profilesThere(listProfiles(root));
  throw new NotFoundError(text.profileMissing(name), stickyFile === undefined ? others : `${text.stickyProfile(stickyFile)} ${others}`);
}

function readActiveProfile(root: string): { name: string; file: string } | undefined {
  const file = join(root, 'active_profile');
  let name: string;
  try {
    name = readPlainFile(file)
      .replace(/^\uFEFF/, '')
      .trim();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    // Another profile's conversations must not be opened because this file can't be read.
    throw new ConfigError(file, text.unreadable((error as NodeJS.ErrnoException).code ?? ''));
  }
  if (name === '' || name === 'default') return undefined;
  if (RESERVED.includes(name) || !PROFILE_NAME.test(name))
    throw new ConfigError(file, text.profileName(name), { line: 1, hint: text.profileNameHint });
  return { name, file };
}

function at(path: string, profile?: string): Home {
  return { path, storePath: join(path, 'state.db'), ...(profile === undefined ? {} : { profile }) };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Gone, below a file, behind a closed door: no folder to use either way.
    return false;
  }
}
