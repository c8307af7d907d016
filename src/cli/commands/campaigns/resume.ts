import { resumeCampaign } from '../../../client/control/resume-campaign.js';
import type { CommandEntry } from '../../command-entry.js';
import { askForRuns, runsOptions } from './runs-command.js';

/** `durabench resume CAMPAIGN` */
export const resume: CommandEntry = {
  declare: (program) =>
    runsOptions(
      program
        .command('resume')
        .description(
          'continue a campaign: trials that were interrupted, paused, planned or not run; answered calls are not paid again',
        )
        .argument('[campaign]', 'id, unique prefix of an id, or latest', 'latest'),
      'only say which trials would be run, why, and about what it would cost',
    ),
  action: (session, [wanted], options) =>
    askForRuns(session, 'resume', { wanted, options }, (connection, engine, request) =>
      resumeCampaign(session, connection, engine, request),
    ),
};
