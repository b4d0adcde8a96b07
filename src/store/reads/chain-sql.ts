import type { Connection } from '../connection.ts';
import type { Condition } from './scope.ts';

/**
 * Conditions over `sessions AS s` that look at what compression ended above a session. Every session upwards that compression ended is taken
 * for an earlier segment: more than there may be, since which of several continuations is the true one only `rootOf` knows.
 *
 * The first levels are written out, one seek each, and only what lies above them is a recursion: of 100,000 sessions 7,000 continue another
 * one, and to begin as many recursions takes 25 ms.
 */
const writtenOut = 3;

/** Steps upwards that SQL follows. Beyond, in a circle too, it lets the session pass, to be looked at as what it is. */
const maxSteps = 1000;

/**
 * True also where an earlier segment fits.
 *
 * @param ownOf what fits, of the session called `alias`
 * @param unless SQL: not where the session itself has that
 */
export function ofAnySegment(connection: Connection, ownOf: (alias: string) => Condition, unless?: string): Condition {
  const own = ownOf('s');
  if (!hasLineages(connection)) return own;
  const earlier = above({
    fits: (path) => ownOf(path.at(-1) ?? 's'),
    beyond(path) {
      const { sql, values } = ownOf('e');
      const chain = `WITH RECURSIVE up(id, parent, step) AS (
        SELECT NULL, ${path.at(-1)}.parent_session_id, ${path.length}
        UNION ALL
        SELECT p.id, p.parent_session_id, up.step + 1 FROM up CROSS JOIN sessions AS p ON p.id = up.parent
          WHERE p.end_reason = 'compression' AND up.step < ${maxSteps})`;
      return {
        sql: `EXISTS (${chain} SELECT 1 FROM up CROSS JOIN sessions AS e ON e.id = up.id WHERE ${sql} OR up.step = ${maxSteps})`,
        values,
      };
    },
  });
  const gate = unless === undefined ? '' : `${unless} IS NULL AND `;
  return { sql: `(${own.sql} OR (${gate}${earlier.sql}))`, values: [...own.values, ...earlier.values] };
}

/**
 * True also where the session together with some of those above it fits; the true lineage is one of these sums.
 *
 * @param own what fits, of the session alone
 * @param fits the same of a sum
 */
export function ofAnySum(connection: Connection, summed: Summed, own: Condition, fits: (sum: string) => Condition): Condition {
  if (!hasLineages(connection)) return own;
  const sumOf = summed.isAlwaysKnown ? plainSum : sumOfKnown;
  const numberOf = (alias: string): string => summed.of(alias);
  const sumAlong = (path: readonly string[]): string => sumOf(path.map(numberOf));
  const earlier = above({
    fits: (path) => fits(sumAlong(path)),
    beyond(path) {
      const { sql, values } = fits('up.total');
      const chain = `WITH RECURSIVE up(parent, total, step) AS (
        SELECT ${path.at(-1)}.parent_session_id, ${sumAlong(path)}, ${path.length}
        UNION ALL
        SELECT p.parent_session_id, ${sumOf(['up.total', numberOf('p')])}, up.step + 1 FROM up CROSS JOIN sessions AS p ON p.id = up.parent
          WHERE p.end_reason = 'compression' AND up.step < ${maxSteps})`;
      return { sql: `EXISTS (${chain} SELECT 1 FROM up WHERE ${sql} OR up.step = ${maxSteps})`, values };
    },
  });
  return { sql: `(${own.sql} OR (${earlier.sql}))`, values: [...own.values, ...earlier.values] };
}

export interface Summed {
  /** SQL: the number of the session called `alias`; NULL where it isn't known. */
  of(alias: string): string;
  /** It is never NULL. */
  readonly isAlwaysKnown: boolean;
}

const plainSum = (numbers: readonly string[]): string => numbers.join(' + ');

/** NULL where none of them is known. */
const sumOfKnown = (numbers: readonly string[]): string =>
  `CASE WHEN COALESCE(${numbers.join(', ')}) IS NOT NULL THEN ${numbers.map((number) => `COALESCE(${number}, 0)`).join(' + ')} END`;

interface Upwards {
  /** What fits at the last of these sessions, `s` first, each continued by the one before it. */
  fits(path: readonly string[]): Condition;
  /** The same for everything above the last of them, at once. */
  beyond(path: readonly string[]): Condition;
}

function above(upwards: Upwards, path: readonly string[] = ['s']): Condition {
  if (path.length > writtenOut) return upwards.beyond(path);
  const child = path.at(-1);
  const parent = `s${path.length}`;
  const here = upwards.fits([...path, parent]);
  const higher = above(upwards, [...path, parent]);
  const sql = `${child}.parent_session_id IS NOT NULL AND EXISTS (SELECT 1 FROM sessions AS ${parent}
    WHERE ${parent}.id = ${child}.parent_session_id AND ${parent}.end_reason = 'compression' AND (${here.sql} OR (${higher.sql})))`;
  return { sql, values: [...here.values, ...higher.values] };
}

/**
 * SQL: false for an earlier segment, as far as that can be seen from a child without any marker: it continues what compression ended. The last
 * session of a circle is continued by the one with the lowest id, its first (src/session/lineage.ts).
 */
export function isTipSql(connection: Connection): string {
  if (!hasLineages(connection) || !connection.has('sessions', 'model_config')) return '1';
  return `NOT (s.end_reason IS 'compression' AND EXISTS (SELECT 1 FROM sessions AS c WHERE c.parent_session_id = s.id
    AND c.source <> 'tool' AND instr(COALESCE(c.model_config, ''), '_from"') = 0)
    AND NOT EXISTS (SELECT 1 FROM sessions AS c WHERE c.parent_session_id = s.id AND c.id <= s.id))`;
}

const hasLineages = (connection: Connection): boolean =>
  connection.has('sessions', 'parent_session_id') && connection.has('sessions', 'end_reason');
