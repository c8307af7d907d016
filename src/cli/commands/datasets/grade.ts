import { campaignSubject } from '../../../client/campaigns/campaign-subject.js';
import { withConnection } from '../../../client/connection.js';
import { gradingCampaign } from '../../../client/datasets/grading-campaign.js';
import { refuseMissing } from '../../../client/datasets/refuse-missing.js';
import { prepareMachine } from '../../../client/machine/prepare-machine.js';
import { detailTable } from '../../../report/result-table.js';
import type { CommandEntry } from '../../command-entry.js';
import { rejectUnusedOptions } from '../../options/action-options.js';
import { nameList } from '../../options/name-list.js';
import { asNumber, modelOptions, needsModel, readModel } from '../../options/model-options.js';
import { runAsked } from '../campaigns/run.js';

/** `durabench grade PATH --project NAME`, or `--suite NAME` */
export const grade: CommandEntry = {
  declare: (program) => {
    const command = program
      .command('grade')
      .description('grade what was made elsewhere: prepare what is missing, run the tasks, print the result card')
      .argument(
        '<path>',
        'folder, git checkout or archive (.zip, .whl, .tar, .tar.gz): a repository, or answers to the tasks of the suite; or predictions of models (.jsonl), a line for each answer',
      )
      .option('--project <name>', 'the project it is measured by, see `durabench suites`')
      .option(
        '--suite <name>',
        'the suite it is measured by, where that is not told by the project: all of its projects',
      )
      .option('--limit <n>', 'at most so many tasks, spread over the categories')
      .option(
        '--allow-missing <names>',
        'packages that it needs and does not find where it is graded, separated by commas: what needs them counts as failed',
      )
      .option('--gold', 'also grade the reference with the same search and voters, as the 100 % baseline')
      .option('--model <name>', 'model used as judge (default: keyword heuristic)')
      .option('--adapt', 'the model may also rewrite tests that fail on an import, a name or a signature');
    modelOptions(command, 'the model')
      .option('--dry-run', 'only say what would be started')
      .option('-y, --yes', 'start without asking, also where the model costs money');
    return rejectUnusedOptions(command, {
      needs: { ...needsModel('model'), adapt: 'model' },
    });
  },

  action: async (session, [path = ''], options) => {
    const campaign = await gradingCampaign(session, {
      ...{ path, gold: options.gold === true, adapt: options.adapt === true },
      ...(typeof options.project === 'string' && { project: options.project }),
      ...(typeof options.suite === 'string' && { suite: options.suite }),
      ...(typeof options.limit === 'string' && { limit: asNumber(options.limit) }),
      model: readModel(options.model, options),
    });
    if (options.dryRun !== true) await prepareMachine(session, campaign);
    await refuseMissing(session, campaign, nameList(options.allowMissing));
    return withConnection(session, async (connection) => {
      const asking = { asked: {}, options, answer: 'status' } as const;
      const { id, code, hasEnded } = await runAsked(session, connection, campaign, asking);
      if (id !== null && hasEnded && !session.output.flags.json) {
        const { details } = await campaignSubject(session, connection, id);
        const { suite } = await details();
        for (const table of suite?.tables ?? []) session.output.data(`\n${detailTable(table, session.output.width)}`);
      }
      return code;
    });
  },
};
