import { orderHits } from './items.ts';
import { finish, foundAt, keepCursor, unchanged, type Result } from './settle.ts';
import type { Found, GroupHits, Hit, SearchAction, SearchState } from './types.ts';

type Loaded = SearchAction & { type: 'loaded' };

/** Answers of the store. What was asked before the last key is dropped. */
export function takeLoaded(state: SearchState, action: Loaded): Result {
  switch (action.what) {
    case 'values':
      return { state: { ...state, values: action.values }, effects: [] };
    case 'hits':
      return takeHits(state, action);
    case 'snippets': {
      const group = state.groups.get(action.rootId);
      if (group === undefined) return unchanged(state);
      return finish(withGroup(state, action.rootId, { ...group, known: joined(group.known, action.known) }));
    }
    case 'context':
      return action.token === state.wantedContext.token ? unchanged({ ...state, context: action.context }) : unchanged(state);
    default:
      return action.token === state.searching.token ? takeSearch(state, action) : unchanged(state);
  }
}

type OfSearch = Extract<Loaded, { what: 'index' | 'results' | 'progress' | 'done' }>;

function takeSearch(state: SearchState, action: OfSearch): Result {
  const { searching } = state;
  switch (action.what) {
    case 'index':
      return unchanged({ ...state, index: action.index });
    case 'progress': {
      const next = { ...searching, ...(action.backTo === undefined ? {} : { backTo: action.backTo }) };
      const counts = searching.isQuiet || searching.state === 'waiting' ? {} : { lineages: action.lineages, hits: action.hits };
      return unchanged({ ...state, searching: next, ...counts });
    }
    case 'results': {
      const { results, lineages, hits } = action;
      if (searching.isQuiet && results.length < state.results.length)
        return unchanged({ ...state, searching: { ...searching, held: { results, lineages, hits } } });
      return show(state, results, { lineages, hits });
    }
    case 'done': {
      const { held, token, limit } = searching;
      const done: SearchState = { ...state, searching: { token, limit, state: 'done', isQuiet: false } };
      const next = held === undefined ? done : show(done, held.results, held).state;
      return finish({ ...next, lineages: action.lineages, hits: action.hits });
    }
  }
}

/** Another page: the first one of a query begins at its top, later ones leave the cursor where it is. */
function show(state: SearchState, results: readonly Found[], counts: { lineages: number; hits: number }): Result {
  const { searching } = state;
  const { held: _, ...rest } = searching;
  const isFirst = searching.state === 'waiting';
  const shown: SearchState = {
    ...state,
    results,
    lineages: searching.isQuiet ? Math.max(counts.lineages, state.lineages) : counts.lineages,
    hits: searching.isQuiet ? Math.max(counts.hits, state.hits) : counts.hits,
    searching: { ...rest, state: searching.state === 'done' ? 'done' : 'running' },
  };
  if (!isFirst) return finish({ ...shown, cursor: keepCursor(state, results) });
  const anew = { groups: new Map(), context: undefined, cursor: { index: 0 }, top: 0 };
  const { token: hitsToken } = state.wantedHits;
  const { token: contextToken } = state.wantedContext;
  return finish({ ...shown, ...anew, wantedHits: { token: hitsToken + 1 }, wantedContext: { token: contextToken + 1 } });
}

function takeHits(state: SearchState, action: Loaded & { what: 'hits' }): Result {
  if (action.token !== state.wantedHits.token) return unchanged(state);
  const found = state.results.find(({ row }) => row.rootId === action.rootId);
  if (found === undefined) return unchanged(state);
  const known = joined(state.groups.get(action.rootId)?.known, [...(found.hit === undefined ? [] : [found.hit]), ...action.known]);
  const group: GroupHits = { ids: orderHits(action.ids, found.hit?.messageId, state.sort), known, asked: new Set(), counted: found.hits };
  return finish(withGroup(state, action.rootId, group));
}

/** Reading the hits of a lineage failed: it is left with the one that is known. */
export function withoutHits(state: SearchState, message: string): Result {
  const found = foundAt(state);
  if (found?.hit === undefined) return unchanged({ ...state, notice: message, pending: [] });
  const { hit } = found;
  const group: GroupHits = { ids: [hit.messageId], known: new Map([[hit.messageId, hit]]), asked: new Set(), counted: found.hits };
  return finish({ ...withGroup(state, found.row.rootId, group), notice: message, pending: [] });
}

const withGroup = (state: SearchState, rootId: string, group: GroupHits): SearchState => ({
  ...state,
  groups: new Map(state.groups).set(rootId, group),
});

const joined = (known: ReadonlyMap<number, Hit> | undefined, more: readonly Hit[]): Map<number, Hit> =>
  new Map([...(known ?? []), ...more.map((hit) => [hit.messageId, hit] as const)]);
