import type { Query } from '../../session/query.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { hitsIn } from './hits.ts';
import { planOf } from './plan.ts';
import { readHits } from './search.ts';
import type { Hit } from './types.ts';

export interface SomeHitsQuery {
  readonly query: Query;
  readonly count: number;
  /** Which come first: those said last, or those said first. */
  readonly from: 'newest' | 'oldest';
  /** Left out: shown already. */
  readonly without?: readonly number[];
}

/** Some of the hits of the lineage a session belongs to, with their snippets: what a list shows below the best one. 6 µs a message. */
export function someHits(connection: Connection, id: SessionId, { query, count, from, without }: SomeHitsQuery): Hit[] {
  const known = new Set(without);
  const ids = hitsIn(connection, id, query).flatMap((place) => (known.has(place.messageId) ? [] : [place.messageId]));
  if (from === 'newest') ids.reverse();
  return readHits(connection, planOf(query), ids.slice(0, count));
}
