import type { Update } from '../../screen.ts';
import { continueFilter, prepareHaystacks, sliceMs, startFilter, type Filter, type Slice } from './filter.ts';
import { editorValue } from '../../editor/index.ts';
import { idOf, indexOfSelection, itemAt, itemCount, placeBlocks } from './items.ts';
import { layOutPicker } from './layout.ts';
import type { SessionsEffect, SessionsState } from './types.ts';
import type { Asked } from './typed-query.ts';
import { isVisible } from './visible.ts';

/** What every step ends with: a slice of work, the cursor on its row, effects. */

export type Result = Update<SessionsState, SessionsEffect>;
/** Milliseconds of a monotonic clock, to cut work into slices. */
export type Clock = () => number;

/** The slice of the key itself is shorter: the frame is drawn in the same tick. */
export const keySliceMs = 4;
/** The cursor rests when it stood so long. */
const restMs = 60;

export const unchanged = (state: SessionsState): Result => ({ state, effects: [] });

export function chooseScope(state: SessionsState, scope: SessionsState['scope'], clock: Clock): Result {
  return rebuild({ ...state, scope, notice: undefined }, clock);
}

/** Makes the visible rows anew: scope, kinds or order changed. */
export function rebuild(state: SessionsState, clock: Clock, budgetMs = keySliceMs): Result {
  const visible = state.book.entries.filter(({ row }) => isVisible(row, state));
  const filter = startFilter(editorValue(state.field), state.book, visible, { asked: askedOf(state) });
  return work({ ...state, visible, filter }, { clock, budgetMs });
}

/** What a query can ask about besides the rows. */
export const askedOf = ({ now, live }: SessionsState): Asked => ({
  now,
  isLive: (row) => live.size > 0 && (live.has(row.id) || row.ids.some((id) => live.has(id))),
});

/** One slice of filtering, then of preparing texts; asks for the next one where something is left. */
export function work(state: SessionsState, slice: Slice): Result {
  const { filter, book } = state;
  const wasFound = filter.phase === 'done' || (filter.phase === 'waiting' && state.match === undefined);
  continueFilter(filter, book, slice, state.match);
  // Texts are prepared in slices of their own, and every slice gets on: a clock that jumps can't make the picker spin.
  let { prepared } = state;
  if (wasFound && slice.budgetMs === sliceMs) prepared = prepareHaystacks(book, prepared, slice);
  const effects: SessionsEffect[] = [];
  const isFuzzyAsked = state.isFuzzyAsked || filter.phase === 'waiting';
  if (isFuzzyAsked && !state.isFuzzyAsked) effects.push({ type: 'load-fuzzy' });
  return requestWork(
    finish({ ...state, prepared, isFuzzyAsked, work: { ...state.work, isPending: false } }, effects),
    state,
    isWorkLeft(filter, prepared, book.entries.length),
  );
}

const isWorkLeft = (filter: Filter, prepared: number, rows: number): boolean =>
  (filter.phase !== 'done' && filter.phase !== 'waiting') || prepared < rows;

function requestWork(result: Result, before: SessionsState, isLeft: boolean): Result {
  if (!isLeft) return result;
  const token = before.work.token + 1;
  return withEffects({ ...result, state: { ...result.state, work: { token, isPending: true } } }, [{ type: 'continue-filter', token }]);
}

export const withEffects = (result: Result, effects: readonly SessionsEffect[]): Result =>
  effects.length === 0 ? result : { ...result, effects: [...result.effects, ...effects] };

/** Puts the cursor on its row again, keeps it in sight, asks for its preview. */
export function finish(state: SessionsState, effects: readonly SessionsEffect[] = []): Result {
  const { listHeight, previewWidth } = layOutPicker(state.width, state.height);
  const blocks = state.unfolded.size === 0 ? [] : placeBlocks(state.filter, state.book, state.unfolded, state.lineages);
  const source = { filter: state.filter, blocks };
  const count = itemCount(source);
  const kept = indexOfSelection(source, state.book, state.selection);
  const index = Math.max(0, Math.min(kept ?? state.selection.index, count - 1));
  const isPending =
    kept === undefined &&
    state.filter.phase === 'exact' &&
    state.selection.rootId !== undefined &&
    state.book.byId.has(state.selection.rootId);
  const item = isPending ? undefined : itemAt(source, index);
  const selection =
    item === undefined
      ? { ...state.selection, index: isPending ? state.selection.index : index }
      : { index, rootId: item.entry.row.rootId, ...(item.kind === 'member' ? { memberId: item.member.id } : {}) };
  // Rows that came in above push the page down, so that the row under the cursor does not move; at the top the new ones show.
  const shift = kept === undefined || state.top === 0 ? 0 : kept - state.selection.index;
  const lowest = Math.max(0, count - listHeight);
  const top = Math.min(lowest, index, Math.max(0, state.top + shift, index - listHeight + 1));
  const next: SessionsState = { ...state, blocks, selection, top };
  if (item === undefined || previewWidth === 0) return { state: next, effects };
  const id = idOf(item);
  if (state.previews.has(id) || state.wantedPreview.id === id) return { state: next, effects };
  const token = state.wantedPreview.token + 1;
  return withEffects({ state: { ...next, wantedPreview: { token, id } }, effects }, [{ type: 'load-preview', token, id, restMs }]);
}
