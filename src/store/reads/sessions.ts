import { isMarkedDelegate, relationOf, type Relation } from '../../session/lineage.ts';
import { compareSessions } from '../../session/order.ts';
import type { Session, SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { all, first, readSession, sessionSelect } from '../rows.ts';
import { isEmptyNode, lazySource, lineageOf, nodeById, type Node } from './lineages.ts';

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
