import { prices, type ModelPrice } from './prices.ts';

/** What a model was used for: tokens, and whatever the store says it cost. `input` leaves out what the cache read or wrote. */
export interface Usage {
  readonly model: string;
  readonly provider?: string;
  readonly baseUrl?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** US dollars. The parts add up: what is known, and the tokens nobody has a price for. */
export interface Cost {
  readonly usd: number;
  /** Some of it was not billed but worked out, by whoever stored it or from the price table. */
  readonly isEstimate: boolean;
  /** The price table was used. */
  readonly usesTable: boolean;
  /** Tokens of models without a known price; their cost is missing from `usd`. */
  readonly unknownTokens: number;
}

export const noCost: Cost = { usd: 0, isEstimate: false, usesTable: false, unknownTokens: 0 };

export const addCosts = (a: Cost, b: Cost): Cost => ({
  usd: a.usd + b.usd,
  isEstimate: a.isEstimate || b.isEstimate,
  usesTable: a.usesTable || b.usesTable,
  unknownTokens: a.unknownTokens + b.unknownTokens,
});

const byModel = new Map<string, ModelPrice>(prices.flatMap((price) => price.models.map((model) => [model, price])));

/** Providers that run on this machine; what they answer costs nothing. */
const localProviders = /^(?:ollama|lm-?studio|llama\.?cpp|llamafile|vllm|mlx|local)$/i;

/** The price table's word on tokens whose cost nobody stored. Tokens of an unknown model stay unknown: they are never guessed at. */
export function estimateCost(usage: Usage): Cost {
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  if (tokens === 0 || isFree(usage)) return noCost;
  const price = byModel.get(modelKey(usage.model));
  const unknown: Cost = { ...noCost, unknownTokens: tokens };
  if (price === undefined) return unknown;
  if (usage.cacheReadTokens > 0 && price.cacheRead === undefined) return unknown;
  if (usage.cacheWriteTokens > 0 && price.cacheWrite === undefined) return unknown;
  const usd =
    usage.inputTokens * price.input +
    usage.outputTokens * price.output +
    usage.cacheReadTokens * (price.cacheRead ?? 0) +
    usage.cacheWriteTokens * (price.cacheWrite ?? 0);
  return { usd: usd / 1_000_000, isEstimate: true, usesTable: true, unknownTokens: 0 };
}

/**
 * A model as the price table spells it: `anthropic/claude-sonnet-4.5-20250929` is `claude-sonnet-4-5`. A tag such as `:30b` stays, so that a
 * local build of a name is not taken for the maker's.
 */
export function modelKey(model: string): string {
  const name = model.trim().toLowerCase().split('/').at(-1) ?? '';
  const plain = name.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest|preview)$/u, '').replace(/-preview$/u, '');
  return plain.startsWith('claude-') ? plain.replace(/(\d)\.(\d)/gu, '$1-$2') : plain;
}

function isFree({ model, provider, baseUrl }: Usage): boolean {
  if (/:free$/i.test(model)) return true;
  if (provider !== undefined && localProviders.test(provider)) return true;
  return baseUrl !== undefined && isLocalHost(baseUrl);
}

/** This machine, or one in the same private network. */
function isLocalHost(url: string): boolean {
  const host = /^[a-z]+:\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^/:]*)/i.exec(url)?.[1]?.toLowerCase() ?? '';
  return (
    /^(?:localhost|0\.0\.0\.0|\[::1\]|.+\.(?:local|localhost|lan))$/u.test(host) ||
    /^(?:127|10)\.\d+\.\d+\.\d+$/u.test(host) ||
    /^192\.168\.\d+\.\d+$/u.test(host) ||
    /^172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+$/u.test(host)
  );
}
