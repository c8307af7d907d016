import type { EvidenceRef } from '../../contract/evidence.js';
import type { Problem } from '../../contract/problem.js';
import type { CampaignSpec } from '../../contract/campaign.js';
import { recordedReviews } from '../../report/report-subject.js';
import type { Records, StepRow, TrialRow } from '../../ports/records.js';
import type { KnownSuite } from '../../suite/registry.js';
import type { ReportTable } from '../../suite/report.js';
import type { TaskText } from '../../suite/suite.js';
import type { Connection } from '../connection.js';
import { lastAnswer, type LastAnswer } from './last-answer.js';

/** A trial with its runs, steps, votes and attempts. */
export interface TrialDetail extends TrialRecord {
  /** What the suite reads in the evidence of a graded trial that failed; null where there is nothing to read. */
  explanation: Problem | null;
  /** Of one that failed: whose failure it points to, as a code of `explain`; null where that is not told. */
  failureClass: string | null;
  /** What its grader found, part by part, and what people said of it; none where the evidence is gone, or the suite has no such tables. */
  tables: ReportTable[];
  /** What was asked and how it is tested; null where the text is not on this machine, or the suite has none. */
  task: TaskText | null;
  /** The command that runs it again, with the answers that are stored; null while it has not ended. */
  again: string | null;
  /** Page of its workflow in the Temporal UI; null where none is known. */
  temporalUi: string | null;
}

/** With what a model answered last, the system before its judges; null where no model was asked in this trial. */
export type AnsweredTrial = TrialDetail & { answer: LastAnswer | null };

/** The same as {@link trialDetail}, and the words of the last answer. */
export async function answeredTrial(connection: Connection, id: string): Promise<AnsweredTrial> {
  return { ...(await trialDetail(connection, id)), answer: await lastAnswer(connection, id) };
}

type TrialRecord = Awaited<ReturnType<Records['trial']>>;

/** Reads one trial. @param id whole */
export async function trialDetail(connection: Connection, id: string): Promise<TrialDetail> {
  const { records, services, names, suiteNamed } = connection;
  const { workflowUrl } = await import('../../stack/services.js');
  const detail = await records.trial(id);
  const campaign = await records.campaign(detail.trial.campaignId);
  const own = { ...detail, campaign, suite: await suiteNamed(campaign.suite) };
  const temporalUi = workflowUrl(services.temporal, names.trial(id)) ?? null;
  return {
    ...detail,
    explanation: await explanationOf(connection, own),
    failureClass: detail.trial.outcome === 'failed' ? (own.suite.failures?.classOf(detail.trial) ?? null) : null,
    tables: [
      ...((await own.suite.trialTables?.(own.steps, connection.blobs)) ?? []),
      ...(own.suite.reviews === undefined ? [] : reviewTable(id, await records.events(campaign.id))),
    ],
    task: await taskOf(connection, own),
    again: detail.trial.outcome === null ? null : retryCommand(detail.trial),
    temporalUi,
  };
}

/** What people said of the trial, oldest first; nothing where nobody has. */
function reviewTable(id: string, events: Parameters<typeof recordedReviews>[0]): ReportTable[] {
  const rows = recordedReviews(events)
    .filter(({ trial }) => trial === id)
    .map(({ judged, status, author, reason, at }) => [judged, status, author, reason, at]);
  if (rows.length === 0) return [];
  const columns = ['judged', 'reviewed as', 'by', 'reason', 'at'].map((title) => ({ title, kind: 'text' as const }));
  return [{ title: 'Reviews', columns, rows, notes: ['The verdict stays; reports show both counts.'] }];
}

type OwnParts = Pick<TrialRecord, 'trial' | 'steps'> & { campaign: { spec: CampaignSpec }; suite: KnownSuite };

async function explanationOf({ blobs }: Connection, { trial, steps, suite }: OwnParts): Promise<Problem | null> {
  if (trial.outcome !== 'failed') return null;
  return (await suite.explain?.(steps, blobs)) ?? null;
}

async function taskOf({ records, blobs }: Connection, own: OwnParts): Promise<TaskText | null> {
  const { trial, steps, campaign, suite } = own;
  const system = campaign.spec.systems.find(({ id }) => id === trial.systemId);
  if (suite.taskText === undefined || system === undefined) return null;
  const sha256 = await records.taskHash(trial.campaignId, trial.taskId);
  return sha256 === null ? null : suite.taskText({ id: trial.taskId, sha256, system, steps }, blobs);
}

/** A further run of the same candidate: shown beside this one, and never the score of a trial that has one. */
function retryCommand({ id, outcome }: TrialRow): string {
  const [campaign = '', ...trial] = id.split('/');
  const reason = outcome === 'passed' || outcome === 'failed' ? ' --reason "a second look"' : '';
  return `durabench retry ${campaign} --trial ${trial.join('/')}${reason}`;
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
