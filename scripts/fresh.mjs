/**
 * What has to happen before the program can run from a checkout: dependencies that match the lock, a bundle that is not older than the
 * source. Only built-in modules: this runs where nothing is installed. Both checks together cost a few milliseconds.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Native modules are compiled for one Node ABI; which one is noted here after an install of ours. */
const abiNote = 'node_modules/.hermes-abi';

/** A sentence that says why dependencies must be installed, or undefined when node_modules matches the lock. */
export function findInstallReason(folder = root) {
  const wanted = readLock(path.join(folder, 'package-lock.json'));
  if (wanted === undefined) return undefined;
  const installed = readLock(path.join(folder, 'node_modules/.package-lock.json'));
  if (installed === undefined) return 'dependencies are not installed yet';
  for (const [name, entry] of Object.entries(wanted)) {
    if (name === '' || entry.optional || entry.link) continue;
    if (installed[name]?.version !== entry.version) return `${name.replace(/^.*node_modules\//, '')} ${entry.version} is not installed`;
  }
  const abi = readIfThere(path.join(folder, abiNote));
  if (abi !== undefined && abi !== process.versions.modules) return `dependencies were compiled for another Node than ${process.version}`;
  return undefined;
}

/** Installs what the lock says. Throws one sentence when that fails. */
export function install(folder = root, write = (text) => process.stderr.write(text)) {
  const reason = findInstallReason(folder);
  if (reason === undefined) return;
  write(`hermes: ${reason}; installing now. Compiling SQLite takes a minute or two, once.\n`);
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const result = spawnSync(npm[0], [...npm.slice(1), 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    // Settings of the run that called us (such as --dry-run or --ignore-scripts) are not meant for this one.
    env: Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^npm_config_(dry_run|ignore_scripts|omit|production|global)$/i.test(name)),
    ),
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.error !== undefined) throw new Error(`npm could not be started (${result.error.message})`);
  if (result.status !== 0) {
    const compiling = /node-gyp|make: |gyp ERR/.test(result.stderr);
    const hint = compiling ? 'compiling SQLite needs python3, make and g++' : 'npm needs its registry and room on the disk';
    throw new Error(`dependencies could not be installed: ${hint}. npm said:\n${lastLines(result.stderr || result.stdout, 12)}`);
  }
  writeFileSync(path.join(folder, abiNote), process.versions.modules);
}

/** True when `dist` is missing or something it is made from is newer. */
export function isBuildOlder(folder = root) {
  const built = modifiedAt(path.join(folder, 'dist/meta.json'));
  if (built === undefined || !existsSync(path.join(folder, 'dist/hermes.js'))) return true;
  const made = [
    'src',
    'scripts/build.mjs',
    'scripts/cached-chunk.mjs',
    'scripts/raw-text.mjs',
    'scripts/start-up-set.mjs',
    'package-lock.json',
  ];
  return made.some((name) => newestUnder(path.join(folder, name)) > built);
}

/** Builds in a process of its own when the bundle is older than the source. Throws the builder's sentence when it fails. */
export function buildIfOlder(folder = root, write = (text) => process.stderr.write(text)) {
  if (!isBuildOlder(folder)) return;
  write('hermes: building\n');
  const result = spawnSync(process.execPath, [path.join(folder, 'scripts/build.mjs'), '--quiet'], { cwd: folder, encoding: 'utf8' });
  if (result.status !== 0) throw new Error((result.stderr || result.error?.message || 'the build was stopped').trim());
}

function newestUnder(file) {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  // A folder's own time changes when a file is removed or renamed.
  return readdirSync(file).reduce((newest, name) => Math.max(newest, newestUnder(path.join(file, name))), found.mtimeMs);
}

function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

function readLock(file) {
  const text = readIfThere(file);
  return text === undefined ? undefined : JSON.parse(text).packages;
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function lastLines(text, count) {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
