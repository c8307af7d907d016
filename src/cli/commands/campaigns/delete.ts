import { campaignNamed } from '../../../client/campaigns/campaign-named.js';
import { withConnection } from '../../../client/connection.js';
import { deleteCampaign } from '../../../client/control/delete-campaign.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { counted, dollars } from '../../../report/text/number-text.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { givenReason } from '../../options/given-reason.js';
import { mayGoOn } from '../../options/may-go-on.js';

/** `durabench delete CAMPAIGN` */
export const deleteCommand: CommandEntry = {
  declare: (program) =>
    program
      .command('delete')
      .description('take an ended campaign out of the record, with its report; its evidence goes with the next clean')
      .argument('<campaign>', 'id, unique prefix of an id, or latest')
      .option('--reason <text>', 'kept in the record of the installation')
      .option('--dry-run', 'only say what would be deleted')
      .option('-y, --yes', 'without asking'),
  action: (session, [wanted = ''], options) =>
    withConnection(session, async (connection) => {
      const { output } = session;
      const id = await campaignNamed(connection, wanted);
      const request = { id, reason: givenReason(options) };
      const { campaign } = await deleteCampaign(session, connection, { ...request, dryRun: true });
      const { trials, spend } = campaign;
      const usd = spend.microUsd / 1_000_000;
      const what = `${id}: ${counted(trials.planned, 'trial')}, ${dollars(usd)} spent`;
      const told = { campaign: id, trials: trials.planned, usd };
      if (options.dryRun === true) {
        if (output.flags.json) output.json('deleted', { dry_run: true, command: 'delete', ...told, deleted: false });
        else output.data(`would delete ${what}`);
        return EXIT.ok;
      }
      if (options.yes !== true && !(await mayGoOn(session, `delete ${what}? There is no way back.`, false)))
        throw new UserError('usage', {
          message: `${id} was not deleted: nobody said yes`,
          fix: `durabench delete ${id} --yes`,
        });
      await deleteCampaign(session, connection, request);
      if (output.flags.json) output.json('deleted', { dry_run: false, command: 'delete', ...told, deleted: true });
      else output.say(`deleted ${what}`);
      return EXIT.ok;
    }),
};
