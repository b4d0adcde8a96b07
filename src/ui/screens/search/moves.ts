import type { CommandId } from '../../../commands/table.ts';
import { cursorLine, hitIds } from './items.ts';
import { layOutSearch } from './layout.ts';
import { finish, foundAt, isGroupOpen, linesOf, type Result } from './settle.ts';
import type { Pending, SearchState } from './types.ts';

/** Keys that wait for what they are about; more than somebody presses in a second are a key that is stuck. */
const mostPending = 50;

/** What is on screen answers what was typed before. */
export const isStale = ({ searching }: SearchState): boolean => searching.state === 'waiting' && !searching.isQuiet;

export const wait = (state: SearchState, id: Pending): Result =>
  finish({ ...state, pending: [...state.pending, id].slice(0, mostPending) });

/** ↑↓ hit by hit through all lineages, Ctrl+↑↓ lineage by lineage. Undefined for another command. */
export function move(state: SearchState, id: Pending): Result | undefined {
  switch (id) {
    case 'list.down':
      return next(state);
    case 'list.up':
      return previous(state);
    case 'search.next-session':
      return toSession(state, state.cursor.index + 1);
    case 'search.previous-session': {
      const found = foundAt(state);
      const isFirst = found === undefined || hitIds(found, state.groups)[0] === state.cursor.messageId;
      return toSession(state, isFirst ? state.cursor.index - 1 : state.cursor.index);
    }
    case 'list.page-down':
      return byLines(state, layOutSearch(state.width, state.height).listHeight - 1);
    case 'list.page-up':
      return byLines(state, 1 - layOutSearch(state.width, state.height).listHeight);
    case 'list.first':
      return toSession(state, 0);
    case 'list.last':
      return toLastHit(state, state.results.length - 1);
    case 'last-hit':
      return toLastHit(state, state.cursor.index);
    default:
      return undefined;
  }
}

export const isMove = (id: CommandId): boolean =>
  id === 'search.next-session' || id === 'search.previous-session' || (id.startsWith('list.') && id !== 'list.take' && id !== 'list.scope');

function toSession(state: SearchState, index: number): Result {
  const at = Math.max(0, Math.min(index, state.results.length - 1));
  return finish({ ...state, cursor: { index: at }, armed: undefined });
}

const toHit = (state: SearchState, messageId: number): Result =>
  finish({ ...state, cursor: { ...state.cursor, messageId }, armed: undefined });

function next(state: SearchState): Result {
  const found = foundAt(state);
  if (found === undefined) return finish(state);
  const ids = hitIds(found, state.groups);
  const following = ids[state.cursor.messageId === undefined ? ids.length : ids.indexOf(state.cursor.messageId) + 1];
  if (following !== undefined) return toHit(state, following);
  if (isGroupOpen(state, found)) return wait(state, 'list.down');
  return state.cursor.index + 1 < state.results.length ? toSession(state, state.cursor.index + 1) : finish(state);
}

function previous(state: SearchState): Result {
  const found = foundAt(state);
  if (found === undefined) return finish(state);
  const ids = hitIds(found, state.groups);
  const before = state.cursor.messageId === undefined ? undefined : ids[ids.indexOf(state.cursor.messageId) - 1];
  if (before !== undefined) return toHit(state, before);
  return state.cursor.index === 0 ? finish(state) : toLastHit(state, state.cursor.index - 1);
}

function toLastHit(state: SearchState, index: number): Result {
  const found = state.results[index];
  if (found === undefined) return finish(state);
  const { rootId } = found.row;
  if (isGroupOpen(state, found)) return wait({ ...state, cursor: { index } }, 'last-hit');
  const messageId = hitIds(found, state.groups).at(-1);
  return finish({ ...state, cursor: { index, rootId, ...(messageId === undefined ? {} : { messageId }) }, armed: undefined });
}

/** By so many lines of the list as it stands, to the nearest line that can be chosen. */
function byLines(state: SearchState, by: number): Result {
  const lines = linesOf(state);
  const target = Math.max(0, Math.min(lines.length - 1, cursorLine(lines, state.cursor) + by));
  return toLine(state, target, by < 0 ? -1 : 1) ?? finish(state);
}

/** The cursor on a line, or on the nearest one that can be chosen: towards `direction` first, then back. */
export function toLine(state: SearchState, target: number, direction: 1 | -1): Result | undefined {
  const lines = linesOf(state);
  for (const step of [direction, -direction])
    for (let at = target; at >= 0 && at < lines.length; at += step) {
      const line = lines[at]!;
      if (line.kind === 'gap' || (line.kind === 'title' && !line.isAlone) || (line.kind === 'hit' && line.messageId === undefined))
        continue;
      const { rootId } = line.found.row;
      const messageId = line.kind === 'hit' ? line.messageId : undefined;
      return finish({
        ...state,
        cursor: { index: line.index, rootId, ...(messageId === undefined ? {} : { messageId }) },
        armed: undefined,
      });
    }
  return undefined;
}
