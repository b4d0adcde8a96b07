import { tildePath } from '../../../text/paths.ts';
import { pickerText } from '../../../text/en/picker.ts';
import { truncateMiddle } from '../../../terminal/width.ts';
import { cutLine, fitLine, lineWidth } from '../../compose.ts';
import { span, type Line, type Span } from '../../frame.ts';
import type { ViewContext } from '../../screen.ts';
import { titleSpans, type KeyLabel } from '../list-parts.ts';
import { foundCount } from './filter.ts';
import type { SessionsState } from './types.ts';
import { countNumbers, isInWorkspace, type HiddenKind, type Numbers } from './visible.ts';

const kindOrder: readonly HiddenKind[] = ['archived', 'machine', 'empty'];

/**
 * Header and info line. The header says what is shown, where, and what hides; what does not fit goes to the info line, which
 * otherwise holds notices and the rest of the count, so that the numbers always add up.
 */
export function headerLines(state: SessionsState, label: KeyLabel, context: ViewContext): [Line, Line] {
  const { width, glyphs } = context;
  const numbers = countNumbers(state);
  const left = [...titleSpans(pickerText.title, besideTitle(state, numbers), glyphs), ...markedSpans(state)];
  const hidden = hiddenSpans(state, numbers, label, false);
  const rest = restSpans(state, numbers);
  const room = width - lineWidth(left) - 1;
  const scopes = [scopeSpans(state, label, context, false), scopeSpans(state, label, context, true)] as const;
  const scope = lineWidth(scopes[0]) + 1 <= room ? scopes[0] : scopes[1];
  if (hidden.length === 0 || lineWidth(scope) + 3 + lineWidth(hidden) + 1 <= room) {
    const right = [...scope, ...(hidden.length > 0 ? [span('   '), ...hidden] : []), span(' ')];
    return [fitLine(left, right, width, glyphs.ellipsis), infoLine(state, [rest], context)];
  }
  const short = hiddenSpans(state, numbers, label, true);
  return [
    fitLine(left, [...scope, span(' ')], width, glyphs.ellipsis),
    infoLine(state, [joined(rest, hidden), joined(rest, short), short], context),
  ];
}

const markedSpans = ({ marks }: SessionsState): Line => (marks.size === 0 ? [] : [span(`  ${pickerText.marked(marks.size)}`, 'accent')]);

const joined = (a: Line, b: Line): Line => (a.length === 0 ? b : b.length === 0 ? a : [...a, span('   '), ...b]);

function besideTitle(state: SessionsState, numbers: Numbers): string {
  const counts = pickerText.shownOf(numbers.shown, numbers.of);
  if (state.loading.state === 'loading') return numbers.of === 0 ? pickerText.loading : `${counts}  ${pickerText.loading}`;
  const isSearching = state.filter.phase === 'exact' && foundCount(state.filter) < 1;
  return isSearching ? `${counts}  ${pickerText.searching}` : counts;
}

/** `this workspace ▸ everywhere Tab`: the mark stands before the one in force, which has the accent too; short: only that one. */
function scopeSpans(state: SessionsState, label: KeyLabel, { glyphs }: ViewContext, isShort: boolean): Line {
  const here = state.workspace.isRepository ? pickerText.workspaceScope : pickerText.directoryScope;
  const key = label('list.scope');
  const tail: Line = key === undefined ? [] : [span(` ${key}`, 'soft')];
  const isHere = state.scope === 'workspace';
  if (isShort) return [span(isHere ? here : pickerText.everywhereScope, 'accent'), ...tail];
  const mark = span(`${glyphs.folded} `, 'faint');
  return isHere
    ? [mark, span(here, 'accent'), span(`  ${pickerText.everywhereScope}`, 'faint'), ...tail]
    : [span(`${here} `, 'faint'), mark, span(pickerText.everywhereScope, 'accent'), ...tail];
}

/** `14 archived, 52 machine-made hidden M-h`, or what is shown besides the usual kinds. */
function hiddenSpans(state: SessionsState, numbers: Numbers, label: KeyLabel, isShort: boolean): Line {
  const { revealed } = state;
  const kinds = kindOrder.filter((kind) => numbers.hidden[kind] > 0);
  const parts: string[] = [];
  if (revealed === 'all') parts.push(pickerText.showingAll);
  else if (revealed !== 'none') parts.push(pickerText.showing(pickerText.kinds[revealed]));
  if (kinds.length > 0) {
    const sum = kinds.reduce((total, kind) => total + numbers.hidden[kind], 0);
    const named = kinds.map((kind) => pickerText.kindCount(numbers.hidden[kind], pickerText.kinds[kind])).join(', ');
    parts.push(isShort ? pickerText.hiddenShort(sum) : pickerText.hidden(named));
  }
  if (parts.length === 0) return [];
  const key = label('picker.hidden');
  return [span(parts.join(', '), 'faint'), ...(key === undefined ? [] : [span(` ${key}`, 'soft')])];
}

/** The rest of the count: filtered out, out of scope. */
function restSpans(state: SessionsState, numbers: Numbers): Line {
  if (state.loading.state === 'loading') return [];
  const parts: string[] = [];
  if (numbers.filteredOut > 0 && state.filter.phase !== 'exact') parts.push(pickerText.filteredOut(numbers.filteredOut));
  if (numbers.elsewhere > 0) parts.push(pickerText.elsewhere(numbers.elsewhere));
  return parts.length === 0 ? [] : [span(parts.join(', '), 'faint')];
}

/** That the store is waited for, else a notice, whole if it can be: its end names the key that undoes. On the right the longest of `rights` that fits beside it. */
function infoLine(state: SessionsState, rights: readonly Line[], context: ViewContext): Line {
  const { width, glyphs } = context;
  const said = state.isStoreWaiting ? pickerText.waitingForStore : infoText(state, context);
  const left: Span[] =
    said === '' ? [] : [span(` ${truncateMiddle(said, width - 2, glyphs.ellipsis)}`, state.isStoreWaiting ? 'accent' : 'soft')];
  const used = lineWidth(left);
  const fitting = rights.find((right) => used + 1 + lineWidth(right) + 1 <= width) ?? (said === '' ? rights.at(-1) : undefined) ?? [];
  if (fitting.length === 0) return left;
  return fitLine(left, [...cutLine(fitting, width - 1, glyphs.ellipsis), span(' ')], width, glyphs.ellipsis);
}

function infoText(state: SessionsState, context: ViewContext): string {
  const { hit } = state.filter;
  if (hit?.isOutside === true) {
    const { row } = hit.entry;
    const reasons = [
      ...(row.class === 'shown' || state.revealed === 'all' || state.revealed === row.class ? [] : [pickerText.reasons[row.class]]),
      ...(state.scope === 'workspace' && !isInWorkspace(row, state.workspace) ? [pickerText.reasons.elsewhere] : []),
    ];
    return reasons.length === 0 ? pickerText.foundById(row.id) : pickerText.foundByIdBecause(reasons.join(', '));
  }
  if (state.notice !== undefined)
    return state.notice.replaceAll(state.workspace.keys[0] ?? '\0', tildePath(state.workspace.keys[0] ?? '', context.userHome));
  return '';
}
