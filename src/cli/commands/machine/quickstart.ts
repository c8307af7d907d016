import { join } from 'node:path';
import { duration } from '../../../report/text/number-text.js';
import type { CommandEntry } from '../../command-entry.js';
import type { ExitCode } from '../../exit-code.js';
import { allDone, machineSteps, step } from '../../../client/machine/prepare-machine.js';
import { startQuickstartModel } from './quickstart-model.js';
import type { CheckedCampaign } from '../../../client/plans/read-campaign.js';
import { thisHost } from '../../../client/machine/host.js';
import { readyMachine, type Installing } from '../../../client/machine/install-missing.js';
import { mayGoOn } from '../../options/may-go-on.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { checkSandbox } from '../../../client/machine/ready-for-run.js';
import { runCampaign } from '../campaigns/run.js';
import type { Session } from '../../session.js';
import { withConnection } from '../../../client/connection.js';

/** `durabench quickstart` */
export const quickstart: CommandEntry = {
  declare: (program) =>
    program
      .command('quickstart')
      .description('prepare everything that is missing and run a small real campaign; leaves the stack up')
      .option('--install', 'install and start what this machine lacks (Debian, Ubuntu): Docker, mmdebstrap')
      .option('-y, --yes', 'with --install: without asking'),
  action: async (session, _args, options) => {
    if (options.yes === true && options.install !== true) throw yesToNothing();
    const startedAt = Date.now();
    const { output, packageRoot } = session;
    const folder = join(packageRoot, 'examples', 'quickstart');
    const { readCampaign } = await import('../../../client/plans/read-campaign.js');
    const campaign = await readCampaign(session, join(folder, 'campaign.yaml'));
    await readyMachine(session, options.install === true ? installing(session, options.yes === true) : null);
    await checkSandbox(session, []);
    const modelUrl = await prepare(session, campaign, join(folder, 'rules.yaml'));
    output.say(`ready     after ${duration((Date.now() - startedAt) / 1000)}`);
    const code = await runIt(session, withEndpoint(campaign, modelUrl));
    if (!output.flags.json) showNext(session, startedAt);
    return code;
  },
};

function installing(session: Session, isAgreed: boolean): Installing {
  const mayRun = async (commands: readonly string[]): Promise<boolean> => {
    session.output.say('this machine lacks something; these commands install and start it:');
    for (const command of commands) session.output.say(`  ${command}`);
    return isAgreed || mayGoOn(session, 'run them?', false);
  };
  return { host: thisHost(session), mayRun };
}

const yesToNothing = (): UserError =>
  new UserError('usage', {
    message: 'quickstart: --yes has no effect without --install',
    expected: '--yes together with --install',
    fix: 'give --install, or leave --yes out',
  });

/** Everything side by side that does not wait for another: stack ‖ images, then the dataset ‖ scripted model. */
async function prepare(session: Session, campaign: CheckedCampaign, rulesPath: string): Promise<string> {
  const { packageRoot } = session;
  const { stateDir } = session.environment();
  const machine = machineSteps(session, campaign);
  const model = step(session, 'model', async (say) => {
    const url = await startQuickstartModel({ stateDir, packageRoot, rulesPath });
    say(`scripted model at ${url}`);
    return url;
  });
  await allDone([...machine, model]);
  return model;
}

async function runIt(session: Session, campaign: CheckedCampaign): Promise<ExitCode> {
  return withConnection(session, async (connection) => (await runCampaign(session, connection, campaign)).code);
}

/** The file names a fixed port; when that is taken the scripted model listens elsewhere. Endpoints are no part of the lock. */
function withEndpoint(campaign: CheckedCampaign, baseUrl: string): CheckedCampaign {
  const models = Object.entries(campaign.spec.models).map(([key, model]) => [key, { ...model, baseUrl }] as const);
  return { ...campaign, spec: { ...campaign.spec, models: Object.fromEntries(models) } };
}

function showNext({ output }: Session, startedAt: number): void {
  output.data(`took         ${duration((Date.now() - startedAt) / 1000)} in all`);
  output.data('the stack stays up; stop it with: durabench down');
}
