import type { SessionId } from '../../../session/types.ts';
import type { Found, GroupHits, Hit, Sort } from './types.ts';

/** What the list is made of: the lines of every lineage. */
export type ListLine =
  | { readonly kind: 'title'; readonly index: number; readonly found: Found; readonly isAlone: boolean }
  | {
      readonly kind: 'hit';
      readonly index: number;
      readonly found: Found;
      readonly messageId: number | undefined;
      readonly hit: Hit | undefined;
    }
  | { readonly kind: 'gap' };

interface Listed {
  readonly results: readonly Found[];
  readonly groups: ReadonlyMap<SessionId, GroupHits>;
  readonly cursor: { readonly index: number; readonly messageId?: number };
  /** Hits of the lineage under the cursor that show at once; of the others the first one does. */
  readonly most: number;
  readonly hasGaps: boolean;
}

/** Hits of a lineage as ↓ goes through them: the one that stands for it first, then those after it as they were said. */
export function orderHits(ids: readonly number[], first: number | undefined, sort: Sort): number[] {
  if (sort === 'oldest') return [...ids];
  if (sort === 'newest') return ids.toReversed();
  return first === undefined || !ids.includes(first) ? [...ids] : [first, ...ids.filter((id) => id !== first)];
}

/** Ids of the hits that are known of a lineage; empty where its title alone matches. */
export function hitIds(found: Found, groups: ReadonlyMap<SessionId, GroupHits>): readonly number[] {
  const all = groups.get(found.row.rootId)?.ids;
  if (all !== undefined && all.length > 0) return all;
  return found.hit === undefined ? [] : [found.hit.messageId];
}

export const hitById = (found: Found, groups: ReadonlyMap<SessionId, GroupHits>, id: number | undefined): Hit | undefined =>
  id === undefined ? undefined : (groups.get(found.row.rootId)?.known.get(id) ?? (found.hit?.messageId === id ? found.hit : undefined));

/** Hits that are to come as well: as many as were counted. */
export const hitCount = (found: Found, groups: ReadonlyMap<SessionId, GroupHits>): number =>
  groups.get(found.row.rootId)?.ids.length ?? Math.max(found.hits, found.hit === undefined ? 0 : 1);

/** Lines of one lineage. Those of hits still to be read stand as empty lines, so that nothing moves when they come. */
function groupLines(listed: Listed, index: number): ListLine[] {
  const found = listed.results[index]!;
  const ids = hitIds(found, listed.groups);
  const lines: ListLine[] = [{ kind: 'title', index, found, isAlone: ids.length === 0 }];
  const isUnder = index === listed.cursor.index;
  const count = hitCount(found, listed.groups);
  const shown = Math.min(count, isUnder ? listed.most : 1);
  const at = Math.max(0, listed.cursor.messageId === undefined || !isUnder ? 0 : ids.indexOf(listed.cursor.messageId));
  const from = Math.max(0, Math.min(at - Math.floor(shown / 2), count - shown));
  for (let place = from; place < from + shown; place++) {
    const messageId = ids[place];
    lines.push({ kind: 'hit', index, found, messageId, hit: hitById(found, listed.groups, messageId) });
  }
  if (listed.hasGaps) lines.push({ kind: 'gap' });
  return lines;
}

export const listLines = (listed: Listed): ListLine[] => listed.results.flatMap((_, index) => groupLines(listed, index));

/** The line the cursor stands on. */
export function cursorLine(lines: readonly ListLine[], cursor: { readonly index: number; readonly messageId?: number }): number {
  return lines.findIndex(
    (line) =>
      line.kind !== 'gap' &&
      line.index === cursor.index &&
      (line.kind === 'title' ? line.isAlone : cursor.messageId === undefined || line.messageId === cursor.messageId),
  );
}
