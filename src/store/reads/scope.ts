import type { Connection } from '../connection.ts';

export interface Scope {
  readonly sources?: readonly string[];
  /** Every spelling of the workspace. */
  readonly workspaces?: readonly string[];
}

/** A condition over `sessions AS s`. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** `isInWorkspace` and the sources as SQL: what a session must be to be the tip of a lineage that counts. Undefined: any may be. */
export function tipCondition(connection: Connection, scope: Scope): Condition | undefined {
  const parts: string[] = [];
  const values: unknown[] = [];
  if (scope.sources !== undefined) {
    // The plus sign keeps the planner on the index that yields the order; by source it would sort all of them.
    parts.push('+s.source IN (SELECT value FROM json_each(?))');
    values.push(JSON.stringify(scope.sources));
  }
  if (scope.workspaces !== undefined && connection.has('sessions', 'cwd')) {
    const root = connection.has('sessions', 'git_repo_root') ? "COALESCE(s.git_repo_root, '')" : "''";
    const below = scope.workspaces.map((key) => (key.endsWith('/') ? key : `${key}/`));
    parts.push(`(${root} IN (SELECT value FROM json_each(?))
      OR (${root} = '' AND (s.cwd IN (SELECT value FROM json_each(?))
        OR EXISTS (SELECT 1 FROM json_each(?) AS below WHERE substr(s.cwd, 1, length(below.value)) = below.value))))`);
    values.push(JSON.stringify(scope.workspaces.filter((key) => key !== '')), JSON.stringify(scope.workspaces), JSON.stringify(below));
  }
  return parts.length === 0 ? undefined : { sql: parts.join(' AND '), values };
}
