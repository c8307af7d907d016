import { campaignNamed } from '../../../client/campaigns/campaign-named.js';
import { withConnection } from '../../../client/connection.js';
import { resumeCampaign } from '../../../client/control/resume-campaign.js';
import { withEngine } from '../../../client/with-engine.js';
import type { CommandEntry } from '../../command-entry.js';
import { givenReason } from '../../options/given-reason.js';
import { showRuns } from './show-runs.js';

/** `durabench resume CAMPAIGN` */
export const resume: CommandEntry = {
  declare: (program) =>
    program
      .command('resume')
      .description(
        'continue a campaign: trials that were interrupted, paused, planned or not run; answered calls are not paid again',
      )
      .argument('[campaign]', 'id, unique beginning of an id, or latest', 'latest')
      .option('--take-over', 'take it over from another server that may still run it')
      .option('--reason <text>', 'kept in the record')
      .option('--dry-run', 'only say which trials would be run, why, and about what it would cost')
      .option('--detach', 'return as soon as it runs'),
  action: (session, [wanted = 'latest'], options) => {
    const [isDryRun, isDetached] = [options.dryRun === true, options.detach === true];
    return withConnection(session, (connection) =>
      withEngine(session, connection, async (engine) => {
        const answer = await resumeCampaign(session, connection, engine, {
          id: await campaignNamed(connection, wanted),
          ...{ reason: givenReason(options), dryRun: isDryRun, takeOver: options.takeOver === true },
        });
        return showRuns(session, { connection, engine }, { command: 'resume', isDryRun, isDetached }, answer);
      }),
    );
  },
};
