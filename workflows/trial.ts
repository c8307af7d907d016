import {
  CancellationScope,
  isCancellation,
  proxyLocalActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { TrialSpec } from '../src/contract/trial.js';
import type { TrialEnd, Verdict } from '../src/contract/verdict.js';
import { DomainFailure } from '../src/domain/failure/domain-failure.js';
import { endOfFailure, endOfVerdict } from '../src/domain/campaign/trial-end.js';
import { plansOf } from '../tasks/plans.js';
import { showEnd, trialMarkdown } from './end-in-ui.js';
import { AdmissionDenied, checkTrial } from './kit/admission.js';
import { withFailureMapping, failureOf, isTemporalControl } from './kit/failure-of.js';
import type { TrialInput, TrialResult } from './messages.js';
import { RECORD_OPTIONS } from './kit/options.js';
import { createStages } from './kit/stages.js';

const records = proxyLocalActivities<Activities>(RECORD_OPTIONS);

interface RunningTrial extends TrialInput {
  n: number;
  suite: string;
  spec: TrialSpec;
}

/** One (task, system, repeat): claim it, run the suite's plan, close the record whatever happened. */
export async function trial(input: TrialInput): Promise<TrialResult> {
  return withFailureMapping(async () => {
    const { workflowId, runId: workflowRunId } = workflowInfo();
    const claim = await records.claimTrial({ ...input, workflowId, workflowRunId });
    if (claim.action === 'skip') return { ended: 'skipped' };
    if (claim.action === 'pause') return { ended: 'paused' };
    if (claim.action === 'stop') return { ended: 'stopped', reason: claim.reason };
    const spec = claim.spec as unknown as TrialSpec;
    return runAndClose({ ...input, n: claim.n, suite: claim.suite, spec });
  });
}

async function runAndClose(trial: RunningTrial): Promise<TrialResult> {
  const planned = await runPlan(trial);
  // Its record stays open: it is claimed again when it may go on, and finds every step it has done.
  if (planned instanceof AdmissionDenied) return planned.how;
  const { end, cancellation } = planned;
  try {
    await CancellationScope.nonCancellable(() => close(trial, end));
  } catch (error) {
    if (failureOf(error).type !== 'operator.superseded') throw error;
    return { ended: 'stopped', reason: 'operator.superseded' };
  }
  // The record is closed; what is left is to show in the UI that somebody cancelled it.
  if (cancellation) throw cancellation;
  return { ended: 'done', outcome: end.outcome, reason: end.reason };
}

interface PlanEnd {
  end: TrialEnd;
  cancellation?: Error;
}

async function runPlan(trial: RunningTrial): Promise<PlanEnd | AdmissionDenied> {
  const { trialId: id, epoch, n, spec } = trial;
  let skipped: TrialEnd['skipped'] = [];
  try {
    const plans = plansOf(trial.suite);
    const caller = { manifest: plans.manifest, owner: { kind: 'trial', id } as const, epoch, n };
    const handed = createStages(caller, () => checkTrial({ trialId: id, epoch, n }));
    skipped = handed.skipped;
    const verdict = await plans.trial(spec, handed.stages);
    return { end: endOfVerdict(checked(verdict), skipped) };
  } catch (error) {
    if (isTemporalControl(error)) throw error;
    if (error instanceof AdmissionDenied) return error;
    const end = endOfFailure(failureOf(error), skipped);
    return isCancellation(error) ? { end, cancellation: error as Error } : { end };
  }
}

async function close(trial: RunningTrial, end: TrialEnd): Promise<void> {
  const { trialId, epoch, n, suite, spec } = trial;
  const { costUsd } = await records.closeTrial({ trialId, epoch, n, end });
  setCurrentDetails(trialMarkdown(trialId, end, costUsd));
  const { systemId: system, taskId: task } = spec;
  showEnd({ ownerId: trialId, suite, system, task, outcome: end.outcome, blame: end.blame, costUsd });
}

function checked(verdict: Verdict): Verdict {
  if (typeof verdict?.passed === 'boolean' && Array.isArray(verdict.reasons)) return verdict;
  throw new DomainFailure('harness.bug', 'the plan returned something that is not a verdict');
}
