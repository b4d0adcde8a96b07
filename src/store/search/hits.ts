import type { Hit } from '../../session/found.ts';
import type { Range } from '../../session/match-text.ts';
import type { Query } from '../../session/query.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { segmentIds } from '../reads/sessions.ts';
import { messagesAround, walkPlaces, type Position, type Window } from '../reads/transcript.ts';
import { readHits } from './page.ts';
import { planOf } from './plan.ts';
import { searchedSessions } from './sessions.ts';
import { titledSessions } from './titles.ts';
import { createVerifier } from './verify.ts';

/** A match in a conversation, and where it stands there. */
export interface HitPlace extends Position {
  readonly messageId: number;
}

/** Places that are read at once. */
const atOnce = 500;

/**
 * All matches of the lineage a session belongs to, in reading order, its compressed segments included: what hit-by-hit moves go through, and what
 * `/` in an open conversation finds. As many as `search` counts, but for rows that stand at one place of the transcript. 6 µs a message.
 */
export function hitsIn(connection: Connection, id: SessionId, query: Query): HitPlace[] {
  const plan = planOf(query);
  const sessions = searchedSessions(connection, {});
  const verifier = createVerifier(connection, plan, sessions, titledSessions(connection, plan), []);
  const found: HitPlace[] = [];
  const demandWanted = connection.statement('SELECT hermes_stopped()');
  for (const places of walkPlaces(connection, segmentIds(connection, id), 'after', undefined, atOnce)) {
    demandWanted.get();
    const matching = new Set(verifier.verify(places.map((place) => place.id)).map((match) => match.id));
    for (const { id: messageId, sessionId, order } of places) if (matching.has(messageId)) found.push({ messageId, sessionId, order });
  }
  return found;
}

/** A window of a conversation around a hit. */
export interface Context extends Window {
  readonly messageId: number;
  /** By message id: where the words stand in its text; messages without any are left out. */
  readonly ranges: ReadonlyMap<number, readonly Range[]>;
}

/** `count` messages before and behind one of them, itself included; undefined when it is gone. */
export function contextAround(connection: Connection, messageId: number, count: number, query?: Query): Context | undefined {
  const window = messagesAround(connection, messageId, count, count);
  if (window === undefined) return undefined;
  const ranges = new Map<number, readonly Range[]>();
  if (query !== undefined) {
    const { text } = planOf(query);
    for (const message of window.messages) {
      const found = text.findRanges(message.text);
      if (found.length > 0) ranges.set(message.id, found);
    }
  }
  return { ...window, messageId, ranges };
}

/** Messages with their snippets, in the order of `ids`; those that are gone are left out. */
export const snippetsOf = (connection: Connection, ids: readonly number[], query: Query): Hit[] => readHits(connection, planOf(query), ids);
