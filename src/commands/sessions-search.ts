import { UsageError } from '../errors.ts';
import { isEverything, type Query } from '../session/query.ts';
import { parseQuery } from '../session/query-parse.ts';
import type { Message } from '../session/types.ts';
import type { Connection } from '../store/connection.ts';
import { contextAround, search, someHits, type IndexState, type SearchRequest } from '../store/search/index.ts';
import { searchShellText as text } from '../text/en/search-shell.ts';
import { printable } from '../text/printable.ts';
import { isoTime } from '../transfer/times.ts';
import type { ShellContext } from './context.ts';
import { readFilters } from './filters.ts';
import { countFlag, type Flags } from './parse.ts';
import { readStore } from './read-store.ts';
import { choosePaint, hitsShown, indexLine, referenceOf, searchLines, type ShownHit, type ShownResult } from './search-lines.ts';
import { jsonText, sessionJson } from './session-json.ts';

const defaultLimit = 20;

interface Found {
  readonly results: readonly ShownResult[];
  readonly lineages: number;
  readonly hits: number;
  /** The last thing that was said of it. */
  readonly index: IndexState;
}

const nothing: Found = { results: [], lineages: 0, hits: 0, index: { state: 'ready' } };

/**
 * `hermes sessions search QUERY… [filters] [--limit N] [--sort best|newest|oldest] [--context N] [--json]`: the words of the line are one query,
 * filters narrow it down. It only reads, and is complete whatever the state of the index, which is told on standard error.
 *
 * @returns 0; 1 when nothing was found
 * @throws UsageError, StoreError
 */
export async function searchSessions(context: ShellContext, words: readonly string[], flags: Flags): Promise<number> {
  const request = readRequest(context, words, flags);
  const around = countFlag(flags, 'context');
  const found = readStore(context, (connection) => findAll(connection, request, around)) ?? nothing;
  const said = indexLine(found.index);
  if (said !== undefined) context.err.write(`${printable(said)}\n`);
  if (flags['json'] === true) context.out.write(jsonText(foundJson(words.join(' '), request, found)));
  else context.out.write(`${found.results.length === 0 ? text.none : linesOf(context, found).join('\n')}\n`);
  return found.results.length === 0 ? 1 : 0;
}

function readRequest(context: ShellContext, words: readonly string[], flags: Flags): SearchRequest {
  const typed = parseQuery(words.join(' '), { now: context.now(), times: 'said' });
  if (isEverything(typed)) throw new UsageError(text.emptyQuery, text.emptyQueryHint);
  const filters = readFilters(flags, context);
  const query: Query = filters.isEmpty ? typed : { type: 'and', nodes: [typed, filters.query] };
  const sort = flags['sort'] === 'newest' || flags['sort'] === 'oldest' ? flags['sort'] : 'best';
  return { query, sort, limit: countFlag(flags, 'limit') ?? defaultLimit };
}

function findAll(connection: Connection, request: SearchRequest, around: number | undefined): Found {
  let found = { results: [] as ShownResult[], lineages: 0, hits: 0 };
  let index: IndexState = nothing.index;
  for (const chunk of search(connection, request)) {
    if (chunk.type === 'index') index = chunk.index;
    if (chunk.type === 'results') found = { ...chunk, results: chunk.results.map((result) => ({ result, hits: [] })) };
  }
  const { query, sort } = request;
  const from = sort === 'oldest' ? 'oldest' : 'newest';
  const results = found.results.map(({ result }): ShownResult => {
    const { hit, row } = result;
    if (hit === undefined) return { result, hits: [] };
    const others = result.hits > 1 ? someHits(connection, row.id, { query, count: hitsShown - 1, from, without: [hit.messageId] }) : [];
    const hits = [hit, ...others].map((each): ShownHit => {
      const context = around === undefined ? undefined : contextAround(connection, each.messageId, around);
      return { hit: each, ...(context === undefined ? {} : { around: context.messages }) };
    });
    return { result, hits };
  });
  return { results, lineages: found.lineages, hits: found.hits, index };
}

function linesOf({ out, env, now }: ShellContext, found: Found): string[] {
  const isTerminal = out.isTTY === true;
  const paint = choosePaint(isTerminal, env);
  const lines = searchLines(found.results, { now: now(), paint, numbered: false });
  if (!isTerminal) return lines;
  const total = text.shown(found.results.length, found.lineages, found.hits);
  return [...lines, '', paint.quiet(`${total} · ${text.openOne}`)];
}

/** Every key is always there; `ranges` are half-open, in UTF-16 units of `snippet`; `context` holds the found message too. */
function foundJson(query: string, { sort }: SearchRequest, { results, lineages, hits, index }: Found): Record<string, unknown> {
  return {
    query,
    sort,
    sessions: lineages,
    hits,
    index: { state: index.state, missing: index.missing ?? null },
    results: results.map(({ result, hits: shown }) => ({
      ...sessionJson(result.row),
      hits: result.hits,
      is_title_match: result.isTitleMatch,
      title_ranges: result.titleRanges.map(({ start, end }) => [start, end]),
      messages: shown.map(hitJson),
    })),
  };
}

function hitJson({ hit, around }: ShownHit): Record<string, unknown> {
  const { snippet } = hit;
  return {
    ref: referenceOf(hit),
    session_id: hit.sessionId,
    message_id: hit.messageId,
    role: hit.role,
    timestamp: isoTime(hit.timestamp) ?? null,
    snippet: snippet.text,
    ranges: snippet.ranges.map(({ start, end }) => [start, end]),
    is_cut_before: snippet.isCutBefore,
    is_cut_after: snippet.isCutAfter,
    ...(around === undefined ? {} : { context: around.map(contextJson) }),
  };
}

function contextJson(message: Message): Record<string, unknown> {
  const { id, sessionId, role, text: content, timestamp, toolName } = message;
  return {
    ref: referenceOf({ sessionId, messageId: id }),
    session_id: sessionId,
    message_id: id,
    role,
    timestamp: isoTime(timestamp) ?? null,
    content,
    ...(toolName === undefined ? {} : { tool_name: toolName }),
  };
}
