import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findWorkspace, isDirectory } from '../../src/app/workspace.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'hermes-workspace-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd, encoding: 'utf8' }).trim();

describe('the workspace of a directory', () => {
  it('is the directory itself outside of any checkout', () => {
    expect(findWorkspace(base)).toEqual({ cwd: base, realCwd: base, keys: [base] });
  });

  it('is the top of the checkout, as git says, with its branch', () => {
    const repo = path.join(base, 'shop');
    mkdirSync(path.join(repo, 'src/deep'), { recursive: true });
    git(repo, 'init', '-b', 'feature/결제');
    const found = findWorkspace(path.join(repo, 'src/deep'));
    expect(found.gitRoot).toBe(git(path.join(repo, 'src/deep'), 'rev-parse', '--show-toplevel'));
    expect(found.gitBranch).toBe('feature/결제');
    expect(found.keys).toEqual([repo]);
  });

  it('knows a checkout that is reached through a symbolic link under both names', () => {
    const repo = path.join(base, 'shop');
    mkdirSync(path.join(repo, 'src'), { recursive: true });
    git(repo, 'init', '-b', 'main');
    symlinkSync(repo, path.join(base, 'link'));
    expect(findWorkspace(path.join(base, 'link/src')).keys).toEqual([repo, path.join(base, 'link')]);
  });

  it('that is no path, or whose .git is not what it should be, is only a directory', () => {
    expect(findWorkspace('/tmp/a\0b')).toEqual({ cwd: '/tmp/a\0b', realCwd: '/tmp/a\0b', keys: ['/tmp/a\0b'] });
    expect(isDirectory('/tmp/a\0b')).toBe(false);
    expect(isDirectory('x'.repeat(1_000_000))).toBe(false);
    mkdirSync(path.join(base, '.git/HEAD'), { recursive: true });
    expect(findWorkspace(base).gitBranch).toBeUndefined();
    rmSync(path.join(base, '.git/HEAD'), { recursive: true });
    execFileSync('mkfifo', [path.join(base, '.git/HEAD')]);
    expect(findWorkspace(base).gitBranch).toBeUndefined();
  });

  it('takes a worktree for a checkout of its own, and a detached commit by its first digits', () => {
    const repo = path.join(base, 'shop');
    mkdirSync(repo);
    git(repo, 'init', '-b', 'main');
    writeFileSync(path.join(repo, 'a'), 'a');
    git(repo, 'add', '.');
    git(repo, 'commit', '-m', 'a');
    git(repo, 'worktree', 'add', '-b', 'side', path.join(base, 'side'));
    expect(findWorkspace(path.join(base, 'side'))).toMatchObject({ gitRoot: path.join(base, 'side'), gitBranch: 'side' });
    git(repo, 'checkout', '--detach');
    expect(findWorkspace(repo).gitBranch).toBe(git(repo, 'rev-parse', 'HEAD').slice(0, 8));
  });

  it('survives a directory that is gone', () => {
    const gone = path.join(base, 'gone/deeper');
    expect(findWorkspace(gone)).toEqual({ cwd: gone, realCwd: gone, keys: [gone] });
  });
});
