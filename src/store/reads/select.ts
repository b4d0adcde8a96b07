import { chainFrom, rootOf, type LineageSource } from '../../session/lineage.ts';
import { activityKey, compareSessions } from '../../session/order.ts';
import { evaluate } from '../../session/query-match.ts';
import { namedSources, type Facts, type Query } from '../../session/query.ts';
import { isMachineSource } from '../../session/source.ts';
import type { Selected, Selection, Selections } from '../../session/selection.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { delegatesBelow } from './delegates.ts';
import { factsOf, selectDetailed, type DetailedNode } from './lineage-facts.ts';
import { lineageFrom, lineageOf, wholeSource, type Lineage, type Node } from './lineages.ts';
import { tipsOf } from './select-sql.ts';

/**
 * The lineages an action is for. Sessions that stand alone are found by SQL; those that hang together with others (a parent, or an end by
 * compression) are read and looked at as what they are: one lineage. A sub-agent's session below a stored one is a part of that
 * conversation, and selected by itself only where the query names its machine-made source, as it is listed only then; it is as pinned as the
 * conversation is.
 */
export function selectLineages(connection: Connection, selection: Selection): Selections {
  const { lineages, source } = candidates(connection, selection.query);
  const named = namedSources(selection.query);
  const now = connection.now();
  const spared = { pinned: 0, open: 0, archived: 0 };
  const chosen: { lineage: Lineage<DetailedNode>; facts: Facts; at: number }[] = [];
  for (const lineage of lineages) {
    const facts = factsOf(lineage, ({ details }) => details);
    // A question that stays open is no consent: something would be done with what was found.
    if (evaluate(selection.query, facts, { now }) !== true) continue;
    const hosts = hostsOf(lineage, source);
    if (hosts.length > 0 && !(named.has(facts.source) && isMachineSource(facts.source))) continue;
    if (!selection.includePinned && (facts.pinned || hosts.some((host) => host.pinned))) spared.pinned++;
    else if (selection.endedOnly && !facts.ended) spared.open++;
    else if (!selection.includeArchived && facts.archived) spared.archived++;
    else chosen.push({ lineage, facts, at: activityKey(facts.lastActive, now) });
  }
  chosen.sort((a, b) => b.at - a.at || compareSessions(a.facts, b.facts, now));
  const selected = chosen.map(({ lineage, facts }): Selected => {
    const ids = lineage.segments.map((segment) => segment.id);
    return Object.assign(facts, { rootId: lineage.root.id, ids, delegates: delegatesBelow(lineage.segments, source) });
  });
  // What goes along with another one is not named a second time.
  const along = new Set(selected.flatMap((each) => each.delegates));
  return { lineages: selected.filter((each) => !along.has(each.id)), spared };
}

interface Candidates {
  readonly lineages: readonly Lineage<DetailedNode>[];
  /** Every session that has a parent or children. */
  readonly source: LineageSource<DetailedNode>;
}

function candidates(connection: Connection, query: Query): Candidates {
  const tips = tipsOf(connection, query);
  const where = tips === undefined ? '' : ` AND ${tips.sql}`;
  const hasParents = connection.has('sessions', 'parent_session_id');
  const ended = connection.has('sessions', 'end_reason') ? "s.end_reason IS NOT 'compression'" : '1';
  const alone = hasParents ? `(COALESCE(s.parent_session_id, '') = '' AND ${ended})` : '1';
  const plain = selectDetailed(connection, `WHERE ${alone}${where}`, ...(tips?.values ?? []));
  const chained = hasParents
    ? selectDetailed(
        connection,
        `WHERE NOT ${alone} OR s.id IN (SELECT p.parent_session_id FROM sessions AS p WHERE p.parent_session_id IS NOT NULL)`,
      )
    : [];
  const source = wholeSource(chained);

  const lineages = plain.map((node) => lineageFrom(connection, node, 'root', source));
  const covered = new Set<SessionId>();
  for (const node of chained) {
    const isAlone = node.parentId === undefined && node.endReason !== 'compression';
    if (isAlone || covered.has(node.id)) continue;
    const lineage = lineageOf(connection, node, source);
    // A session that several compressed ones could be continued by belongs to the first of them.
    const isTaken = covered.has(lineage.root.id);
    for (const segment of lineage.segments) covered.add(segment.id);
    covered.add(node.id);
    if (!isTaken) lineages.push(lineage);
  }
  return { lineages, source };
}

/** Tips of the conversations a sub-agent's lineage hangs below, the nearest first; none for a conversation, or where they are gone. */
function hostsOf(lineage: Lineage, source: LineageSource<Node>): Node[] {
  const hosts: Node[] = [];
  const seen = new Set<SessionId>();
  let root = lineage.root;
  let isBelow = lineage.relation === 'delegate';
  while (isBelow && root.parentId !== undefined && !seen.has(root.id)) {
    seen.add(root.id);
    const parent = source.node(root.parentId);
    if (parent === undefined) break;
    const host = rootOf(parent, source);
    hosts.push(chainFrom(host.root, source).at(-1) ?? parent);
    root = host.root;
    isBelow = host.relation === 'delegate';
  }
  return hosts;
}
