import { isMachineSource } from './source.ts';
import type { RowClass, SessionId } from './types.ts';

/** What lineage rules look at. Times in milliseconds. */
export interface LineageNode {
  readonly id: SessionId;
  readonly parentId?: SessionId;
  readonly source: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly endReason?: string;
  readonly sessionKey?: string;
  /** The JSON object of `model_config`; only the markers are read. */
  readonly modelConfig: Readonly<Record<string, unknown>>;
}

/** How a session hangs on the one its `parent_session_id` names (state-db.md 2.4). */
export type Relation = 'root' | 'continuation' | 'branch' | 'reset' | 'delegate';

/** The parent was ended by a gateway that began a fresh conversation under the same key (state-db.md 2.3). */
const resetReasons: readonly string[] = ['session_reset', 'session_switch', 'idle', 'daily', 'suspended', 'resume_pending_expired'];
const resets = new Set(resetReasons);

export type Marker = '_branched_from' | '_delegate_from' | '_reset_from';
export const markers: readonly Marker[] = ['_branched_from', '_delegate_from', '_reset_from'];

function marker(node: LineageNode, name: Marker): string | undefined {
  const value = node.modelConfig[name];
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

/** A sub-agent's session by its own mark, whatever became of its parent. */
export function isMarkedDelegate(node: LineageNode): boolean {
  return marker(node, '_delegate_from') !== undefined;
}

/**
 * Which of the four kinds of child `node` is. A marker counts when it names the parent: continuations inherit their parent's
 * `model_config` word for word, so one that names another session says nothing about this step (store-v31.md B1, 2.4/2.5). A parent that
 * isn't in the store leaves the row standing by itself: an intact conversation must not vanish from the lists.
 */
export function relationOf(node: LineageNode, parent: LineageNode | undefined): Relation {
  if (node.parentId === undefined || parent === undefined) return 'root';
  const names = (name: Marker): boolean => marker(node, name) === parent.id;
  if (names('_branched_from')) return 'branch';
  if (names('_delegate_from') || marker(node, '_delegate_from') === '__orphaned__') return 'delegate';
  if (names('_reset_from')) return 'reset';
  if (parent.endReason === 'compression') return node.source === 'tool' ? 'delegate' : 'continuation';
  if (isLegacyBranch(node, parent)) return 'branch';
  if (isLegacyReset(node, parent)) return 'reset';
  // Marked, but for another parent than the one it hangs on now: the mark still tells a person's branch from a helper's session.
  if (marker(node, '_branched_from') !== undefined) return 'branch';
  if (marker(node, '_reset_from') !== undefined) return 'reset';
  // Each other's parent, or its own: nobody is the helper here, and both conversations must not vanish from the lists.
  if (parent.id === node.id || parent.parentId === node.id) return 'root';
  return 'delegate';
}

/** Before markers: the parent was ended by branching and the child began no earlier (state-db.md 2.4). */
export function isLegacyBranch(node: LineageNode, parent: LineageNode): boolean {
  return parent.endReason === 'branched' && parent.endedAt !== undefined && node.startedAt >= parent.endedAt;
}

/** Before markers: the parent ended with a gateway reset and both carry the same key (state-db.md 2.4). */
export function isLegacyReset(node: LineageNode, parent: LineageNode): boolean {
  if (parent.endReason === undefined || !resets.has(parent.endReason)) return false;
  return node.sessionKey !== undefined && node.sessionKey !== '' && node.sessionKey === parent.sessionKey;
}

/** One continuation among several (state-db.md 2.5): compressed ones first, then open ones, then ended ones; then by activity. */
function compareContinuations(a: LineageNode & { lastActive: number }, b: LineageNode & { lastActive: number }): number {
  const rank = (node: LineageNode): number => (node.endReason === 'compression' ? 0 : node.endedAt === undefined ? 1 : 2);
  return rank(a) - rank(b) || b.lastActive - a.lastActive || b.startedAt - a.startedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

/** Sessions a lineage can be asked about: a map of the whole store, or look-ups made one by one. */
export interface LineageSource<Node extends LineageNode & { lastActive: number }> {
  node(id: SessionId): Node | undefined;
  children(id: SessionId): readonly Node[];
}

/** The session that goes on where `node` was compressed; undefined when it wasn't, or when nothing continues it. */
export function continuationOf<Node extends LineageNode & { lastActive: number }>(
  node: Node,
  source: LineageSource<Node>,
): Node | undefined {
  if (node.endReason !== 'compression') return undefined;
  const found = source.children(node.id).filter((child) => relationOf(child, node) === 'continuation');
  return found.length < 2 ? found[0] : found.sort(compareContinuations)[0];
}

/** From `node` to the tip, `node` first (state-db.md 2.5), however far that is: what stood beyond would be nobody's. Ends at a circle. */
export function chainFrom<Node extends LineageNode & { lastActive: number }>(node: Node, source: LineageSource<Node>): Node[] {
  const chain = [node];
  if (node.endReason !== 'compression') return chain;
  const seen = new Set([node.id]);
  for (let next = continuationOf(node, source); next !== undefined && !seen.has(next.id); next = continuationOf(next, source)) {
    seen.add(next.id);
    chain.push(next);
  }
  return chain;
}

interface Root<Node> {
  readonly root: Node;
  readonly relation: Relation;
}

/**
 * The first session of `node`'s lineage, and how that one hangs on its parent; the same for every session of the lineage. A continuation that
 * lost against another one (two programs compressed at once) stands by itself when it began after the compression; earlier, it is a
 * helper's session from before markers. Where sessions are helpers of one another in a circle, nobody is the helper.
 */
export function rootOf<Node extends LineageNode & { lastActive: number }>(node: Node, source: LineageSource<Node>): Root<Node> {
  const found = firstSegment(node, source);
  return found.relation === 'delegate' && isItsOwnHelper(found.root, source) ? { root: found.root, relation: 'root' } : found;
}

function firstSegment<Node extends LineageNode & { lastActive: number }>(node: Node, source: LineageSource<Node>): Root<Node> {
  let at = node;
  /** Where the circle begins, should this be one: at the lowest id, wherever one asks from. */
  let lowest = node;
  for (;;) {
    if (at.parentId === undefined) return { root: at, relation: 'root' };
    const parent = source.node(at.parentId);
    const relation = relationOf(at, parent);
    if (relation !== 'continuation' || parent === undefined) return { root: at, relation };
    if (continuationOf(parent, source)?.id !== at.id) {
      const isLater = parent.endedAt === undefined || at.startedAt >= parent.endedAt - 1000;
      return { root: at, relation: isLater ? 'root' : 'delegate' };
    }
    // Each session continues one other and is continued by one: a circle leads back to where it was entered.
    if (parent.id === node.id) return { root: lowest, relation: 'root' };
    if (isLowerId(parent.id, lowest.id)) lowest = parent;
    at = parent;
  }
}

/** As SQLite compares them, by their bytes. */
const isLowerId = (a: SessionId, b: SessionId): boolean => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;

/** Whether the conversations above a helper's session lead back to itself. */
function isItsOwnHelper<Node extends LineageNode & { lastActive: number }>(helper: Node, source: LineageSource<Node>): boolean {
  const seen = new Set<SessionId>();
  for (let at = helper; !seen.has(at.id);) {
    seen.add(at.id);
    const parent = at.parentId === undefined ? undefined : source.node(at.parentId);
    const host = parent === undefined ? undefined : firstSegment(parent, source);
    if (host?.relation !== 'delegate') return false;
    if (host.root.id === helper.id) return true;
    at = host.root;
  }
  return false;
}

/**
 * The class a lineage counts in: the first that fits (product.md 3). Sub-agents' sessions count as machine-made whatever their source.
 */
export function classOf(facts: { isEmpty: boolean; source: string; isDelegate: boolean; archived: boolean; hidden: boolean }): RowClass {
  if (facts.isEmpty) return 'empty';
  if (facts.isDelegate || isMachineSource(facts.source)) return 'machine';
  return facts.archived || facts.hidden ? 'archived' : 'shown';
}
