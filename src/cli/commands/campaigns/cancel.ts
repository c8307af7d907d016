import { campaignNamed } from '../../../client/campaigns/campaign-named.js';
import { campaignSubject } from '../../../client/campaigns/campaign-subject.js';
import { withConnection, type Connection } from '../../../client/connection.js';
import {
  beforeDeadline,
  cancelCampaign,
  CancelTimeout,
  type CancelAnswer,
} from '../../../client/control/cancel-campaign.js';
import type { StopEffect } from '../../../client/control/stop-effect.js';
import { statusReport } from '../../../report/status-report.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { reattachText } from '../../format/reattach-text.js';
import { givenReason } from '../../options/given-reason.js';
import type { Session } from '../../session.js';
import { showProgress } from './watch-campaign.js';

/** `durabench cancel CAMPAIGN` */
export const cancel: CommandEntry = {
  declare: (program) =>
    program
      .command('cancel')
      .description('end a campaign: running trials are stopped, waiting ones become not run; `resume` continues it')
      .argument('<campaign>', 'id, unique prefix of an id, or latest')
      .option('--reason <text>', 'kept in the record')
      .option('--detach', 'do not wait until it has ended')
      .option('--dry-run', 'only say which trials would be stopped and how many would not be run'),
  action: async (session, [wanted = 'latest'], options) => {
    const asked = { reason: givenReason(options), dryRun: options.dryRun === true, wait: options.detach !== true };
    try {
      return await beforeDeadline(session, wanted, (progress) =>
        withConnection(session, async (connection) => {
          const id = await campaignNamed(connection, wanted);
          const request = { ...asked, id, progress, ...showProgress(session) };
          return show(session, connection, await cancelCampaign(session, connection, request));
        }),
      );
    } catch (error) {
      if (error instanceof CancelTimeout) leaveSoon();
      throw error;
    }
  },
};

/** What hangs keeps its connections open, and the process with them. */
const LEAVE_MS = 1_000;

function leaveSoon(): void {
  setTimeout(() => process.exit(EXIT.environment), LEAVE_MS).unref();
}

async function show(session: Session, connection: Connection, answer: CancelAnswer): Promise<ExitCode> {
  const { output } = session;
  const { id, status } = answer;
  if (answer.state === 'dry-run') return showEffect(session, id, answer.effect);
  if (answer.state === 'ended-before') {
    const ended = status === 'cancelled' ? 'was cancelled before' : `has ended (${status.replace('_', ' ')})`;
    output.say(`campaign ${id} ${ended}: nothing was changed`);
    if (answer.effect !== null && output.flags.json) return showEffect(session, id, answer.effect);
  } else if (answer.state === 'ending') output.say(reattachText(id, answer.background));
  if (output.flags.json) output.json('status', statusReport(await campaignSubject(session, connection, id)));
  return EXIT.ok;
}

function showEffect({ output }: Session, id: string, { running: stopping, waiting, finished }: StopEffect): ExitCode {
  if (output.flags.json)
    output.json('cancel-effect', {
      dry_run: true,
      command: 'cancel',
      campaign: id,
      stopping,
      waiting,
      finished,
      usd: 0,
    });
  else
    output.data(
      `would cancel ${id}: ${stopping.length} running trials are stopped, ${waiting} are not run, ${finished} stay as they ended; it costs nothing`,
    );
  return EXIT.ok;
}
