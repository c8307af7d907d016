import { statusReport } from '../../../report/status-report.js';
import { author } from '../../../client/actor.js';
import { campaignSubject } from '../../../client/campaigns/campaign-subject.js';
import type { CommandEntry } from '../../command-entry.js';
import { endedCampaign, isClosed } from '../../../client/campaigns/ended-campaign.js';
import { EXIT } from '../../exit-code.js';
import { reasonOf } from '../../options/reason-of.js';
import { stopEffect } from '../../../client/campaigns/stop-effect.js';
import { campaignId, withConnection } from '../../../client/connection.js';

/** `durabench pause CAMPAIGN` */
export const pause: CommandEntry = {
  declare: (program) =>
    program
      .command('pause')
      .description(
        'admit no further trial, nor a further part of a long generation; what runs finishes; `resume` goes on',
      )
      .argument('<campaign>', 'id, unique beginning of an id, or latest')
      .option('--reason <text>', 'kept in the record')
      .option('--dry-run', 'only say which trials would finish and how many would wait'),
  action: (session, [wanted = 'latest'], options) =>
    withConnection(session, async (place) => {
      const { output } = session;
      const id = await campaignId(place.records, wanted);
      const campaign = await place.records.campaign(id);
      const { status, desiredState } = campaign;
      if (isClosed(status)) throw endedCampaign(id, status);
      // It would bring the campaign back to life.
      if (desiredState === 'cancel' || desiredState === 'stop') throw endedCampaign(id, 'cancelled');
      const { running: finishing, waiting } = await stopEffect(place, id);
      const effect = `${finishing.length} running trials finish, ${waiting} wait`;
      if (options.dryRun === true) {
        if (output.flags.json) output.json({ dry_run: true, verb: 'pause', campaign: id, finishing, waiting, usd: 0 });
        else output.data(`would pause ${id}: ${effect}; it costs nothing`);
        return EXIT.ok;
      }
      if (desiredState === 'pause') output.say(`campaign ${id} is paused already: nothing was changed`);
      else {
        // Nobody need be told: every admission asks the records.
        const reason = reasonOf(options, 'pause');
        await place.records.setDesiredState({ campaignId: id, state: 'pause', author: author(), reason });
        output.say(`paused ${id}: ${effect}; go on with: durabench resume ${id}`);
      }
      if (output.flags.json) output.json(statusReport(await campaignSubject(session, place, id)));
      return EXIT.ok;
    }),
};
