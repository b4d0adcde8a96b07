import type { Term } from '../../session/match-text.ts';
import type { Connection } from '../connection.ts';
import { caselessClass } from './caseless.ts';
import type { Plan } from './plan.ts';
import { isShortCjk, type TextEnds } from './text-ends.ts';

/** Terms of a clause an index is asked for: an expression of FTS5 is 256 deep at most, and the rest is judged by the text. */
const mostAsked = 40;

/** Row ids of messages that may match, from the full-text tables: the newest first, in slices. */
export interface Candidates {
  /** The next ids, newest first, below all that were handed out before; at most about `count`. Undefined: there are no more. */
  next(count: number): { readonly ids: readonly number[]; readonly downTo: number } | undefined;
}

type Table = 'messages_fts' | 'messages_fts_trigram';

/**
 * The one place where text reaches FTS5: as a string of its query language. A NUL would end it.
 */
function quote(text: string): string {
  return `"${text.replaceAll('"', '""').replaceAll('\u0000', ' ')}"`;
}

/**
 * @param ends what texts are known to end with, beside what the file has
 * @returns undefined where no index knows anything about the query
 */
export function candidatesOf(connection: Connection, plan: Plan, ends?: TextEnds): Candidates | undefined {
  const byTable = new Map<Table, string[]>();
  for (const clause of plan.clauses) {
    const terms = clause.terms.slice(0, mostAsked).map((index) => plan.text.terms[index]!);
    const trigram = connection.shape.hasTrigram && terms.some((term) => term.kind === 'part') ? trigramsOf(connection, terms) : undefined;
    const words = connection.shape.fts === 'none' ? undefined : wordsOf(connection, terms, trigram !== undefined);
    const add = (table: Table, expression: string): unknown => byTable.set(table, [...(byTable.get(table) ?? []), `(${expression})`]);
    if (trigram !== undefined) add('messages_fts_trigram', trigram);
    if (words !== undefined) add('messages_fts', words);
  }
  const streams = [...byTable].map(([table, parts]) => openStream(connection, table, parts.join(' OR ')));
  const short = plan.clauses.flatMap((clause) => clause.terms.map((index) => plan.text.terms[index]!).find(isShortCjk) ?? []);
  if (ends !== undefined)
    streams.push(
      ...short.map(
        (term): Stream =>
          (below, count) =>
            ends.idsOf(term, below, count),
      ),
    );
  if (streams.length === 0) return undefined;

  let below = Number.MAX_SAFE_INTEGER;
  let isOver = false;
  return {
    next(count) {
      if (isOver) return undefined;
      const slices = streams.map((stream) => stream(below, count));
      // Down to there every stream was read.
      const downTo = Math.max(0, ...slices.filter((slice) => slice.length === count).map((slice) => slice[count - 1]!));
      const ids = slices.length === 1 ? slices[0]! : [...new Set(slices.flat())].filter((id) => id >= downTo).sort((a, b) => b - a);
      below = downTo;
      isOver = downTo === 0;
      return { ids, downTo };
    },
  };
}

/** Ids below one, newest first. */
type Stream = (below: number, count: number) => number[];

function openStream(connection: Connection, table: Table, expression: string): Stream {
  const sql = `SELECT rowid FROM ${table} WHERE ${table} MATCH ? AND rowid < ? AND hermes_stopped(rowid) = 0 ORDER BY rowid DESC LIMIT ?`;
  const statement = connection.statement(sql).pluck();
  return (below, count) => statement.all(expression, below, count) as number[];
}

/** Keys of the JSON that calls are stored as: in every message with a call, and no word of it. */
const jsonKeys = new Set(['id', 'type', 'function', 'name', 'arguments', 'call', 'call_id', 'index', 'null', 'true', 'false']);

/** One token of the table. */
const cjkOnly = new RegExp(`^${caselessClass}{2,}$`);

/**
 * All words the terms are or begin with. Parts in CJK are asked for as the beginning of a word, which they mostly are in Korean: there also where the
 * other table has nothing, at the very end of a text, in what tools wrote, in sessions of machines.
 *
 * @param isAside another table is asked as well: without a word for each term, nothing is asked for here
 */
function wordsOf(connection: Connection, terms: readonly Term[], isAside: boolean): string | undefined {
  const parts = terms.flatMap((term) => {
    if (term.kind === 'part') return cjkOnly.test(term.text) ? [`${quote(term.text)} *`] : [];
    const columns = ['content', 'tool_name'].filter((column) => connection.has('messages_fts', column));
    const isKey =
      term.text.length === 1 || jsonKeys.has(term.text) || (term.isPrefix && [...jsonKeys].some((key) => key.startsWith(term.text)));
    const where = isKey && connection.has('messages_fts', 'tool_calls') ? `{${columns.join(' ')}} : ` : '';
    return [`${where}${quote(term.text)}${term.isPrefix ? ' *' : ''}`];
  });
  return parts.length === 0 || (isAside && parts.length < terms.length) ? undefined : parts.join(' AND ');
}

/** Everything that has three characters at least, as a substring; of what is shorter one part that the table can be asked for. */
function trigramsOf(connection: Connection, terms: readonly Term[]): string | undefined {
  const long = terms.filter((term) => [...longestWord(term)].length >= 3).map((term) => formsOf(longestWord(term)));
  const short = terms.filter((term) => term.kind === 'part' && [...term.text].length < 3 && term.text !== '');
  const parts = [...long, ...short.flatMap((term) => beginningsOf(connection, term.text) ?? [])];
  return parts.length === 0 ? undefined : parts.join(' AND ');
}

const longestWord = (term: Term): string =>
  term.kind === 'part' ? term.text : term.text.split(' ').reduce((longest, word) => (word.length > longest.length ? word : longest), '');

function formsOf(text: string): string {
  const apart = text.normalize('NFD');
  return apart === text ? quote(text) : `(${quote(text)} OR ${quote(apart)})`;
}

const vocabulary = 'temp.hermes_trigrams';
/** Terms that are asked for at once; what more there are is found by the scan. */
const maxBeginnings = 2_000;

/**
 * The table has no entry of fewer than three characters, but every one of them that stands before others begins an entry: those are read from
 * its vocabulary and asked for together (1 ms for 16,000 messages). What ends a text is found by the scan.
 *
 * @returns undefined where nothing begins like that
 */
function beginningsOf(connection: Connection, text: string): string | undefined {
  connection.db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS ${vocabulary} USING fts5vocab('main', 'messages_fts_trigram', 'row')`);
  const sql = `SELECT term FROM ${vocabulary} WHERE term >= ? AND term < ? LIMIT ${maxBeginnings}`;
  const terms = connection.statement(sql).pluck().all(text, `${text}\u{10ffff}`) as string[];
  return terms.length === 0 ? undefined : `(${terms.map(quote).join(' OR ')})`;
}
