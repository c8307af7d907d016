import { followCampaign, type FollowEnd, type FollowRequest } from '../../../client/campaigns/follow-campaign.js';
import type { Connection } from '../../../client/connection.js';
import type { ReportSubject } from '../../../report/report-subject.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { createProgress } from '../../format/progress.js';
import type { Session } from '../../session.js';

/** Follows a campaign with its progress on the output. */
export async function watchCampaign(
  session: Session,
  place: Connection,
  watch: FollowRequest & { signal: AbortSignal },
): Promise<FollowEnd> {
  const progress = createProgress(session.output);
  const onState = (subject: ReportSubject, isLast: boolean): void =>
    isLast ? progress.end(subject) : progress.show(subject);
  const end = await followCampaign(session, place, { ...watch, onState });
  if (end.ended === 'detached') session.output.settle();
  return end;
}

/** The exit code of a campaign that ended. */
export function exitCodeOf(subject: ReportSubject): ExitCode {
  const { status, trials } = subject.campaign;
  if (status === 'budget_exhausted') return EXIT.budget;
  if (status === 'cancelled') return EXIT.cancelled;
  return trials.errored > 0 || trials.not_run > 0 ? EXIT.errored : EXIT.ok;
}
