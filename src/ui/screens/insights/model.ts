import type { CommandId, Scope } from '../../../commands/table.ts';
import type { Insights } from '../../../session/insights.ts';
import type { SessionId } from '../../../session/types.ts';
import { insightsText as text } from '../../../text/en/insights.ts';
import type { InputAction, Update } from '../../screen.ts';
import { bodyHeight, bodyTop, layoutInsights, type InsightsLayout } from './layout.ts';

/** Days, shortest first; what `/insights N` asked for stands among them. */
export const periods: readonly number[] = [7, 30, 90, 365];

export interface InsightsState {
  readonly days: number;
  /** Of the period shown; the report of the period before stays until the next one has come. */
  readonly report: Insights | undefined;
  readonly status: 'loading' | 'ready' | 'failed';
  /** Why the store did not answer, and what to do about it. */
  readonly trouble: { readonly reason: string; readonly hint?: string } | undefined;
  /** The request that is waited for. */
  readonly token: number;
  readonly width: number;
  readonly height: number;
  /** First line of the report on screen. */
  readonly top: number;
  /** Index of a notable session; -1 while none is chosen. */
  readonly selected: number;
  /** The notable session a click chose last: a second click opens it. */
  readonly armed: number;
}

export type InsightsAction =
  | { type: 'shown' }
  | { type: 'loaded'; token: number; report: Insights }
  | { type: 'failed'; token: number; reason: string; hint?: string }
  | { type: 'focused' };

export type InsightsEffect =
  { type: 'load'; days: number; token: number } | { type: 'open'; id: SessionId } | { type: 'close' } | { type: 'run'; id: CommandId };

type Result = Update<InsightsState, InsightsEffect>;

const wheelRows = 3;

export const createInsights = (days: number): InsightsState => ({
  days,
  report: undefined,
  status: 'loading',
  trouble: undefined,
  token: 0,
  width: 80,
  height: 24,
  top: 0,
  selected: -1,
  armed: -1,
});

export const insightsScopes = (): readonly Scope[] => ['insights', 'list', 'global'];

export const layoutOf = (state: InsightsState): InsightsLayout | undefined =>
  state.report === undefined || state.report.overview.sessions === 0 ? undefined : layoutInsights(state.report, state.width);

export function updateInsights(state: InsightsState, action: InsightsAction | InputAction): Result {
  switch (action.type) {
    case 'shown':
      return load(state, state.days);
    case 'loaded':
      if (action.token !== state.token) return same(state);
      return same(clamp({ ...state, report: action.report, status: 'ready', top: 0, selected: -1, armed: -1 }));
    case 'failed':
      if (action.token !== state.token) return same(state);
      return same({ ...state, report: undefined, status: 'failed', trouble: action });
    case 'resize':
      return same(clamp({ ...state, width: action.width, height: action.height }));
    case 'mouse':
      return point(state, action.event);
    case 'command':
      return command(state, action.id);
    case 'focused':
    case 'text':
    case 'paste':
      return same({ ...state, armed: -1 });
  }
}

const same = (state: InsightsState): Result => ({ state, effects: [] });

function load(state: InsightsState, days: number): Result {
  const token = state.token + 1;
  return { state: { ...state, days, token, status: 'loading' }, effects: [{ type: 'load', days, token }] };
}

function command(state: InsightsState, id: CommandId): Result {
  if (insightsDisabledReason(state, id) !== undefined) return same(state);
  switch (id) {
    case 'insights.shorter':
      return load(state, neighbour(state, -1) ?? state.days);
    case 'insights.longer':
      return load(state, neighbour(state, 1) ?? state.days);
    case 'list.up':
      return same(step(state, -1));
    case 'list.down':
      return same(step(state, 1));
    case 'list.page-up':
      return same(clamp({ ...state, selected: -1, top: state.top - page(state) }));
    case 'list.page-down':
      return same(clamp({ ...state, top: state.top + page(state) }));
    case 'list.first':
      return same({ ...state, selected: -1, top: 0 });
    case 'list.last':
      return same({ ...state, top: lastTop(state), selected: notableCount(state) > 0 ? 0 : -1 });
    case 'list.take':
      return take(state);
    case 'app.back':
    case 'app.cancel':
      return { state, effects: [{ type: 'close' }] };
    default:
      return { state, effects: [{ type: 'run', id }] };
  }
}

/** The period before or after in the row of periods; undefined at its end. */
function neighbour({ days }: InsightsState, direction: -1 | 1): number | undefined {
  return direction === 1 ? periods.find((each) => each > days) : periods.findLast((each) => each < days);
}

/** The report scrolls line by line; at its end the cursor goes through the notable sessions. */
function step(state: InsightsState, direction: -1 | 1): InsightsState {
  if (direction === -1 && state.selected >= 0) return { ...state, selected: state.selected - 1, armed: -1 };
  if (direction === 1 && state.top >= lastTop(state))
    return { ...state, selected: Math.min(state.selected + 1, notableCount(state) - 1), armed: -1 };
  return clamp({ ...state, top: state.top + direction, armed: -1 });
}

function take(state: InsightsState): Result {
  const session = state.report?.notable[state.selected];
  return session === undefined ? same(state) : { state, effects: [{ type: 'open', id: session.id }] };
}

/** The wheel scrolls; a click chooses a notable session, a second one on it opens it. */
function point(state: InsightsState, event: (InputAction & { type: 'mouse' })['event']): Result {
  if (event.action === 'wheel-up' || event.action === 'wheel-down')
    return same(clamp({ ...state, top: state.top + (event.action === 'wheel-up' ? -wheelRows : wheelRows) }));
  if (event.action !== 'press' || event.button !== 'left') return same(state);
  const row = event.y - bodyTop;
  if (row < 0 || row >= bodyHeight(state.height)) return same({ ...state, armed: -1 });
  const index = layoutOf(state)?.notable.indexOf(state.top + row) ?? -1;
  if (index === -1) return same({ ...state, armed: -1 });
  return state.armed === index ? take({ ...state, selected: index }) : same({ ...state, selected: index, armed: index });
}

const notableCount = (state: InsightsState): number => (layoutOf(state) === undefined ? 0 : (state.report?.notable.length ?? 0));
const page = (state: InsightsState): number => Math.max(1, bodyHeight(state.height) - 1);
const lastTop = (state: InsightsState): number => Math.max(0, (layoutOf(state)?.lines ?? 0) - bodyHeight(state.height));
const clamp = (state: InsightsState): InsightsState => ({ ...state, top: Math.min(Math.max(0, state.top), lastTop(state)) });

/** Why a command can't run now; undefined = it can. */
export function insightsDisabledReason(state: InsightsState, id: CommandId): string | undefined {
  if (id === 'insights.shorter' && neighbour(state, -1) === undefined) return text.noShorter;
  if (id === 'insights.longer' && neighbour(state, 1) === undefined) return text.noLonger;
  if (id === 'list.take' && state.selected < 0) return text.nothingChosen;
  return undefined;
}
