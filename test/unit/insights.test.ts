import { afterEach, describe, expect, test } from 'vitest';
import { activityOf, peakHours } from '../../src/session/activity.ts';
import { estimateCost, modelKey } from '../../src/session/cost.ts';
import { buildInsights, noFacts, type InsightFacts, type ModelFacts } from '../../src/session/insights.ts';
import { prices, pricesAsOf, priceSources } from '../../src/session/prices.ts';
import { formatUsd } from '../../src/text/money.ts';

const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const used = (model: string, more: Partial<ModelFacts> = {}): ModelFacts => ({
  model,
  sessions: 1,
  inputTokens: 1_000_000,
  outputTokens: 1_000_000,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  isEstimate: false,
  ...more,
});

describe('when sessions began', () => {
  test('a streak goes on over the night the clocks change, both ways', () => {
    process.env['TZ'] = 'Europe/Berlin';
    const spring = [28, 29, 30].map((day) => new Date(2026, 2, day, 0, 30).getTime());
    const autumn = [24, 25, 26].map((day) => new Date(2026, 9, day, 23, 30).getTime());
    expect(activityOf([...spring, ...autumn])).toMatchObject({ activeDays: 6, bestStreak: 3 });
  });

  test('days, weekdays and hours are those of the local zone', () => {
    const late = Date.UTC(2026, 8, 30, 23, 30);
    process.env['TZ'] = 'Asia/Seoul';
    const seoul = activityOf([late]);
    expect([seoul.weekdays[3], seoul.hours[8], seoul.week[3]?.[8]]).toEqual([1, 1, 1]);
    process.env['TZ'] = 'UTC';
    const utc = activityOf([late]);
    expect([utc.weekdays[2], utc.hours[23]]).toEqual([1, 1]);
  });

  test('a gap of a day begins a new streak; sessions of one day count once', () => {
    const days = [1, 1, 2, 4, 5, 6, 9].map((day) => new Date(2026, 5, day, 12).getTime());
    expect(activityOf(days)).toMatchObject({ activeDays: 6, bestStreak: 3 });
    expect(activityOf([])).toMatchObject({ activeDays: 0, bestStreak: 0 });
  });

  test('the busiest hours come first, the earlier of two equal ones, empty ones never', () => {
    const hours = new Array<number>(24).fill(0);
    hours[9] = 2;
    hours[7] = 2;
    expect(peakHours(hours, 3)).toEqual([
      { hour: 7, sessions: 2 },
      { hour: 9, sessions: 2 },
    ]);
  });
});

describe('what it cost', () => {
  test.each([
    ['anthropic/claude-sonnet-4.5-20250929', 'claude-sonnet-4-5'],
    ['claude-opus-4-1-20250805', 'claude-opus-4-1'],
    ['openai/GPT-5-mini', 'gpt-5-mini'],
    ['gpt-4.1-2025-04-14', 'gpt-4.1'],
    ['models/gemini-3.1-pro-preview', 'gemini-3.1-pro'],
    ['qwen3-coder:30b', 'qwen3-coder:30b'],
  ])('%s is priced as %s', (model, key) => expect(modelKey(model)).toBe(key));

  test('tokens of every kind at their own price', () => {
    const usage = { ...used('claude-opus-4-5'), cacheReadTokens: 2_000_000, cacheWriteTokens: 4_000_000 };
    expect(estimateCost(usage)).toEqual({ usd: 5 + 25 + 1 + 25, isEstimate: true, usesTable: true, unknownTokens: 0 });
  });

  test.each([
    ['a model nobody can name the price of', used('mystery-9')],
    ['a local build of a known name on an unknown host', used('gpt-5-mini:q4')],
    ['a model whose cache price is not known', used('gemini-2.5-pro', { cacheReadTokens: 1 })],
  ])('%s stays unknown', (_name, usage) => {
    const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens;
    expect(estimateCost(usage)).toEqual({ usd: 0, isEstimate: false, usesTable: false, unknownTokens: tokens });
  });

  test.each([
    ['a local provider', used('qwen3:8b', { provider: 'ollama' })],
    ['this machine', used('gpt-5-mini', { baseUrl: 'http://localhost:1234/v1' })],
    ['this machine by IPv6', used('m', { baseUrl: 'http://[::1]:8080/v1' })],
    ['the private network', used('m', { baseUrl: 'http://user@172.20.0.3/v1' })],
    ['a free model', used('deepseek/deepseek-chat:free')],
  ])('%s costs nothing', (_name, usage) => expect(estimateCost(usage)).toMatchObject({ usd: 0, unknownTokens: 0 }));

  test.each(['https://localhost.example.com/v1', 'https://172.32.0.1/v1', 'https://api.local.example/v1'])('%s is not local', (baseUrl) =>
    expect(estimateCost(used('mystery-9', { baseUrl })).unknownTokens).toBeGreaterThan(0),
  );

  test('what was stored goes before the table', () => {
    const models = [
      used('gpt-5-mini', { storedUsd: 9 }),
      used('gpt-5-mini', { storedUsd: 1, isEstimate: true }),
      used('gpt-5-mini'),
      used('who'),
    ];
    const report = buildInsights({ ...noFacts, models }, { days: 7 }, 0);
    expect(report.cost.usd).toBeCloseTo(12.25);
    expect(report.cost).toMatchObject({ isEstimate: true, usesTable: true, unknownTokens: 2_000_000 });
    expect(report.models.map(({ model, sessions }) => [model, sessions])).toEqual([
      ['gpt-5-mini', 3],
      ['who', 1],
    ]);
  });

  test('the table names every price once, as it is looked up, with a source not younger than the table', () => {
    const names = prices.flatMap(({ models }) => models);
    expect(new Set(names).size).toBe(names.length);
    expect(names.map(modelKey)).toEqual(names);
    for (const source of Object.values(priceSources)) {
      expect(source.url).toMatch(/^https:\/\//);
      if ('stated' in source) expect(source.stated <= pricesAsOf).toBe(true);
    }
    for (const price of prices) expect(price.output).toBeGreaterThanOrEqual(price.input);
  });

  test.each([
    [0, '$0'],
    [0.00001, '<$0.0001'],
    [0.0042, '$0.0042'],
    [12.3, '$12.30'],
    [1204, '$1,204.00'],
  ])('%f is written %s', (usd, shown) => expect(formatUsd(usd)).toBe(shown));
});

describe('the report', () => {
  const facts: InsightFacts = {
    ...noFacts,
    sources: [
      { source: 'cli', sessions: 1, messages: 6, toolCalls: 1, inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 0 },
      { source: 'tui', sessions: 3, messages: 4, toolCalls: 2, inputTokens: 20, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 1 },
    ],
    activeMs: 8000,
    tools: Array.from({ length: 20 }, (_, index) => ({ name: `tool${index}`, calls: index + 1 })),
    notable: [
      { kind: 'messages', id: 'a', startedAt: 1, value: 6 },
      { kind: 'tools', id: 'b', startedAt: 1, value: 0 },
    ],
  };
  const report = buildInsights(facts, { days: 30, source: 'x' }, 1_790_000_000_000);

  test('adds up, and averages over sessions', () => {
    expect(report.overview).toMatchObject({
      sessions: 4,
      messages: 10,
      toolCalls: 3,
      inputTokens: 30,
      totalTokens: 40,
      cacheReadTokens: 3,
    });
    expect(report.overview).toMatchObject({ averageMs: 2000, averageMessages: 2.5 });
    expect(report.platforms.map(({ source }) => source)).toEqual(['tui', 'cli']);
  });

  test('lists 15 tools with their share of all calls', () => {
    expect(report.tools).toHaveLength(15);
    expect(report.tools[0]).toEqual({ name: 'tool19', calls: 20, share: 20 / 210 });
  });

  test('a session that leads with nothing is not notable', () => expect(report.notable.map(({ id }) => id)).toEqual(['a']));

  test('without sessions nothing is divided by zero', () => {
    const empty = buildInsights(noFacts, { days: 1 }, 0);
    expect(empty.overview).toMatchObject({ sessions: 0, averageMs: 0, averageMessages: 0 });
  });
});
