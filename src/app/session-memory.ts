import { resolveHome } from '../config/home.ts';
import type { MemoryFound, MemoryQuery, OpenMemory, SessionMemory } from '../agent/tools/index.ts';
import { NotFoundError, AmbiguousIdError } from '../errors.ts';
import { isEverything, type Query } from '../session/query.ts';
import { parseQuery } from '../session/query-parse.ts';
import type { SessionId } from '../session/types.ts';
import { openStore } from '../store/client.ts';
import type { Reads } from '../store/reads/index.ts';
import type { SearchRequest, SearchResult } from '../store/search/index.ts';
import { toolText } from '../text/en/tools.ts';
import type { ProgramWrites } from './program-writes.ts';
import type { SessionStore } from './recorder.ts';
import type { Run } from './run.ts';

/** Never shown to a model: what programs said among themselves (state-db.md 10). */
const hiddenSources = ['kanban', 'subagent', 'tool'];

/** Hits of the own conversation that are looked at for one that left its context. */
const ownHits = 50;

/**
 * The store as the agent's tools see it, and those of other profiles, each opened for one call.
 *
 * @param current the conversation that asks, once it is stored
 */
export function createMemory(run: Run, store: SessionStore, current: () => SessionId | undefined): OpenMemory {
  const own = run.home.profile ?? 'default';
  return (profile) => {
    if (profile === undefined || profile === own)
      return memoryOf({ store, profile: own, now: run.now, current, close: () => Promise.resolve() });
    const home = resolveHome({ env: run.env, userHome: run.userHome, cwd: run.startedIn, profile });
    const other = openStore<Reads, ProgramWrites>({ path: home.storePath, journalMode: 'wal', workers: run.workers, now: run.now });
    return memoryOf({ store: other, profile, now: run.now, current: () => undefined, close: () => other.close() });
  };
}

interface Memory {
  readonly store: SessionStore;
  readonly profile: string;
  readonly now: () => number;
  readonly current: () => SessionId | undefined;
  readonly close: () => Promise<void>;
}

function memoryOf({ store, profile, now, current, close }: Memory): SessionMemory {
  const queryOf = ({ text, roles }: Pick<MemoryQuery, 'text' | 'roles'>): Query => {
    const typed = parseQuery(text, { now: now(), times: 'said' });
    if (isEverything(typed) || asksRole(typed)) return typed;
    const wanted = roles.map((role): Query => ({ type: 'test', test: { field: 'role', is: role } }));
    return { type: 'and', nodes: [typed, { type: 'or', nodes: wanted }] };
  };

  return {
    profile,
    close,
    async search(asked, signal) {
      const read = store.reading(signal);
      const query = queryOf(asked);
      const ownId = current();
      // One more: the own conversation may have to be left out.
      const found = await searchAll(read, {
        query,
        sort: asked.sort,
        limit: asked.limit + 1,
        withoutSources: hiddenSources,
        until: asked.sort === 'oldest' ? 'all' : 'page',
      });
      const hits: MemoryFound['hits'][number][] = [];
      const titled = asked.sort === 'best' ? await findTitled(read, asked.text, ownId) : undefined;
      const inOrder = titled === undefined ? found.results : toFront(found.results, titled);
      if (titled !== undefined && !found.results.some((result) => result.row.ids.includes(titled))) {
        const first = await firstHit(read, titled, query);
        if (first !== undefined) hits.push(first);
      }
      for (const { row, hit } of inOrder) {
        if (hit === undefined) continue;
        if (ownId === undefined || !row.ids.includes(ownId)) hits.push(hit);
        else hits.push(...(await read.someHits(ownId, { query, count: 1, from: 'newest', outOfContextOf: ownId, atMost: ownHits })));
      }
      const { percent } = found.index;
      return {
        hits: hits.slice(0, asked.limit),
        searched: found.lineages,
        ...(found.index.state === 'rebuilding' && percent !== undefined ? { rebuiltPercent: percent } : {}),
      };
    },
    async locate(name, signal) {
      const read = store.reading(signal);
      if ((await read.sessionById(name)) !== undefined) return name;
      const found = await read.resolveSession(name, {});
      if (found.kind === 'ambiguous') throw new AmbiguousIdError(name, found.candidates);
      if (found.kind === 'none') throw new NotFoundError(toolText.search.noSession(name));
      return found.matched;
    },
    async anchor(sessionId, messageId, signal) {
      const read = store.reading(signal);
      const home = await read.messageHome(messageId);
      if (home === undefined || !(await read.segmentIds(sessionId)).includes(home.sessionId)) return { kind: 'none' };
      if (home.isLive && home.sessionId === current()) return { kind: 'in-context' };
      return { kind: 'found', sessionId: home.sessionId };
    },
    around: (asked, signal) => store.reading(signal).recallAround(asked),
    ends: (asked, signal) => store.reading(signal).recallEnds(asked),
    text: (asked, signal) => store.reading(signal).recallText(asked),
    async hitsIn(sessionId, asked, count, signal) {
      const hits = await store.reading(signal).someHits(sessionId, { query: queryOf(asked), count, from: 'newest' });
      return hits.flatMap((hit) => (hit.sessionId === sessionId ? [hit.messageId] : []));
    },
    async recent(limit, signal) {
      const ownId = current();
      const { rows } = await store.reading(signal).listForShell({ limit: limit + 1, countAtMost: 0 });
      return rows
        .filter((row) => ownId === undefined || !row.ids.includes(ownId))
        .sort((a, b) => b.lastActive - a.lastActive)
        .slice(0, limit);
    },
  };
}

type Read = SessionStore['read'];

async function searchAll(read: Read, request: SearchRequest) {
  let found: { results: readonly SearchResult[]; lineages: number } = { results: [], lineages: 0 };
  let index: { state: string; percent?: number } = { state: 'ready' };
  for await (const chunk of read.search(request)) {
    if (chunk.type === 'index') index = chunk.index;
    if (chunk.type === 'results') found = chunk;
  }
  return { results: found.results, lineages: found.lineages, index };
}

/** The session that has exactly this title, if it isn't the one that asks. */
async function findTitled(read: Read, text: string, ownId: SessionId | undefined): Promise<SessionId | undefined> {
  const found = await read.resolveSession(text, { allowPrefix: false });
  if (found.kind !== 'found' || found.by !== 'title' || hiddenSources.includes(found.session.source)) return undefined;
  return ownId !== undefined && (await read.segmentIds(ownId)).includes(found.matched) ? undefined : found.matched;
}

function toFront(results: readonly SearchResult[], id: SessionId): SearchResult[] {
  const isIt = ({ row }: SearchResult): boolean => row.ids.includes(id);
  return [...results.filter(isIt), ...results.filter((result) => !isIt(result))];
}

/** Where a session that is found by its title alone opens: at a message with the words, else at its first one. */
async function firstHit(read: Read, id: SessionId, query: Query): Promise<MemoryFound['hits'][number] | undefined> {
  const said = (await read.someHits(id, { query, count: 1, from: 'newest' }))[0];
  if (said !== undefined) return said;
  const message = (await read.messagesAfter(id, undefined, 20)).messages.find(({ role }) => role === 'user' || role === 'assistant');
  if (message === undefined) return undefined;
  const beginning = { text: message.text.slice(0, 300).replace(/\s+/gu, ' ').trim(), ranges: [], isCutBefore: false };
  return {
    messageId: message.id,
    sessionId: message.sessionId,
    role: message.role,
    snippet: { ...beginning, isCutAfter: message.text.length > 300 },
  };
}

function asksRole(query: Query): boolean {
  if (query.type === 'test') return query.test.field === 'role';
  if (query.type === 'text') return false;
  return query.type === 'not' ? asksRole(query.node) : query.nodes.some(asksRole);
}
