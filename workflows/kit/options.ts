import type { ActivityOptions, ChildWorkflowOptions, LocalActivityOptions } from '@temporalio/workflow';
import type { StepStage } from '../../src/contract/stage.js';
import type { StageRouting, SuiteManifest } from '../../src/contract/suite.js';
import type { TemporalNames } from '../../src/domain/campaign/temporal-names.js';

/**
 * How long one attempt of a stage may take when its manifest does not say. Generous, because a stage ends itself, and a dead
 * worker is noticed by its heartbeats in 10 s: whatever a busy machine takes, no trial may end by it.
 */
const START_TO_CLOSE_SECONDS: Readonly<Record<StepStage, number>> = {
  // Loads a task and checks hashes: bytes from a local disk.
  harvest: 600,
  // One model call of up to 10 minutes, with its permit; longer generations are many steps.
  generate: 900,
  // Embeds one description against an index that prepare made; a model may order what is found.
  localize: 3600,
  // Model calls of minutes at a slow provider, each kept when it is answered.
  vote: 3600,
  // A sandbox run of 120 s wall and once more alone, but behind others: waiting for a free sandbox counts too, and with
  // hanging tests in every slot the last one waits for them all.
  execute: 3600,
  // Pure arithmetic over earlier results.
  score: 600,
  // Parses and embeds a whole repository: minutes on an idle machine, and more than half an hour at a load of 14 (measured).
  prepare: 14_400,
};

/**
 * The same for a step of a dataset build: parsing the largest release (2 h wall) or a batch of a hundred tasks that each
 * hang to their limit (67 min), behind whatever else has the sandbox.
 */
const BUILD_STEP_SECONDS = 14_400;

/** Options of every stage, whatever the suite. */
const STAGE_OPTIONS = {
  // A killed worker is noticed this long after its last heartbeat; heartbeats are sent every 3 s.
  heartbeatTimeout: '10 s',
  // What only time fixes (Docker down, rate limits, no budget free yet) is retried for as long as a person may be away.
  scheduleToCloseTimeout: '30 days',
  // No cap on attempts here: `activities/failures.ts` makes a failure final by its type. A minute at most between two
  // attempts, so that a repaired Docker daemon is noticed soon.
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '60 s' },
  // A cancelled trial waits until its container is gone and its call is settled.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
} as const satisfies ActivityOptions;

/** Options of every record activity. */
export const RECORD_OPTIONS: LocalActivityOptions = {
  // One short transaction; longer means that a lock or the network hangs.
  startToCloseTimeout: '30 s',
  // Postgres may be away for hours: campaigns wait for it.
  retry: { initialInterval: '200 ms', backoffCoefficient: 2, maximumInterval: '30 s' },
  // Beyond this back-off a timer waits, instead of the workflow task being kept alive with an event every few seconds.
  localRetryThreshold: '5 s',
};

/** Options of the report at the end of a campaign: it can be written later, so nobody waits long for it. */
export const reportOptions = (names: TemporalNames): ActivityOptions => ({
  taskQueue: names.queue('light'),
  // A hundred thousand trials take some ten seconds on an idle machine.
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: STAGE_OPTIONS.heartbeatTimeout,
  scheduleToCloseTimeout: '10 minutes',
  retry: { maximumAttempts: 5 },
});

/** Options of telling somebody something of a campaign: an endpoint that is down for an hour has missed it. */
export const notifyOptions = (names: TemporalNames): ActivityOptions => ({
  taskQueue: names.queue('light'),
  // It ends itself after half of that.
  startToCloseTimeout: '60 s',
  scheduleToCloseTimeout: '1 hour',
  retry: { initialInterval: '1 s', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});

/** Options of every child workflow; it runs on its parent's queue. */
export const CHILD_OPTIONS = {
  // A trial whose test failed is a completed workflow: Postgres decides what runs again, not Temporal.
  workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  // TERMINATE would skip the close of records; abandoned children would go on spending.
  parentClosePolicy: 'REQUEST_CANCEL',
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
} as const satisfies ChildWorkflowOptions;

/** Fallback while paused: a lost wake-up costs five minutes. */
export const HOLD_FALLBACK = '5 minutes';

/** A child of an earlier epoch may still be closing under the same id; seconds are enough once it was asked to cancel. */
export const CHILD_ID_TAKEN = { pause: '5 s', tries: 24 } as const;

/** Of campaigns begun before their Markdown in the UI had a timer: refreshed when a batch ends, no more often than this. */
export const DETAILS_INTERVAL_MS = 15 * 60_000;

const FIRST_DETAILS_PAUSE_MS = 25_000;
const EVENTS_A_DOUBLING = 4_000;

/**
 * How long the campaign's Markdown in the UI stands as it is. A refresh costs six events, so the pause doubles with every
 * 4,000 of them: under half a minute for four hours, under a minute for twelve, and no history gets long by it.
 */
export const detailsPauseMs = (historyLength: number): number =>
  FIRST_DETAILS_PAUSE_MS * 2 ** Math.floor(historyLength / EVENTS_A_DOUBLING);

/**
 * Steps of a dataset build at once: both sandboxes of the smallest machine are busy and two steps wait, so that none
 * stands idle between two. More would only make campaigns wait behind them.
 */
export const BUILD_WINDOW = 4;

/** Queue, timeouts and retries of one step of a dataset build. */
export function buildOptions(
  names: TemporalNames,
  { datasetBuild = { queue: 'sandbox' } }: SuiteManifest,
  step: string,
): ActivityOptions {
  return routed(names, datasetBuild, step, BUILD_STEP_SECONDS);
}

/** Queue, timeouts and retries of one call of a stage. */
export function stageOptions(
  names: TemporalNames,
  manifest: SuiteManifest,
  stage: StepStage,
  step: string,
): ActivityOptions {
  const routing = routingOf(manifest, stage);
  if (!routing) throw new Error(`the plan of ${manifest.id} calls ${stage}, which its manifest leaves out`);
  return routed(names, routing, step, START_TO_CLOSE_SECONDS[stage]);
}

function routed(names: TemporalNames, routing: StageRouting, step: string, usualSeconds: number): ActivityOptions {
  const prefix = Object.keys(routing.steps ?? {}).find((name) => step.startsWith(name));
  const own = prefix === undefined ? undefined : routing.steps?.[prefix];
  const seconds = own?.startToCloseSeconds ?? routing.startToCloseSeconds ?? usualSeconds;
  const taskQueue = names.queue(own?.queue ?? routing.queue);
  return { ...STAGE_OPTIONS, taskQueue, startToCloseTimeout: `${seconds} s` };
}

function routingOf(manifest: SuiteManifest, stage: StepStage): StageRouting | null {
  if (stage !== 'prepare') return manifest.stages[stage];
  return manifest.prepare ?? { queue: 'light' };
}
