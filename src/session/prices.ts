/** US dollars per million tokens. An absent cache price is unknown, not free. */
export interface ModelPrice {
  /** The name as `modelKey` (src/session/cost.ts) spells it: lower case, no maker, no date, dashes for dots in a version of Claude. */
  readonly models: readonly string[];
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** Index into `priceSources`. */
  readonly from: PriceSourceId;
}

/**
 * Pages whose copies the prices were read from, on the day of `pricesAsOf`. `stated` is the day the page itself says it holds for; a copy of one without it
 * may be some weeks older.
 */
export const priceSources = {
  claude: { url: 'https://platform.claude.com/docs/en/about-claude/pricing' },
  claudeSonnet5: { url: 'https://platform.claude.com/docs/zh-CN/models/sonnet-5/overview' },
  claudeOpus55: { url: 'https://platform.claude.com/docs/zh-CN/models/opus-5-5/overview' },
  claudeOctober: { url: 'https://github.com/kurofune/claudit/releases/tag/v1.9.2', stated: '2026-10-24' },
  claudeOld: { url: 'https://docs.anthropic.com/en/docs/about-claude/pricing' },
  github: { url: 'https://github.com/github/docs/blob/main/data/tables/copilot/models-and-pricing.yml' },
  openaiMay: { url: 'https://github.com/api-evangelist/openai/blob/main/plans/openai-plans-pricing.yml', stated: '2026-05-04' },
  openaiOld: { url: 'https://hex.pm/packages/openai_responses/0.4.1/files/lib/responses/pricing.ex', stated: '2025-06-03' },
  googleMarch: { url: 'https://deploybase.ai/articles/gemini-api-pricing', stated: '2026-03' },
} as const;

type PriceSourceId = keyof typeof priceSources;

/** The day this table was put together, from pages up to that day; shown wherever a cost was worked out from it. */
export const pricesAsOf = '2026-11-30';

/**
 * List prices of the makers for short prompts, 5-minute cache writes, without batch discounts. Only models whose public price could be named with its
 * source; every other one is unknown, never guessed.
 */
export const prices: readonly ModelPrice[] = [
  // ── Anthropic
  { models: ['claude-fable-5-1', 'claude-mythos-5-1'], input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5, from: 'claude' },
  { models: ['claude-fable-5', 'claude-mythos-5'], input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5, from: 'claude' },
  { models: ['claude-opus-5-5'], input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5, from: 'claudeOpus55' },
  {
    models: ['claude-opus-5', 'claude-opus-4-8', 'claude-opus-4-7', 'claude-opus-4-6', 'claude-opus-4-5'],
    ...{ input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25, from: 'claude' },
  },
  {
    models: ['claude-opus-4-1', 'claude-opus-4', 'claude-opus-4-0'],
    input: 15,
    output: 75,
    cacheRead: 1.5,
    cacheWrite: 18.75,
    from: 'claude',
  },
  { models: ['claude-sonnet-5-5'], input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5, from: 'claudeOctober' },
  { models: ['claude-sonnet-5'], input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5, from: 'claudeSonnet5' },
  {
    models: ['claude-sonnet-4-6', 'claude-sonnet-4-5', 'claude-sonnet-4', 'claude-sonnet-4-0'],
    ...{ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, from: 'github' },
  },
  { models: ['claude-haiku-5-5'], input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125, from: 'claudeOctober' },
  { models: ['claude-haiku-4-5'], input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25, from: 'github' },
  {
    models: ['claude-3-7-sonnet', 'claude-3-5-sonnet', 'claude-sonnet-3-7', 'claude-sonnet-3-5'],
    ...{ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, from: 'claudeOld' },
  },
  { models: ['claude-3-5-haiku', 'claude-haiku-3-5'], input: 0.8, output: 4, cacheRead: 0.08, cacheWrite: 1, from: 'claudeOld' },
  { models: ['claude-3-opus', 'claude-opus-3'], input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75, from: 'claudeOld' },
  { models: ['claude-3-haiku', 'claude-haiku-3'], input: 0.25, output: 1.25, cacheRead: 0.03, cacheWrite: 0.3, from: 'claudeOld' },

  // ── OpenAI: nothing is charged for writing the cache before GPT-5.6
  { models: ['gpt-5.6-sol'], input: 5, output: 30, cacheRead: 0.5, cacheWrite: 6.25, from: 'github' },
  { models: ['gpt-5.6-terra'], input: 2, output: 12, cacheRead: 0.2, cacheWrite: 2.5, from: 'github' },
  { models: ['gpt-5.6-luna'], input: 0.2, output: 1.2, cacheRead: 0.02, cacheWrite: 0.25, from: 'github' },
  { models: ['gpt-5.5'], input: 5, output: 30, cacheRead: 0.5, cacheWrite: 0, from: 'github' },
  { models: ['gpt-5.5-pro'], input: 30, output: 180, from: 'openaiMay' },
  { models: ['gpt-5.4'], input: 2.5, output: 15, cacheRead: 0.25, cacheWrite: 0, from: 'github' },
  { models: ['gpt-5.4-mini'], input: 0.75, output: 4.5, cacheRead: 0.075, cacheWrite: 0, from: 'github' },
  { models: ['gpt-5.4-nano'], input: 0.2, output: 1.25, cacheRead: 0.02, cacheWrite: 0, from: 'github' },
  { models: ['gpt-5.3-codex', 'gpt-5.2', 'gpt-5.2-codex'], input: 1.75, output: 14, cacheRead: 0.175, cacheWrite: 0, from: 'github' },
  { models: ['gpt-5-mini'], input: 0.25, output: 2, cacheRead: 0.025, cacheWrite: 0, from: 'github' },
  { models: ['gpt-4.1'], input: 2, output: 8, cacheRead: 0.5, cacheWrite: 0, from: 'openaiOld' },
  { models: ['gpt-4.1-mini'], input: 0.4, output: 1.6, cacheRead: 0.1, cacheWrite: 0, from: 'openaiOld' },
  { models: ['gpt-4.1-nano'], input: 0.1, output: 0.4, cacheRead: 0.025, cacheWrite: 0, from: 'openaiOld' },
  { models: ['gpt-4o'], input: 2.5, output: 10, cacheRead: 1.25, cacheWrite: 0, from: 'openaiOld' },

  // ── Google: prompts up to 200,000 tokens
  { models: ['gemini-3.1-pro'], input: 2, output: 12, cacheRead: 0.2, from: 'github' },
  { models: ['gemini-3.5-flash'], input: 1.5, output: 9, cacheRead: 0.15, from: 'github' },
  { models: ['gemini-2.5-pro'], input: 1.25, output: 10, from: 'googleMarch' },
  { models: ['gemini-2.5-flash'], input: 0.3, output: 2.5, from: 'googleMarch' },
];
