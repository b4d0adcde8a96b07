import type { Query } from '../../session/query.ts';
import type { SessionRow } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { search } from '../search/search.ts';

export interface Match {
  row: SessionRow;
  /** The message that holds the words. */
  messageId: number;
  /** A piece of its text around the first of them, on one line. */
  snippet: string;
}

const maxWords = 8;
/** Lineages looked at for each one wanted: archived and machine-made ones are passed over. */
const spare = 4;

/** Scripts written without spaces between words, by the ranges of state-db.md 10. */
const cjk = /[\u3000-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\u{20000}-\u{2a6df}]/u;

/** The words of a text, longest first, each once; short ones, which say little, where there are no others. */
function searchWords(text: string): string[] {
  const found =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];
  const useful = [...new Set(found)].filter((word) => word.length > 1 || cjk.test(word));
  const telling = useful.filter((word) => word.length > 3 || cjk.test(word));
  return (telling.length > 0 ? telling : useful).sort((a, b) => b.length - a.length).slice(0, maxWords);
}

/**
 * Past conversations that speak of the same things, best first: a search for any of the words in what people and agents said. One row per lineage,
 * as many as there are up to `limit`. An empty list when nothing is found; an error is thrown, never hidden.
 */
export function matchMessages(connection: Connection, text: string, limit: number): Match[] {
  const words = searchWords(text).map((word): Query => ({ type: 'text', text: word, isPhrase: false, isPrefix: false }));
  if (words.length === 0) return [];
  const roles = ['user', 'assistant'].map((role): Query => ({ type: 'test', test: { field: 'role', is: role } }));
  const query: Query = {
    type: 'and',
    nodes: [
      { type: 'or', nodes: words },
      { type: 'or', nodes: roles },
    ],
  };
  const found: Match[] = [];
  for (const chunk of search(connection, { query, sort: 'best', limit: limit * spare, until: 'page' })) {
    if (chunk.type !== 'results') continue;
    found.length = 0;
    for (const { row, hit } of chunk.results) {
      if (hit === undefined || row.class !== 'shown' || found.length === limit) continue;
      const { text: piece, isCutBefore, isCutAfter } = hit.snippet;
      found.push({ row, messageId: hit.messageId, snippet: `${isCutBefore ? '...' : ''}${piece}${isCutAfter ? '...' : ''}` });
    }
  }
  return found;
}
