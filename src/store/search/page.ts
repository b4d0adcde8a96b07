import type { Hit, SearchResult } from '../../session/found.ts';
import { cutSnippet } from '../../session/snippet.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { sessionRows } from '../reads/row-details.ts';
import { searchedMessages } from './documents.ts';
import type { Group } from './groups.ts';
import type { Plan } from './plan.ts';
import type { SearchedSessions } from './sessions.ts';
import type { SearchRequest } from './types.ts';

export interface Page {
  /** Results in the order of `groups`; those whose session is gone by now are left out. */
  build(groups: readonly Group[], sort: SearchRequest['sort']): SearchResult[];
}

/** Turns groups into what is shown; a row that was shown before is not read again. */
export function createPage(connection: Connection, plan: Plan, sessions: SearchedSessions): Page {
  const rows = new Map<SessionId, SearchResult>();
  const hits = new Map<number, Hit>();
  return {
    build(groups, sort) {
      const missing = groups.filter((group) => !rows.has(group.rootId));
      const lineages = missing.flatMap((group) => sessions.lineageOf(group.sessionId) ?? []);
      for (const row of sessionRows(connection, lineages, { previews: 'untitled' })) {
        const titleRanges = row.title === undefined ? [] : plan.text.findRanges(row.title);
        rows.set(row.rootId, { row, hits: 0, isTitleMatch: false, titleRanges });
      }
      const wanted = groups.flatMap((group) => hitOf(group, sort) ?? []).filter((id) => !hits.has(id));
      for (const hit of readHits(connection, plan, wanted)) hits.set(hit.messageId, hit);
      return groups.flatMap((group): SearchResult[] => {
        const known = rows.get(group.rootId);
        if (known === undefined) return [];
        const hit = hits.get(hitOf(group, sort) ?? NaN);
        return [{ ...known, hits: group.hits, isTitleMatch: group.title > 0, ...(hit === undefined ? {} : { hit }) }];
      });
    },
  };
}

/** The message a result opens at. */
const hitOf = (group: Group, sort: SearchRequest['sort']): number | undefined =>
  (sort === 'best' ? group.best : sort === 'newest' ? group.latest : group.earliest)?.messageId;

/** Hits with their snippets, from the field of the message that has most to show. */
export function readHits(connection: Connection, plan: Plan, ids: readonly number[]): Hit[] {
  if (ids.length === 0) return [];
  return [...searchedMessages(connection, ids)].map(({ id, sessionId, role, timestamp, fields }) => {
    let text = fields[0] ?? '';
    let ranges = plan.text.findRanges(text);
    for (const field of fields.slice(1)) {
      if (ranges.length > 0) break;
      text = field;
      ranges = plan.text.findRanges(field);
    }
    if (ranges.length === 0) text = fields[0] ?? '';
    return { messageId: id, sessionId, role, timestamp, snippet: cutSnippet(text, ranges) };
  });
}
