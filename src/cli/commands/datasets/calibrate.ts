import { campaignNamed } from '../../../client/campaigns/campaign-named.js';
import { withConnection } from '../../../client/connection.js';
import { calibratedSuite, calibrationCampaign } from '../../../client/datasets/calibration-campaign.js';
import {
  campaignFigures,
  figuresWithoutExecution,
  type CalibrationFigures,
} from '../../../client/datasets/calibration-figures.js';
import { prepareMachine } from '../../../client/machine/prepare-machine.js';
import type { CheckedCampaign } from '../../../client/plans/read-campaign.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { detailTable } from '../../../report/result-table.js';
import type { SuiteCalibration } from '../../../suite/calibration.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { rejectUnusedOptions } from '../../options/action-options.js';
import { asNumber, modelOptions, needsModel, readModel } from '../../options/model-options.js';
import { nameList } from '../../options/name-list.js';
import type { Session } from '../../session.js';
import { runAsked } from '../campaigns/run.js';

/** What is measured anew; the figures of a calibration that ran are what they are. */
const MEASURING = ['project', 'tasks', 'seed', 'kind', 'voter', 'withoutExecution', 'model', 'dryRun', 'yes'];

/** `durabench calibrate SUITE` */
export const calibrate: CommandEntry = {
  declare: (program) => {
    const command = program
      .command('calibrate')
      .description('measure grader accuracy on candidates with known outcomes')
      .argument('<suite>', 'one with a line `calibration:` in `durabench suites`, which names its kinds and voters')
      .option('--project <names>', 'only these, separated by commas')
      .option('--tasks <n>', 'at most so many tasks a project, spread over the categories; all where left out')
      .option('--seed <s>', 'what is drawn: tasks, names, mutants', '1')
      .option('--kind <names>', 'kinds of candidates, separated by commas; all where left out')
      .option('--voter <names>', 'who votes, separated by commas; all that need no model where left out')
      .option('--without-execution', 'search, vote and adaptation alone, in this process: no server, no test is run')
      .option('--model <name>', 'a model that votes, or judges by text, as well');
    modelOptions(command, 'the votes')
      .option('--campaign <id>', 'only show the figures of a calibration that ran before')
      .option('--dry-run', 'only say what would be started')
      .option('-y, --yes', 'start without asking, also where the model costs money');
    return rejectUnusedOptions(command, {
      needs: needsModel('model'),
      conflictsWith: { campaign: MEASURING, withoutExecution: ['dryRun', 'yes'] },
    });
  },
  action: async (session, [name = ''], options) => {
    const measured = await calibratedSuite(session, name);
    const { calibration } = measured;
    if (typeof options.campaign === 'string') return showEarlier(session, calibration, options.campaign);
    const withoutExecution = options.withoutExecution === true;
    const campaign = await calibrationCampaign(session, measured, {
      ...{ withoutExecution, seed: seedOf(options.seed), model: readModel(options.model, options) },
      ...{ projects: nameList(options.project), kinds: nameList(options.kind), voters: nameList(options.voter) },
      ...(typeof options.tasks === 'string' && { tasks: asNumber(options.tasks) }),
    });
    if (!withoutExecution) {
      if (options.dryRun !== true) await prepareMachine(session, campaign);
      return runIt(session, calibration, { campaign, options });
    }
    show(session, await figuresWithoutExecution(session, calibration, campaign));
    return EXIT.ok;
  },
};

async function runIt(
  session: Session,
  calibration: SuiteCalibration,
  { campaign, options }: { campaign: CheckedCampaign; options: Record<string, unknown> },
): Promise<ExitCode> {
  return withConnection(session, async (connection) => {
    const onPlanned = (id: string): void => session.output.say(`interrupted, it goes on with: durabench resume ${id}`);
    const asking = { asked: {}, options, answer: 'own', onPlanned } as const;
    const { id, code, hasEnded } = await runAsked(session, connection, campaign, asking);
    if (id !== null && hasEnded) show(session, await campaignFigures(session, connection, { calibration, id }));
    return code;
  });
}

function showEarlier(session: Session, calibration: SuiteCalibration, wanted: string): Promise<ExitCode> {
  return withConnection(session, async (connection) => {
    const id = await campaignNamed(connection, wanted);
    show(session, await campaignFigures(session, connection, { calibration, id }));
    return EXIT.ok;
  });
}

/** The tables, or the data under --json. */
function show({ output }: Session, { tables, metrics, page }: CalibrationFigures): void {
  if (output.flags.json) output.json('calibration', metrics);
  else for (const table of tables) output.data(`\n${detailTable(table, output.width)}`);
  output.say(`calibration  ${page}`);
}

function seedOf(written: unknown): number {
  if (typeof written === 'string' && /^\d{1,9}$/.test(written)) return Number(written);
  throw new UserError('usage', {
    message: `--seed: invalid seed "${String(written)}"`,
    expected: 'a whole number, 0 or more and below 1,000,000,000',
    fix: 'write --seed 2, or leave it out',
  });
}
