import type { Price } from '../../contract/campaign.js';
import type { TokenUsage } from '../../contract/token-usage.js';

/** Scale of the integer arithmetic: prices keep six decimals of a dollar per million tokens. */
const SCALE = 1_000_000n;

/**
 * What a call costs in integer micro-dollars, rounded up. One dollar per million tokens is one micro-dollar a token, so
 * the price table's own numbers are micro-dollars per token; whole-number arithmetic keeps sums free of float drift.
 */
export function costMicroUsd(price: Price | 'free', usage: TokenUsage): number {
  if (price === 'free') return 0;
  const cached = Math.min(usage.cachedInputTokens, usage.inputTokens);
  const scaled =
    scaledPrice(price.input) * BigInt(usage.inputTokens - cached) +
    scaledPrice(price.cachedInput ?? price.input) * BigInt(cached) +
    scaledPrice(price.output) * BigInt(usage.outputTokens);
  return Number((scaled + SCALE - 1n) / SCALE);
}

/** What tokens cost in a provider batch, whose provider takes a share of the price. */
export function batchPrice(price: Price | 'free', factor: number): Price | 'free' {
  if (price === 'free') return price;
  const { input, output, cachedInput } = price;
  return {
    ...{ input: input * factor, output: output * factor },
    ...(cachedInput !== undefined && { cachedInput: cachedInput * factor }),
  };
}

/** Dollars as a person writes them → integer micro-dollars. */
export function microUsd(usd: number): number {
  return Math.round(usd * 1_000_000);
}

/** Input and output tokens together: the unit of token budgets. */
export function totalTokens(usage: TokenUsage): number {
  return usage.inputTokens + usage.outputTokens;
}

function scaledPrice(usdPerMillion: number): bigint {
  return BigInt(Math.round(usdPerMillion * Number(SCALE)));
}
