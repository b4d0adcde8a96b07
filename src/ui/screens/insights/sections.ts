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

/** What a section is drawn with. `now` in milliseconds. */
export interface SectionContext {
  readonly width: number;
  readonly glyphs: Glyphs;
  readonly now: number;
}

type Draw = (report: Insights, context: SectionContext) => Line[];

/** The lines of every section, its title left out. */
export const sections: Readonly<Record<Section, Draw>> = {
  overview,
  models: (report, context) =>
    withRest(
      table(
        report.models.slice(0, listedModels).map((row) => ({
          name: row.model === '' ? text.unnamedModel : row.model,
          cells: [grouped(row.sessions), formatTokens(row.tokens), costText(row.cost, aboutSign(context.glyphs))],
        })),
        context,
      ),
      report.models.length - listedModels,
    ),
  platforms: (report, context) =>
    withRest(
      table(
        report.platforms.slice(0, listedPlatforms).map((row) => ({
          name: row.source === '' ? text.unnamedSource : row.source,
          cells: [grouped(row.sessions), text.messageCount(row.messages), formatTokens(row.tokens)],
        })),
        context,
      ),
      report.platforms.length - listedPlatforms,
    ),
  tools: (report, context) =>
    bars(
      report.tools.slice(0, listedTools).map(({ name, calls, share }) => ({ name, value: calls, note: `${Math.round(share * 100)}%` })),
      context,
    ),
  skills: (report, context) =>
    table(
      report.skills.map((row) => ({
        name: row.name,
        cells: [
          `${grouped(row.loads)} ${text.columns.loads.toLowerCase()}`,
          `${grouped(row.edits)} ${text.columns.edits.toLowerCase()}`,
          row.lastUsed === undefined ? '' : localDate(row.lastUsed),
        ],
      })),
      context,
    ),
  weekdays: (report, context) =>
    bars(
      report.activity.weekdays.map((value, day) => ({ name: text.weekdays[day] ?? '', value })),
      context,
    ),
  heat,
  facts: (report, { width, glyphs }) => {
    const peaks = peakHours(report.activity.hours, 3).map(({ hour }) => text.hour(hour));
    const parts = [
      [text.activeDays, grouped(report.activity.activeDays)],
      [text.bestStreak, text.days(report.activity.bestStreak)],
      [text.peakHours, peaks.join(' ')],
    ] as const;
    const pair = ([name, value]: (typeof parts)[number]): Line => [span(`${name} `, 'soft'), span(value, 'text')];
    const line = [...pair(parts[0]), span('   '), ...pair(parts[1])];
    return [cutLine(line, width, glyphs.ellipsis), cutLine(pair(parts[2]), width, glyphs.ellipsis)];
  },
  notable: () => [],
  notes: ({ cost, undated }, { width, glyphs }) => {
    const about = aboutSign(glyphs);
    const said = [
      ...(cost.usesTable ? [text.pricesOf(about, pricesAsOf)] : cost.isEstimate ? [text.estimated(about)] : []),
      ...(cost.unknownTokens > 0 ? [text.unknownCost(formatTokens(cost.unknownTokens))] : []),
      ...(undated > 0 ? [text.undated(undated)] : []),
    ];
    return said.map((line) => [span(truncateEnd(line, width, glyphs.ellipsis), 'faint')]);
  },
};

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

/** A name, then numbers in right-aligned columns; the columns go from the left when the name would get too little room. */
function table(rows: readonly { readonly name: string; readonly cells: readonly string[] }[], { width, glyphs }: SectionContext): Line[] {
  const leastName = 12;
  const count = Math.max(0, ...rows.map(({ cells }) => cells.length));
  const widths = Array.from({ length: count }, (_, index) => Math.max(...rows.map(({ cells }) => stringWidth(cells[index] ?? ''))) + 2);
  let first = 0;
  while (first < count - 1 && width - widths.slice(first).reduce((sum, each) => sum + each, 0) < leastName) first += 1;
  const name = Math.max(1, width - widths.slice(first).reduce((sum, each) => sum + each, 0));
  return rows.map(({ name: words, cells }) => [
    span(padEnd(truncateEnd(words, name - 1, glyphs.ellipsis), name), 'text'),
    ...cells.slice(first).map((cell, index, shown) => {
      const room = widths[first + index] ?? 0;
      return span(' '.repeat(Math.max(0, room - stringWidth(cell))) + cell, index === shown.length - 1 ? 'text' : 'soft');
    }),
  ]);
}

function withRest(lines: Line[], rest: number): Line[] {
  return rest > 0 ? [...lines, [span(text.more(rest), 'faint')]] : lines;
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
