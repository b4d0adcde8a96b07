/** Where a session worked: the git root, else the directory, else nothing (state-db.md 3). The branch is deliberately not part of it. */
export function workspaceKey(session: { cwd?: string; gitRepoRoot?: string }): string | undefined {
  if (session.gitRepoRoot !== undefined && session.gitRepoRoot !== '') return session.gitRepoRoot;
  return session.cwd === undefined || session.cwd === '' ? undefined : session.cwd;
}

/** Whether a session belongs to one of these workspaces: the same git root, or, without one, that directory or one below it. */
export function isInWorkspace(session: { cwd?: string; gitRepoRoot?: string }, keys: readonly string[]): boolean {
  if (session.gitRepoRoot !== undefined && session.gitRepoRoot !== '') return keys.includes(session.gitRepoRoot);
  const cwd = session.cwd;
  if (cwd === undefined || cwd === '') return false;
  return keys.some((key) => cwd === key || cwd.startsWith(key.endsWith('/') ? key : `${key}/`));
}

/** `--workspace NEEDLE`: part of the workspace's path in any case, or the name of its folder (state-db.md 6). */
export function matchesWorkspace(session: { cwd?: string; gitRepoRoot?: string }, needle: string): boolean {
  const key = workspaceKey(session);
  if (key === undefined) return false;
  return key.normalize('NFC').toLowerCase().includes(needle.normalize('NFC').toLowerCase());
}
