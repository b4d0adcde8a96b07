import { localSources } from '../../session/source.ts';
import { isInWorkspace } from '../../session/workspace.ts';
import type { Session } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import type { Lineage } from './lineages.ts';
import { newestLineages } from './newest.ts';
import { tipCondition } from './scope.ts';
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
  const tips = tipCondition(connection, { ...query, sources });
  const newest = newestLineages(connection, { limit: 1, accepts, ...(tips === undefined ? {} : { tips }), prove: true });
  const found = newest.lineages[0];
  return found === undefined ? undefined : sessionById(connection, found.tip.id);
}
