import { z } from 'zod';

/** Instants are ISO 8601 in UTC. */
export const instant = z.string().describe('ISO 8601, UTC');
export const count = z.int().min(0);
export const usd = z.number().describe('US dollars');
export const seconds = z.number().min(0);
export const share = z.number().min(0).max(1).nullable().describe('0 to 1; null where nothing is counted');
/** Of a suite, a provider or a recorded step: kept as it is. */
export const anyJson = z.unknown();
export const hash = z.string().describe('sha-256, lower-case hex');

export const outcome = z.enum(['passed', 'failed', 'errored', 'not_run']);
export const state = z.enum(['planned', 'running', 'done']);
export const campaignStatus = z.enum(['planned', 'running', 'paused', 'completed', 'budget_exhausted', 'cancelled']);

export const problem = z.object({
  message: z.string().describe('what is wrong, and where'),
  expected: z.string().optional().describe('what would be right, where something specific is'),
  fix: z.string().optional().describe('how to fix it, where a user can'),
  place: z
    .object({ file: z.string(), line: z.number(), column: z.number() })
    .optional()
    .describe('where it stands in a file; line and column count from 1'),
});

export const advice = problem.omit({ message: true, place: true }).nullable();

export const failure = problem
  .omit({ place: true })
  .extend({ type: z.string().describe('dotted code'), blame: z.string() });

export const trialCounts = z.object({
  ...{ planned: count, done: count, passed: count, failed: count, errored: count, not_run: count },
});

export const spend = z.object({
  ...{ usd, tokens: count, calls: count, repeated_calls: count, recovered_calls: count, replayed_calls: count },
  ...{ reused_calls: count, saved_usd: usd, implausible_usage: count, unanswered_requests: count },
});

export const limits = z.object({
  usd: usd.nullable(),
  tokens: count.nullable(),
  wall_hours: z.number().nullable(),
  trials: count.nullable(),
  soft: z.number().nullable(),
});

export const event = z.object({
  at: instant,
  author: z.string(),
  action: z.string(),
  reason: z.string(),
  details: z.record(z.string(), anyJson),
});

/** Of a forecast; null where too little is known. */
export const range = z.object({ low: z.number(), high: z.number() }).nullable();
