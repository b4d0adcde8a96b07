import { peakHours } from '../session/activity.ts';
import type { Insights } from '../session/insights.ts';
import { pricesAsOf } from '../session/prices.ts';
import { drawable, padEnd, stringWidth, truncateEnd, wrapText } from '../terminal/width.ts';
import { formatDuration } from '../text/duration.ts';
import { costText, insightsText as text, notableValue } from '../text/en/insights.ts';
import { grouped } from '../text/grouped.ts';
import { localDate } from '../text/relative-time.ts';

export interface InsightsTextOptions {
  /** Cells of a line; 80 unless given. */
  readonly width?: number;
  /** Bars, rules and the estimate sign from ASCII alone. */
  readonly ascii?: boolean;
}

/** State-db.md 6.1: an id is shown by its beginning. */
const idLength = 16;
const indent = '  ';
const gap = 2;
/** Wider than that, bars and columns are no easier to read. */
const widest = 80;

interface Signs {
  readonly bar: string;
  readonly rule: string;
  readonly about: string;
  readonly ellipsis: string;
  readonly box: readonly [topLeft: string, topRight: string, bottomLeft: string, bottomRight: string, side: string];
}

const unicode: Signs = { bar: '━', rule: '─', about: '≈', ellipsis: '…', box: ['╭', '╮', '╰', '╯', '│'] };
const ascii: Signs = { bar: '=', rule: '-', about: '~', ellipsis: '.', box: ['+', '+', '+', '+', '|'] };

/** The report as text (state-db.md 6.1): no colour, every line within the width, columns straight whatever the script of a name. */
export function renderInsights(report: Insights, options: InsightsTextOptions = {}): string[] {
  if (report.overview.sessions === 0)
    return [text.noSessions(report.days, report.source), ...undatedLine(report).map((line) => indent + line)];
  const signs = options.ascii === true ? ascii : unicode;
  const width = Math.max(24, Math.min(options.width ?? widest, widest));
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0
      ? []
      : [
          '',
          `${indent}${title}`,
          indent + signs.rule.repeat(width - 2 * indent.length),
          ...lines.map((line) => (line === '' ? '' : indent + line)),
        ];
  const room = width - 2 * indent.length;
  return [
    ...titleBox(report, width, signs),
    ...section(text.sections.overview, overview(report, room, signs)),
    ...section(text.sections.models, models(report, room, signs)),
    ...section(text.sections.platforms, platforms(report, room, signs)),
    ...section(text.sections.tools, tools(report, room, signs)),
    ...section(text.sections.skills, skills(report, room, signs)),
    ...section(text.sections.activity, activity(report, room, signs)),
    ...section(text.sections.notable, notable(report, room, signs)),
    ...notes(report, room, signs),
  ];
}

function titleBox(report: Insights, width: number, { box, rule, ellipsis }: Signs): string[] {
  const [topLeft, topRight, bottomLeft, bottomRight, side] = box;
  const inner = width - 2 * indent.length - 2;
  const source = report.source === undefined ? undefined : drawable(report.source);
  const row = (words: string): string => {
    const shown = truncateEnd(words, inner - 2, ellipsis);
    const left = Math.floor((inner - stringWidth(shown)) / 2);
    return `${indent}${side}${padEnd(' '.repeat(left) + shown, inner)}${side}`;
  };
  return [
    indent + topLeft + rule.repeat(inner) + topRight,
    row(text.title),
    row(text.period(report.days, source)),
    row(text.range(localDate(report.from), localDate(report.to))),
    indent + bottomLeft + rule.repeat(inner) + bottomRight,
  ];
}

/** Pairs of label and value; two to a line where there is room. */
function overview({ overview: facts, cost }: Insights, room: number, signs: Signs): string[] {
  const names = text.overview;
  const pairs: (readonly [string, string])[] = [
    [names.sessions, grouped(facts.sessions)],
    [names.messages, grouped(facts.messages)],
    [names.toolCalls, grouped(facts.toolCalls)],
    [names.userMessages, grouped(facts.userMessages)],
    [names.inputTokens, grouped(facts.inputTokens)],
    [names.outputTokens, grouped(facts.outputTokens)],
    [names.totalTokens, grouped(facts.totalTokens)],
    [names.cost, costText(cost, signs.about)],
    ...(facts.cacheReadTokens + facts.cacheWriteTokens === 0
      ? []
      : ([
          [names.cacheReadTokens, grouped(facts.cacheReadTokens)],
          [names.cacheWriteTokens, grouped(facts.cacheWriteTokens)],
        ] as const)),
    [names.activeTime, formatDuration(facts.activeMs)],
    [names.averageSession, formatDuration(facts.averageMs)],
    [names.averageMessages, facts.averageMessages.toFixed(1)],
  ];
  const label = Math.max(...pairs.map(([name]) => stringWidth(name))) + gap;
  const cell = ([name, value]: readonly [string, string]): string => padEnd(name, label) + value;
  const column = Math.floor(room / 2);
  if (pairs.some((pair) => stringWidth(cell(pair)) > column - gap))
    return pairs.map((pair) => truncateEnd(cell(pair), room, signs.ellipsis));
  return pairs.flatMap((pair, index) =>
    index % 2 === 1 ? [] : [(padEnd(cell(pair), column) + (pairs[index + 1] === undefined ? '' : cell(pairs[index + 1]!))).trimEnd()],
  );
}

/** A name narrower than this says nothing; before that, numbers go, those on the left first. */
const leastName = 12;

/** A name on the left, numbers right-aligned below their titles. */
function table(head: readonly string[], rows: readonly (readonly string[])[], room: number, { ellipsis }: Signs): string[] {
  if (rows.length === 0) return [];
  const all = [head, ...rows];
  const widths = head.slice(1).map((_, index) => gap + Math.max(...all.map((row) => stringWidth(row[index + 1] ?? ''))));
  const nameWidth = (from: number): number => room - widths.slice(from).reduce((sum, width) => sum + width, 0);
  let from = 0;
  while (from < widths.length - 1 && nameWidth(from) < leastName) from += 1;
  const name = Math.max(1, nameWidth(from));
  return all.map(([first = '', ...cells]) => {
    const numbers = cells.slice(from).map((cell, index) => padStart(cell, widths[from + index] ?? 0));
    return padEnd(truncateEnd(first, name, ellipsis), name) + numbers.join('');
  });
}

const padStart = (words: string, width: number): string => ' '.repeat(Math.max(0, width - stringWidth(words))) + words;

function models({ models: rows }: Insights, room: number, signs: Signs): string[] {
  const names = text.columns;
  return table(
    [names.model, names.sessions, names.tokens, names.cost],
    rows.map((row) => [
      row.model === '' ? text.unnamedModel : drawable(row.model),
      grouped(row.sessions),
      grouped(row.tokens),
      costText(row.cost, signs.about),
    ]),
    room,
    signs,
  );
}

function platforms({ platforms: rows }: Insights, room: number, signs: Signs): string[] {
  const names = text.columns;
  return table(
    [names.platform, names.sessions, names.messages, names.tokens],
    rows.map((row) => [
      row.source === '' ? text.unnamedSource : drawable(row.source),
      grouped(row.sessions),
      grouped(row.messages),
      grouped(row.tokens),
    ]),
    room,
    signs,
  );
}

function tools({ tools: rows }: Insights, room: number, signs: Signs): string[] {
  const names = text.columns;
  return table(
    [names.tool, names.calls, names.share],
    rows.map((row) => [drawable(row.name), grouped(row.calls), `${(row.share * 100).toFixed(1)}%`]),
    room,
    signs,
  );
}

function skills({ skills: rows }: Insights, room: number, signs: Signs): string[] {
  const names = text.columns;
  return table(
    [names.skill, names.loads, names.edits, names.lastUsed],
    rows.map((row) => [
      drawable(row.name),
      grouped(row.loads),
      grouped(row.edits),
      row.lastUsed === undefined ? text.unknown : localDate(row.lastUsed),
    ]),
    room,
    signs,
  );
}

function activity({ activity: facts }: Insights, room: number, signs: Signs): string[] {
  const most = Math.max(1, ...facts.weekdays);
  const count = Math.max(...facts.weekdays.map((sessions) => grouped(sessions).length));
  const longest = Math.max(4, Math.min(40, room - 6 - count - gap));
  const bars = facts.weekdays.map((sessions, day) => {
    const length = sessions === 0 ? 0 : Math.max(1, Math.round((sessions / most) * longest));
    return `${text.weekdays[day]}   ${padEnd(signs.bar.repeat(length), longest)}${padStart(grouped(sessions), count + gap)}`;
  });
  const peaks = peakHours(facts.hours, 3).map(({ hour, sessions }) => text.peak(text.hour(hour), sessions));
  const label = Math.max(...[text.peakHours, text.activeDays, text.bestStreak].map(stringWidth)) + gap;
  return [
    ...bars,
    '',
    truncateEnd(padEnd(text.peakHours, label) + peaks.join(', '), room, signs.ellipsis),
    padEnd(text.activeDays, label) + grouped(facts.activeDays),
    padEnd(text.bestStreak, label) + text.days(facts.bestStreak),
  ];
}

function notable({ notable: sessions }: Insights, room: number, signs: Signs): string[] {
  const labels = sessions.map(({ kind }) => text.notable[kind]);
  const values = sessions.map(notableValue);
  const label = Math.max(...labels.map(stringWidth)) + gap;
  const value = Math.max(...values.map(stringWidth)) + gap;
  return sessions.flatMap((session, index) => {
    const start = padEnd(labels[index]!, label) + padEnd(values[index]!, value);
    const where = `${session.id.slice(0, idLength)}  ${localDate(session.startedAt)}`;
    const title = session.title === undefined ? '' : `  ${drawable(session.title)}`;
    if (stringWidth(start) + stringWidth(where) <= room) return [truncateEnd(start + where + title, room, signs.ellipsis)];
    return [truncateEnd(start.trimEnd(), room, signs.ellipsis), truncateEnd(`  ${where}`, room, signs.ellipsis)];
  });
}

function notes(report: Insights, room: number, { about }: Signs): string[] {
  const { cost } = report;
  const lines = [
    ...(cost.usesTable ? [text.pricesOf(about, pricesAsOf)] : cost.isEstimate ? [text.estimated(about)] : []),
    ...(cost.unknownTokens > 0 ? [text.unknownCost(grouped(cost.unknownTokens))] : []),
  ];
  const said = [...lines, ...undatedLine(report)].flatMap((line) => wrapText(line, room));
  return said.length === 0 ? [] : ['', ...said.map((line) => indent + line)];
}

const undatedLine = ({ undated }: Insights): string[] => (undated === 0 ? [] : [text.undated(undated)]);
