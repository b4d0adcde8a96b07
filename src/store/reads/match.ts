import type { SessionId, SessionRow } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { decodeContentStart } from '../content.ts';
import { all, first, type Row } from '../rows.ts';
import { contentStartSql, visibleSql } from './columns.ts';
import { lazySource, lineageOf } from './lineages.ts';
import { sessionRows } from './row-details.ts';

export interface Match {
  row: SessionRow;
  /** The message that holds the words. */
  messageId: number;
  /** A piece of its text around the first of them, on one line. */
  snippet: string;
}

/** Hits that are looked at; newest first, since ordering all hits of a common word by rank costs seconds on a large store (product.md 5). */
const hitsRead = 300;
/** Messages a substring search goes back over where no index can answer. */
const scanBack = 20_000;
const maxWords = 8;
const snippetBefore = 24;
const snippetLength = 120;

/** Scripts written without spaces between words, by the ranges of state-db.md 10. */
const cjk = /[\u3000-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u{20000}-\u{2a6df}]/u;

/** The one way user text reaches FTS5: as a string literal of its query language. */
function quoteFts(word: string): string {
  return `"${word.replaceAll('"', '""').replaceAll('\u0000', ' ')}"`;
}

/** The words of a text, longest first, each once: short ones say little. */
function searchWords(text: string): string[] {
  const found =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];
  const useful = [...new Set(found)].filter((word) => word.length > 1 || cjk.test(word));
  return useful.sort((a, b) => b.length - a.length).slice(0, maxWords);
}

/**
 * Past conversations that speak of the same things, best first: one row per lineage. Ranked by how many of the words one message holds,
 * then by age. One statement that reads a bounded number of hits. An empty list when nothing is found; an error is thrown, never hidden.
 */
export function matchMessages(connection: Connection, text: string, limit: number): Match[] {
  const words = searchWords(text);
  if (words.length === 0) return [];
  const source = lazySource(connection);
  const best = new Map<SessionId, { score: number; id: number; text: string; node: ReturnType<typeof lineageOf> }>();
  for (const row of candidateRows(connection, words)) {
    const content = decodeContentStart(row['start']);
    const folded = content.normalize('NFC').toLowerCase();
    const score = words.filter((word) => folded.includes(word)).length;
    if (score === 0) continue;
    const node = source.node(String(row['session_id']));
    if (node === undefined) continue;
    const lineage = lineageOf(connection, node, source);
    if (lineage.class !== 'shown') continue;
    const known = best.get(lineage.root.id);
    if (known === undefined || score > known.score)
      best.set(lineage.root.id, { score, id: Number(row['id']), text: content, node: lineage });
  }
  const ranked = [...best.values()].sort((a, b) => b.score - a.score || b.node.lastActive - a.node.lastActive).slice(0, limit);
  const rows = sessionRows(
    connection,
    ranked.map(({ node }) => node),
    { previews: 'untitled' },
  );
  return ranked.flatMap(({ id, text: content }, index) => {
    const row = rows[index];
    return row === undefined ? [] : [{ row, messageId: id, snippet: snippetOf(content, words) }];
  });
}

/** Newest messages of user and agent that hold at least one of the words. */
function candidateRows(connection: Connection, words: readonly string[]): Row[] {
  const indexed = words.filter((word) => !cjk.test(word));
  const triples = connection.shape.hasTrigram ? words.filter((word) => cjk.test(word) && [...word].length >= 3) : [];
  const scanned = words.filter((word) => !indexed.includes(word) && !triples.includes(word));
  const parts: string[] = [];
  const values: unknown[] = [];
  if (connection.shape.fts === 'none') scanned.push(...indexed);
  else if (indexed.length > 0) {
    parts.push(`SELECT * FROM (SELECT rowid AS id FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rowid DESC LIMIT ${hitsRead})`);
    values.push(indexed.map(quoteFts).join(' OR '));
  }
  if (triples.length > 0) {
    parts.push(
      `SELECT * FROM (SELECT rowid AS id FROM messages_fts_trigram WHERE messages_fts_trigram MATCH ? ORDER BY rowid DESC LIMIT ${hitsRead})`,
    );
    values.push(triples.map(quoteFts).join(' OR '));
  }
  if (scanned.length > 0) {
    const bound = Number(first(connection, 'SELECT max(id) AS id FROM messages')?.['id'] ?? 0) - scanBack;
    const like = scanned.map(() => 'n.content LIKE ?').join(' OR ');
    parts.push(
      `SELECT * FROM (SELECT n.id FROM messages AS n WHERE n.id > ? AND n.role IN ('user', 'assistant') AND (${like}) ORDER BY n.id DESC LIMIT ${hitsRead})`,
    );
    values.push(bound, ...scanned.map((word) => `%${word}%`));
  }
  const sql = `SELECT m.id, m.session_id, ${contentStartSql('m', 8192, 16384)} AS start
    FROM (${parts.join(' UNION ')}) AS hit CROSS JOIN messages AS m ON m.id = hit.id
    WHERE m.role IN ('user', 'assistant') AND ${visibleSql(connection, 'm')} ORDER BY m.id DESC LIMIT ${hitsRead}`;
  return all(connection, sql, ...values);
}

function snippetOf(text: string, words: readonly string[]): string {
  const line = text.normalize('NFC').replace(/\s+/gu, ' ').trim();
  const folded = line.toLowerCase();
  const places = words.map((word) => folded.indexOf(word)).filter((at) => at >= 0);
  const at = places.length === 0 ? 0 : Math.min(...places);
  const letters = Array.from(line);
  // Offsets count code units, letters code points: counting the ones before the hit joins the two.
  const start = Math.max(0, Array.from(line.slice(0, at)).length - snippetBefore);
  const piece = letters
    .slice(start, start + snippetLength)
    .join('')
    .trim();
  return `${start > 0 ? '...' : ''}${piece}${start + snippetLength < letters.length ? '...' : ''}`;
}
