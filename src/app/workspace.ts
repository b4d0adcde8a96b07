import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/** A directory as sessions see it. */
export interface Workspace {
  /** Absolute path as it was named (symbolic links kept). */
  cwd: string;
  /** The same with every symbolic link resolved; equal to `cwd` when it can't be resolved. */
  realCwd: string;
  /** Top of the git checkout (links resolved), absent outside of one. */
  gitRoot?: string;
  /** Branch name, or the first 8 digits of a detached commit. */
  gitBranch?: string;
  /** Every spelling under which a stored session may name this workspace; the first is the key itself. */
  keys: readonly string[];
}

/**
 * Finds the workspace of a directory: the git root, else the directory (state-db.md 3). Reads `.git` itself instead of running git, since
 * this happens before the first frame: a child process costs more than the frame. Worktrees and submodules (`.git` is a file) count as
 * checkouts of their own, as `git rev-parse --show-toplevel` says too.
 */
export function findWorkspace(directory: string): Workspace {
  const cwd = path.resolve(directory);
  const realCwd = realPathOf(cwd);
  const found = findGit(realCwd);
  if (found === undefined) return { cwd, realCwd, keys: unique([realCwd, cwd]) };
  const suffix = path.relative(found.root, realCwd);
  // The root as seen through the link: `/link/to/repo/sub` minus `sub`.
  const named = suffix === '' ? cwd : cwd.endsWith(`/${suffix}`) ? cwd.slice(0, -suffix.length - 1) : undefined;
  return {
    cwd,
    realCwd,
    gitRoot: found.root,
    ...(found.branch === undefined ? {} : { gitBranch: found.branch }),
    keys: unique([found.root, ...(named === undefined ? [] : [named])]),
  };
}

/** The path with links resolved; a path that can't be resolved (gone, no permission) stays as it is. */
export function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (isMissing(error)) return file;
    throw error;
  }
}

/** A directory as a person names it: `~` is the home directory, anything relative starts from `here`. */
export const namedDirectory = (named: string, here: string, userHome: string): string =>
  path.resolve(here, named.trim().replace(/^~(?=\/|$)/, userHome));

export function isDirectory(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/**
 * Whatever the system answers (gone, no permission, a stale mount), and a path that is none (the store may name one with a NUL in it): the
 * path can't be gone to, and that is all that is asked here.
 */
function isMissing(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).code === 'string';
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

function findGit(start: string): { root: string; branch?: string } | undefined {
  for (let directory = start; ; directory = path.dirname(directory)) {
    const dotGit = path.join(directory, '.git');
    const head = readHead(dotGit);
    if (head !== undefined) return { root: directory, ...(head === '' ? {} : { branch: head }) };
    if (directory === path.dirname(directory)) return undefined;
  }
}

/** The beginning of a small file; '' for what is none (a FIFO would be waited for without end). Throws what the system answers. */
function readShort(file: string): string {
  if (!statSync(file).isFile()) return '';
  const descriptor = openSync(file, 'r');
  try {
    const start = Buffer.alloc(4096);
    return start.toString('utf8', 0, readSync(descriptor, start));
  } finally {
    closeSync(descriptor);
  }
}

/** Branch or commit of a `.git`; '' when it is a checkout whose HEAD can't be read; undefined when it is no checkout. */
function readHead(dotGit: string): string | undefined {
  let gitDir = dotGit;
  try {
    const stat = statSync(dotGit);
    if (stat.isFile()) {
      const pointer = /^gitdir: (.+)$/m.exec(readShort(dotGit));
      if (pointer?.[1] === undefined) return undefined;
      gitDir = path.resolve(path.dirname(dotGit), pointer[1].trim());
    }
    const head = readShort(path.join(gitDir, 'HEAD')).trim();
    const branch = /^ref: refs\/heads\/(.+)$/.exec(head);
    return branch?.[1] ?? head.slice(0, 8);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
