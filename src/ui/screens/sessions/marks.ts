import type { SessionId } from '../../../session/types.ts';
import { foundIndex } from './filter.ts';
import { itemAt, itemCount, type Item } from './items.ts';
import type { Entry, RowBook } from './rows.ts';
import { selectedItem } from './selected.ts';
import { finish, type Result } from './settle.ts';
import type { SessionsState, Target } from './types.ts';

/** The lineage a row stands for: a segment for the one it is part of, a branch or a sub-agent's session for its own. */
export function entryOf(state: SessionsState, item: Item): Entry | undefined {
  return item.kind === 'lineage' || item.member.kind === 'segment' ? item.entry : state.book.byId.get(item.member.id);
}

export const isMarked = (state: SessionsState, entry: Entry | undefined): boolean =>
  entry !== undefined && state.marks.has(entry.row.rootId);

/** What the next action is for: the marked lineages in the order of the list, else the one under the cursor. */
export function targetsOf(state: SessionsState): Target[] {
  if (state.marks.size > 0) return state.book.entries.filter((entry) => isMarked(state, entry)).map((entry) => targetOf(state, entry));
  const item = selectedItem(state);
  const entry = item === undefined ? undefined : entryOf(state, item);
  return entry === undefined ? [] : [targetOf(state, entry)];
}

function targetOf(state: SessionsState, entry: Entry): Target {
  const { row } = entry;
  return {
    id: row.id,
    rootId: row.rootId,
    ids: row.ids,
    name: row.title ?? row.preview ?? row.id,
    ...(row.title === undefined ? {} : { title: row.title }),
    messages: row.messageCount,
    pinned: row.pinned,
    archived: row.archived,
    isInView: foundIndex(state.filter, entry) !== undefined,
  };
}

/** Marks of lineages that are still there. */
export function keepMarks(marks: ReadonlySet<SessionId>, book: RowBook): ReadonlySet<SessionId> {
  if (marks.size === 0 || [...marks].every((rootId) => book.byId.get(rootId)?.row.rootId === rootId)) return marks;
  return new Set([...marks].flatMap((rootId) => book.byId.get(rootId)?.row.rootId ?? []));
}

/** Marks the row under the cursor, or takes its mark off, and goes one down: a run of rows is one key held. */
export function toggleMark(state: SessionsState, item: Item): Result {
  const rootId = entryOf(state, item)?.row.rootId;
  if (rootId === undefined) return finish(state);
  const marks = new Set(state.marks);
  if (!marks.delete(rootId)) marks.add(rootId);
  const index = Math.min(state.selection.index + 1, itemCount(state) - 1);
  return finish({ ...state, marks, selection: { index }, notice: undefined, armed: undefined });
}

/** Marks the row under the cursor and the next one in a direction, and goes there; back over a marked one it takes the last mark off. */
export function extendMarks(state: SessionsState, item: Item, step: 1 | -1): Result {
  const here = entryOf(state, item)?.row.rootId;
  const index = state.selection.index + step;
  const next = itemAt(state, index);
  const there = next === undefined ? undefined : entryOf(state, next)?.row.rootId;
  const marks = new Set(state.marks);
  const isGoingBack = there !== undefined && here !== there && here !== undefined && marks.has(here) && marks.has(there);
  if (isGoingBack) marks.delete(here);
  else for (const rootId of [here, there]) if (rootId !== undefined) marks.add(rootId);
  const selection = next === undefined ? state.selection : { index };
  return finish({ ...state, marks, selection, notice: undefined, armed: undefined });
}
