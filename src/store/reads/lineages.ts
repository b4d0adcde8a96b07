import {
  chainFrom,
  classOf,
  isMarkedDelegate,
  rootOf,
  type LineageNode,
  type LineageSource,
  type Relation,
} from '../../session/lineage.ts';
import type { RowClass, SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { parseObject } from '../content.ts';
import { lastActiveOf, newestMessageSql, put, readNumber, readText, readTime } from '../rows.ts';
import { columnOr, visibleSql } from './columns.ts';

/** A session reduced to what orders, classes and lineages need: a listing of 100,000 holds this of each, and nothing else. */
export interface Node extends LineageNode {
  readonly lastActive: number;
  readonly messageCount: number;
  /** A message with a believable time exists. */
  readonly hasMessages: boolean;
  readonly archived: boolean;
  readonly hidden: boolean;
  readonly pinned: boolean;
  readonly cwd?: string;
  readonly gitRepoRoot?: string;
}

/** One row of a listing: the sessions joined by compression, root first (product.md 3). */
export interface Lineage<Each extends Node = Node> {
  readonly id: SessionId;
  readonly root: Each;
  readonly tip: Each;
  readonly segments: readonly Each[];
  readonly relation: Relation;
  /** Latest of all segments: a message that reached an older one after the compression counts too. */
  readonly lastActive: number;
  readonly startedAt: number;
  readonly pinned: boolean;
  readonly class: RowClass;
}

const emptyConfig: Readonly<Record<string, unknown>> = {};

/** Columns of `sessions AS s` for `readNode`. model_config crosses over only where it holds a marker. */
export function nodeColumns(connection: Connection): readonly string[] {
  const column = (name: string, missing = 'NULL'): string => columnOr(connection, 'sessions', 's', name, missing);
  const config = connection.has('sessions', 'model_config')
    ? `CASE WHEN instr(s.model_config, '_from"') > 0 THEN s.model_config END`
    : 'NULL';
  return [
    's.id',
    column('parent_session_id'),
    column('source', "''"),
    column('started_at'),
    column('ended_at'),
    column('end_reason'),
    column('session_key'),
    config,
    column('last_activity_at'),
    newestMessageSql('s'),
    column('message_count', '0'),
    column('archived', '0'),
    column('hidden', '0'),
    column('pinned', '0'),
    column('cwd'),
    column('git_repo_root'),
  ];
}

/** @param row begins in the order of `nodeColumns` (raw arrays: 100,000 objects with 16 named columns cost twice as much). */
export function readNode(row: readonly unknown[]): Node {
  const node: { -readonly [K in keyof Node]: Node[K] } = {
    id: String(row[0]),
    source: readText(row[2]) ?? '',
    startedAt: readTime(row[3]) ?? 0,
    modelConfig: row[7] === null ? emptyConfig : parseObject(row[7]),
    lastActive: lastActiveOf(row[8], row[9], row[3]),
    messageCount: readNumber(row[10]) ?? 0,
    hasMessages: row[9] !== null,
    archived: row[11] === 1,
    hidden: row[12] === 1,
    pinned: row[13] === 1,
  };
  if (row[1] !== null && row[1] !== '') node.parentId = String(row[1]);
  if (row[4] !== null) node.endedAt = readTime(row[4]) ?? 0;
  put(node, 'endReason', readText(row[5]));
  put(node, 'sessionKey', readText(row[6]));
  put(node, 'cwd', readText(row[14]));
  put(node, 'gitRepoRoot', readText(row[15]));
  return node;
}

/** Nodes for the rest of a statement that begins `FROM sessions AS s`. */
export function selectNodes(connection: Connection, rest: string, ...values: readonly unknown[]): Node[] {
  const statement = connection.statement(`SELECT ${nodeColumns(connection).join(', ')} FROM sessions AS s ${rest}`);
  const nodes: Node[] = [];
  // Row by row: the raw arrays of 100,000 sessions would stand in memory beside the nodes.
  for (const row of statement.raw(true).iterate(...values)) nodes.push(readNode(row as unknown[]));
  return nodes;
}

export function nodeById(connection: Connection, id: SessionId): Node | undefined {
  return selectNodes(connection, 'WHERE s.id = ?', id)[0];
}

/** Looks sessions up one by one and remembers them: for the few lineages of one page or one conversation. */
export function lazySource(connection: Connection): LineageSource<Node> & { add(node: Node): void } {
  const nodes = new Map<SessionId, Node | undefined>();
  const children = new Map<SessionId, readonly Node[]>();
  const hasParents = connection.has('sessions', 'parent_session_id');
  return {
    add(node) {
      nodes.set(node.id, node);
    },
    node(id) {
      if (!nodes.has(id)) nodes.set(id, nodeById(connection, id));
      return nodes.get(id);
    },
    children(id) {
      let found = children.get(id);
      if (found === undefined) {
        found = hasParents ? selectNodes(connection, 'WHERE s.parent_session_id = ?', id) : [];
        children.set(id, found);
      }
      return found;
    },
  };
}

/** All sessions at once. */
export function wholeSource<Each extends Node>(nodes: readonly Each[]): LineageSource<Each> {
  const byId = new Map<SessionId, Each>();
  const byParent = new Map<SessionId, Each[]>();
  for (const node of nodes) {
    byId.set(node.id, node);
    if (node.parentId === undefined) continue;
    const siblings = byParent.get(node.parentId);
    if (siblings === undefined) byParent.set(node.parentId, [node]);
    else siblings.push(node);
  }
  const none: readonly Each[] = [];
  return { node: (id) => byId.get(id), children: (id) => byParent.get(id) ?? none };
}

/** Whether a session has nothing to show: no message, or only undone ones. Asks the store only where the counter leaves a doubt. */
export function isEmptyNode(connection: Connection, node: Node): boolean {
  if (node.messageCount > 0 && node.hasMessages) return false;
  const sql = `SELECT 1 FROM messages AS m WHERE m.session_id = ? AND ${visibleSql(connection, 'm')} LIMIT 1`;
  return connection.statement(sql).get(node.id) === undefined;
}

/** The lineage `node` belongs to, wherever in it `node` stands. */
export function lineageOf<Each extends Node>(connection: Connection, node: Each, source: LineageSource<Each>): Lineage<Each> {
  const { root, relation } = rootOf(node, source);
  return lineageFrom(connection, root, relation, source);
}

export function lineageFrom<Each extends Node>(
  connection: Connection,
  root: Each,
  relation: Relation,
  source: LineageSource<Each>,
): Lineage<Each> {
  const segments = chainFrom(root, source);
  const tip = segments[segments.length - 1] ?? root;
  return {
    id: tip.id,
    root,
    tip,
    segments,
    relation,
    lastActive: segments.reduce((latest, segment) => Math.max(latest, segment.lastActive), tip.lastActive),
    startedAt: root.startedAt,
    pinned: tip.pinned,
    class: classOf({
      isEmpty: segments.every((segment) => isEmptyNode(connection, segment)),
      source: tip.source,
      isDelegate: isDelegateRoot(root, relation),
      archived: tip.archived,
      hidden: tip.hidden,
    }),
  };
}

/** Hangs on its parent as a helper's session, or is marked as one while its parent is gone. */
function isDelegateRoot(root: Node, relation: Relation): boolean {
  return relation === 'delegate' || (relation === 'root' && isMarkedDelegate(root));
}

export function isDelegate(lineage: Lineage): boolean {
  return isDelegateRoot(lineage.root, lineage.relation);
}
