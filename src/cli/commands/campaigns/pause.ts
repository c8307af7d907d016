import { statusReport } from '../../../report/status-report.js';
import type { CampaignRow } from '../../../ports/records.js';
import { author } from '../../../client/actor.js';
import { campaignSubject } from '../../../client/campaigns/campaign-subject.js';
import type { CommandEntry } from '../../command-entry.js';
import { isClosed } from '../../../client/campaigns/ended-campaign.js';
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
      const { running: finishing, waiting } = await stopEffect(place, id);
      const effect = `${finishing.length} running trials finish, ${waiting} wait`;
      const isDryRun = options.dryRun === true;
      const settled = unpausable({ status, desiredState });
      if (settled !== undefined) output.say(`campaign ${id} ${settled}: nothing was changed`);
      if (isDryRun && (settled === undefined || output.flags.json)) {
        if (output.flags.json)
          output.json('pause-effect', { dry_run: true, verb: 'pause', campaign: id, finishing, waiting, usd: 0 });
        else output.data(`would pause ${id}: ${effect}; it costs nothing`);
        return EXIT.ok;
      }
      if (settled === undefined) {
        // Nobody need be told: every admission asks the records.
        const reason = reasonOf(options, 'pause');
        await place.records.setDesiredState({ campaignId: id, state: 'pause', author: author(), reason });
        output.say(`paused ${id}: ${effect}; go on with: durabench resume ${id}`);
      }
      if (output.flags.json) output.json('status', statusReport(await campaignSubject(session, place, id)));
      return EXIT.ok;
    }),
};

/** Why there is nothing to pause. A campaign that is to end must not be brought back to life. */
function unpausable({ status, desiredState }: Pick<CampaignRow, 'status' | 'desiredState'>): string | undefined {
  if (isClosed(status)) return `has ended (${status.replace('_', ' ')})`;
  if (desiredState === 'cancel' || desiredState === 'stop') return 'is being cancelled';
  return desiredState === 'pause' ? 'is paused already' : undefined;
}
