import type { Hit } from '../../session/found.ts';
import type { Query } from '../../session/query.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { messageHome } from '../reads/recall.ts';
import { hitsIn } from './hits.ts';
import { readHits } from './page.ts';
import { planOf } from './plan.ts';

export interface SomeHitsQuery {
  readonly query: Query;
  readonly count: number;
  /** Which come first: those said last, or those said first. */
  readonly from: 'newest' | 'oldest';
  /** Left out: shown already. */
  readonly without?: readonly number[];
  /** Only what the model is not given any more when this session goes on: messages of earlier segments, and compacted ones. */
  readonly outOfContextOf?: SessionId;
  /** Hits that are asked whether they are; all. */
  readonly atMost?: number;
}

/** Some of the hits of the lineage a session belongs to, with their snippets: what a list shows below the best one. 6 µs a message. */
export function someHits(connection: Connection, id: SessionId, asked: SomeHitsQuery): Hit[] {
  const { query, count, from, without, outOfContextOf } = asked;
  const known = new Set(without);
  const ids = hitsIn(connection, id, query).flatMap((place) => (known.has(place.messageId) ? [] : [place.messageId]));
  if (from === 'newest') ids.reverse();
  const wanted: number[] = [];
  for (const messageId of ids.slice(0, asked.atMost)) {
    if (wanted.length === count) break;
    const home = outOfContextOf === undefined ? undefined : messageHome(connection, messageId);
    if (home === undefined || home.sessionId !== outOfContextOf || !home.isLive) wanted.push(messageId);
  }
  return readHits(connection, planOf(query), wanted);
}
