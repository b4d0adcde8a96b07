import type { CommandId } from '../../../commands/table.ts';
import type { CommandRow } from './rows.ts';

/**
 * The rows that fit the words typed, best first; all of them, in their order, while nothing is typed. A name that is just that
 * comes first, one that begins so before one that holds the words, then summaries, slash names and keys, then letters of the name in order with others between.
 */
export function matchRows(rows: readonly CommandRow[], query: string): CommandId[] {
  const folded = fold(query.trim());
  if (folded === '') return rows.map(({ id }) => id);
  const ranked = rows.flatMap((row) => {
    const rank = rankOf(row, folded);
    return rank === undefined ? [] : [{ id: row.id, rank }];
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ id }) => id);
}

const fold = (text: string): string => text.normalize('NFC').toLowerCase();

function rankOf(row: CommandRow, query: string): number | undefined {
  const name = fold(row.name);
  const slash = row.slash ?? '';
  if (name === query) return -1;
  if (name.startsWith(query) || slash === query || slash === `/${query}`) return 0;
  if (name.split(/\s+/).some((word) => word.startsWith(query)) || slash.startsWith(query) || slash.startsWith(`/${query}`)) return 1;
  if (name.includes(query)) return 2;
  const all = fold([row.name, row.summary, slash, row.id, ...row.keys].join('\n'));
  if (query.split(/\s+/).every((word) => all.includes(word))) return 3;
  return isSubsequence(query.replaceAll(/\s+/g, ''), name) ? 4 : undefined;
}

function isSubsequence(letters: string, text: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
