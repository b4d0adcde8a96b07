import { rootOf, type LineageNode, type LineageSource } from '../../session/lineage.ts';
import type { SessionId } from '../../session/types.ts';

/**
 * Sub-agents' sessions below any of these segments, their own continuations and sub-agents included, parents before children: what a
 * deletion of the lineage takes along (state-db.md 2.4). Branches and resets are conversations of their own.
 */
export function delegatesBelow<Node extends LineageNode & { lastActive: number }>(
  segments: readonly Node[],
  source: LineageSource<Node>,
): SessionId[] {
  const seen = new Set(segments.map((segment) => segment.id));
  const found = new Set<SessionId>();
  const open: Node[] = [...segments];
  for (let node = open.shift(); node !== undefined; node = open.shift()) {
    for (const child of source.children(node.id)) {
      if (seen.has(child.id)) continue;
      const { root, relation } = rootOf(child, source);
      const isBelow = root.id === child.id ? relation === 'delegate' : found.has(root.id);
      if (!isBelow) continue;
      seen.add(child.id);
      found.add(child.id);
      open.push(child);
    }
  }
  return [...found];
}
