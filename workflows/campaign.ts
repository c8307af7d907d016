import {
  CancellationScope,
  CancelledFailure,
  isCancellation,
  log,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { CampaignStatus } from '../src/contract/campaign.js';
import type { Failure } from '../src/contract/failure.js';
import { allEnded } from '../src/domain/all-ended.js';
import { endOfFailure } from '../src/domain/campaign/trial-end.js';
import { batch } from './batch.js';
import { ownNames, startNamedChild } from './kit/children.js';
import { showEnd } from './end-in-ui.js';
import { withFailureMapping, failureOf } from './kit/failure-of.js';
import { wakeUp, type CampaignInput, type CampaignResult } from './messages.js';
import { DETAILS_INTERVAL_MS, detailsPauseMs, RECORD_OPTIONS, reportOptions } from './kit/options.js';
import { inWindow, pagedKeys } from './kit/windows.js';

const records = proxyLocalActivities<Activities>(RECORD_OPTIONS);
/** For what is asked anew in a moment anyway: nothing waits for an unavailable database. */
const glances = proxyLocalActivities<Activities>({ ...RECORD_OPTIONS, retry: { maximumAttempts: 1 } });
type Opened = Awaited<ReturnType<Activities['openCampaign']>>;
type BatchKey = Awaited<ReturnType<Activities['batchPage']>>[number];
const PHASES: readonly BatchKey['phase'][] = ['generate', 'grade'];

/** What a campaign knows while it runs. */
interface RunningCampaign extends CampaignInput {
  epoch: number;
  /** The workflow's own scope: inside the non-cancellable close it still tells whether somebody cancelled. */
  scope: CancellationScope;
  running: Map<string, ChildWorkflowHandle<typeof batch>>;
  /** Its Markdown in the UI is refreshed by time, whether or not a batch ends. */
  hasDetailsTimer: boolean;
  /** Without a timer: when it was refreshed last. */
  detailsAt: number;
  /** Why batches could not be run to their end. */
  failure: Failure | null;
}

/** One suite's systems × tasks × repeats: opened, run batch by batch in two windows, closed. */
export async function campaign({ campaignId }: CampaignInput): Promise<CampaignResult> {
  return withFailureMapping(async () => {
    const running = new Map<string, ChildWorkflowHandle<typeof batch>>();
    setHandler(wakeUp, () => running.forEach((child) => void child.signal(wakeUp).catch(() => undefined)));
    // Not cancellable: cancelled half-way, nobody would know the epoch, and the campaign would stay open for good.
    const opened = await CancellationScope.nonCancellable(() => open(campaignId));
    if (opened === null) return { status: null };
    const { epoch, concurrency } = opened;
    setCurrentDetails(opened.details);
    const current: RunningCampaign = {
      campaignId,
      epoch,
      running,
      scope: CancellationScope.current(),
      hasDetailsTimer: patched('details-timer'),
      detailsAt: -Infinity,
      failure: null,
    };
    try {
      await withDetails(current, () => runBatches(current, concurrency.batches));
    } catch (error) {
      if (!isCancellation(error)) current.failure = failureOf(error);
      if (current.failure) log.error('batches could not be run to their end', { ...current.failure });
    }
    const result = await CancellationScope.nonCancellable(() => end(current));
    if (current.scope.consideredCancelled) throw new CancelledFailure('cancelled');
    return result;
  });
}

/** null: another server has taken the campaign over before it could be opened here; nothing of it is ours to write. */
async function open(campaignId: string): Promise<Opened | null> {
  try {
    const opened = await records.openCampaign(campaignId);
    await limitTrials(campaignId, opened);
    return opened;
  } catch (error) {
    if (failureOf(error).type !== 'operator.superseded') throw error;
    return null;
  }
}

/** A limit on trials may end nearly all of a large campaign: in chunks, as a close does. */
async function limitTrials(campaignId: string, { epoch, isOverLimit }: Opened): Promise<void> {
  for (let isOver = isOverLimit; isOver;) ({ isOverLimit: isOver } = await records.limitTrials({ campaignId, epoch }));
}

async function runBatches(campaign: RunningCampaign, width: number): Promise<void> {
  const keys = await allBatches(campaign);
  // Two windows: a slow generation does not hold back what only needs grading.
  const phases = PHASES.map(async (phase) => {
    const own = keys.filter((key) => key.phase === phase);
    await inWindow(
      width,
      async () => (campaign.scope.consideredCancelled ? null : (own.shift() ?? null)),
      (key) => runBatch(campaign, key),
    );
  });
  await allEnded(phases);
}

/** A batch of 500 trials takes hours: what is done by then is told meanwhile. */
async function withDetails(campaign: RunningCampaign, run: () => Promise<void>): Promise<void> {
  const watching = new CancellationScope();
  const watch = campaign.hasDetailsTimer ? watching.run(() => watchDetails(campaign)) : Promise.resolve();
  try {
    await run();
  } finally {
    watching.cancel();
    await watch;
  }
}

async function watchDetails({ campaignId }: RunningCampaign): Promise<void> {
  for (;;) {
    try {
      await sleep(detailsPauseMs(workflowInfo().historyLength));
      const { details } = await glances.campaignDetails(campaignId);
      setCurrentDetails(details);
    } catch (error) {
      if (isCancellation(error)) return;
    }
  }
}

async function allBatches({ campaignId, epoch }: RunningCampaign): Promise<BatchKey[]> {
  const next = pagedKeys<BatchKey>((after) => records.batchPage({ campaignId, epoch, after: after?.id ?? null }));
  const keys: BatchKey[] = [];
  for (let key = await next(); key !== null; key = await next()) keys.push(key);
  return keys;
}

async function runBatch(campaign: RunningCampaign, key: BatchKey): Promise<void> {
  const { epoch, running } = campaign;
  try {
    const child = await startNamedChild({
      workflow: batch,
      input: { batchId: key.id, epoch },
      workflowId: ownNames().batch(key.id),
      summary: `batch ${key.id.split('/').at(-1)}, ${key.phase}`,
    });
    running.set(key.id, child);
    await child.result();
  } catch (error) {
    if (isCancellation(error)) return; // it closed its own rows
    await CancellationScope.nonCancellable(() => closeLostBatch(campaign, key, error));
  } finally {
    running.delete(key.id);
  }
  if (!campaign.hasDetailsTimer && !campaign.scope.consideredCancelled) await refreshDetails(campaign);
}

/** A batch that was terminated, or failed, left rows open. */
async function closeLostBatch({ epoch }: RunningCampaign, key: BatchKey, error: unknown): Promise<void> {
  const openTrials = endOfFailure(failureOf(error));
  await records.closeBatch({ batchId: key.id, epoch, openTrials }).catch((problem: unknown) => {
    if (failureOf(problem).type !== 'operator.superseded') throw problem;
  });
}

async function refreshDetails(campaign: RunningCampaign): Promise<void> {
  if (Date.now() - campaign.detailsAt < DETAILS_INTERVAL_MS) return;
  campaign.detailsAt = Date.now();
  const { details } = await records.campaignDetails(campaign.campaignId);
  setCurrentDetails(details);
}

/** Closes the campaign, then has the report written; without one, the campaign has ended all the same. */
async function end(campaign: RunningCampaign): Promise<CampaignResult> {
  const result = await close(campaign);
  if (result.status === null) return result;
  try {
    await proxyActivities<Activities>(reportOptions(ownNames())).writeReport(campaign.campaignId);
  } catch (error) {
    log.warn('the report was not written', { ...failureOf(error) });
  }
  return result;
}

/** A large campaign is closed in chunks, so that each is done long before an activity's time is over. */
async function closeBooks(closeChunk: () => ReturnType<Activities['closeCampaign']>): Promise<CampaignStatus> {
  for (;;) {
    const { status } = await closeChunk();
    if (status !== null) return status;
  }
}

async function close({ campaignId, epoch, scope, failure }: RunningCampaign): Promise<CampaignResult> {
  const cancelled = scope.consideredCancelled;
  try {
    const status = await closeBooks(() => records.closeCampaign({ campaignId, epoch, cancelled, failure }));
    const { details, suite, costUsd } = await records.campaignDetails(campaignId);
    setCurrentDetails(details);
    showEnd({ ownerId: campaignId, suite, system: null, task: null, outcome: status, blame: null, costUsd });
    return { status };
  } catch (error) {
    if (failureOf(error).type !== 'operator.superseded') throw error;
    return { status: null };
  }
}
