import { isEverything } from '../../../session/query.ts';
import { pickerText } from '../../../text/en/picker.ts';
import { searchText } from '../../../text/en/search.ts';
import { truncateEnd } from '../../../terminal/width.ts';
import { cutLine, fitLine, lineWidth } from '../../compose.ts';
import { span, type Line } from '../../frame.ts';
import type { ViewContext } from '../../screen.ts';
import { titleSpans, type KeyLabel } from '../list-parts.ts';
import type { Completion } from './typed.ts';
import type { IndexState, SearchState } from './types.ts';

/** How much was found, in which order, where; shorter forms where the line is narrow. */
export function headerLine(state: SearchState, label: KeyLabel, context: ViewContext): Line {
  const { width, glyphs } = context;
  const isCounted = !isEverything(state.query) && (state.lineages > 0 || state.searching.state === 'done');
  const counts = isCounted ? searchText.counts(state.lineages, state.hits, glyphs.dot) : '';
  const left = titleSpans(searchText.title, counts, glyphs);
  const sortKey = label('search.sort');
  const order: Line = [span(searchText.order[state.sort], 'soft'), ...(sortKey === undefined ? [] : [span(` ${sortKey}`, 'faint')])];
  const forms = [
    [...order, span('   '), ...scopeSpans(state, label, context, false), span(' ')],
    [...order, span('   '), ...scopeSpans(state, label, context, true), span(' ')],
    [...order, span(' ')],
  ];
  const fits = (form: Line, beside: Line): boolean => lineWidth(form) <= width - lineWidth(beside) - 2;
  const form = forms.find((each) => fits(each, left));
  if (form !== undefined) return fitLine(left, form, width, glyphs.ellipsis);
  // The name of the screen gives way to what the keys have changed.
  const bare: Line = [span(glyphs.bar, 'accent'), span(counts, 'soft')];
  const isHere = state.scope === 'workspace';
  const changed: Line = isHere ? [span(placeName(state), 'accent'), span(' ')] : [span(`${searchText.order[state.sort]} `, 'soft')];
  return fits(changed, bare) ? fitLine(bare, changed, width, glyphs.ellipsis) : fitLine(left, [], width, glyphs.ellipsis);
}

const placeName = ({ place }: SearchState): string => (place.isRepository ? pickerText.workspaceScope : pickerText.directoryScope);

/** `this workspace ▸ everywhere Tab`, as in the list of sessions. */
function scopeSpans(state: SearchState, label: KeyLabel, { glyphs }: ViewContext, isShort: boolean): Line {
  const here = placeName(state);
  const key = label('list.scope');
  const tail: Line = key === undefined ? [] : [span(` ${key}`, 'faint')];
  const isHere = state.scope === 'workspace';
  const mark = span(`${glyphs.folded} `, 'faint');
  if (isShort) return [span(isHere ? here : pickerText.everywhereScope, 'accent'), ...tail];
  return isHere
    ? [mark, span(here, 'accent'), span(`  ${pickerText.everywhereScope}`, 'faint'), ...tail]
    : [span(`${here} `, 'faint'), mark, span(pickerText.everywhereScope, 'accent'), ...tail];
}

/** One thing at a time: what was just refused, what can be completed, how far the search is, how the index stands. */
export function infoLine(state: SearchState, completion: Completion | undefined, label: KeyLabel, context: ViewContext): Line {
  const { width, glyphs } = context;
  const cut = (text: string, style: string): Line => [span(` ${truncateEnd(text, width - 2, glyphs.ellipsis)}`, style)];
  if (state.notice !== undefined) return cut(state.notice, 'accent');
  if (completion !== undefined) return completionLine(completion, label, context);
  const { searching, index } = state;
  const trouble = indexText(index);
  const isRunning = searching.state === 'waiting' || searching.state === 'running';
  if (isRunning && !searching.isQuiet) {
    const said = searching.backTo === undefined ? searchText.searching : searchText.searchingBack(searching.backTo);
    const tail = trouble === undefined ? [] : cut(trouble, 'soft');
    return cutLine([span(` ${said}`, 'faint'), ...(tail.length === 0 ? [] : [span('  '), ...tail])], width - 1, glyphs.ellipsis);
  }
  return trouble === undefined ? [] : cut(trouble, index?.state === 'damaged' ? 'error' : 'soft');
}

function completionLine({ items }: Completion, label: KeyLabel, { width, glyphs }: ViewContext): Line {
  const key = label('search.complete');
  const tail: Line = key === undefined ? [] : [span(`   ${searchText.completes(key)}`, 'faint')];
  const room = width - 2 - lineWidth(tail);
  const [first = '', ...others] = items;
  const names: Line = [span(` ${first}`, 'link'), span(others.map((item) => `  ${item}`).join(''), 'faint')];
  return [...cutLine(names, room, glyphs.ellipsis), ...tail];
}

export function indexText(index: IndexState | undefined): string | undefined {
  if (index === undefined || index.state === 'ready') return undefined;
  const said = searchText.index[index.state];
  return typeof said === 'string' ? said : said(index.missing);
}
