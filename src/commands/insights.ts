import type { Cost } from '../session/cost.ts';
import { buildInsights, noFacts, type Insights } from '../session/insights.ts';
import { pricesAsOf } from '../session/prices.ts';
import { insights } from '../store/reads/insights.ts';
import { isoTime } from '../transfer/times.ts';
import type { ShellContext } from './context.ts';
import { isUtf8, localeVariable } from './doctor/locale.ts';
import { checkDays, defaultDays } from './insights-days.ts';
import { renderInsights } from './insights-text.ts';
import { countFlag, type Flags } from './parse.ts';
import { readStore } from './read-store.ts';
import { jsonText } from './session-json.ts';

/**
 * `hermes insights [--days N] [--source S] [--json]` (state-db.md 6.1). No store yet is a store without sessions.
 *
 * @returns the exit code
 * @throws StoreError, UsageError
 */
export async function showInsights(context: ShellContext, flags: Flags): Promise<number> {
  const days = checkDays(countFlag(flags, 'days') ?? defaultDays);
  const query = { days, ...(typeof flags['source'] === 'string' ? { source: flags['source'] } : {}) };
  const report = readStore(context, (connection) => insights(connection, query)) ?? buildInsights(noFacts, query, context.now());
  if (flags['json'] === true) {
    context.out.write(jsonText(insightsJson(report)));
    return 0;
  }
  const width = context.out.isTTY === true ? context.out.columns : undefined;
  const isPlain = localeVariable(context.env) !== undefined && !isUtf8(context.env);
  const ascii = isPlain || context.loaded.config.display.ambiguousWidth === 'wide';
  context.out.write(`${renderInsights(report, { ascii, ...(width === undefined ? {} : { width }) }).join('\n')}\n`);
  return 0;
}

/** Names stay as they are; durations in seconds, times ISO, `null` where nothing is known. */
function insightsJson(report: Insights): Record<string, unknown> {
  const { overview, activity } = report;
  return {
    days: report.days,
    source: report.source ?? null,
    from: isoTime(report.from) ?? null,
    to: isoTime(report.to) ?? null,
    overview: {
      sessions: overview.sessions,
      messages: overview.messages,
      tool_calls: overview.toolCalls,
      user_messages: overview.userMessages,
      input_tokens: overview.inputTokens,
      output_tokens: overview.outputTokens,
      total_tokens: overview.totalTokens,
      cache_read_tokens: overview.cacheReadTokens,
      cache_write_tokens: overview.cacheWriteTokens,
      active_seconds: Math.round(overview.activeMs / 1000),
      average_session_seconds: Math.round(overview.averageMs / 1000),
      average_messages: overview.averageMessages,
    },
    cost: costJson(report.cost),
    models: report.models.map(({ model, sessions, tokens, cost }) => ({ model, sessions, tokens, cost: costJson(cost) })),
    platforms: report.platforms,
    tools: report.tools,
    skills: report.skills.map(({ name, loads, edits, lastUsed }) => ({ name, loads, edits, last_used: isoTime(lastUsed) ?? null })),
    activity: {
      weekdays: activity.weekdays,
      hours: activity.hours,
      week: activity.week,
      active_days: activity.activeDays,
      best_streak: activity.bestStreak,
    },
    notable: report.notable.map(({ kind, id, title, startedAt, value }) => ({
      ...{ kind, id, title: title ?? null, started_at: isoTime(startedAt) ?? null },
      value: kind === 'longest' ? Math.round(value / 1000) : value,
    })),
    undated_sessions: report.undated,
  };
}

/** `usd` is null where nothing is known; `prices_as_of` where the price table was used. */
const costJson = (cost: Cost): Record<string, unknown> => ({
  usd: cost.usd === 0 && cost.unknownTokens > 0 ? null : cost.usd,
  is_estimate: cost.isEstimate,
  prices_as_of: cost.usesTable ? pricesAsOf : null,
  unknown_tokens: cost.unknownTokens,
});
