import { campaignNamed } from '../../../client/campaigns/campaign-named.js';
import { campaignSubject } from '../../../client/campaigns/campaign-subject.js';
import { withConnection } from '../../../client/connection.js';
import { pauseCampaign, type PauseAnswer } from '../../../client/control/pause-campaign.js';
import { statusReport } from '../../../report/status-report.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { givenReason } from '../../options/given-reason.js';

/** `durabench pause CAMPAIGN` */
export const pause: CommandEntry = {
  declare: (program) =>
    program
      .command('pause')
      .description(
        'start no further trial, and no further part of a long generation; running ones finish; `resume` continues it',
      )
      .argument('<campaign>', 'id, unique prefix of an id, or latest')
      .option('--reason <text>', 'kept in the record')
      .option('--dry-run', 'only say which trials would finish and how many would wait'),
  action: (session, [wanted = 'latest'], options) =>
    withConnection(session, async (connection) => {
      const { output } = session;
      const dryRun = options.dryRun === true;
      const named = await campaignNamed(connection, wanted);
      const answer = await pauseCampaign(connection, { id: named, reason: givenReason(options), dryRun });
      const { id, effect } = answer;
      const { running: finishing, waiting } = effect;
      const words = `${finishing.length} running trials finish, ${waiting} wait`;
      if (answer.state !== 'paused') output.say(`campaign ${id} ${unchanged(answer)}: nothing was changed`);
      if (dryRun && output.flags.json)
        output.json('pause-effect', { dry_run: true, command: 'pause', campaign: id, finishing, waiting, usd: 0 });
      else if (dryRun && answer.state === 'paused') output.data(`would pause ${id}: ${words}; it costs nothing`);
      else {
        if (answer.state === 'paused') output.say(`paused ${id}: ${words}; go on with: durabench resume ${id}`);
        if (output.flags.json) output.json('status', statusReport(await campaignSubject(session, connection, id)));
      }
      return EXIT.ok;
    }),
};

function unchanged({ state, status }: PauseAnswer): string {
  if (state === 'ended') return `has ended (${status.replace('_', ' ')})`;
  return state === 'ending' ? 'is being cancelled' : 'is paused already';
}
