import type { ModelRules } from './model-rules.js';

/** A store of units that fills evenly: providers' "per minute" limits. */
interface TokenBucket {
  /** Milliseconds until so many units are there; 0 = now. More than fits is counted as a full bucket. */
  missingMs(units: number): number;
  take(units: number): void;
  /** For rate headers. */
  state(): { limit: number; remaining: number; resetMs: number };
}

/** A full bucket. @param now milliseconds; a test may bring its own clock */
function createTokenBucket(limit: { perMinute: number; burstSeconds: number }, now: () => number): TokenBucket {
  const perMs = limit.perMinute / 60_000;
  const capacity = Math.max(1, perMs * limit.burstSeconds * 1000);
  let level = capacity;
  let at = now();
  const fill = (): void => {
    level = Math.min(capacity, level + (now() - at) * perMs);
    at = now();
  };
  return {
    missingMs(units) {
      fill();
      return Math.max(0, (Math.min(units, capacity) - level) / perMs);
    },
    take(units) {
      fill();
      level -= Math.min(units, capacity);
    },
    state() {
      fill();
      const remaining = Math.max(0, Math.floor(level));
      return { limit: Math.floor(capacity), remaining, resetMs: Math.ceil((capacity - level) / perMs) };
    },
  };
}

/** What a provider does to a request before anybody answers it. */
type Admission =
  | { admitted: true; headers: Record<string, string> }
  | { admitted: false; by: 'limits' | 'outage' | 'errors'; status: number; headers: Record<string, string> };

/** The limits of a scripted provider, its outages and its share of errors. */
export interface ProviderLimits {
  admit(request: { n: number; tokens: number }): Admission;
  /** An outage that begins and ends when it is told to. */
  setAway(isAway: boolean): void;
}

/** Limits as the rules say; outages count from the first request. */
export function createProviderLimits(rules: ModelRules, now: () => number): ProviderLimits {
  const { limits, outages, errors } = rules;
  const bucket = (perMinute: number | undefined): TokenBucket | undefined =>
    perMinute === undefined
      ? undefined
      : createTokenBucket({ perMinute, burstSeconds: limits?.burstSeconds ?? 60 }, now);
  const requests = bucket(limits?.requestsPerMinute);
  const tokens = bucket(limits?.tokensPerMinute);
  let firstAt: number | null = null;
  let refusals = 0;
  let isAway = false;

  function rateHeaders(): Record<string, string> {
    if (limits?.headers !== true) return {};
    const named = Object.entries({ requests, tokens }).flatMap(([name, each]) => {
      if (!each) return [];
      const { limit, remaining, resetMs } = each.state();
      return [
        [`x-ratelimit-limit-${name}`, String(limit)],
        [`x-ratelimit-remaining-${name}`, String(remaining)],
        [`x-ratelimit-reset-${name}`, `${resetMs}ms`],
      ];
    });
    return Object.fromEntries(named) as Record<string, string>;
  }

  function retryAfter(missingMs: number): Record<string, string> {
    refusals += 1;
    const isSaid = limits?.retryAfter === 'always' || (limits?.retryAfter === 'sometimes' && refusals % 2 === 0);
    return isSaid ? { 'retry-after': String(Math.max(1, Math.ceil(missingMs / 1000))) } : {};
  }

  return {
    setAway: (away) => void (isAway = away),
    admit({ n, tokens: needed }) {
      firstAt ??= now();
      const since = now() - firstAt;
      if (isAway || outages.some(({ afterMs, forMs }) => since >= afterMs && since < afterMs + forMs))
        return { admitted: false, by: 'outage', status: 503, headers: {} };
      const missingMs = Math.max(requests?.missingMs(1) ?? 0, tokens?.missingMs(needed) ?? 0);
      if (missingMs > 0)
        return {
          ...{ admitted: false, by: 'limits', status: 429 },
          headers: { ...retryAfter(missingMs), ...rateHeaders() },
        };
      requests?.take(1);
      tokens?.take(needed);
      if (errors && share(n, errors.seed) < errors.share)
        return { admitted: false, by: 'errors', status: errors.status, headers: rateHeaders() };
      return { admitted: true, headers: rateHeaders() };
    },
  };
}

/** A number from 0 to 1 that looks random and is the same for the same request of every run. */
function share(n: number, seed: number): number {
  let bits = Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39);
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
}
