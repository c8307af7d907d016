import { setTimeout as sleep } from 'node:timers/promises';
import type { CampaignStatus } from '../contract/campaign.js';
import type { ReportSubject } from '../report/report-subject.js';
import { campaignSubject } from './campaign-subject.js';
import type { Engine } from './engine.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { failureReport } from './failure-report.js';
import { progressLine, progressLines, trialsPerSecond } from './progress-lines.js';
import type { Session } from './session.js';
import type { Workplace } from './workplace.js';

const POLL_MS = 500;
/** Sums over the rows of a large campaign are not free: this share of the time at most is spent asking. */
const POLL_SHARE = 0.1;
/** A log needs fewer lines than a terminal. */
const PLAIN_LINE_MS = 5_000;
/** How often Temporal is asked whether the campaign's workflow still runs. */
const WORKFLOW_CHECK_MS = 10_000;

/** Which campaign to watch. */
export interface FollowRequest {
  id: string;
  engine: Engine;
  /**
   * The campaign's epoch before it was started again: until its workflow has opened the books anew, what they say of
   * the end is about the time before.
   */
  epochBefore?: number;
}

/** How watching ended. `lost`: the records say it runs, but no workflow does. */
export type FollowEnd = { ended: 'closed'; subject: ReportSubject } | { ended: 'detached' } | { ended: 'lost' };

/** Watches a campaign until its books are closed; survives Postgres and Temporal being away meanwhile. */
export async function followCampaign(
  session: Session,
  place: Workplace,
  watch: FollowRequest & { signal: AbortSignal },
): Promise<FollowEnd> {
  const { output } = session;
  const { id, engine, signal, epochBefore = -1 } = watch;
  let saidAt = 0;
  let said = '';
  let checkedAt = Date.now();
  let since: { done: number; at: number } | undefined;
  while (!signal.aborted) {
    const askedAt = Date.now();
    const subject = await subjectOrWait(session, place, id);
    if (subject !== undefined) {
      const { done } = subject.campaign.trials;
      since ??= { done, at: askedAt };
      const perSecond = trialsPerSecond(done, since);
      if (output.isLive) output.redraw(progressLines(subject, perSecond));
      else if (Date.now() - saidAt >= PLAIN_LINE_MS) {
        const line = progressLine(subject, perSecond);
        if (line !== said) output.say(line);
        [saidAt, said] = [Date.now(), line];
      }
      if (isClosed(subject.campaign.status) && subject.campaign.epoch > epochBefore) {
        if (output.isLive) output.settle();
        else output.say(progressLine(subject, perSecond));
        return { ended: 'closed', subject };
      }
      if (Date.now() - checkedAt >= WORKFLOW_CHECK_MS) {
        checkedAt = Date.now();
        if (!(await engine.isRunning(id)) && !(await isClosedNow(place, id, epochBefore))) return { ended: 'lost' };
      }
    }
    const pause = Math.max(POLL_MS, (Date.now() - askedAt) / POLL_SHARE);
    await sleep(pause, undefined, { signal }).catch(() => undefined); // an abort only ends it early
  }
  output.settle();
  return { ended: 'detached' };
}

/** The exit code of a campaign that ended. */
export function exitCodeOf(subject: ReportSubject): ExitCode {
  const { status, trials } = subject.campaign;
  if (status === 'budget_exhausted') return EXIT.budget;
  if (status === 'cancelled') return EXIT.cancelled;
  return trials.errored > 0 ? EXIT.errored : EXIT.ok;
}

/** True when the campaign's books are closed. */
export function isClosed(status: CampaignStatus): boolean {
  return status === 'completed' || status === 'budget_exhausted' || status === 'cancelled';
}

async function isClosedNow(place: Workplace, id: string, epochBefore: number): Promise<boolean> {
  const { status, epoch } = await place.records.campaign(id);
  return isClosed(status) && epoch > epochBefore;
}

async function subjectOrWait(session: Session, place: Workplace, id: string): Promise<ReportSubject | undefined> {
  try {
    return await campaignSubject(session, place, id);
  } catch (error) {
    const report = failureReport(error, { stack: session.output.flags.verbose });
    if (report.exitCode !== EXIT.environment && !isAway(error)) throw error;
    session.output.say(`waiting for Postgres: ${report.text.split('\n')[0]?.replace(/^error: /, '') ?? ''}`);
    await sleep(2_000);
    return undefined;
  }
}

/** SQLSTATE classes 08 (connection) and 57 (the server is going or coming), and the driver's own words for a cut one. */
function isAway(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string };
  return /^(08|57)/.test(code ?? '') || /terminat|timeout|Connection/i.test(message);
}
