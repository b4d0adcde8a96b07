import { isMarkedDelegate, relationOf, type Relation } from '../../session/lineage.ts';
import { compareSessions } from '../../session/order.ts';
import { reservedTitle, sanitizeTitle, splitTitle } from '../../session/title.ts';
import type { Session, SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { all, first, readSession, sessionSelect } from '../rows.ts';
import { isEmptyNode, lazySource, lineageOf, nodeById, type Node } from './lineages.ts';
import { latest, type LatestQuery } from './latest.ts';

export function sessionById(connection: Connection, id: SessionId): Session | undefined {
  const row = first(connection, `SELECT ${sessionSelect(connection)} FROM sessions AS s WHERE s.id = ?`, id);
  return row === undefined ? undefined : readSession(row);
}

/** The last session of the lineage `id` belongs to; the id itself when it isn't stored (state-db.md 2.5). */
export function tipOf(connection: Connection, id: SessionId): SessionId {
  const node = nodeById(connection, id);
  return node === undefined ? id : lineageOf(connection, node, lazySource(connection)).tip.id;
}

/** Steps from an empty tip to the session that holds its transcript (state-db.md 2.5). */
const maxRedirects = 32;

/**
 * What resume opens: the tip. A tip without a message sends on to the child that holds the transcript. A tip with messages never does:
 * Hermes walks on to any unmarked child there, which hands a conversation over to a stranger (store-v31.md B3).
 */
export function resumeTarget(connection: Connection, id: SessionId): Session | undefined {
  const node = nodeById(connection, id);
  if (node === undefined) return undefined;
  const source = lazySource(connection);
  const lineage = lineageOf(connection, node, source);
  let at: Node = lineage.tip;
  if (lineage.segments.every((segment) => isEmptyNode(connection, segment))) {
    let step: Node | undefined = lineage.tip;
    for (let count = 0; count < maxRedirects && step !== undefined; count++) {
      const parent: Node = step;
      step = source
        .children(parent.id)
        .filter((child) => isHeir(child, parent))
        .sort((a, b) => b.startedAt - a.startedAt)[0];
      if (step !== undefined && !isEmptyNode(connection, step)) at = step;
    }
  }
  return sessionById(connection, at.id);
}

function isHeir(child: Node, parent: Node): boolean {
  const relation = relationOf(child, parent);
  return (relation === 'continuation' || relation === 'delegate') && child.source !== 'tool' && !isMarkedDelegate(child);
}

export interface LineageMember {
  id: SessionId;
  relation: Relation;
  title?: string;
  startedAt: number;
  lastActive: number;
  messageCount: number;
}

export interface LineageTree {
  /** Root to tip. */
  segments: readonly LineageMember[];
  /** Copies begun from one of the segments. */
  branches: readonly LineageMember[];
  /** Sub-agents' sessions of one of the segments. */
  delegates: readonly LineageMember[];
}

/** Everything that hangs together with a session: what → unfolds in the picker, and what a deletion would take along. */
export function lineageTree(connection: Connection, id: SessionId): LineageTree | undefined {
  const node = nodeById(connection, id);
  if (node === undefined) return undefined;
  const source = lazySource(connection);
  const lineage = lineageOf(connection, node, source);
  const own = new Set(lineage.segments.map((segment) => segment.id));
  const around = lineage.segments.flatMap((segment) =>
    source
      .children(segment.id)
      .filter((child) => !own.has(child.id))
      .map((child) => ({ child, relation: relationOf(child, segment) })),
  );
  around.sort((a, b) => compareSessions(a.child, b.child, connection.now()));
  const titles = titlesOf(connection, [...own, ...around.map(({ child }) => child.id)]);
  const member = (from: Node, relation: Relation): LineageMember => {
    const title = titles.get(from.id);
    const { startedAt, lastActive, messageCount } = from;
    return { id: from.id, relation, startedAt, lastActive, messageCount, ...(title === undefined ? {} : { title }) };
  };
  const pick = (wanted: (relation: Relation) => boolean): LineageMember[] =>
    around.filter(({ relation }) => wanted(relation)).map(({ child, relation }) => member(child, relation));
  return {
    segments: lineage.segments.map((segment) => member(segment, segment === lineage.root ? lineage.relation : 'continuation')),
    branches: pick((relation) => relation !== 'delegate'),
    delegates: pick((relation) => relation === 'delegate'),
  };
}

function titlesOf(connection: Connection, ids: readonly SessionId[]): Map<SessionId, string> {
  if (!connection.has('sessions', 'title')) return new Map();
  const sql = 'SELECT id, title FROM sessions WHERE title IS NOT NULL AND id IN (SELECT value FROM json_each(?))';
  return new Map(all(connection, sql, JSON.stringify(ids)).map((row) => [String(row['id']), String(row['title'])]));
}

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

/** `_` and `%` in a name are letters. */
function likePrefix(text: string): string {
  return `${text.replace(/[\\%_]/g, (letter) => `\\${letter}`)}%`;
}

function idsWithPrefix(connection: Connection, prefix: string): SessionId[] {
  if (prefix === '') return [];
  const sql = `SELECT id FROM sessions WHERE id LIKE ? ESCAPE '\\' ORDER BY id DESC LIMIT ${maxCandidates}`;
  return all(connection, sql, likePrefix(prefix)).map((row) => String(row['id']));
}

/**
 * The session a title names: the newest-started of `title #N`, else the exact one (state-db.md 2.7, store-v31.md B2.3: numbered rows are
 * compared without regard to the case of ASCII letters). The reserved title is taken at its word.
 */
export function resolveTitle(connection: Connection, text: string): SessionId | undefined {
  if (!connection.has('sessions', 'title')) return undefined;
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

/** Stored titles equal to the base of `title` or numbered from it: what `nextLineageTitle` counts. */
export function lineageTitles(connection: Connection, title: string): string[] {
  if (!connection.has('sessions', 'title')) return [];
  const { base } = splitTitle(title);
  const sql = `SELECT title FROM sessions WHERE title = ? OR title LIKE ? ESCAPE '\\'`;
  return all(connection, sql, base, likePrefix(`${base} #`)).map((row) => String(row['title']));
}

/** Ids of a lineage, root to tip, for the session `id`; only the id itself when it isn't stored. */
export function segmentIds(connection: Connection, id: SessionId): SessionId[] {
  const node = nodeById(connection, id);
  if (node === undefined) return [id];
  return lineageOf(connection, node, lazySource(connection)).segments.map((segment) => segment.id);
}

/** Ids that name a row already. */
export function isStored(connection: Connection, id: SessionId): boolean {
  return first(connection, 'SELECT 1 FROM sessions WHERE id = ?', id) !== undefined;
}
