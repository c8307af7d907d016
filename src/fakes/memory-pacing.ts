import type { Pacing } from '../ports/pacing.js';

/** A pacing within one process; passes the same conformance suite as the one in Postgres. */
export function createMemoryPacing(): Pacing {
  const holds = new Map<string, { until: number; reason: string }>();
  return {
    waitMs: async (provider) => {
      const held = holds.get(provider);
      const waitMs = Math.max(0, Math.ceil((held?.until ?? 0) - performance.now()));
      return { waitMs, reason: waitMs > 0 ? (held?.reason ?? '') : '' };
    },
    hold: async ({ provider, holdMs, reason }) => {
      const until = performance.now() + holdMs;
      if (until > (holds.get(provider)?.until ?? 0)) holds.set(provider, { until, reason });
    },
  };
}
