import { modelsText } from '../../../text/en/models.ts';
import { padEnd, stringWidth, truncateEnd, truncateMiddle, wrapText } from '../../../terminal/width.ts';
import { addStyle, cutLine, padLine } from '../../compose.ts';
import { editorValue } from '../../editor/index.ts';
import { span, type Line } from '../../frame.ts';
import type { KeyOverrides } from '../../keymap.ts';
import { visibleIds } from '../../list.ts';
import type { View, ViewContext } from '../../screen.ts';
import { fillLines, filterLine, hint, hintLine, keyLabels, ruleLine, titleSpans, type KeyLabel } from '../list-parts.ts';
import { modelRow, modelScopes, type ModelRow, type ModelsState } from './model.ts';

/** The model chooser in its box. */
export function viewModels(state: ModelsState, context: ViewContext, overrides?: KeyOverrides): View {
  const { width, height, glyphs } = context;
  const label = keyLabels(modelScopes(), glyphs, overrides);
  const filter = filterLine(state.field, glyphs, width);
  const beside = state.isAsking ? modelsText.asking : modelsText.count(state.rows.length);
  const lines: Line[] = [
    cutLine(titleSpans(modelsText.title, beside, glyphs), width, glyphs.ellipsis),
    infoLine(state, context),
    filter.line,
    ruleLine(glyphs, width),
  ];
  const shown = visibleIds(state.list).flatMap((name) => modelRow(state, name) ?? []);
  const body =
    shown.length > 0 ? shown.map((row) => rowLine(row, row.name === state.list.selected, context)) : emptyLines(state, label, context);
  lines.push(...fillLines(body, state.list.height), ruleLine(glyphs, width));
  lines.push(hintLine([hint(label, 'list.take', modelsText.choose), hint(label, 'app.back')], hint(label, 'app.help'), width));
  return { lines: fillLines(lines, height), cursor: { x: filter.x, y: 2 } };
}

/** A notice, else where the selected one comes from or what it lacks. */
function infoLine(state: ModelsState, { width, glyphs }: ViewContext): Line {
  const row = modelRow(state, state.list.selected);
  const said = state.notice ?? (row === undefined ? '' : facts(row).join(` ${glyphs.dot} `));
  return [span(` ${truncateEnd(said, width - 2, glyphs.ellipsis)}`, state.notice === undefined ? 'faint' : 'accent')];
}

function facts(row: ModelRow): string[] {
  return [
    row.provider,
    ...(row.keyFrom === undefined ? [] : [modelsText.keyFrom(row.keyFrom)]),
    ...(row.isCurrent ? [modelsText.inUse] : []),
    ...(row.missing === undefined ? [] : [modelsText.unusable(row.missing)]),
  ];
}

/** Model, provider, where it comes from; the last two go below 64 and 48 cells. */
function rowLine(row: ModelRow, isSelected: boolean, { width, glyphs }: ViewContext): Line {
  const providerWidth = width < 48 ? 0 : 20;
  const kindWidth = width < 64 ? 0 : width < 80 ? 20 : 30;
  const nameWidth = width - 3 - providerWidth - kindWidth;
  const isReady = row.missing === undefined;
  const kind = row.keyFrom === undefined ? modelsText.kinds[row.kind] : modelsText.keyFrom(row.keyFrom);
  const line: Line = [
    span(isSelected ? glyphs.bar : ' ', 'accent'),
    span(row.isCurrent ? glyphs.user : ' ', 'agent'),
    span(' '),
    span(
      padEnd(truncateEnd(row.model ?? row.name, nameWidth - 1, glyphs.ellipsis), nameWidth),
      isReady ? (isSelected ? 'text bold' : 'text') : 'faint',
    ),
    ...(providerWidth === 0 ? [] : [span(padEnd(truncateMiddle(row.provider, providerWidth - 1, glyphs.ellipsis), providerWidth), 'soft')]),
    ...(kindWidth === 0 ? [] : [span(truncateEnd(kind, kindWidth - 1, glyphs.ellipsis), 'faint')]),
  ];
  return padLine(isSelected ? addStyle(line, 'on-select') : line, width, isSelected ? 'on-select' : undefined);
}

/** Nothing found: what to type, or what to set. */
function emptyLines(state: ModelsState, label: KeyLabel, { width, glyphs }: ViewContext): Line[] {
  const said = (text: string, style: string): Line[] =>
    wrapText(text, Math.max(1, width - 8)).map((line) => [span('    '), span(line, style)]);
  const query = editorValue(state.field).trim();
  if (query !== '') {
    const name = truncateEnd(query, Math.max(8, width - 40), glyphs.ellipsis);
    const key = label('list.take');
    return [[], ...said(modelsText.noMatch(name), 'text'), ...(key === undefined ? [] : said(modelsText.byName(key, name), 'soft'))];
  }
  if (state.isAsking) return [[], ...said(modelsText.asking, 'soft')];
  const providerWidth = Math.max(...state.variables.map(({ provider }) => stringWidth(provider))) + 2;
  const variables = state.variables.map(({ provider, variables: names }): Line => [
    span('    '),
    span(padEnd(provider, providerWidth), 'soft'),
    span(truncateEnd(names[0] ?? '', Math.max(1, width - 6 - providerWidth), glyphs.ellipsis), 'faint'),
  ]);
  return [[], ...said(modelsText.none, 'text'), ...said(modelsText.noneHint(state.envPath), 'soft'), [], ...variables];
}
