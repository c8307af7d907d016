import type { ProviderRate, RateWindow } from '../../ports/model.js';

/**
 * What a reply says of the provider's limits, in the words most OpenAI-compatible endpoints use
 * (`x-ratelimit-{limit,remaining,reset}-{requests,tokens}`); undefined where it says nothing.
 */
export function readRate(headers: Headers): ProviderRate | undefined {
  const requests = readWindow(headers, '-requests') ?? readWindow(headers, '');
  const tokens = readWindow(headers, '-tokens');
  return requests || tokens ? { requests, tokens } : undefined;
}

/** How long to wait by a refusal's own words: OpenAI's `retry-after-ms`, or `Retry-After` in seconds or as a date; null = not said. */
export function retryAfterMs(headers: Headers | undefined): number | null {
  const exact = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (Number.isFinite(exact)) return Math.max(0, Math.ceil(exact));
  const text = headers?.get('retry-after') ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const until = Date.parse(text) - Date.now();
  return Number.isFinite(until) ? Math.max(0, until) : null;
}

function readWindow(headers: Headers, what: string): RateWindow | null {
  const field = (name: string): string | null => headers.get(`x-ratelimit-${name}${what}`);
  const limit = numberOf(field('limit'));
  const remaining = numberOf(field('remaining'));
  const resetMs = durationMs(field('reset'));
  return limit === null || remaining === null || resetMs === null ? null : { limit, remaining, resetMs };
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
/** A number this big is a moment (Unix seconds), not a duration. */
const UNIX_SECONDS = 1_000_000_000;

/** `6m0s`, `1.5s`, `20ms`, seconds, Unix seconds or a date. */
function durationMs(text: string | null): number | null {
  if (text === null) return null;
  const seconds = numberOf(text);
  if (seconds !== null) return seconds < UNIX_SECONDS ? seconds * 1000 : Math.max(0, seconds * 1000 - Date.now());
  if (/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) {
    const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
    return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0);
  }
  const until = Date.parse(text) - Date.now();
  return Number.isFinite(until) ? Math.max(0, until) : null;
}
