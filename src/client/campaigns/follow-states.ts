import type { StatusReport } from '../../contract/status.js';
import { statusReport } from '../../report/status-report.js';
import { followCampaign, lostCampaign, type FollowRequest } from './follow-campaign.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';

/**
 * The state of a campaign, again and again until it has ended; the last one is of its end.
 * @throws UserError where no workflow runs it any more
 */
export async function* followStates(
  context: Context,
  connection: Connection,
  { id, engine, signal }: FollowRequest & { signal?: AbortSignal | undefined },
): AsyncGenerator<StatusReport, void> {
  const left = new AbortController();
  const states: StatusReport[] = [];
  let isOver = false;
  let wake = (): void => undefined;
  const end = followCampaign(context, connection, {
    ...{ id, engine, signal: signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]) },
    onState: (subject) => {
      states.push(statusReport(subject));
      wake();
    },
  }).finally(() => {
    isOver = true;
    wake();
  });
  end.catch(() => undefined); // thrown below, to whoever reads
  try {
    while (!isOver || states.length > 0) {
      const next = states.shift();
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    const ended = await end;
    if (ended.ended === 'lost') throw lostCampaign(id, ended.why);
  } finally {
    left.abort();
  }
}
