import type { ProviderRate, RateWindow } from '../ports/model.js';

/** Below this, waiting costs more than the refusal it avoids. */
const SHORTEST_MS = 50;

/**
 * How long a provider's own numbers say to wait before the next request: until one more fits into each of its windows.
 * A window fills evenly (`limit - remaining` come back within `resetMs`), which holds for token buckets and errs by
 * little for others; a refusal corrects it.
 * @param callTokens what the next call will need, by what the last one did
 */
export function rateHoldMs(rate: ProviderRate, callTokens: number): number {
  const waits = [waitMs(rate.requests, 1), waitMs(rate.tokens, callTokens)];
  const longest = Math.max(...waits);
  return longest < SHORTEST_MS ? 0 : Math.ceil(longest);
}

function waitMs(window: RateWindow | null, needed: number): number {
  if (!window || window.remaining >= needed) return 0;
  const used = window.limit - window.remaining;
  if (used <= 0) return 0;
  // More than fits at all is waited for as far as waiting helps: until the window is full.
  const missing = Math.min(needed, window.limit) - window.remaining;
  return (window.resetMs * missing) / used;
}
