import { setTimeout as sleep } from 'node:timers/promises';
import type { ReportSubject } from '../../report/report-subject.js';
import { campaignSubject } from './campaign-subject.js';
import type { Engine } from '../engine.js';
import { isClosed } from './is-closed.js';
import type { Context } from '../context.js';
import { stackProblem } from '../stack-problem.js';
import type { Records } from '../../ports/records.js';
import { createWaitNotes } from '../../report/text/wait-lines.js';
import { underWay, type UnderWay } from '../inspect/under-way.js';
import { plainLine } from '../../domain/text/plain-text.js';
import { UserError } from '../../domain/failure/user-error.js';
import { kindOf, problemsOf } from '../../domain/failure/problems-of.js';
import { isRunByNobody, workflowProblem, workflowState, type WorkflowState } from './workflow-state.js';
import type { Connection } from '../connection.js';

const POLL_MS = 500;
/** How often one row is asked whether the campaign has ended. */
const END_POLL_MS = 200;
/**
 * Sums over the rows of a campaign are not free, and what it runs has the same cores: at most this share of the time is
 * spent asking. Whether it has ended is asked meanwhile: nobody waits out a pause for a result that is there.
 */
const POLL_SHARE = 0.02;
/** But one slow answer, of a machine that had other things to do, is no reason to stand still for minutes. */
const MOST_POLL_MS = 15_000;
/** How often Temporal is asked whether the campaign's workflow still runs. */
const WORKFLOW_CHECK_MS = 10_000;
/** How often what is made and waited for is looked up. */
const UNDER_WAY_MS = 5_000;
/** How often about every workflow of it: there may be hundreds. */
const STUCK_CHECK_MS = 30_000;

/** Which campaign to watch. */
export interface FollowRequest {
  id: string;
  engine: Engine;
}

/** How watching ended. `lost`: the records say it runs, but no workflow does, or what is left of it cannot go on. */
export type FollowEnd =
  { ended: 'closed'; subject: ReportSubject } | { ended: 'detached' } | { ended: 'lost'; why: string };

/** Whom to tell. */
export interface FollowCallbacks {
  onState: (subject: ReportSubject, isLast: boolean) => void;
  /** What is made and waited for, looked up now and then. */
  onUnderWay?: ((now: UnderWay) => void) | undefined;
  /** It is not watched any more, though it has not ended. */
  onDetach?: (() => void) | undefined;
}

/** Watches a campaign until it is closed, telling its state now and then; survives Postgres and Temporal being away meanwhile. */
export async function followCampaign(
  context: Context,
  connection: Connection,
  watch: FollowRequest & FollowCallbacks & { signal: AbortSignal },
): Promise<FollowEnd> {
  const { signal, onState } = watch;
  let checkedAt = Date.now();
  const look = lookAtWorkflows(context, connection, watch);
  const tellUnderWay = followUnderWay(context, connection, watch);
  while (!signal.aborted) {
    const askedAt = Date.now();
    const subject = await subjectOrWait(context, connection, watch.id);
    if (subject !== undefined) {
      if (isClosed(subject.campaign.status)) {
        onState(subject, true);
        return { ended: 'closed', subject };
      }
      await tellUnderWay();
      onState(subject, false);
      if (Date.now() - checkedAt >= WORKFLOW_CHECK_MS) {
        if (await isLost(context, connection, watch)) return { ended: 'lost', why: WORKFLOW_ENDED };
        const why = await look(subject.campaign);
        if (why !== undefined) return { ended: 'lost', why };
        checkedAt = Date.now();
      }
    }
    await untilClosed(connection, watch, Date.now() + pollPauseMs(Date.now() - askedAt));
  }
  watch.onDetach?.();
  return { ended: 'detached' };
}

/** What is said of a campaign that nobody runs, or that cannot go on (`lost`). */
export function lostCampaign(id: string, why: string): UserError {
  return new UserError('environment', {
    message: `campaign ${id} is not finished, but ${why}`,
    fix: `durabench resume ${id}`,
  });
}

/** Returns when it is time for the next poll: then, when the campaign is closed, or at an abort. */
export async function untilClosed(
  { records }: { records: Pick<Records, 'campaignStatus'> },
  { id, signal }: { id: string; signal: AbortSignal },
  until: number,
): Promise<void> {
  let pauseMs = END_POLL_MS;
  while (!signal.aborted && Date.now() < until) {
    await sleep(Math.min(pauseMs, until - Date.now()), undefined, { signal }).catch(() => undefined); // an abort only ends it early
    const askedAt = Date.now();
    // Postgres that is unavailable is told by the next poll.
    const status = await records.campaignStatus(id).catch(() => undefined);
    if (status !== undefined && isClosed(status)) return;
    pauseMs = pollPauseMs(Date.now() - askedAt, END_POLL_MS);
  }
}

const WORKFLOW_ENDED = 'its workflow ended (terminated, failed, or another Temporal server)';

/**
 * Looks at the workflows now and then, and says what is wrong with them. Answers why there is nothing to wait for: some
 * cannot go on, and since the last look nothing else has.
 */
function lookAtWorkflows(
  context: Context,
  connection: Connection,
  { id, engine }: FollowRequest,
): (campaign: ReportSubject['campaign']) => Promise<string | undefined> {
  let lookedAt = 0;
  let stood: string | undefined;
  return async (campaign) => {
    if (Date.now() - lookedAt < STUCK_CHECK_MS) return undefined;
    lookedAt = Date.now();
    // Postgres that is unavailable is told by the next poll.
    const found = await workflowState(context, connection, engine, id).catch((): WorkflowState => ({ state: 'fine' }));
    const problem = workflowProblem(campaign, found);
    if (problem !== undefined) context.notify({ type: 'waiting', message: problem });
    const before = stood;
    stood = found.state === 'stuck' ? JSON.stringify([campaign.trials, campaign.spend]) : undefined;
    return stood !== undefined && stood === before ? 'what is left of it cannot go on' : undefined;
  };
}

/** How long to wait after a poll that took so long, in ms. */
export function pollPauseMs(tookMs: number, leastMs = POLL_MS): number {
  return Math.min(MOST_POLL_MS, Math.max(leastMs, tookMs / POLL_SHARE));
}

/** True when no workflow runs that could still close the campaign. Says what else may keep it open. */
async function isLost(context: Context, connection: Connection, watch: FollowRequest): Promise<boolean> {
  const { id, engine } = watch;
  const problem = stackProblem(context);
  if (problem !== undefined) context.notify({ type: 'waiting', message: `waiting: ${problem}` });
  // A server that cannot be asked is no evidence.
  if ((await engine.runsNow(id)) !== false) return false;
  return isRunByNobody(context, connection, engine, id);
}

/** Looks at what is under way now and then; a wait is notified once, and so is its end. */
function followUnderWay(
  context: Context,
  connection: Connection,
  { id, engine, onUnderWay }: FollowRequest & FollowCallbacks,
): () => Promise<void> {
  let lookAt = 0;
  const notes = createWaitNotes();
  return async () => {
    const startedAt = Date.now();
    if (startedAt < lookAt) return;
    // Postgres that is unavailable is told by the next poll.
    const now = await underWay(connection, id, { engine }).catch(() => undefined);
    lookAt = Date.now() + pollPauseMs(Date.now() - startedAt, UNDER_WAY_MS);
    if (now === undefined) return;
    for (const message of notes(now.waits)) context.notify({ type: 'waiting', message });
    onUnderWay?.(now);
  };
}

async function subjectOrWait(context: Context, connection: Connection, id: string): Promise<ReportSubject | undefined> {
  try {
    return await campaignSubject(context, connection, id);
  } catch (error) {
    if (kindOf(error) !== 'environment' && !isAway(error)) throw error;
    const [problem] = problemsOf(error);
    context.notify({ type: 'waiting', message: `waiting for Postgres: ${plainLine(problem?.message ?? '', 400)}` });
    await sleep(2_000);
    return undefined;
  }
}

/** SQLSTATE classes 08 (connection) and 57 (the server is going or coming), and the driver's own words for a cut one. */
function isAway(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string };
  return /^(08|57)/.test(code ?? '') || /terminat|timeout|Connection/i.test(message);
}
