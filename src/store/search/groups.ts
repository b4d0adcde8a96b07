import type { SessionId } from '../../session/types.ts';
import type { SearchRequest } from './types.ts';
import type { Match } from './verify.ts';

export interface Scored {
  readonly messageId: number;
  readonly sessionId: SessionId;
  readonly timestamp: number;
  readonly score: number;
  readonly isTool: boolean;
  /** Which of the slices of rowids it stands in, 0 the newest: hits of one slice are ranked among each other only. */
  readonly slice: number;
}

/** One lineage with what was found of it. */
export interface Group {
  readonly rootId: SessionId;
  /** Any of its sessions. */
  readonly sessionId: SessionId;
  readonly isMachine: boolean;
  hits: number;
  /** 2: the title is what was typed; 1: it matches alone. */
  title: 0 | 1 | 2;
  /** Milliseconds: of the newest hit, or of the session where its title alone matches. */
  newest: number;
  oldest: number;
  best?: Scored;
  latest?: Scored;
  earliest?: Scored;
}

/** Lineages found so far. */
export interface Groups {
  readonly lineages: number;
  readonly hits: number;
  addHit(match: Match, slice: number): void;
  addTitle(rootId: SessionId, sessionId: SessionId, isMachine: boolean, title: 1 | 2, active: number): void;
  /** The first `limit`, in order. */
  page(sort: SearchRequest['sort'], limit: number): Group[];
  /** How many would stand before every hit of a later slice. */
  countCertain(): number;
}

export function createGroups(): Groups {
  const groups = new Map<SessionId, Group>();
  let hits = 0;

  function groupOf(rootId: SessionId, sessionId: SessionId, isMachine: boolean): Group {
    let group = groups.get(rootId);
    if (group === undefined) {
      group = { rootId, sessionId, isMachine, hits: 0, title: 0, newest: -Infinity, oldest: Infinity };
      groups.set(rootId, group);
    }
    return group;
  }

  return {
    get lineages() {
      return groups.size;
    },
    get hits() {
      return hits;
    },
    addHit({ id, sessionId, role, timestamp, place, score }, slice) {
      const group = groupOf(place.rootId, sessionId, place.isMachine);
      const hit: Scored = { messageId: id, sessionId, timestamp, score, isTool: role === 'tool', slice };
      hits += 1;
      group.hits += 1;
      if (group.best === undefined || compareHits(hit, group.best) < 0) group.best = hit;
      if (group.latest === undefined || compareTimes(hit, group.latest) > 0) group.latest = hit;
      if (group.earliest === undefined || compareTimes(hit, group.earliest) < 0) group.earliest = hit;
      group.newest = group.latest.timestamp;
      group.oldest = group.earliest.timestamp;
    },
    addTitle(rootId, sessionId, isMachine, title, active) {
      const group = groupOf(rootId, sessionId, isMachine);
      if (title > group.title) group.title = title;
      if (group.hits > 0) return;
      group.newest = Math.max(group.newest, active);
      group.oldest = Math.min(group.oldest, active);
    },
    page(sort, limit) {
      return firstOf([...groups.values()], limit, sort === 'best' ? compareBest : sort === 'newest' ? compareNewest : compareOldest);
    },
    countCertain() {
      let count = 0;
      for (const group of groups.values()) if (!group.isMachine && group.best !== undefined && !group.best.isTool) count += 1;
      return count;
    },
  };
}

const compareTimes = (a: Scored, b: Scored): number => a.timestamp - b.timestamp || a.messageId - b.messageId;

/** What tools wrote stands behind what people and agents said. */
function compareHits(a: Scored, b: Scored): number {
  return Number(a.isTool) - Number(b.isTool) || a.slice - b.slice || b.score - a.score || -compareTimes(a, b);
}

const compareIds = (a: Group, b: Group): number => (a.rootId < b.rootId ? 1 : a.rootId > b.rootId ? -1 : 0);

/** Conversations of people before those of machines, titles before texts, then as good as the best hit is. */
function compareBest(a: Group, b: Group): number {
  const byKind = Number(a.isMachine) - Number(b.isMachine) || b.title - a.title;
  if (byKind !== 0) return byKind;
  if (a.best === undefined || b.best === undefined)
    return Number(a.best === undefined) - Number(b.best === undefined) || compareNewest(a, b);
  return compareHits(a.best, b.best) || compareNewest(a, b);
}

const compareNewest = (a: Group, b: Group): number => b.newest - a.newest || compareIds(a, b);
const compareOldest = (a: Group, b: Group): number => a.oldest - b.oldest || compareIds(b, a);

/** The first few of many in order, without sorting them all. */
function firstOf<Item>(items: readonly Item[], count: number, compare: (a: Item, b: Item) => number): Item[] {
  let kept: Item[] = [];
  let last: Item | undefined;
  for (const item of items) {
    if (last !== undefined && compare(item, last) >= 0) continue;
    kept.push(item);
    if (kept.length < count * 2 + 16) continue;
    kept = kept.sort(compare).slice(0, count);
    last = kept.at(-1);
  }
  return kept.sort(compare).slice(0, count);
}
