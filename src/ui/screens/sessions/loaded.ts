import { pickerText } from '../../../text/en/picker.ts';
import { extendFilter, sliceMs } from './filter.ts';
import { keepMarks } from './marks.ts';
import { changeRows, mergeRows, removeRows, type Entry } from './rows.ts';
import { chooseScope, finish, rebuild, unchanged, withEffects, work, type Clock, type Result } from './settle.ts';
import type { PreviewContent, SessionsAction, SessionsState } from './types.ts';
import { isVisible } from './visible.ts';

/** A refresh with a filter on is finished in one go if it can be, so that the list does not flicker: 100,000 rows take about 20 ms. */
const refreshMs = 40;
const previewsKept = 64;

/** The answer of an effect; stale ones are dropped by their token. */
export function takeLoaded(state: SessionsState, action: SessionsAction & { type: 'loaded' }, clock: Clock): Result {
  switch (action.what) {
    case 'rows':
      return action.token === state.loading.token ? takeRows(state, action, clock) : unchanged(state);
    case 'counts': {
      if (action.token !== state.loading.token || state.loading.state !== 'loading') return unchanged(state);
      const next = { ...state, loading: { ...state.loading, counts: action.counts } };
      return action.inWorkspace === 0 ? skipEmptyScope(next, clock) : finish(next);
    }
    case 'row-previews': {
      const touched: Entry[] = [];
      for (const { id, preview } of action.previews) {
        const entry = state.book.byId.get(id);
        if (entry === undefined || entry.row.preview === preview) continue;
        entry.row = { ...entry.row, preview };
        entry.haystack = undefined;
        touched.push(entry);
      }
      return takeMerge(state, { appended: [], isReordered: false, touched }, clock);
    }
    case 'preview': {
      const { token } = state.wantedPreview;
      if (action.token !== token) return unchanged(state);
      return finish({ ...state, previews: remember(state.previews, action.preview), wantedPreview: { token } });
    }
    case 'lineage': {
      const lineages = new Map(state.lineages).set(action.rootId, action.members);
      if (action.members.length > 0) return finish({ ...state, lineages });
      const unfolded = new Set(state.unfolded);
      unfolded.delete(action.rootId);
      return finish({ ...state, lineages, unfolded, notice: pickerText.nothingToUnfold });
    }
    case 'fuzzy':
      return work({ ...state, match: action.match }, { clock, budgetMs: sliceMs });
  }
}

function takeRows(state: SessionsState, action: SessionsAction & { type: 'loaded'; what: 'rows' }, clock: Clock): Result {
  const { loading, book } = state;
  for (const row of action.rows) loading.seen?.add(row.rootId);
  let merge = mergeRows(book, action.rows, action.now);
  let next: SessionsState = { ...state, now: action.now };
  if (action.isLast) {
    if (loading.seen !== undefined) {
      const gone = book.entries.filter(({ row }) => loading.seen?.has(row.rootId) !== true).map(({ row }) => row.id);
      if (removeRows(book, gone)) merge = { ...merge, isReordered: true };
    }
    next = { ...next, marks: keepMarks(state.marks, book), loading: { state: 'done', token: loading.token } };
  }
  const taken = takeMerge(next, merge, clock);
  return action.isLast || action.isScopeEmpty === true ? withEffects(skipEmptyScope(taken.state, clock), taken.effects) : taken;
}

type SessionRowOf = Entry['row'];

/** Others changed rows, or this program did: the list follows, the cursor stays on its row or, where that is gone, at its place. */
export function takeChanges(state: SessionsState, action: SessionsAction & { type: 'rows-changed' }, clock: Clock): Result {
  const merge = changeRows(state.book, action, action.now);
  const next = { ...forgetDetails(state, action.rows), now: action.now, marks: keepMarks(state.marks, state.book) };
  const unfolded = action.rows.filter((row) => state.unfolded.has(row.rootId));
  return withEffects(
    takeMerge(next, merge, clock),
    unfolded.map(({ rootId }) => ({ type: 'load-lineage', rootId })),
  );
}

/** Brings visible rows and matches up to date with the book; the cursor stays on its row. */
function takeMerge(state: SessionsState, merge: ReturnType<typeof mergeRows>, clock: Clock): Result {
  if (merge.isReordered) return rebuild({ ...state, prepared: 0 }, clock, refreshMs);
  const appended = merge.appended.filter(({ row }) => isVisible(row, state));
  for (const entry of appended) state.visible.push(entry);
  extendFilter(state.filter, appended, merge.touched);
  return work(state, { clock, budgetMs: sliceMs });
}

/** An empty workspace is passed over once, and that is said. */
function skipEmptyScope(state: SessionsState, clock: Clock): Result {
  const isEmptyScope = state.scope === 'workspace' && state.visible.length === 0;
  const hasOthers = state.loading.counts === undefined ? state.book.entries.length > 0 : state.loading.counts.total > 0;
  if (state.isScopeSettled || !isEmptyScope || !hasOthers) return unchanged(state);
  const result = chooseScope({ ...state, isScopeSettled: true }, 'everywhere', clock);
  return { ...result, state: { ...result.state, notice: pickerText.scopeSkipped(state.workspace.keys[0] ?? '') } };
}

/** Previews and lineages of changed rows are asked for again when they are looked at. */
function forgetDetails(state: SessionsState, rows: readonly SessionRowOf[]): SessionsState {
  const changed = rows.filter((row) => state.previews.has(row.id) || state.lineages.has(row.rootId));
  if (changed.length === 0) return state;
  const previews = new Map(state.previews);
  const lineages = new Map(state.lineages);
  for (const row of changed) {
    previews.delete(row.id);
    if (!state.unfolded.has(row.rootId)) lineages.delete(row.rootId);
  }
  return { ...state, previews, lineages };
}

function remember(previews: ReadonlyMap<string, PreviewContent>, preview: PreviewContent): Map<string, PreviewContent> {
  const kept = new Map(previews);
  kept.delete(preview.id);
  kept.set(preview.id, preview);
  for (const id of kept.keys()) {
    if (kept.size <= previewsKept) break;
    kept.delete(id);
  }
  return kept;
}
