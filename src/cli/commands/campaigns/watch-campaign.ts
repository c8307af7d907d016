import {
  followCampaign,
  lostCampaign,
  type FollowCallbacks,
  type FollowRequest,
} from '../../../client/campaigns/follow-campaign.js';
import type { Connection } from '../../../client/connection.js';
import { reportedCampaign } from '../../../client/inspect/campaign-report.js';
import { inBackground } from '../../../client/control/background.js';
import type { ReportSubject } from '../../../report/report-subject.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { showEnd } from '../../format/campaign-end.js';
import { createProgress } from '../../format/progress.js';
import { reattachText } from '../../format/reattach-text.js';
import type { Session } from '../../session.js';

/** How watching ended. */
interface Watched {
  code: ExitCode;
  /** False: the campaign was left to run, and nothing was printed on stdout. */
  hasEnded: boolean;
}

/**
 * Watches a campaign; at its end shows the result. The first Ctrl-C detaches.
 * @param show the result, where a command has another answer
 */
export async function watchToEnd(
  session: Session,
  connection: Connection,
  watch: FollowRequest,
  show = showEnd,
): Promise<Watched> {
  const interrupt = session.onInterrupt();
  try {
    const request = { ...watch, ...showProgress(session), signal: interrupt.signal };
    const end = await followCampaign(session, connection, request);
    if (end.ended === 'lost') throw lostCampaign(watch.id, end.why);
    if (end.ended === 'detached') {
      session.output.warn(`detached; ${reattachText(watch.id, await inBackground(session, connection, watch))}`);
      return { code: EXIT.ok, hasEnded: false };
    }
    // Where the worker has not written it.
    show(session.output, await reportedCampaign(session, end.subject));
    return { code: exitCodeOf(end.subject), hasEnded: true };
  } finally {
    interrupt.release();
  }
}

/** Has the progress of a campaign that is watched on the output. */
export function showProgress({ output }: Session): FollowCallbacks {
  const progress = createProgress(output);
  return {
    onState: (subject, isLast) => (isLast ? progress.end(subject) : progress.show(subject)),
    onUnderWay: (now) => progress.underWay(now),
    onDetach: () => output.settle(),
  };
}

/** The exit code of a campaign that ended. */
export function exitCodeOf(subject: ReportSubject): ExitCode {
  const { status, trials } = subject.campaign;
  if (status === 'budget_exhausted') return EXIT.budget;
  if (status === 'cancelled') return EXIT.cancelled;
  return trials.errored > 0 || trials.not_run > 0 ? EXIT.errored : EXIT.ok;
}
