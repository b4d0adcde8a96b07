import { nextLineageTitle, reservedTitle, sanitizeTitle, splitTitle } from '../../session/title.ts';
import type { Session, SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { all, first } from '../rows.ts';
import { latest, type LatestQuery } from './latest.ts';
import { nodeById } from './lineages.ts';
import { resumeTarget, tipOf } from './sessions.ts';

export interface ResolveOptions {
  /** A unique beginning of an id counts too. Default true. */
  allowPrefix?: boolean;
  /** The word `latest`, in any case, means the newest local session: for `-r` alone (product.md 1). */
  latestKeyword?: LatestQuery;
}

export type Resolved =
  | { kind: 'found'; session: Session; by: 'latest' | 'id' | 'title' | 'prefix'; matched: SessionId }
  | { kind: 'ambiguous'; candidates: SessionId[] }
  | { kind: 'none' };

/** Candidates of an ambiguous prefix that are named. */
const maxCandidates = 20;

/** `latest` (where asked for) → exact id → title → unique id prefix; then the tip (product.md 1). */
export function resolveSession(connection: Connection, text: string, options: ResolveOptions = {}): Resolved {
  if (options.latestKeyword !== undefined && text.trim().toLowerCase() === 'latest') {
    const session = latest(connection, options.latestKeyword);
    return session === undefined ? { kind: 'none' } : { kind: 'found', session, by: 'latest', matched: session.id };
  }
  if (text === '') return { kind: 'none' };
  const found = (matched: SessionId, by: 'id' | 'title' | 'prefix'): Resolved => {
    const session = resumeTarget(connection, matched);
    return session === undefined ? { kind: 'none' } : { kind: 'found', session, by, matched };
  };
  if (nodeById(connection, text) !== undefined) return found(text, 'id');
  const titled = resolveTitle(connection, text);
  if (titled !== undefined) return found(titled, 'title');
  if (options.allowPrefix === false) return { kind: 'none' };
  const ids = idsWithPrefix(connection, text.trim());
  // Segments of one conversation are one answer.
  const tips = [...new Set(ids.map((id) => tipOf(connection, id)))];
  if (tips.length > 1) return { kind: 'ambiguous', candidates: ids };
  return ids[0] === undefined ? { kind: 'none' } : found(tips[0] ?? ids[0], 'prefix');
}

/** No id and no title begins with more characters; SQLite takes patterns of 50,000 bytes. */
const longestBeginning = 10_000;

/** `_` and `%` in a name are letters. */
function likePrefix(text: string): string {
  return `${text.replace(/[\\%_]/g, (letter) => `\\${letter}`)}%`;
}

function idsWithPrefix(connection: Connection, prefix: string): SessionId[] {
  if (prefix === '' || prefix.length > longestBeginning) return [];
  const sql = `SELECT id FROM sessions WHERE id LIKE ? ESCAPE '\\' ORDER BY id DESC LIMIT ${maxCandidates}`;
  return all(connection, sql, likePrefix(prefix)).map((row) => String(row['id']));
}

/**
 * The session a title names: the newest-started of `title #N`, else the exact one (state-db.md 2.7, store-v31.md B2.3: numbered rows are
 * compared without regard to the case of ASCII letters). The reserved title is taken at its word.
 */
export function resolveTitle(connection: Connection, text: string): SessionId | undefined {
  if (!connection.has('sessions', 'title')) return undefined;
  if (text.length > longestBeginning) return titleHolder(connection, text);
  const spellings = [...new Set([text, sanitizeTitle(text) ?? text, text.normalize('NFC'), text.normalize('NFD')])];
  for (const title of spellings) {
    const exact = titleHolder(connection, title);
    if (title === reservedTitle && exact !== undefined) return exact;
    const numbered = all(
      connection,
      `SELECT s.id, s.title FROM sessions AS s WHERE s.title LIKE ? ESCAPE '\\' ORDER BY s.started_at DESC, s.id DESC`,
      likePrefix(`${title} #`),
    ).find((row) => splitTitle(String(row['title'])).base.length === title.length);
    if (numbered !== undefined) return String(numbered['id']);
    if (exact !== undefined) return exact;
  }
  return undefined;
}

/** Who carries exactly this title; titles are unique over all rows. */
export function titleHolder(connection: Connection, title: string): SessionId | undefined {
  if (!connection.has('sessions', 'title')) return undefined;
  const row = first(connection, 'SELECT id FROM sessions WHERE title = ?', title);
  return row === undefined ? undefined : String(row['id']);
}

/** Who has a title that somebody wants, and the next number of its lineage that is free; undefined: nobody else has it. */
export function titleClash(connection: Connection, text: string, wantedBy: SessionId): TitleClash | undefined {
  const title = sanitizeTitle(text);
  const holder = title === undefined ? undefined : titleHolder(connection, title);
  if (title === undefined || holder === undefined || holder === wantedBy) return undefined;
  return { holder, title, next: nextLineageTitle(title, lineageTitles(connection, title)) };
}

export interface TitleClash {
  readonly holder: SessionId;
  readonly title: string;
  readonly next: string;
}

/** Stored titles equal to the base of `title` or numbered from it: what `nextLineageTitle` counts. */
export function lineageTitles(connection: Connection, title: string): string[] {
  if (!connection.has('sessions', 'title')) return [];
  const { base } = splitTitle(title);
  if (base.length > longestBeginning) return titleHolder(connection, base) === undefined ? [] : [base];
  const sql = `SELECT title FROM sessions WHERE title = ? OR title LIKE ? ESCAPE '\\'`;
  return all(connection, sql, base, likePrefix(`${base} #`)).map((row) => String(row['title']));
}
