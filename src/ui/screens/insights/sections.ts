import { peakHours } from '../../../session/activity.ts';
import type { Insights } from '../../../session/insights.ts';
import { pricesAsOf } from '../../../session/prices.ts';
import { padEnd, stringWidth, truncateEnd } from '../../../terminal/width.ts';
import { formatDuration, formatTokens } from '../../../text/duration.ts';
import { costText, insightsText as text } from '../../../text/en/insights.ts';
import { grouped } from '../../../text/grouped.ts';
import { localDate } from '../../../text/relative-time.ts';
import { cutLine, lineWidth } from '../../compose.ts';
import { span, type Line, type Style } from '../../frame.ts';
import { asciiGlyphs, type Glyphs } from '../../screen.ts';
import { factColumns, listedModels, listedPlatforms, listedTools, type Section } from './layout.ts';

export interface SectionContext {
  /** Cells of the section. */
  readonly width: number;
  readonly glyphs: Glyphs;
}

type Draw = (report: Insights, context: SectionContext) => Line[];

/** The lines of every section, its title first where it has one. */
export const sections: Readonly<Record<Section, Draw>> = {
  overview: (report, context) => [titleLine(text.sections.overview, context), ...overview(report, context)],
  models: ({ models }, context) =>
    table(
      text.sections.models,
      [text.columns.sessions, text.columns.tokens, text.columns.cost],
      models.slice(0, listedModels).map((row) => ({
        name: row.model === '' ? text.unnamedModel : row.model,
        cells: [grouped(row.sessions), formatTokens(row.tokens), costText(row.cost, aboutSign(context.glyphs))],
      })),
      models.length - listedModels,
      context,
    ),
  platforms: ({ platforms }, context) =>
    table(
      text.sections.platforms,
      [text.columns.sessions, text.columns.messages, text.columns.tokens],
      platforms.slice(0, listedPlatforms).map((row) => ({
        name: row.source === '' ? text.unnamedSource : row.source,
        cells: [grouped(row.sessions), grouped(row.messages), formatTokens(row.tokens)],
      })),
      platforms.length - listedPlatforms,
      context,
    ),
  tools: ({ tools }, context) => [
    titleLine(text.sections.tools, context),
    ...bars(
      tools.slice(0, listedTools).map(({ name, calls, share }) => ({ name, value: calls, note: `${Math.round(share * 100)}%` })),
      context,
    ),
  ],
  skills: ({ skills }, context) =>
    table(
      text.sections.skills,
      [text.columns.lastUsed, text.columns.edits, text.columns.loads],
      skills.map((row) => ({
        name: row.name,
        cells: [row.lastUsed === undefined ? '' : localDate(row.lastUsed), grouped(row.edits), grouped(row.loads)],
      })),
      0,
      context,
    ),
  weekdays: ({ activity }, context) => [
    titleLine(text.sections.activity, context),
    ...bars(
      activity.weekdays.map((value, day) => ({ name: text.weekdays[day] ?? '', value })),
      context,
    ),
  ],
  heat: (report, context) => [titleLine(text.startsByHour, context), ...heat(report, context)],
  facts,
  /** Its rows are the screen's: they carry the cursor. */
  notable: (_report, context) => [titleLine(text.sections.notable, context)],
  notes,
};

const titleLine = (title: string, { width, glyphs }: SectionContext): Line => [
  span(truncateEnd(title, width, glyphs.ellipsis), 'text bold'),
];

function facts({ activity }: Insights, { width, glyphs }: SectionContext): Line[] {
  const peaks = peakHours(activity.hours, 3).map(({ hour }) => text.hour(hour));
  const pair = (name: string, value: string): Line => [span(`${name} `, 'soft'), span(value, 'text')];
  return [
    [...pair(text.activeDays, grouped(activity.activeDays)), span('   '), ...pair(text.bestStreak, text.days(activity.bestStreak))],
    pair(text.peakHours, peaks.join(' ')),
  ].map((line) => cutLine(line, width, glyphs.ellipsis));
}

function notes({ cost, undated }: Insights, { width, glyphs }: SectionContext): Line[] {
  const about = aboutSign(glyphs);
  const said = [
    ...(cost.usesTable ? [text.pricesOf(about, pricesAsOf)] : cost.isEstimate ? [text.estimated(about)] : []),
    ...(cost.unknownTokens > 0 ? [text.unknownCost(formatTokens(cost.unknownTokens))] : []),
    ...(undated > 0 ? [text.undated(undated)] : []),
  ];
  return said.map((line) => [span(truncateEnd(line, width, glyphs.ellipsis), 'faint')]);
}

const aboutSign = (glyphs: Glyphs): string => (glyphs === asciiGlyphs ? '~' : '≈');

function overview({ overview: facts, cost }: Insights, { width, glyphs }: SectionContext): Line[] {
  const names = text.overview;
  const pairs: (readonly [string, string, Style?])[] = [
    [names.sessions, grouped(facts.sessions)],
    [names.messages, grouped(facts.messages)],
    [names.userMessages, grouped(facts.userMessages)],
    [names.toolCalls, grouped(facts.toolCalls)],
    [names.inputTokens, formatTokens(facts.inputTokens)],
    [names.outputTokens, formatTokens(facts.outputTokens)],
    ...(facts.cacheReadTokens + facts.cacheWriteTokens === 0
      ? []
      : ([
          [names.cacheReadTokens, formatTokens(facts.cacheReadTokens)],
          [names.cacheWriteTokens, formatTokens(facts.cacheWriteTokens)],
        ] as const)),
    [names.totalTokens, formatTokens(facts.totalTokens)],
    [names.cost, costText(cost, aboutSign(glyphs)), 'accent bold'],
    [names.activeTime, formatDuration(facts.activeMs)],
    [names.averageSession, formatDuration(facts.averageMs)],
    [names.averageMessages, facts.averageMessages.toFixed(1)],
  ];
  const columns = factColumns(width);
  const between = 4;
  const each = Math.floor((width - between * (columns - 1)) / columns);
  const cell = ([name, value, style]: readonly [string, string, Style?]): Line => {
    const room = Math.max(1, Math.min(each, 34) - stringWidth(name));
    return [span(name, 'soft'), span(' '.repeat(Math.max(1, room - stringWidth(value)))), span(value, style ?? 'text')];
  };
  const lines: Line[] = [];
  for (let at = 0; at < pairs.length; at += columns) {
    const left = cell(pairs[at]!);
    const right = columns === 2 ? pairs[at + 1] : undefined;
    const line =
      right === undefined ? left : [...left, span(' '.repeat(Math.max(between, each + between - lineWidth(left)))), ...cell(right)];
    lines.push(cutLine(line, width, glyphs.ellipsis));
  }
  return lines;
}

/** A name narrower than this says nothing; before that, numbers go, those on the left first. */
const leastName = 12;

/** The section's title with the names of the columns on its line, then a name and right-aligned numbers a row. */
function table(
  title: string,
  head: readonly string[],
  rows: readonly { readonly name: string; readonly cells: readonly string[] }[],
  rest: number,
  { width, glyphs }: SectionContext,
): Line[] {
  const widths = head.map((name, index) => 2 + Math.max(stringWidth(name), ...rows.map(({ cells }) => stringWidth(cells[index] ?? ''))));
  const nameWidth = (from: number): number => width - widths.slice(from).reduce((sum, each) => sum + each, 0);
  let from = 0;
  while (from < head.length - 1 && nameWidth(from) < leastName) from += 1;
  const name = Math.max(1, nameWidth(from));
  const line = (words: string, style: Style, cells: readonly string[], cellStyle: (isLast: boolean) => Style): Line => [
    span(padEnd(truncateEnd(words, name - 1, glyphs.ellipsis), name), style),
    ...cells
      .slice(from)
      .map((cell, index, shown) =>
        span(' '.repeat(Math.max(0, (widths[from + index] ?? 0) - stringWidth(cell))) + cell, cellStyle(index === shown.length - 1)),
      ),
  ];
  return [
    line(title, 'text bold', head, () => 'faint'),
    ...rows.map((row) => line(row.name, 'text', row.cells, (isLast) => (isLast ? 'text' : 'soft'))),
    ...(rest > 0 ? [[span(text.more(rest), 'faint')]] : []),
  ];
}

/** A bar for each; the longest stands out in the accent, the others are quiet. */
function bars(
  rows: readonly { readonly name: string; readonly value: number; readonly note?: string }[],
  { width, glyphs }: SectionContext,
): Line[] {
  const most = Math.max(1, ...rows.map(({ value }) => value));
  const longestName = Math.max(0, ...rows.map(({ name }) => stringWidth(name)));
  const name = Math.min(longestName, Math.max(3, Math.floor(width / 3)));
  const values = rows.map(({ value }) => grouped(value));
  const value = Math.max(0, ...values.map(stringWidth));
  const note = Math.max(0, ...rows.map((row) => (row.note === undefined ? 0 : stringWidth(row.note) + 2)));
  const room = Math.max(1, width - name - value - note - 4);
  return rows.map((row, index): Line => {
    const cells = row.value === 0 ? 0 : Math.max(1, Math.round((row.value / most) * room));
    return [
      span(padEnd(truncateEnd(row.name, name, glyphs.ellipsis), name + 2), 'soft'),
      span(glyphs.meter.repeat(cells), row.value === most ? 'accent' : 'faint'),
      span(' '.repeat(room - cells + 2 + value - stringWidth(values[index]!))),
      span(values[index]!, 'text'),
      ...(row.note === undefined ? [] : [span(' '.repeat(note - stringWidth(row.note)) + row.note, 'faint')]),
    ];
  });
}

/** Weekday by hour, midnight on the left. Every step is a sign of its own: nothing, a little, more, most. */
function heat({ activity }: Insights, { width, glyphs }: SectionContext): Line[] {
  const label = 5;
  const cell = width - label >= 48 ? 2 : 1;
  const most = Math.max(1, ...activity.week.flat());
  const sign = (count: number): readonly [string, Style] => {
    if (count === 0) return [glyphs.dot, 'rule'];
    const part = count / most;
    if (part <= 1 / 3) return [glyphs.point, 'soft'];
    return part <= 2 / 3 ? [glyphs.user, 'soft'] : [glyphs.user, 'accent bold'];
  };
  const hours = [0, 6, 12, 18].map((hour) => padEnd(String(hour).padStart(2, '0'), 6 * cell)).join('');
  return [
    [span(' '.repeat(label)), span(hours.trimEnd(), 'faint')],
    ...activity.week.map((row, day): Line => [
      span(padEnd(text.weekdays[day] ?? '', label), 'soft'),
      ...row.map((count) => {
        const [glyph, style] = sign(count);
        return span(glyph + ' '.repeat(cell - 1), style);
      }),
    ]),
  ];
}
