import {
  CancellationScope,
  isCancellation,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { Failure } from '../src/contract/failure.js';
import type { GenerationSpec, MadeCandidate } from '../src/contract/trial.js';
import { DomainFailure } from '../src/domain/failure/domain-failure.js';
import { plansOf } from '../tasks/plans.js';
import { showEnd } from './end-in-ui.js';
import { withFailureMapping, failureOf, isTemporalControl } from './kit/failure-of.js';
import { wakeUp, type GenerationInput, type GenerationResult } from './messages.js';
import { RECORD_OPTIONS } from './kit/options.js';
import { AdmissionDenied, checkAdmission } from './kit/admission.js';
import { makeInWorkflow } from './kit/own-workflow.js';
import { asJson, callStage, createStages } from './kit/stages.js';

const records = proxyLocalActivities<Activities>(RECORD_OPTIONS);

interface RunningGeneration extends GenerationInput {
  n: number;
  suite: string;
  spec: GenerationSpec;
}

/** The making of a shared candidate: claim it, run the suite's generation plan, prepare the candidate, close the record. */
export async function generation(input: GenerationInput): Promise<GenerationResult> {
  // Running stages finish; a generation of many units asks between two of them.
  setHandler(wakeUp, () => undefined);
  return withFailureMapping(async () => {
    const claim = await records.claimGeneration({ ...input, workflowRunId: workflowInfo().runId });
    if (claim.action === 'skip') return claim.outcome === null ? { ended: 'skipped' } : failedEarlier(input);
    if (claim.action === 'pause') return { ended: 'paused' };
    if (claim.action === 'stop') return { ended: 'stopped', reason: claim.reason };
    const spec = claim.spec as unknown as GenerationSpec;
    return runAndClose({ ...input, n: claim.n, suite: claim.suite, spec });
  });
}

/** Asked again in the epoch in which it failed for good (a batch that was reset by hand). */
function failedEarlier({ generationId }: GenerationInput): GenerationResult {
  const failure = new DomainFailure('candidate.missing', `${generationId} ended before without a candidate`);
  return { ended: 'failed', failure: failure.toFailure() };
}

async function runAndClose(generation: RunningGeneration): Promise<GenerationResult> {
  const end = await runPlan(generation);
  // Its record stays open: it is claimed again when it may go on, and finds every step it has done.
  if (end instanceof AdmissionDenied) return end.how;
  const { candidate, failure, cancellation } = end;
  try {
    await CancellationScope.nonCancellable(() => close(generation, candidate, failure));
  } catch (error) {
    if (failureOf(error).type !== 'operator.superseded') throw error;
    return { ended: 'stopped', reason: 'operator.superseded' };
  }
  if (cancellation) throw cancellation;
  return failure ? { ended: 'failed', failure } : { ended: 'done' };
}

interface PlanEnd {
  candidate: MadeCandidate | null;
  failure: Failure | null;
  cancellation?: Error;
}

async function runPlan(generation: RunningGeneration): Promise<PlanEnd | AdmissionDenied> {
  const { generationId: id, epoch, n, spec } = generation;
  try {
    const plans = plansOf(generation.suite);
    if (!plans.generation) throw new DomainFailure('harness.bug', `${generation.suite} has no generation plan`);
    const caller = { manifest: plans.manifest, owner: { kind: 'generation', id } as const, epoch, n };
    const inWorkflow = (type: string): Promise<MadeCandidate> => makeInWorkflow(type, caller, spec);
    const { stages } = createStages(caller, () => checkAdmission({ generationId: id, epoch }));
    const candidate = await plans.generation(spec, { ...stages, inWorkflow });
    await callStage(caller, 'prepare', { input: asJson(candidate), summary: 'prepare the candidate' });
    return { candidate, failure: null };
  } catch (error) {
    if (isTemporalControl(error)) throw error;
    if (error instanceof AdmissionDenied) return error;
    const failure = failureOf(error);
    if (isCancellation(error)) return { candidate: null, failure, cancellation: error as Error };
    return { candidate: null, failure };
  }
}

async function close(
  generation: RunningGeneration,
  candidate: MadeCandidate | null,
  failure: Failure | null,
): Promise<void> {
  const { generationId, epoch, suite, spec } = generation;
  const { costUsd } = await records.closeGeneration({ generationId, epoch, candidate, failure });
  showEnd({
    ownerId: generationId,
    suite,
    system: spec.systemId,
    task: null,
    outcome: failure?.type ?? 'made',
    blame: failure?.blame ?? null,
    costUsd,
  });
}
