import { activityOf, type Activity } from './activity.ts';
import { addCosts, estimateCost, noCost, type Cost, type Usage } from './cost.ts';
import type { SessionId } from './types.ts';

/** Which sessions are looked at: those that began at most `days` days ago, of one source if it is named. */
export interface InsightsQuery {
  readonly days: number;
  readonly source?: string;
}

/** Sessions of one source, counted. */
export interface SourceFacts {
  readonly source: string;
  readonly sessions: number;
  readonly messages: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** What one model did on one route: tokens with a stored cost and tokens without, apart. */
export interface ModelFacts extends Usage {
  /** 0 for tokens that were accounted for model by model: see `InsightFacts.accounted`. */
  readonly sessions: number;
  /** US dollars as stored for these tokens; absent = nobody stored any. */
  readonly storedUsd?: number;
  /** The stored cost, or a part of it, was not billed but estimated. */
  readonly isEstimate: boolean;
}

export type NotableKind = 'longest' | 'messages' | 'tokens' | 'tools';

export interface NotableSession {
  readonly kind: NotableKind;
  readonly id: SessionId;
  readonly title?: string;
  readonly startedAt: number;
  /** Milliseconds for the longest, else a count. */
  readonly value: number;
}

export interface SkillFacts {
  readonly name: string;
  readonly loads: number;
  readonly edits: number;
  /** Milliseconds since the epoch. */
  readonly lastUsed?: number;
}

/** What the store answers. Times in milliseconds. */
export interface InsightFacts {
  readonly sources: readonly SourceFacts[];
  readonly models: readonly ModelFacts[];
  /** Sessions by model, where tokens were accounted for model by model; a session with two models counts for both. */
  readonly accounted: readonly { readonly model: string; readonly sessions: number }[];
  readonly starts: readonly number[];
  readonly userMessages: number;
  /** Sum over the sessions, from each one's start to its last sign of life. */
  readonly activeMs: number;
  readonly tools: readonly { readonly name: string; readonly calls: number }[];
  readonly skills: readonly SkillFacts[];
  readonly notable: readonly NotableSession[];
  /** Sessions whose start can't be believed; nothing of them is counted. */
  readonly undated: number;
}

/** A store without sessions, or no store at all. */
export const noFacts: InsightFacts = {
  sources: [],
  models: [],
  accounted: [],
  starts: [],
  userMessages: 0,
  activeMs: 0,
  tools: [],
  skills: [],
  notable: [],
  undated: 0,
};

export interface Insights {
  readonly days: number;
  readonly source?: string;
  readonly from: number;
  readonly to: number;
  readonly overview: {
    readonly sessions: number;
    readonly messages: number;
    readonly userMessages: number;
    readonly toolCalls: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cacheReadTokens: number;
    readonly cacheWriteTokens: number;
    /** Input and output, as in every filter and list; the cache's stand by themselves. */
    readonly totalTokens: number;
    readonly activeMs: number;
    readonly averageMs: number;
    readonly averageMessages: number;
  };
  readonly cost: Cost;
  /** Most tokens first. */
  readonly models: readonly { readonly model: string; readonly sessions: number; readonly tokens: number; readonly cost: Cost }[];
  readonly platforms: readonly { readonly source: string; readonly sessions: number; readonly messages: number; readonly tokens: number }[];
  /** At most 15, most calls first; `share` of all calls, 0 to 1. */
  readonly tools: readonly { readonly name: string; readonly calls: number; readonly share: number }[];
  readonly skills: readonly SkillFacts[];
  readonly activity: Activity;
  readonly notable: readonly NotableSession[];
  readonly undated: number;
}

const dayMs = 86_400_000;
const toolsListed = 15;
const skillsListed = 10;

/** The report of state-db.md 6.1. Days, weekdays and hours are those of the local zone. */
export function buildInsights(facts: InsightFacts, query: InsightsQuery, now: number): Insights {
  const sum = (pick: (source: SourceFacts) => number): number => facts.sources.reduce((total, source) => total + pick(source), 0);
  const sessions = sum((source) => source.sessions);
  const messages = sum((source) => source.messages);
  const inputTokens = sum((source) => source.inputTokens);
  const outputTokens = sum((source) => source.outputTokens);
  const models = joinModels(facts.models, facts.accounted);
  return {
    days: query.days,
    ...(query.source === undefined ? {} : { source: query.source }),
    from: now - query.days * dayMs,
    to: now,
    overview: {
      sessions,
      messages,
      userMessages: facts.userMessages,
      toolCalls: sum((source) => source.toolCalls),
      inputTokens,
      outputTokens,
      cacheReadTokens: sum((source) => source.cacheReadTokens),
      cacheWriteTokens: sum((source) => source.cacheWriteTokens),
      totalTokens: inputTokens + outputTokens,
      activeMs: facts.activeMs,
      averageMs: sessions === 0 ? 0 : facts.activeMs / sessions,
      averageMessages: sessions === 0 ? 0 : messages / sessions,
    },
    cost: models.reduce((total, { cost }) => addCosts(total, cost), noCost),
    models,
    platforms: facts.sources
      .map((source) => ({
        source: source.source,
        sessions: source.sessions,
        messages: source.messages,
        tokens: source.inputTokens + source.outputTokens,
      }))
      .sort((a, b) => b.sessions - a.sessions || byName(a.source, b.source)),
    tools: topTools(facts.tools),
    skills: facts.skills.toSorted((a, b) => b.loads + b.edits - a.loads - a.edits || byName(a.name, b.name)).slice(0, skillsListed),
    activity: activityOf(facts.starts),
    notable: facts.notable.filter(({ value }) => value > 0),
    undated: facts.undated,
  };
}

/** One row a model, whatever routes it took; a model named in other letters is another one. */
function joinModels(facts: readonly ModelFacts[], accounted: InsightFacts['accounted']): Insights['models'] {
  const rows = new Map<string, { model: string; sessions: number; tokens: number; cost: Cost }>();
  for (const { model, sessions } of accounted) rows.set(model, { model, sessions, tokens: 0, cost: noCost });
  for (const fact of facts) {
    const row = rows.get(fact.model) ?? { model: fact.model, sessions: 0, tokens: 0, cost: noCost };
    row.sessions += fact.sessions;
    row.tokens += fact.inputTokens + fact.outputTokens;
    row.cost = addCosts(row.cost, costOf(fact));
    rows.set(fact.model, row);
  }
  return [...rows.values()].sort((a, b) => b.tokens - a.tokens || b.sessions - a.sessions || byName(a.model, b.model));
}

/** What was stored counts; the price table speaks only where nobody stored anything. */
const costOf = (fact: ModelFacts): Cost =>
  fact.storedUsd === undefined
    ? estimateCost(fact)
    : { usd: fact.storedUsd, isEstimate: fact.isEstimate, usesTable: false, unknownTokens: 0 };

function topTools(tools: InsightFacts['tools']): Insights['tools'] {
  const all = tools.reduce((total, { calls }) => total + calls, 0);
  return tools
    .map(({ name, calls }) => ({ name, calls, share: all === 0 ? 0 : calls / all }))
    .sort((a, b) => b.calls - a.calls || byName(a.name, b.name))
    .slice(0, toolsListed);
}

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
