import type { Query } from '../../session/query.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { search } from './search.ts';

/**
 * Tips of all lineages in which something matches: what `--query` of list, export, prune and archive stands for. Complete, whatever the state of
 * the index.
 */
export function matchingTips(connection: Connection, query: Query): SessionId[] {
  let tips: SessionId[] = [];
  for (const chunk of search(connection, { query, sort: 'newest', limit: Number.MAX_SAFE_INTEGER })) {
    if (chunk.type === 'results') tips = chunk.results.map((result) => result.row.id);
  }
  return tips;
}
