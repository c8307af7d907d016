import type { LimitedWorker } from '../../report/text/in-flight-text.js';
import type { ReportSubject } from '../../report/report-subject.js';
import { statusReport } from '../../report/status-report.js';
import type { StatusReport } from '../../contract/status.js';
import type { TrialRow } from '../../ports/records.js';
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
import { trialsOf } from './trial-filter.js';
import { underWay, underWayReport, type UnderWay, type UnderWayReport } from './under-way.js';

/** Where a campaign stands: what `status --json` holds. */
export interface CampaignStanding extends StatusReport {
  /** Those that plan with a graph; left out where none does. */
  generations?: GenerationStatus[];
  /** What is wrong with its workflows while it is open; left out where nothing is known to be. */
  problem?: string;
  /** What is being made and waited for; left out where it has ended. */
  under_way?: UnderWayReport;
}

/** The same with what else there is to say of it. */
export interface CampaignState {
  subject: ReportSubject;
  isOpen: boolean;
  standing: CampaignStanding;
  generations: GenerationStatus[];
  problem: string | undefined;
  /** What is being made and waited for; null where it has ended. */
  underWay: UnderWay | null;
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
  const found = isOpen ? await askWorkflows(context, connection, subject, engine) : {};
  const { problem, queues = [] } = found;
  const now = isOpen ? { ...(await underWay(connection, id, { generations })), queues } : null;
  return {
    ...{ subject, isOpen, generations, problem, underWay: now },
    standing: {
      ...statusReport(subject),
      // The contract's keys alone, where no generation plans with a graph.
      ...(generations.length > 0 && { generations }),
      ...(problem !== undefined && { problem }),
      ...(now !== null && { under_way: underWayReport(now) }),
    },
    // Temporal may be away: the record knows where it runs.
    workers: isOpen && server !== null ? await records.workerLimits(server) : null,
    installation: await overAll(connection),
  };
}

/** A server that is up answers sooner; one that is not must not keep anybody from the records. */
const ASK_MS = 3_000;

/** What Temporal says of an open campaign: what is wrong with its workflows, and which steps wait for a slot. */
async function askWorkflows(
  context: Context,
  connection: Connection,
  { campaign }: ReportSubject,
  engine: Engine | undefined,
): Promise<{ problem?: string | undefined; queues?: UnderWay['queues'] | undefined }> {
  const down = stackProblem(context);
  if (down !== undefined) return { problem: down };
  try {
    const look = async (open: Engine): Promise<[WorkflowState, UnderWay['queues'] | undefined]> =>
      Promise.all([workflowState(context, connection, open, campaign.id), open.backlogs()]);
    const [state, queues] = await (engine
      ? look(engine)
      : withEngine(context, connection, look, { deadlineMs: ASK_MS }));
    return { problem: workflowProblem(campaign, state), queues };
  } catch (error) {
    if (!isTemporalAway(error)) throw error;
    return { problem: 'Temporal does not answer: whether anything runs is not known' };
  }
}

/** The trials of a campaign in plan order, and what its suite has to say of candidates by them. */
export async function campaignTrials(
  { suiteNamed }: Connection,
  subject: Pick<ReportSubject, 'campaign' | 'trialPages'>,
): Promise<{ trials: TrialRow[]; notes: readonly string[] }> {
  const [trials, suite] = await Promise.all([trialsOf(subject), suiteNamed(subject.campaign.suite)]);
  return { trials, notes: suite.candidateNotes?.(trials) ?? [] };
}
