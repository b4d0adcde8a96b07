import { padEnd, stringWidth, wrapText } from '../../../terminal/width.ts';
import { insightsText as text, notableValue } from '../../../text/en/insights.ts';
import { localDate } from '../../../text/relative-time.ts';
import { addStyle, cutLine, fitLine, lineWidth, padLine } from '../../compose.ts';
import { span, type Line } from '../../frame.ts';
import type { KeyOverrides } from '../../keymap.ts';
import type { View, ViewContext } from '../../screen.ts';
import { fillLines, hint, hintLine, keyLabels, ruleLine, titleSpans, type KeyLabel } from '../list-parts.ts';
import { bodyHeight } from './layout.ts';
import { insightsDisabledReason, insightsScopes, layoutOf, periods, type InsightsState } from './model.ts';
import { sections } from './sections.ts';

/** The report, a screen of its own. */
export function viewInsights(state: InsightsState, context: ViewContext, overrides?: KeyOverrides): View {
  const { width, height, glyphs } = context;
  const label = keyLabels(insightsScopes(), glyphs, overrides);
  const rows = bodyHeight(height);
  const body =
    layoutOf(state) === undefined ? emptyLines(state, label, context) : reportLines(state, context).slice(state.top, state.top + rows);
  const footer = hintLine(footerHints(state, label), hint(label, 'app.help'), width);
  return {
    lines: fillLines(
      [titleLine(state, context), ruleLine(glyphs, width), ...fillLines(body, rows), ruleLine(glyphs, width), footer],
      height,
    ),
  };
}

function footerHints(state: InsightsState, label: KeyLabel) {
  const left = label('insights.shorter');
  const right = label('insights.longer');
  const both = [left, right].filter((key) => key !== undefined).join(' ');
  return [
    both === '' ? undefined : { key: both, word: text.choosePeriod },
    ...(insightsDisabledReason(state, 'list.take') === undefined ? [hint(label, 'list.take', text.open)] : []),
    scrollHint(label),
    hint(label, 'app.back'),
  ];
}

function scrollHint(label: KeyLabel) {
  const keys = [label('list.up'), label('list.down')].filter((key) => key !== undefined).join(' ');
  return keys === '' ? undefined : { key: keys, word: text.scroll };
}

/** The periods at the right edge, the one shown in the accent; on a narrow screen that one alone. */
function titleLine(state: InsightsState, { width, glyphs }: ViewContext): Line {
  const { report, status } = state;
  const beside =
    status === 'loading'
      ? text.loading
      : report === undefined || width < 60
        ? ''
        : text.range(localDate(report.from), localDate(report.to));
  const shown = periods.includes(state.days) ? periods : [...periods, state.days].sort((a, b) => a - b);
  const period = (days: number): Line =>
    days === state.days
      ? [span(glyphs.bar, 'accent'), span(text.shortPeriod(days), 'accent bold')]
      : [span(` ${text.shortPeriod(days)}`, 'faint')];
  const right = [...shown.flatMap((days, index) => [...(index === 0 ? [] : [span('  ')]), ...period(days)]), span(' ')];
  const left = titleSpans(text.screenTitle, beside, glyphs);
  return lineWidth(left) + lineWidth(right) + 2 <= width
    ? fitLine(left, right, width, glyphs.ellipsis)
    : fitLine(left, [...period(state.days), span(' ')], width, glyphs.ellipsis);
}

/** The whole report, before it is scrolled. */
function reportLines(state: InsightsState, context: ViewContext): Line[] {
  const layout = layoutOf(state);
  const { report } = state;
  if (layout === undefined || report === undefined) return [];
  const lines: Line[] = Array.from({ length: layout.lines }, () => []);
  const put = (x: number, y: number, line: Line): void => {
    if (y < lines.length) lines[y] = x === 0 ? line : [...padLine(lines[y] ?? [], x), ...line];
  };
  for (const { section, x, y, width } of layout.placed) {
    sections[section](report, { width, glyphs: context.glyphs }).forEach((line, index) => put(x, y + 1 + index, line));
    if (section === 'notable') notableLines(state, context).forEach((line, index) => put(0, y + 2 + index, line));
  }
  return lines;
}

/** What it leads in, by how much, when, and its title; the one under the cursor is marked as in every list. */
function notableLines(state: InsightsState, { width, glyphs }: ViewContext): Line[] {
  const notable = state.report?.notable ?? [];
  const kind = Math.max(0, ...notable.map((session) => stringWidth(text.notable[session.kind]))) + 2;
  const values = notable.map(notableValue);
  const value = Math.max(0, ...values.map(stringWidth)) + 2;
  return notable.map((session, index) => {
    const isSelected = index === state.selected;
    const line = cutLine(
      [
        span(isSelected ? `${glyphs.bar} ` : '  ', 'accent'),
        span(padEnd(text.notable[session.kind], kind), 'soft'),
        span(padEnd(values[index]!, value), isSelected ? 'text bold' : 'text'),
        ...(width < 60 ? [] : [span(`${localDate(session.startedAt)}  `, 'faint')]),
        span(session.title ?? session.id, session.title === undefined ? 'faint' : 'text'),
      ],
      width - 1,
      glyphs.ellipsis,
    );
    return isSelected ? padLine(addStyle(line, 'on-select'), width, 'on-select') : line;
  });
}

/** Nothing yet, nothing at all, or a store that does not answer: what it is and what to do. */
function emptyLines(state: InsightsState, label: KeyLabel, { width }: ViewContext): Line[] {
  const said = (words: string, style: string): Line[] =>
    wrapText(words, Math.max(1, width - 8)).map((line) => [span('    '), span(line, style)]);
  if (state.status === 'failed' && state.trouble !== undefined) {
    const { reason, hint: advice } = state.trouble;
    return [[], ...said(reason, 'error'), ...(advice === undefined ? [] : said(advice, 'soft'))];
  }
  if (state.report === undefined) return [[], ...said(text.loading, 'soft')];
  const longer = insightsDisabledReason(state, 'insights.longer') === undefined ? label('insights.longer') : undefined;
  return [
    [],
    ...said(text.noSessions(state.report.days, state.report.source).trim(), 'text'),
    ...(longer === undefined ? [] : said(text.emptyHint(longer), 'soft')),
    ...(state.report.undated === 0 ? [] : said(text.undated(state.report.undated), 'faint')),
  ];
}
