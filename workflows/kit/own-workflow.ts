import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { Workflow } from '@temporalio/workflow';
import type { Json } from '../../src/contract/json.js';
import type { GenerationSpec, MadeCandidate } from '../../src/contract/trial.js';
import { DomainFailure } from '../../src/domain/failure/domain-failure.js';
import { plansOf } from '../../tasks/plans.js';
import { AdmissionDenied, checkAdmission, type OwnWorkflowResult } from './admission.js';
import { ownNames, startNamedChild } from './children.js';
import { failureOf } from './failure-of.js';
import { callStage, type StageCaller } from './stages.js';

export { AdmissionDenied, checkAdmission, type OwnWorkflowResult };

/** Input of a workflow that makes a candidate on behalf of a generation (`GenerationStages.inWorkflow`), and of its children. */
export interface OwnWorkflowInput {
  suite: string;
  generationId: string;
  epoch: number;
  n: number;
  settings: GenerationSpec['settings'];
}

/** A step of the generation on whose behalf such a workflow runs. */
export function generationStep<Result>(
  { suite, generationId: id, epoch, n }: Omit<OwnWorkflowInput, 'settings'>,
  call: { step: string; input: Json; summary: string },
): Promise<Result> {
  const caller = { manifest: plansOf(suite).manifest, owner: { kind: 'generation', id } as const, epoch, n };
  return callStage<Result>(caller, 'generate', call);
}

/** Runs the workflow of that type as a child under its type and the generation's id, to its candidate. */
export async function makeInWorkflow(type: string, caller: StageCaller, spec: GenerationSpec): Promise<MadeCandidate> {
  const { generationId, systemId, scope, settings } = spec;
  const { epoch, n, manifest } = caller;
  const input: OwnWorkflowInput = { suite: manifest.id, generationId, epoch, n, settings };
  try {
    const child = await startNamedChild({
      workflow: type as unknown as Workflow,
      input: input as never,
      workflowId: ownNames().workflow(type, generationId),
      summary: `${systemId} makes ${scope}`,
    });
    const result = (await child.result()) as OwnWorkflowResult;
    if (result.ended === 'made') return result.candidate;
    throw new AdmissionDenied(result);
  } catch (error) {
    if (error instanceof AdmissionDenied || (isCancellation(error) && CancellationScope.current().consideredCancelled))
      throw error;
    const { type: failureType, ...problem } = failureOf(error);
    throw new DomainFailure(failureType, problem);
  }
}
