import { withConnection } from '../../../client/connection.js';
import { compareSystems } from '../../../client/results/compare-systems.js';
import { UserError } from '../../../domain/failure/user-error.js';
import type { CommandEntry } from '../../command-entry.js';
import { CAMPAIGN_FILE, runAsked } from '../campaigns/run.js';
import { sayComparison } from './compare.js';

/** Flipped tasks of a variant that are shown; `compare` shows the others. */
const SHOWN = 10;

/** `durabench experiment FILE` */
export const experiment: CommandEntry = {
  declare: (program) =>
    program
      .command('experiment')
      .description('run a baseline and its variants on the same tasks, and decide on each: adopt, keep, undecided')
      .argument('<file>', `${CAMPAIGN_FILE} with \`experiment\``)
      .option('--id <id>', 'campaign id: a new one, or an existing campaign that asks the same question')
      .option('--detach', 'return as soon as it is started; `compare` shows what it decides once it has ended')
      .option('--dry-run', 'only say what would be started, and what it can find')
      .option('-y, --yes', 'start without asking, also where models cost money'),
  action: async (session, [file = ''], options) => {
    const { readCampaign } = await import('../../../client/plans/read-campaign.js');
    const campaign = await readCampaign(session, file);
    if (campaign.spec.experiment === undefined) throw isNone(file);
    return withConnection(session, async (connection) => {
      const asked = { id: typeof options.id === 'string' ? options.id : undefined };
      const { id, code, hasEnded } = await runAsked(session, connection, campaign, { asked, options, answer: 'own' });
      if (id !== null && hasEnded) sayComparison(session.output, await compareSystems(connection, id), SHOWN);
      return code;
    });
  },
};

function isNone(file: string): UserError {
  return new UserError('usage', {
    message: `${file}: there is no \`experiment\``,
    expected: 'which of its systems is the baseline',
    fix: 'add experiment: { baseline: SYSTEM, smallest_effect: 0.05 }; or durabench run',
  });
}
