import { z } from 'zod';
import { anyJson, count, event, limits, range, usd } from './fields.js';

const asked = { dry_run: z.boolean(), command: z.string() };

/** The first line of `run`, and all that is said of a campaign which a command leaves to run: from here on it is there. */
export const startedDocument = z.object({ campaign_id: z.string(), runs: count.optional() });

/** `resume`, `retry`, `regrade` with `--dry-run` */
export const plannedRunsDocument = z.object({
  ...asked,
  campaign: z.string(),
  trials: z.array(
    z.object({
      trial: z.string(),
      run: count,
      why: z.string(),
      usd: usd.nullable().describe('mean cost of trials like these so far; null where there are none'),
    }),
  ),
  usd,
});

const forecastFigures = { calls: range, tokens: range, usd: range, wall_seconds: range };

/** `run --dry-run` */
export const plannedCampaignDocument = z.object({
  ...asked,
  campaign: z.object({ name: z.string(), suite: z.string(), dataset: z.string() }),
  trials: count,
  tight: z
    .array(z.object({ model: z.string(), usd, tokens: count, calls: count, asked: count }))
    .optional()
    .describe('models of which the budget holds fewer reservations at once than concurrency.model asks for'),
  experiment: z
    .object({
      ...{ baseline: z.string(), variants: count, tasks: count, smallest_effect: z.number() },
      flips: z.number().describe('share of tasks taken to change both ways whatever a variant is worth'),
      chances: z
        .array(z.object({ effect: z.number(), chance: z.number() }))
        .describe('how likely a variant that passes so much more is adopted'),
      detectable: z.number().nullable().describe('the smallest gain found in four of five experiments; null: none'),
    })
    .nullable()
    .optional()
    .describe('what it can find; null where it is none'),
  forecast: z
    .object({
      systems: z.array(z.object({ id: z.string(), like: count, ...forecastFigures })),
      all: z.object(forecastFigures),
      reused: z
        .object({ trials: count, candidates: count })
        .describe('with `reuse_answers`: asked by other campaigns already; no part of calls, tokens and dollars'),
      done: count.describe('trials that have ended already'),
    })
    .optional()
    .describe('95 % ranges by trials like these in this record; null where there were too few'),
  missing: z
    .object({ docker: z.boolean().describe('whether it answers'), images: z.array(z.string()), tasks: count })
    .optional()
    .describe('what is built and fetched before the first trial'),
  revision: z
    .object({
      of: z.string(),
      reason: z.string(),
      changes: z.array(z.object({ part: z.string(), before: anyJson, after: anyJson, invalidates: anyJson })),
      trials: z.object({ planned: count, invalidated: count, left_out: count, unchanged: count }),
    })
    .nullable(),
});

/** `pause --dry-run` */
export const pauseEffectDocument = z.object({
  ...asked,
  campaign: z.string(),
  finishing: z.array(z.string()),
  waiting: count,
  usd,
});

/** `delete` */
export const deletedDocument = z.object({ ...asked, campaign: z.string(), trials: count, usd, deleted: z.boolean() });

/** `review` */
export const reviewDocument = z.object({
  ...asked,
  trial: z.string(),
  campaign: z.string(),
  judged: z.string().describe('the status that the grader gave'),
  status: z.string().describe("the person's"),
  author: z.string(),
  reason: z.string(),
});

/** `cancel --dry-run` */
export const cancelEffectDocument = z.object({
  ...asked,
  campaign: z.string(),
  stopping: z.array(z.string()),
  waiting: count,
  finished: count,
  usd,
});

/** `budget` */
export const budgetDocument = z.object({
  ...asked,
  campaign: z.string().nullable().describe('null: the limit over all campaigns'),
  account: z.string().optional().describe('of a dataset build that asks a model; `campaign` is null then'),
  waiting: z.object({ trials: count, usd }).optional(),
  events: z.array(event).optional(),
  changed: z.boolean(),
  before: limits.extend({ on_ambiguous: z.string().optional() }),
  after: limits.extend({ on_ambiguous: z.string().optional() }),
  spent: z.object({
    usd: usd.nullable().optional(),
    tokens: count.nullable().optional(),
    wall_hours: z.number().nullable().optional(),
    trials: count.nullable().optional(),
  }),
});

/** `graph import` */
export const graphImportDocument = z.object({
  ...asked,
  generation: z.string(),
  stage: z.string().nullable(),
  changed: z.boolean(),
  changes: z.array(z.string()),
});
