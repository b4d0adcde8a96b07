import type { Scope } from '../../../commands/table.ts';
import { isEverything } from '../../../session/query.ts';
import { searchText } from '../../../text/en/search.ts';
import { padEnd, stringWidth, truncateEnd, wrapText } from '../../../terminal/width.ts';
import { addStyle, cutLine, padLine } from '../../compose.ts';
import { editorValue } from '../../editor/index.ts';
import { span, type Line } from '../../frame.ts';
import type { KeyOverrides } from '../../keymap.ts';
import type { View, ViewContext } from '../../screen.ts';
import { fillLines, hint, hintSpans, keyLabels, ruleLine, type KeyLabel } from '../list-parts.ts';
import { contextLines } from './context-pane.ts';
import { footerLine } from './footer.ts';
import { headerLine, indexText, infoLine } from './header.ts';
import { cursorLine } from './items.ts';
import { layOutSearch } from './layout.ts';
import { completionNow } from './model.ts';
import { queryLine } from './query-line.ts';
import { lineOf } from './rows.ts';
import { linesOf } from './settle.ts';
import type { SearchState } from './types.ts';

const hintScopes: readonly Scope[] = ['search', 'list', 'field', 'global'];

/** The search panel. */
export function viewSearch(state: SearchState, context: ViewContext, overrides?: KeyOverrides): View {
  const { width, height, glyphs } = context;
  const label = keyLabels(hintScopes, glyphs, overrides);
  const completion = completionNow(state);
  const query = queryLine(state, completion, context);
  const lines: Line[] = [
    headerLine(state, label, context),
    infoLine(state, completion, label, context),
    query.line,
    ruleLine(glyphs, width),
    ...bodyLines(state, label, context),
    ruleLine(glyphs, width),
    footerLine(state, label, width),
  ];
  return { lines: fillLines(lines, height), cursor: { x: query.x, y: 2 } };
}

function bodyLines(state: SearchState, label: KeyLabel, context: ViewContext): Line[] {
  const { listHeight, listWidth, contextWidth } = layOutSearch(context.width, context.height);
  if (state.results.length === 0) return fillLines(emptyLines(state, label, context), listHeight);
  const all = linesOf(state);
  const under = cursorLine(all, state.cursor);
  const pane = contextWidth === 0 ? [] : contextLines(state, { width: contextWidth, height: listHeight }, context);
  const lines: Line[] = [];
  for (let row = 0; row < listHeight; row++) {
    const line = all[state.top + row];
    const drawn = line === undefined ? [] : lineOf(state, line, state.top + row === under, listWidth, context);
    lines.push(
      contextWidth === 0 ? drawn : [...padLine(drawn, listWidth), span(`${context.glyphs.vertical} `, 'rule'), ...(pane[row] ?? [])],
    );
  }
  return lines;
}

/** Below so many lines only what can be done is shown. */
const examplesOnly = 12;

const said = (text: string, style: string, width: number): Line[] =>
  wrapText(text, Math.max(1, width - 6)).map((line) => [span('   '), span(line, style)]);

/** An empty list says why, and what to do next; a failure is said as one. */
function emptyLines(state: SearchState, label: KeyLabel, context: ViewContext): Line[] {
  const { width } = context;
  const { searching } = state;
  if (searching.state === 'failed') {
    const { message = '', hint: help } = searching.trouble ?? {};
    return [[], ...said(message, 'error', width), ...(help === undefined ? [] : said(help, 'soft', width))];
  }
  if (isEverything(state.query)) return startLines(state, context);
  if (searching.state !== 'done') return [[], ...said(searchText.searching, 'faint', width)];
  return [[], ...noneLines(state, label, context)];
}

function noneLines(state: SearchState, label: KeyLabel, { width, glyphs }: ViewContext): Line[] {
  const typed = editorValue(state.field).trim();
  const hints = [
    ...(/\s/.test(typed) ? [searchText.noneHints.fewer] : []),
    ...(/^[\p{L}\p{N}]+$/u.test(typed.split(/\s+/u)[0] ?? '') ? [searchText.noneHints.prefix] : []),
    ...(typed.includes(':') ? [searchText.noneHints.filters] : []),
  ];
  const scope = state.scope === 'workspace' ? hint(label, 'list.scope', searchText.searchesEverywhere) : undefined;
  const index = indexText(state.index);
  return [
    ...said(searchText.none(truncateEnd(typed, 60, glyphs.ellipsis)), 'text', width),
    ...(scope === undefined ? [] : [[span('   '), ...hintSpans(scope)] as Line]),
    ...hints.flatMap((text) => said(text, 'faint', width)),
    ...(index === undefined ? [] : said(index, 'soft', width)),
  ];
}

/** Nothing is typed yet: earlier searches, and what can be typed. */
function startLines(state: SearchState, { width, height, glyphs }: ViewContext): Line[] {
  const { listHeight } = layOutSearch(width, height);
  // A low list is for the examples alone.
  const isLow = listHeight < examplesOnly;
  const lines: Line[] = isLow ? [] : [[], ...said(searchText.emptyTitle, 'text', width), []];
  const recent = state.recent.slice(0, Math.max(0, Math.min(isLow ? 3 : 5, listHeight - 2)));
  if (recent.length > 0) {
    if (!isLow) lines.push(...said(searchText.recent, 'faint', width));
    recent.forEach((text, index) => {
      const isUnder = index === state.recentAt;
      const line: Line = [
        span(isUnder ? glyphs.bar : ' ', 'accent'),
        span('  '),
        span(truncateEnd(text, width - 6, glyphs.ellipsis), 'soft'),
      ];
      lines.push(isUnder ? padLine(addStyle(line, 'on-select'), width, 'on-select') : line);
    });
    if (!isLow) lines.push([]);
  }
  const column = Math.max(...searchText.syntax.map(([example]) => stringWidth(example))) + 3;
  for (const [example, meaning] of searchText.syntax)
    lines.push(cutLine([span('   '), span(padEnd(example, column), 'link'), span(meaning, 'faint')], width - 1, glyphs.ellipsis));
  lines.push([], ...said(searchText.fields, 'faint', width));
  return lines;
}
