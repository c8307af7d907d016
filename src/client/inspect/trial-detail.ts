import type { EvidenceRef } from '../../contract/evidence.js';
import type { Problem } from '../../contract/problem.js';
import type { Records, StepRow } from '../../ports/records.js';
import type { Connection } from '../connection.js';

/** A trial with its runs, steps, votes and attempts. */
export interface TrialDetail extends TrialRecord {
  /** What the suite reads in the evidence of a graded trial that failed; null where there is nothing to read. */
  explanation: Problem | null;
  /** Page of its workflow in the Temporal UI; null where none is known. */
  temporalUi: string | null;
}

type TrialRecord = Awaited<ReturnType<Records['trial']>>;

/** Reads one trial. @param id whole */
export async function trialDetail(connection: Connection, id: string): Promise<TrialDetail> {
  const { records, services, names } = connection;
  const { workflowUrl } = await import('../../stack/services.js');
  const detail = await records.trial(id);
  const temporalUi = workflowUrl(services.temporal, names.trial(id)) ?? null;
  return { ...detail, explanation: await explanationOf(connection, detail), temporalUi };
}

async function explanationOf(
  { records, blobs, suiteNamed }: Connection,
  { trial, steps }: Pick<TrialRecord, 'trial' | 'steps'>,
): Promise<Problem | null> {
  if (trial.outcome !== 'failed') return null;
  const suite = await suiteNamed((await records.campaign(trial.campaignId)).suite);
  return (await suite.explain?.(steps, blobs)) ?? null;
}

/** A change that a step left, as evidence of the media type `text/x-diff`. */
export interface StepDiff {
  step: StepRow;
  evidence: EvidenceRef;
  text: string;
}

/** What steps made of something, as far as it is still kept. */
export async function stepDiffs({ blobs }: Connection, steps: readonly StepRow[]): Promise<StepDiff[]> {
  const diffs: StepDiff[] = [];
  for (const step of steps)
    for (const evidence of step.evidence) {
      if (!evidence.mediaType.startsWith('text/x-diff') || !(await blobs.has(evidence.sha256))) continue;
      diffs.push({ step, evidence, text: (await blobs.get(evidence.sha256)).toString('utf8') });
    }
  return diffs;
}
