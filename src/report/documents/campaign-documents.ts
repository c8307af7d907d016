import { z } from 'zod';
import { NOTIFICATION_EVENTS } from '../../contract/campaign.js';
import { failureAnalysis } from './failure-documents.js';
import {
  advice,
  anyJson,
  campaignStatus,
  count,
  event,
  hash,
  instant,
  limits,
  outcome,
  range,
  seconds,
} from './fields.js';
import { problem, share, spend, state, trialCounts, usd } from './fields.js';

const named = z.object({
  id: z.string(),
  name: z.string(),
  status: campaignStatus,
  suite: z.string(),
  dataset: z.string(),
  revises: z.string().nullable().describe('the campaign it is a revision of'),
  revised_by: z.array(z.string()).describe('its revisions, oldest first'),
});

/** `status`, `report`, and what every command that watches a campaign ends with. */
const statusBody = z.object({
  campaign: named,
  trials: trialCounts,
  spend,
  judge: z.object({ abstentions: count, errored: count }),
  systems: z.array(
    z.object({
      ...{ id: z.string(), trials: count, passed: count, failed: count, errored: count, not_run: count },
      pass_rate: share,
      rates: z.record(z.string(), share).describe('rates of the suite, by the id of its result column'),
    }),
  ),
  report: z.object({
    path: z.string().nullable().describe('report.md; null where none shows the record as it is now'),
  }),
  temporal_ui: z.string().nullable(),
  temporal_queries: z
    .array(z.object({ name: z.enum(['failed', 'errored', 'dearest']), title: z.string(), url: z.string() }))
    .optional()
    .describe('lists of trials in the Temporal UI'),
});

/** What `notify` of a campaign file sends: the body of a webhook, or stdin of a command. */
export const notificationDocument = z.object({
  event: z.enum(NOTIFICATION_EVENTS),
  at: instant,
  campaign: named.omit({ revises: true, revised_by: true }).extend({ tags: z.array(z.string()) }),
  trials: trialCounts,
  spend: z.object({ usd, tokens: count, calls: count }),
  budget: limits,
  still_since: instant.nullable().describe('of a stall: when anything moved last'),
  next: z.string().describe('the command that shows more'),
});

const spendLimit = z.object({ usd: usd.nullable(), tokens: count.nullable() });

export const forecast = z
  .object({ of: z.string(), calls: z.array(z.number()), tokens: z.array(z.number()), usd: z.array(z.number()) })
  .nullable();

export const progress = z.object({ of: z.string(), done: count, failed: count, blocked: count }).nullable();

export const statusDocument = statusBody.extend({
  problem: z.string().optional().describe('what is wrong with its workflows, and the command that fixes it'),
  generations: z
    .array(
      z.object({
        ...{ id: z.string(), system: z.string(), scope: z.string(), repeat: count, state },
        ...{ failure: z.string().nullable(), usd, tokens: count, limit: spendLimit, forecast, progress },
      }),
    )
    .optional()
    .describe('candidates made by a generator that plans with a graph'),
  under_way: z
    .object({
      generations: z.array(
        z.object({
          ...{ id: z.string(), phase: z.enum(['plan', 'make', 'prepare']), last_step: z.string().nullable() },
          ...{ progress, usd, tokens: count, limit: spendLimit.nullable(), started_at: instant.nullable() },
        }),
      ),
      generations_to_come: count,
      waits: z
        .array(
          problem.extend({
            type: z.string(),
            owners: count,
            generations: count,
            since: instant,
            last_tried_at: instant,
          }),
        )
        .describe(
          'what running trials and generations (owners) wait for, by the type of the failure of their last attempt',
        ),
      queues: z
        .array(z.object({ role: z.enum(['model', 'sandbox']), steps: count, oldest_seconds: seconds }))
        .describe('steps of all campaigns of the installation that wait for a slot'),
      seconds_left: range.describe('until it has ended, as wall_seconds of a forecast'),
    })
    .optional()
    .describe('what is being made and waited for; left out where the campaign has ended'),
});

const ofAccount = {
  account: z.string(),
  version: z.string(),
  model: z.string(),
  created_at: instant,
};

export const listDocument = z.object({
  campaigns: z.array(
    z.object({
      campaign: named.extend({ tags: z.array(z.string()), created_at: instant, ended_at: instant.nullable() }),
      problem: z.string().optional(),
      trials: trialCounts,
      spend,
    }),
  ),
  accounts: z
    .array(z.object({ ...ofAccount, suite: z.string(), budget: spendLimit, spend }))
    .describe('of dataset builds that asked a model'),
});

/** `dataset costs` */
export const costsDocument = z.object({
  suite: z.string(),
  accounts: z.array(
    z.object({
      ...ofAccount,
      price: anyJson,
      budget: spendLimit,
      spend,
      usage: z.array(z.object({ project: z.string(), purpose: z.string(), calls: count, tokens: count, usd })),
      events: z.array(event),
      temporal_ui: z.string().nullable(),
    }),
  ),
});

const interval = z.unknown().describe('lower and upper bound, 0 to 1; null where nothing is counted');

const method = z.object({
  name: z.enum(['wilson', 'task-bootstrap', 'clustered-t', 'group-t']),
  level: z.number(),
  units: count.describe('tasks, of clustered-t and group-t groups'),
  resamples: count.nullable(),
  seed: z.number().nullable(),
});
const figure = z.object({ value: z.number(), interval, method });

const scoreFigures = {
  interval,
  method: method.nullable().describe('how the interval was computed'),
  repeats: z
    .array(z.object({ k: count, pass_at_k: figure.nullable(), pass_hat_k: figure.nullable() }))
    .describe('of campaigns with repeats: pass@k and pass^k, for powers of two and the number of repeats'),
  clustered: z.object({ value: z.number(), standard_error: z.number(), interval, method }).nullable(),
  unclustered: z.string().nullable().describe('why there is no score with groups as clusters'),
};

const compared = z.object({
  campaign: z.string().describe('of a log of Inspect: the name of its file'),
  system: z.string().describe('of a log of Inspect: its model'),
  source: z.enum(['campaign', 'inspect']),
});
const taskResult = z.object({ graded: count, passed: count, trial: z.string().describe('a trial that shows it') });

/** `compare` */
export const comparisonDocument = z.object({
  pairs: z.array(
    z.object({
      ...{ a: compared, b: compared, tasks: count.describe('that both were graded on'), only_a: count, only_b: count },
      ...{ score_a: z.number(), score_b: z.number(), difference: figure.describe('b − a, −1 to 1') },
      ...{ gained: count, lost: count },
      p: z.number().describe('exact McNemar test; with repeats the exact sign test over tasks'),
      chi_squared: z
        .object({ value: z.number(), p: z.number() })
        .nullable()
        .describe('McNemar’s, without continuity correction; null where no task flipped'),
      p_holm: z.number().describe('adjusted over all pairs'),
      differs: z.boolean().describe('interval and adjusted test (0.05) both say so'),
      decision: z
        .enum(['adopt', 'keep', 'undecided'])
        .nullable()
        .describe('of an experiment, on variant b; null elsewhere'),
      columns: z
        .array(
          z.object({
            ...{ id: z.string(), title: z.string(), tasks: count, a: z.number(), b: z.number() },
            difference: figure.describe('b − a'),
          }),
        )
        .describe('rates of the suite, over the tasks for which both have them'),
      tasks_needed: count.nullable().describe('to tell the difference seen, power 0.8 at 0.05'),
      flips: z.array(
        z.object({
          ...{ task: z.string(), group: z.string(), change: z.enum(['gained', 'lost']), a: taskResult, b: taskResult },
        }),
      ),
    }),
  ),
  notes: z.array(z.string()),
});

/** `export --out` */
export const exportedDocument = z.object({
  campaign: z.string(),
  format: z.string(),
  files: z.array(z.object({ path: z.string(), bytes: count })),
});

/** `export --format files` */
export const exportedCandidateDocument = z.object({
  ...{ generation: z.string(), sha256: z.string(), folder: z.string(), files: count },
});

/** `golden make` */
export const goldenSetDocument = z.object({
  ...{ path: z.string(), suite: z.string(), dataset: z.string(), system: z.string() },
  ...{ tasks: count, groups: count },
});

/** `golden check` */
export const goldenCheckDocument = z.object({
  ...{ campaign: z.string(), system: z.string() },
  counts: z.record(z.string(), count).describe('tasks by outcome'),
  tasks: z.array(
    z.object({
      ...{ id: z.string(), group: z.string() },
      outcome: z
        .enum(['passed', 'regressed', 'flipped', 'ungraded', 'changed', 'missing'])
        .describe('regressed: fails under another lock; flipped: fails under the same one, and is quarantined'),
      trial: z.string().describe('that passed when the set was made'),
      now: z.string().nullable().describe('the trial of this campaign'),
    }),
  ),
  changes: z
    .array(z.object({ part: z.string(), before: anyJson, after: anyJson }))
    .describe('parts of the lock that differ, as far as these verdicts depend on them'),
  quarantined: z.array(z.string()).describe('tasks that were out of the set before'),
});

const again = z.object({ run: count, outcome: outcome.nullable(), reason: z.string().nullable() }).nullable();

/** One trial, in `report.json` and in `show TRIAL`. */
export const trialFields = z.object({
  ...{ id: z.string(), task: z.string(), system: z.string(), repeat: count, group: z.string() },
  ...{ category: z.string().nullable(), state: z.string(), outcome: z.string().nullable() },
  ...{ blame: z.string().nullable(), reason: z.string().nullable(), message: z.string().nullable(), advice },
  metrics: z.record(z.string(), z.number().nullable()),
  run: count.describe('the run that counts, from 1'),
  runs: count,
  again,
  regraded: again,
  started_at: instant.nullable(),
  ended_at: instant.nullable(),
  ...{ usd, tokens: count, reused_calls: count },
});

export const reportDocument = statusBody.extend({
  created_at: instant,
  ended_at: instant.nullable(),
  interval_method: z.string(),
  results: z.array(
    z.object({
      ...scoreFigures,
      ...{ system: z.string(), group: z.string().nullable(), trials: count, scored: count, passed: count },
      ...{ failed: count, errored: count, not_run: count, score: share, error_bounds: interval },
      ...{ marks: z.array(z.string()), rates: z.record(z.string(), share), tokens: count, usd },
      wall_seconds: seconds.nullable(),
    }),
  ),
  failures: z.array(
    z.object({
      ...{ system: z.string(), outcome, blame: z.string().nullable(), reason: z.string(), trials: count },
      ...{ examples: z.array(z.string()), message: z.string().nullable(), advice },
    }),
  ),
  integrity: z.array(
    z.object({
      ...{ system: z.string(), scope: z.string(), repeat: count, candidate: hash, marks: z.array(z.string()) },
      flags: z.array(z.object({ flag: z.string(), detail: z.string() })),
      ...{ forged_trials: count, vacuous_trials: count, copied_trials: count, negative_controls: count },
    }),
  ),
  provenance: z
    .looseObject({ sha256: hash })
    .describe('the lock as it was hashed: its keys are those of the record, so that the hash can be computed again'),
  budget: limits,
  used: z.object({ wall_hours: z.number(), trials: count }),
  overshoot: z.object({ usd, tokens: count, requests: count }),
  shared_spend: z.object({ usd, tokens: count }),
  suite_metrics: anyJson.describe('metrics of the suite, by system; null where it has none'),
  suite_figures: anyJson.describe('figures of the suite that are not of one system; null where it has none'),
  usage: z.object({
    calls: z.array(
      z.object({
        ...{ system: z.string(), group: z.string(), stage: z.string(), purpose: z.string(), model: z.string() },
        ...{ calls: count, calls_without_usage: count, requests_with_implausible_usage: count, tokens: count, usd },
        ...{ reused_calls: count, saved_usd: usd },
      }),
    ),
    stages: z.array(
      z.object({
        ...{ system: z.string(), group: z.string(), of: z.string(), stage: z.string(), attempts: count },
        wall_seconds: z.number(),
      }),
    ),
  }),
  trial_rows: z.array(trialFields),
  failure_analysis: failureAnalysis,
  events: z.array(event),
});
