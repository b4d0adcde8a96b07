import { HermesError } from '../../errors.ts';
import { toolText } from '../../text/en/tools.ts';
import type { Tool } from '../events.ts';
import type { Recalled } from '../../session/recall.ts';
import type { MemoryHit, OpenMemory, SessionMemory } from './memory.ts';
import { readSearchArguments, type SearchArguments } from './session-search-arguments.ts';
import {
  browsedBody,
  discoveredBody,
  linkOf,
  markOf,
  messageBodies,
  metaBody,
  sharesOf,
  whenOf,
  type Body,
} from './session-search-bodies.ts';
import type { Summarise } from './session-summary.ts';

const text = toolText.search;

export interface SessionSearchParts {
  readonly open: OpenMemory;
  /** Given: what is found comes as summaries of a model (`session_search.mode: summary`), not as messages. */
  readonly summarise: Summarise | undefined;
}

/** Messages of a bookend, of a read session's beginning and end, and the most that come whole. */
const bookends = 3;
const readFirst = 20;
const readLast = 10;
const readWhole = readFirst + readLast;

const parameters = {
  type: 'object',
  properties: {
    query: { type: 'string', description: text.query },
    limit: { type: 'integer', minimum: 1, maximum: 10, description: text.limit },
    sort: { type: 'string', enum: ['newest', 'oldest'], description: text.sort },
    detail: { type: 'string', enum: ['adaptive', 'full'], description: text.detail },
    session_id: { type: 'string', description: text.sessionId },
    around_message_id: { type: 'integer', description: text.aroundMessageId },
    window: { type: 'integer', minimum: 1, maximum: 20, description: text.window },
    role_filter: { type: 'string', description: text.roleFilter },
    profile: { type: 'string', description: text.profile },
    scope: { type: 'string', enum: ['current', 'all'], description: text.scope },
  },
} as const;

/** The agent's way to past conversations: find, read on, read, list (state-db.md 10). What can't be done is an answer too: `{success: false, error}`. */
export function createSessionSearch({ open, summarise }: SessionSearchParts): Tool {
  return {
    name: 'session_search',
    description: text.description,
    parameters,
    async run(args, { signal }) {
      const asked = readSearchArguments(args);
      let memory: SessionMemory | undefined;
      try {
        memory = open(asked.profile);
        return JSON.stringify(await answer(memory, asked, summarise, signal));
      } catch (error) {
        if (!(error instanceof HermesError) || signal.aborted) throw error;
        return JSON.stringify(failure(error.message));
      } finally {
        await memory?.close();
      }
    },
  };
}

const failure = (error: string): Body => ({ success: false, error });

function answer(
  memory: SessionMemory,
  asked: SearchArguments,
  summarise: Summarise | undefined,
  signal: AbortSignal,
): Promise<Body> | Body {
  const { sessionId, aroundMessageId, query } = asked;
  if (aroundMessageId !== undefined) {
    if (sessionId === undefined) return failure(text.needsSession);
    if (!Number.isSafeInteger(aroundMessageId)) return failure(text.wrongMessageId);
    return scroll(memory, asked, { sessionId, messageId: aroundMessageId }, signal);
  }
  if (sessionId !== undefined) return read(memory, asked, sessionId, signal);
  if (query === undefined) return browse(memory, asked, signal);
  return summarise === undefined ? discover(memory, asked, query, signal) : discoverSummaries(memory, asked, query, summarise, signal);
}

async function discover(memory: SessionMemory, asked: SearchArguments, query: string, signal: AbortSignal): Promise<Body> {
  const found = await memory.search({ text: query, sort: asked.sort, limit: asked.limit, roles: asked.roles }, signal);
  const shown: { hit: MemoryHit; around: Recalled; isFull: boolean }[] = [];
  for (const [index, hit] of found.hits.entries()) {
    const { sessionId, messageId } = hit;
    const around = await memory.around({ sessionId, messageId, window: asked.window, roles: asked.roles, bookends }, signal);
    // Undone or deleted since it was found.
    if (around !== undefined) shown.push({ hit, around, isFull: asked.isFull || index === 0 });
  }
  const counts = shown.map(({ isFull, around: { messages, first, last } }) => (isFull ? messages.length + first.length + last.length : 1));
  const shares = sharesOf(
    counts.reduce((sum, count) => sum + count, 0),
    shown.length,
  );
  const results = shown.map(({ hit, around, isFull }) => discoveredBody(hit, around, { isFull, profile: memory.profile, shares }));
  return discovered(query, results, found);
}

const discovered = (query: string, results: readonly Body[], found: { searched: number; rebuiltPercent?: number }): Body => ({
  success: true,
  mode: 'discover',
  query,
  results,
  count: results.length,
  sessions_searched: found.searched,
  ...(results.length === 0 ? { message: text.none } : {}),
  ...(found.rebuiltPercent === undefined ? {} : { index_rebuild: { percent: found.rebuiltPercent, note: text.rebuilding } }),
});

/** Sessions a summary is made of, at most (seeds). */
const summarised = 3;
/** UTF-16 units a summary is made from, those of one message in it, and hits it is drawn around. */
const summaryCharacters = 100_000;
const summaryLongest = 20_000;
const summaryHits = 20;

async function discoverSummaries(
  memory: SessionMemory,
  asked: SearchArguments,
  query: string,
  summarise: Summarise,
  signal: AbortSignal,
): Promise<Body> {
  const wanted = { text: query, sort: asked.sort, limit: Math.min(summarised, asked.limit), roles: asked.roles };
  const found = await memory.search(wanted, signal);
  const results = await Promise.all(
    found.hits.map(async ({ sessionId, messageId, snippet }): Promise<Body | undefined> => {
      const others = await memory.hitsIn(sessionId, wanted, summaryHits, signal);
      const around = await memory.around({ sessionId, messageId, window: 1, roles: asked.roles }, signal);
      if (around === undefined) return undefined;
      const said = await memory.text(
        { sessionId, around: [messageId, ...others], characters: summaryCharacters, longest: summaryLongest },
        signal,
      );
      const request = { query, when: whenOf(around.session.startedAt), ...said, longest: summaryLongest, mark: markOf(snippet) };
      const outcome = await summarise(request, signal);
      return {
        session_id: sessionId,
        ...metaBody(around.session),
        match_message_id: messageId,
        ...outcome,
        link: linkOf(memory.profile, sessionId),
      };
    }),
  );
  return discovered(
    query,
    results.filter((result) => result !== undefined),
    found,
  );
}

async function scroll(
  memory: SessionMemory,
  asked: SearchArguments,
  at: { sessionId: string; messageId: number },
  signal: AbortSignal,
): Promise<Body> {
  const named = await memory.locate(at.sessionId, signal);
  const anchor = await memory.anchor(named, at.messageId, signal);
  if (anchor.kind === 'in-context') return failure(text.inContext);
  if (anchor.kind === 'none') return failure(text.noMessage(at.messageId, named));
  const { sessionId } = anchor;
  const around = await memory.around({ sessionId, messageId: at.messageId, window: asked.window, roles: asked.roles }, signal);
  if (around === undefined) return failure(text.noMessage(at.messageId, named));
  return {
    success: true,
    mode: 'scroll',
    session_id: sessionId,
    around_message_id: at.messageId,
    session_meta: metaBody(around.session),
    window: asked.window,
    messages: messageBodies(around.messages, sharesOf(around.messages.length, 1), at.messageId),
    messages_before: around.before,
    messages_after: around.after,
    ...(sessionId === named ? {} : { warning: text.rebound(named, sessionId) }),
  };
}

async function read(memory: SessionMemory, asked: SearchArguments, name: string, signal: AbortSignal): Promise<Body> {
  const sessionId = await memory.locate(name, signal);
  const ends = await memory.ends({ sessionId, roles: asked.roles, whole: readWhole, first: readFirst, last: readLast }, signal);
  if (ends === undefined) return failure(text.noSession(name));
  return {
    success: true,
    mode: 'read',
    session_id: sessionId,
    session_meta: metaBody(ends.session),
    message_count: ends.count,
    truncated: ends.after > 0,
    messages: messageBodies(ends.messages, sharesOf(ends.messages.length, 0)),
  };
}

async function browse(memory: SessionMemory, asked: SearchArguments, signal: AbortSignal): Promise<Body> {
  const rows = await memory.recent(asked.limit, signal);
  return {
    success: true,
    mode: 'browse',
    results: rows.map(browsedBody),
    count: rows.length,
    ...(rows.length === 0 ? { message: text.none } : {}),
  };
}
