import { localSources } from '../../session/source.ts';
import { isInWorkspace } from '../../session/workspace.ts';
import type { Session } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import type { Lineage } from './lineages.ts';
import { newestLineages } from './newest.ts';
import { sessionById } from './sessions.ts';

export interface LatestQuery {
  /** Default: the local family cli, oneshot, tui. */
  sources?: readonly string[];
  /** Every spelling of the workspace; absent = any workspace. */
  workspaces?: readonly string[];
}

/**
 * The session that `-r latest`, and `-c` without a breadcrumb, go on with: the tip of the newest lineage of these sources. Never an empty,
 * archived, hidden, machine-made one or a sub-agent's (product.md 1, where Hermes Agent takes any row: store-v31.md B2.1). Exact: the
 * wrong conversation must not be continued because a heartbeat was late.
 */
export function latest(connection: Connection, query: LatestQuery = {}): Session | undefined {
  const sources = query.sources ?? localSources;
  const accepts = (lineage: Lineage): boolean =>
    lineage.class === 'shown' &&
    sources.includes(lineage.tip.source) &&
    (query.workspaces === undefined || isInWorkspace(lineage.tip, query.workspaces));
  const newest = newestLineages(connection, { limit: 1, accepts, where: scope(connection, sources, query.workspaces), prove: true });
  const found = newest.lineages[0];
  return found === undefined ? undefined : sessionById(connection, found.tip.id);
}

/** Keeps the statement from reading sessions that can't count. Compressed ones always pass: their tip decides. */
function scope(
  connection: Connection,
  sources: readonly string[],
  workspaces: readonly string[] | undefined,
): { sql: string; values: unknown[] } {
  const values: unknown[] = [JSON.stringify(sources)];
  // The plus sign keeps the planner on the index that yields the order; by source it would sort all of them.
  let sql = `+s.source IN (SELECT value FROM json_each(?))`;
  if (workspaces !== undefined && connection.has('sessions', 'cwd')) {
    const root = connection.has('sessions', 'git_repo_root') ? "COALESCE(s.git_repo_root, '')" : "''";
    const below = workspaces.map((key) => (key.endsWith('/') ? key : `${key}/`));
    sql += ` AND (${root} IN (SELECT value FROM json_each(?))
      OR (${root} = '' AND (s.cwd IN (SELECT value FROM json_each(?))
        OR EXISTS (SELECT 1 FROM json_each(?) AS below WHERE substr(s.cwd, 1, length(below.value)) = below.value))))`;
    values.push(JSON.stringify(workspaces.filter((key) => key !== '')), JSON.stringify(workspaces), JSON.stringify(below));
  }
  return { sql: `(s.end_reason = 'compression' OR (${sql}))`, values };
}
