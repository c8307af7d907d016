import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import type { MadeCandidate } from '../../src/contract/trial.js';
import type { StopReason } from '../messages.js';
import { RECORD_OPTIONS } from './options.js';

const records = proxyLocalActivities<Activities>(RECORD_OPTIONS);

/** How a workflow that makes a candidate on behalf of a generation ends. */
export type OwnWorkflowResult =
  { ended: 'made'; candidate: MadeCandidate } | { ended: 'paused' } | { ended: 'stopped'; reason: StopReason };

/** Thrown inside a trial or generation that has to wait or to end before it is done; nothing is lost by it. */
export class AdmissionDenied extends Error {
  override readonly name = 'AdmissionDenied';
  readonly how: Exclude<OwnWorkflowResult, { ended: 'made' }>;

  constructor(how: AdmissionDenied['how']) {
    super(`not admitted: ${how.ended}`);
    this.how = how;
  }
}

/** Asks Postgres whether the generation may go on. @throws AdmissionDenied when it is paused or stopped */
export async function checkAdmission({ generationId, epoch }: { generationId: string; epoch: number }): Promise<void> {
  deny(await records.admitGeneration({ generationId, epoch }));
}

/** The same for a run of a trial, which a pause puts back: it is claimed again, as the same run. */
export async function checkTrial(trial: { trialId: string; epoch: number; n: number }): Promise<void> {
  deny(await records.admitTrial(trial));
}

function deny(answer: Awaited<ReturnType<Activities['admitTrial']>>): void {
  if (answer.action === 'pause') throw new AdmissionDenied({ ended: 'paused' });
  if (answer.action === 'stop') throw new AdmissionDenied({ ended: 'stopped', reason: answer.reason });
}
