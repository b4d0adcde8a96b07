import type { Scope } from '../../../commands/table.ts';
import { pickerText } from '../../../text/en/picker.ts';
import { truncateEnd, wrapText } from '../../../terminal/width.ts';
import { padLine } from '../../compose.ts';
import { span, type Line } from '../../frame.ts';
import type { KeyOverrides } from '../../keymap.ts';
import type { View, ViewContext } from '../../screen.ts';
import { fillLines, filterLine, hint, hintSpans, keyLabels, ruleLine, type KeyLabel } from '../list-parts.ts';
import { rowLine } from './columns.ts';
import { footerLine } from './footer.ts';
import { headerLines } from './header.ts';
import { itemAt, itemCount } from './items.ts';
import { layOutPicker } from './layout.ts';
import { selectedItem } from './selected.ts';
import { previewLines } from './preview.ts';
import type { SessionsState } from './types.ts';
import { countNumbers } from './visible.ts';

/** Where hints look their keys up: as while the caret stands at the end of the filter. */
const hintScopes: readonly Scope[] = ['picker', 'list', 'field', 'global'];

/** The picker in its box. Touches only the rows on screen. */
export function viewSessions(state: SessionsState, context: ViewContext, overrides?: KeyOverrides): View {
  const { width, height, glyphs } = context;
  const label = keyLabels(hintScopes, glyphs, overrides);
  const layout = layOutPicker(width, height);
  const [header, info] = headerLines(state, label, context);
  const filter = filterLine(state.field, glyphs, width);
  const lines: Line[] = [header, info, filter.line, ruleLine(glyphs, width), ...bodyLines(state, layout, label, context)];
  lines.push(ruleLine(glyphs, width), footerLine(state, label, width));
  return { lines: fillLines(lines, height), cursor: { x: filter.x, y: 2 } };
}

function bodyLines(state: SessionsState, layout: ReturnType<typeof layOutPicker>, label: KeyLabel, context: ViewContext): Line[] {
  const { listHeight, listWidth, previewWidth } = layout;
  if (itemCount(state) === 0) return fillLines(emptyLines(state, label, context), listHeight);
  const selected = selectedItem(state);
  const preview =
    selected === undefined || previewWidth === 0
      ? []
      : previewLines(state, selected, { width: previewWidth, height: listHeight, label }, context);
  const lines: Line[] = [];
  for (let row = 0; row < listHeight; row++) {
    const index = state.top + row;
    const item = itemAt(state, index);
    const isSelected = selected !== undefined && index === state.selection.index;
    const line = item === undefined ? [] : rowLine(state, item, isSelected, listWidth, context);
    if (previewWidth === 0) lines.push(line);
    else lines.push([...padLine(line, listWidth), span(`${context.glyphs.vertical} `, 'rule'), ...(preview[row] ?? [])]);
  }
  return lines;
}

/** An empty list says why, and what to do next. */
function emptyLines(state: SessionsState, label: KeyLabel, { width, glyphs }: ViewContext): Line[] {
  const said = (text: string, style: string): Line[] =>
    wrapText(text, Math.max(1, width - 8)).map((line) => [span('    '), span(line, style)]);
  const does = (id: 'list.scope' | 'list.take' | 'picker.hidden' | 'app.back', word: string): Line[] => {
    const found = hint(label, id, word);
    return found === undefined ? [] : [[span('    '), ...hintSpans(found)]];
  };
  const { loading, filter } = state;
  if (loading.state === 'failed') {
    return [
      [],
      ...said(loading.trouble?.message ?? '', 'error'),
      ...(loading.trouble?.hint === undefined ? [] : said(loading.trouble.hint, 'soft')),
    ];
  }
  const numbers = countNumbers(state);
  const hasHidden = numbers.hidden.machine + numbers.hidden.archived + numbers.hidden.empty > 0;
  const elsewhere = [
    ...(state.scope === 'workspace' && numbers.elsewhere > 0 ? does('list.scope', pickerText.searchesEverywhere) : []),
    ...(hasHidden ? does('picker.hidden', pickerText.showsHidden) : []),
  ];
  if (!filter.isAll && (filter.phase !== 'done' || loading.state === 'loading')) return [[], ...said(pickerText.searching, 'soft')];
  if (loading.state === 'loading') return [[], ...said(pickerText.loadingRows, 'soft')];
  if (!filter.isAll && numbers.total > 0) {
    const none = said(pickerText.noMatch(truncateEnd(filter.query, 60, glyphs.ellipsis)), 'text');
    return [[], ...none, ...said(pickerText.looksAt, 'faint'), ...does('list.take', pickerText.searchesAll), ...elsewhere];
  }
  if (numbers.total > 0) return [[], ...said(pickerText.noneToShow, 'text'), ...elsewhere];
  const back = label('app.back');
  return [
    [],
    ...said(pickerText.noneAtAll, 'text'),
    ...said(pickerText.noneAtAllHint, 'soft'),
    ...(back === undefined ? [] : said(pickerText.startHint(back), 'soft')),
  ];
}
