import type { LimitedWorker } from '../../report/text/in-flight-text.js';
import type { ReportSubject } from '../../report/report-subject.js';
import { statusReport } from '../../report/status-report.js';
import type { StatusReport } from '../../contract/status.js';
import type { TrialRow, Wait } from '../../ports/records.js';
import { campaignSubject } from '../campaigns/campaign-subject.js';
import { isClosed } from '../campaigns/is-closed.js';
import { workflowProblem, workflowState, type WorkflowState } from '../campaigns/workflow-state.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import { overAll, type BudgetReport } from '../control/change-budget.js';
import type { Engine } from '../engine.js';
import { isTemporalAway } from '../open-temporal.js';
import { stackProblem } from '../stack-problem.js';
import { withEngine } from '../with-engine.js';
import { generationStatuses, type GenerationStatus } from './generation-status.js';

/** Where a campaign stands: what `status --json` holds. */
export interface CampaignStanding extends StatusReport {
  /** Those that plan with a graph; left out where none does. */
  generations?: GenerationStatus[];
  /** What is wrong with its workflows while it is open; left out where nothing is known to be. */
  problem?: string;
}

/** The same with what else there is to say of it. */
export interface CampaignState {
  subject: ReportSubject;
  isOpen: boolean;
  standing: CampaignStanding;
  generations: GenerationStatus[];
  problem: string | undefined;
  /** What its running trials wait for, the longest wait first. */
  waits: Wait[];
  /** The workers it runs on; null where it does not run. */
  workers: readonly LimitedWorker[] | null;
  /** The operator's limit over all campaigns. */
  installation: BudgetReport['installation'];
}

/** Reads where a campaign stands, by the records; Temporal is asked for seconds whether anything is wrong with its workflows (`engine` where it is open). */
export async function campaignState(
  context: Context,
  connection: Connection,
  id: string,
  engine?: Engine,
): Promise<CampaignState> {
  const { records } = connection;
  const subject = await campaignSubject(context, connection, id);
  const generations = await generationStatuses(connection, id);
  const { status, server } = subject.campaign;
  const isOpen = !isClosed(status);
  const problem = isOpen ? await problemOf(context, connection, subject, engine) : undefined;
  return {
    ...{ subject, isOpen, generations, problem },
    standing: {
      ...statusReport(subject),
      // The contract's keys alone, where no generation plans with a graph.
      ...(generations.length > 0 && { generations }),
      ...(problem !== undefined && { problem }),
    },
    waits: isOpen ? await records.waits(id) : [],
    // Temporal may be away: the record knows where it runs.
    workers: isOpen && server !== null ? await records.workerLimits(server) : null,
    installation: await overAll(connection),
  };
}

/** A server that is up answers sooner; one that is not must not keep anybody from the records. */
const ASK_MS = 3_000;

/** What is wrong with the workflows of an open campaign; undefined where nothing is known to be. */
async function problemOf(
  context: Context,
  connection: Connection,
  { campaign }: ReportSubject,
  engine: Engine | undefined,
): Promise<string | undefined> {
  const down = stackProblem(context);
  if (down !== undefined) return down;
  try {
    const look = (open: Engine): Promise<WorkflowState> => workflowState(context, connection, open, campaign.id);
    const found = engine ? look(engine) : withEngine(context, connection, look, { deadlineMs: ASK_MS });
    return workflowProblem(campaign, await found);
  } catch (error) {
    if (!isTemporalAway(error)) throw error;
    return 'Temporal does not answer: whether anything runs is not known';
  }
}

/** The trials of a campaign in plan order, and what its suite has to say of candidates by them. */
export async function campaignTrials(
  { records, suiteNamed }: Connection,
  { campaign }: Pick<ReportSubject, 'campaign'>,
): Promise<{ trials: TrialRow[]; notes: readonly string[] }> {
  const [trials, suite] = await Promise.all([records.trials(campaign.id), suiteNamed(campaign.suite)]);
  return { trials, notes: suite.candidateNotes?.(trials) ?? [] };
}
