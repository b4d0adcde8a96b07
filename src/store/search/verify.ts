import { foldText } from '../../session/fold.ts';
import { countTerm, decide, hasTerm } from '../../session/match-text.ts';
import type { Test } from '../../session/query.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { all } from '../rows.ts';
import { searchedMessages, testMessage, type SearchedMessage } from './documents.ts';
import { isMessageTest, type Plan } from './plan.ts';
import type { Place, SearchedSessions } from './sessions.ts';
import type { Titled } from './titles.ts';

/** A message that matches, without its text. */
export interface Match extends Pick<SearchedMessage, 'id' | 'sessionId' | 'role' | 'timestamp'> {
  readonly place: Place;
  readonly score: number;
}

export interface Verifier {
  /** The messages among `ids` that match; whatever an index said, here the text itself is looked at. */
  verify(ids: readonly number[]): Match[];
  /** Whether a title is a match by itself. */
  matchesTitle(sessionId: SessionId, titled: Titled): boolean;
}

const none: readonly boolean[] = [];

/** @param weights by index of the term: how much it says */
export function createVerifier(
  connection: Connection,
  plan: Plan,
  sessions: SearchedSessions,
  titles: ReadonlyMap<SessionId, Titled>,
  weights: readonly number[],
): Verifier {
  const { query, text } = plan;
  const { terms, wanted } = text;
  const now = connection.now();
  const hasTests = plan.clauses.some((clause) => clause.tests.length > 0) || plan.hasLineageTests;

  function judge(message: SearchedMessage): Match | undefined {
    const folded = message.fields.map(foldText);
    const inTitle = titles.get(message.sessionId)?.has ?? none;
    const own = terms.map((term) => folded.some((field) => hasTerm(field, term)));
    const byText = (node: Parameters<typeof text.termOf>[0]): boolean => {
      const index = text.termOf(node);
      return own[index] === true || inTitle[index] === true;
    };
    if (decide(query, { text: byText, test: () => undefined }) === false) return undefined;
    const place = sessions.placeOf(message.sessionId);
    if (place === undefined) return undefined;
    const test = (asked: Test): boolean | undefined => testMessage(message, asked, now) ?? sessions.testLineage(message.sessionId, asked);
    if (hasTests && decide(query, { text: byText, test }) === false) return undefined;
    // A match that rests on words needs one of them here: what the title alone says is no place to go to.
    const hasWord = wanted.some((index) => own[index]);
    if (!hasWord && decide(query, { text: (node) => !text.isWanted(node) && byText(node), test }) === false) return undefined;
    const { id, sessionId, role, timestamp } = message;
    return { id, sessionId, role, timestamp, place, score: scoreOf(folded, own, inTitle) };
  }

  /** BM25 of the wanted terms with a bonus for those in the title; coarse, so that among equals the newer one is first. */
  function scoreOf(folded: readonly string[], own: readonly boolean[], inTitle: readonly boolean[]): number {
    const length = folded.reduce((sum, field) => sum + field.length, 0) / usualLength;
    let score = 0;
    for (const index of wanted) {
      const weight = weights[index] ?? 1;
      if (inTitle[index] === true) score += weight * titleBonus;
      if (own[index] !== true) continue;
      const count = folded.reduce((sum, field) => sum + countTerm(field, terms[index]!, mostCounted), 0);
      score += (weight * count * 2.2) / (count + 1.2 * (0.25 + 0.75 * length));
    }
    return Math.round(score * 4) / 4;
  }

  return {
    verify(ids) {
      if (ids.length === 0) return [];
      const found: Match[] = [];
      for (const message of searchedMessages(connection, ids)) {
        const match = judge(message);
        if (match !== undefined) found.push(match);
      }
      const copies = copiesAmong(connection, found);
      return copies.size === 0 ? found : found.filter((match) => !copies.has(match.id));
    },
    matchesTitle(sessionId, titled) {
      if (!wanted.some((index) => titled.has[index])) return false;
      const answer = decide(query, {
        text: (node) => titled.has[text.termOf(node)] === true,
        test: (test) => (isMessageTest(test) ? false : sessions.testLineage(sessionId, test)),
      });
      return answer !== false;
    },
  };
}

/** Characters of a message as they mostly are. */
const usualLength = 400;
const mostCounted = 8;
const titleBonus = 1.5;

/** Rows that a compression copied into the session that goes on: they are shown, and counted, where they were said (store-v31.md B1, 2.8). */
function copiesAmong(connection: Connection, matches: readonly Match[]): ReadonlySet<number> {
  const pairs = matches.flatMap(({ id, place }) => (place.continues === undefined ? [] : [[id, place.continues]]));
  if (pairs.length === 0) return new Set();
  const isSame = connection.has('messages', 'message_uid')
    ? 'p.message_uid = m.message_uid AND p.active = 1'
    : 'p.timestamp = m.timestamp AND p.role = m.role AND p.content IS m.content AND p.tool_call_id IS m.tool_call_id';
  const sql = `SELECT m.id FROM json_each(?) AS pair CROSS JOIN messages AS m ON m.id = pair.value ->> 0
    WHERE EXISTS (SELECT 1 FROM messages AS p WHERE p.session_id = pair.value ->> 1 AND ${isSame})`;
  return new Set(all(connection, sql, JSON.stringify(pairs)).map((row) => Number(row['id'])));
}
