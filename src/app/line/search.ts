import { choosePaint, hitsShown, indexLine, searchLines, type ShownResult } from '../../commands/search-lines.ts';
import { isEverything } from '../../session/query.ts';
import { parseQuery } from '../../session/query-parse.ts';
import type { IndexState } from '../../store/search/index.ts';
import { searchShellText as text } from '../../text/en/search-shell.ts';
import type { LineContext } from './context.ts';

const lineages = 20;

/** `/search QUERY`: what `hermes sessions search` prints, numbered; `/resume N` then opens one. */
export async function searchFromLine(context: LineContext, typed: string): Promise<void> {
  const { store, run } = context;
  const query = parseQuery(typed, { now: run.now(), times: 'said' });
  if (isEverything(query)) return context.say(text.emptyLine);
  let found = { results: [] as readonly ShownResult[], lineages: 0, hits: 0 };
  let index: IndexState = { state: 'ready' };
  for await (const chunk of store.read.search({ query, sort: 'best', limit: lineages })) {
    if (chunk.type === 'index') index = chunk.index;
    if (chunk.type === 'results') found = { ...chunk, results: chunk.results.map((result) => ({ result, hits: [] })) };
  }
  const results: ShownResult[] = [];
  for (const { result } of found.results) {
    const { hit, row } = result;
    const without = hit === undefined ? [] : [hit.messageId];
    const others = result.hits > 1 ? await store.read.someHits(row.id, { query, count: hitsShown - 1, from: 'newest', without }) : [];
    results.push({ result, hits: [...(hit === undefined ? [] : [hit]), ...others].map((each) => ({ hit: each })) });
  }
  const said = indexLine(index);
  if (said !== undefined) context.say(said, 'quiet');
  if (results.length === 0) return context.say(text.none);
  context.listed = results.map(({ result }) => result.row.id);
  const paint = choosePaint(false, run.env);
  context.say(searchLines(results, { now: run.now(), paint, numbered: true }).join('\n'));
  context.say(`${text.shown(results.length, found.lineages, found.hits)} · ${text.openNumber}`, 'quiet');
}
