import {
  CancellationScope,
  CancelledFailure,
  isCancellation,
  proxyLocalActivities,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { TrialEnd } from '../src/contract/verdict.js';
import type { Failure } from '../src/contract/failure.js';
import { DomainFailure } from '../src/domain/failure/domain-failure.js';
import { endOfFailure, stopFailure } from '../src/domain/campaign/trial-end.js';
import { ownNames, startNamedChild } from './kit/children.js';
import { withFailureMapping, failureOf } from './kit/failure-of.js';
import { openGate, type Gate } from './gate.js';
import { generation } from './generation.js';
import { wakeUp, type BatchInput, type BatchResult, type GenerationResult, type StopReason } from './messages.js';
import { RECORD_OPTIONS } from './kit/options.js';
import { trial } from './trial.js';
import { inWindow, pagedKeys } from './kit/windows.js';

const records = proxyLocalActivities<Activities>(RECORD_OPTIONS);

/** What a batch knows while it runs. */
interface RunningBatch extends BatchInput {
  /** The workflow's own scope: inside the non-cancellable close it still tells whether somebody cancelled. */
  scope: CancellationScope;
  gate: Gate;
  /** Set once a claim said stop: nothing more is admitted. */
  stop: StopReason | null;
  /** Why trials may still be open at the end: the first child that ended without closing its record. */
  lost: Failure | null;
  started: number;
  generation: ChildWorkflowHandle<typeof generation> | null;
}

/** All trials of one candidate, or a chunk of trials that make their own: generation first, then trials in a window. */
export async function batch(input: BatchInput): Promise<BatchResult> {
  return withFailureMapping(async () => {
    const running: RunningBatch = {
      ...input,
      scope: CancellationScope.current(),
      gate: openGate(input, () => void running.generation?.signal(wakeUp).catch(() => undefined)),
      stop: null,
      lost: null,
      started: 0,
      generation: null,
    };
    const claim = await running.gate.pass();
    if (claim.action === 'skip') return { ended: 'skipped', started: 0 };
    if (claim.action === 'stop') running.stop = claim.reason;
    const failure = claim.action === 'run' ? await runAll(running, claim) : null;
    await CancellationScope.nonCancellable(() => close(running, failure));
    if (running.scope.consideredCancelled) throw new CancelledFailure('cancelled');
    return { ended: running.stop ? 'stopped' : 'done', started: running.started };
  });
}

type RunClaim = Extract<Awaited<ReturnType<Gate['pass']>>, { action: 'run' }>;

/** @returns why no trial could be run, or null when they were */
async function runAll(batch: RunningBatch, claim: RunClaim): Promise<Failure | null> {
  try {
    const failure = claim.generationId === null ? null : await generate(batch, claim.generationId);
    if (failure ?? batch.stop) return failure;
    const { batchId, epoch } = batch;
    const [campaignId] = batchId.split('/');
    const next = pagedKeys<string>(async (after) => {
      const page = await records.trialPage({ batchId, epoch, after });
      return page.map((tail) => `${campaignId}/${tail}`);
    });
    await inWindow(
      claim.window,
      async () => (isAdmitting(batch) ? next() : null),
      (id) => runTrial(batch, id),
    );
    return null;
  } catch (error) {
    return failureOf(error);
  }
}

function isAdmitting(batch: RunningBatch): boolean {
  return batch.stop === null && !batch.scope.consideredCancelled;
}

async function generate(batch: RunningBatch, generationId: string): Promise<Failure | null> {
  const [, system = '', scope = '', repeat = ''] = generationId.split('/');
  for (;;) {
    batch.generation = await startNamedChild({
      workflow: generation,
      input: { generationId, epoch: batch.epoch },
      workflowId: ownNames().generation(generationId),
      summary: `${system} makes ${scope}, repeat ${repeat}`,
    });
    const result: GenerationResult = await batch.generation.result().finally(() => (batch.generation = null));
    if (result.ended === 'failed') return result.failure;
    if (result.ended === 'stopped') batch.stop = result.reason;
    if (result.ended !== 'paused') return null;
    await waitAtGate(batch);
    if (batch.stop) return null;
  }
}

async function runTrial(batch: RunningBatch, trialId: string): Promise<void> {
  const [, task = '', system = '', repeat = ''] = trialId.split('/');
  try {
    for (;;) {
      const child = await startNamedChild({
        workflow: trial,
        input: { trialId, epoch: batch.epoch },
        workflowId: ownNames().trial(trialId),
        summary: `${task} · ${system} · repeat ${repeat}`,
      });
      batch.started += 1;
      const result = await child.result();
      if (result.ended === 'stopped') batch.stop ??= result.reason;
      if (result.ended !== 'paused') return;
      await waitAtGate(batch);
      if (batch.stop) return;
    }
  } catch (error) {
    // Cancelled with its batch, or by itself: it closed its own record, or the batch's close does.
    if (!isCancellation(error)) batch.lost ??= failureOf(error);
  }
}

async function waitAtGate(batch: RunningBatch): Promise<void> {
  const claim = await batch.gate.pass();
  if (claim.action === 'stop') batch.stop = claim.reason;
}

async function close(batch: RunningBatch, failure: Failure | null): Promise<void> {
  if (batch.stop === 'operator.superseded') return; // another run of the campaign owns the rows now
  const { batchId, epoch } = batch;
  try {
    await records.closeBatch({ batchId, epoch, openTrials: endOfOpenTrials(batch, failure) });
  } catch (error) {
    if (failureOf(error).type !== 'operator.superseded') throw error;
  }
}

/** What trials get that nobody closed: those of a failed generation, not admitted any more, or terminated by hand. */
function endOfOpenTrials(batch: RunningBatch, failure: Failure | null): TrialEnd {
  if (batch.scope.consideredCancelled) return endOfFailure(stopFailure('operator.cancelled'));
  if (failure) return endOfFailure(failure);
  if (batch.stop) return endOfFailure(stopFailure(batch.stop));
  if (batch.lost) return endOfFailure(batch.lost);
  return endOfFailure(new DomainFailure('harness.bug', 'its workflow ended without closing the record').toFailure());
}
