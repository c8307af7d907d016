import { trialByPath } from '../../../client/campaigns/trial-named.js';
import { withConnection } from '../../../client/connection.js';
import { reviewTrial } from '../../../client/control/review-trial.js';
import { UserError } from '../../../domain/failure/user-error.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { givenReason } from '../../options/given-reason.js';

/** `durabench review TRIAL --status S --reason TEXT` */
export const review: CommandEntry = {
  declare: (program) =>
    program
      .command('review')
      .description('record what a person says of a graded trial; its verdict stays, and reports show both')
      .argument('<trial>', '<campaign>/<task>/<system>/<repeat>, or a unique prefix of it')
      .option('--status <status>', "the person's: one of the suite's statuses")
      .option('--reason <text>', 'why, kept in the record')
      .option('--dry-run', 'only say what would be recorded'),
  action: (session, [wanted = ''], options) =>
    withConnection(session, async (connection) => {
      const { output } = session;
      const [status, reason] = [typeof options.status === 'string' ? options.status : '', givenReason(options)];
      if (status === '' || reason === undefined)
        throw new UserError('usage', {
          message: 'a review has a status and a reason',
          expected: 'both --status and --reason',
          fix: `durabench review ${wanted} --status STATUS --reason TEXT`,
        });
      const trial = await trialByPath(connection, wanted);
      const dryRun = options.dryRun === true;
      const { judged, author, campaign } = await reviewTrial(session, connection, { trial, status, reason, dryRun });
      if (output.flags.json)
        output.json('review', { dry_run: dryRun, command: 'review', trial, campaign, judged, status, author, reason });
      else
        output.say(`${dryRun ? 'would record' : 'recorded'}: ${trial} is ${status} (judged ${judged}), says ${author}`);
      return EXIT.ok;
    }),
};
