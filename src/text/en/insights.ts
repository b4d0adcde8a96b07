import { formatDuration } from '../duration.ts';
import { grouped } from '../grouped.ts';
import { formatUsd } from '../money.ts';

/** Sentences of `hermes insights` and of its screen. */
export const insightsText = {
  /** Fixed. */
  title: '📊 Hermes Insights',
  screenTitle: 'Insights',
  period: (days: number, source?: string) => `Last ${days} days${source === undefined ? '' : ` (source: ${source})`}`,
  shortPeriod: (days: number) => (days % 365 === 0 ? `${days / 365} y` : `${days} d`),
  range: (from: string, to: string) => `${from} to ${to}`,
  /** Fixed. */
  noSessions: (days: number, source?: string) =>
    `  No sessions found in the last ${days} days${source === undefined ? '' : ` (source: ${source})`}.`,
  /** Fixed. */
  sections: {
    overview: 'Overview',
    models: 'Models Used',
    platforms: 'Platforms',
    tools: 'Top Tools',
    skills: 'Top Skills',
    activity: 'Activity Patterns',
    notable: 'Notable Sessions',
  },
  overview: {
    sessions: 'Sessions',
    messages: 'Messages',
    toolCalls: 'Tool calls',
    userMessages: 'User messages',
    inputTokens: 'Input tokens',
    outputTokens: 'Output tokens',
    totalTokens: 'Total tokens',
    cacheReadTokens: 'Cache read tokens',
    cacheWriteTokens: 'Cache write tokens',
    activeTime: 'Active time',
    averageSession: 'Avg session',
    averageMessages: 'Avg msgs/session',
    cost: 'Cost',
  },
  columns: {
    model: 'Model',
    sessions: 'Sessions',
    tokens: 'Tokens',
    cost: 'Cost',
    platform: 'Platform',
    messages: 'Messages',
    tool: 'Tool',
    calls: 'Calls',
    share: '%',
    skill: 'Skill',
    loads: 'Loads',
    edits: 'Edits',
    lastUsed: 'Last used',
  },
  unknown: 'unknown',
  unnamedModel: '(no model)',
  unnamedSource: '(no source)',
  weekdays: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'],
  peakHours: 'Peak hours',
  hour: (hour: number) => `${String(hour).padStart(2, '0')}:00`,
  peak: (hour: string, sessions: number) => `${hour} (${sessions})`,
  activeDays: 'Active days',
  bestStreak: 'Best streak',
  days: (count: number) => (count === 1 ? '1 day' : `${count} days`),
  notable: {
    longest: 'Longest',
    messages: 'Most messages',
    tokens: 'Most tokens',
    tools: 'Most tool calls',
  },
  messageCount: (count: number) => `${grouped(count)} msgs`,
  pricesOf: (sign: string, date: string) => `${sign} worked out from list prices collected by ${date}; the bill can differ.`,
  estimated: (sign: string) => `${sign} estimated at the time; the bill can differ.`,
  unknownCost: (tokens: string) => `No price is known for ${tokens} tokens: their cost is not in the sum.`,
  undated: (count: number) =>
    count === 1
      ? '1 session has a start no clock could have shown; it is not counted.'
      : `${count} sessions have a start no clock could have shown; they are not counted.`,
  wrongDays: (typed: string) => `Not a number of days: ${typed}`,
  wrongDaysHint: 'A whole number from 1 to 36500, as in /insights 90.',
  loading: 'counting …',
  emptyHint: (key: string) => `${key} looks further back.`,
  startsByHour: 'Weekday by hour',
  more: (count: number) => `${count} more`,
  choosePeriod: 'period',
  open: 'open',
  scroll: 'scroll',
  noShorter: 'this is the shortest period',
  noLonger: 'this is the longest period',
  nothingChosen: 'no session is under the cursor',
};

/** How much a notable session leads by. @param value milliseconds for the longest, else a count */
export function notableValue({ kind, value }: { readonly kind: keyof typeof insightsText.notable; readonly value: number }): string {
  if (kind === 'longest') return formatDuration(value);
  return kind === 'messages' ? insightsText.messageCount(value) : `${grouped(value)} ${kind === 'tokens' ? 'tokens' : 'calls'}`;
}

/** `$1.20`, `≈ $1.20`, `unknown`; what is unknown beside what is known stands in a note. @param about the sign of an estimate */
export function costText(
  cost: { readonly usd: number; readonly isEstimate: boolean; readonly unknownTokens: number },
  about: string,
): string {
  if (cost.usd === 0 && cost.unknownTokens > 0) return insightsText.unknown;
  return `${cost.isEstimate ? `${about} ` : ''}${formatUsd(cost.usd)}`;
}
