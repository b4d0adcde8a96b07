import type { Term } from '../../session/match-text.ts';
import type { Connection } from '../connection.ts';
import { first } from '../rows.ts';
import { caselessClass } from './caseless.ts';

/**
 * Where two characters of CJK end a text, glued to what stands before them, no index of the file can be asked for them: the trigram table has no
 * entry that begins with them, and the other one none either. So the reading connection remembers the last two characters of what its scans have
 * passed, in a temporary table: nothing is written to the file, which has the layout it has, and one on these characters would have to be in it.
 * 0.15 s for 1,000,000 messages, spread over the steps of scans, those that were given up included; 3 MB where every second text ends so.
 *
 * What a changed row ends with is not learned again; that is the scan's to find, as everything that is not here.
 */
const ends = 'temp.hermes_text_ends';
const extent = 'temp.hermes_text_ends_extent';

/** New messages that are caught up with before a search; beyond, remembering begins anew. */
const caughtUpAtOnce = 20_000;

/** The first letter of the first block of CJK; Hangul and all others stand behind it. */
const firstLetter = '\u2e80';

export interface TextEnds {
  /** Rows that end with the term, newest first; ids below `below`. */
  idsOf(term: Term, below: number, count: number): number[];
  /** A scan has passed the messages with ids above `to`, up to `from`. */
  pass(to: number, from: number): void;
}

const shortCjk = new RegExp(`^${caselessClass}{2}$`);

/** Two characters, neither of which is more than one unit: what the table can be asked for. */
export const isShortCjk = (term: Term): boolean => term.kind === 'part' && shortCjk.test(term.text);

/** @param top the newest message of this search */
export function textEnds(connection: Connection, top: number): TextEnds {
  const { db } = connection;
  db.pragma('temp_store = MEMORY');
  db.exec(`CREATE TABLE IF NOT EXISTS ${ends} (piece TEXT, id INTEGER, PRIMARY KEY (piece, id)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS ${extent} (low INTEGER, high INTEGER)`);
  const known = first(connection, `SELECT low, high FROM ${extent}`);
  let low = Number(known?.['low'] ?? top + 1);
  const high = Number(known?.['high'] ?? top);
  // A lower top: the file was put in place of another one.
  if (known === undefined || top < high || top - high > caughtUpAtOnce) {
    db.exec(`DELETE FROM ${ends}; DELETE FROM ${extent}; INSERT INTO ${extent} VALUES (${top + 1}, ${top})`);
    low = top + 1;
  } else if (top > high) {
    remember(high, top);
    db.exec(`UPDATE ${extent} SET high = ${top}`);
  }

  function remember(to: number, from: number): void {
    const sql = `INSERT OR IGNORE INTO ${ends} SELECT CAST(substr(m.content, -2) AS TEXT), m.id FROM main.messages AS m
      WHERE m.id > ? AND m.id <= ? AND substr(m.content, -1) >= '${firstLetter}'`;
    connection.statement(sql).run(to, from);
  }

  return {
    idsOf(term, below, count) {
      const sql = `SELECT id FROM ${ends} WHERE piece = ? AND id < ? ORDER BY id DESC LIMIT ?`;
      return connection.statement(sql).pluck().all(term.text, below, count) as number[];
    },
    pass(to, from) {
      if (from < low - 1 || to + 1 >= low) return;
      remember(to, low - 1);
      low = to + 1;
      connection.statement(`UPDATE ${extent} SET low = ?`).run(low);
    },
  };
}
