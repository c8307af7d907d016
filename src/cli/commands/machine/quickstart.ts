import { existsSync, readdirSync } from 'node:fs';
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
      .option('--suite <id>', 'the demo of this suite instead (examples/ID/demo.yaml)')
      .option('--install', 'install and start what this machine lacks (Debian, Ubuntu): Docker, mmdebstrap')
      .option('-y, --yes', 'with --install: without asking'),
  action: async (session, _args, options) => {
    if (options.yes === true && options.install !== true) throw yesToNothing();
    const startedAt = Date.now();
    const { output, packageRoot } = session;
    const { file, rules } = demoOf(packageRoot, typeof options.suite === 'string' ? options.suite : null);
    const { readCampaign } = await import('../../../client/plans/read-campaign.js');
    const campaign = await readCampaign(session, file);
    await readyMachine(session, options.install === true ? installing(session, options.yes === true) : null);
    await checkSandbox(session, []);
    const modelUrl = await prepare(session, campaign, rules);
    output.say(`ready     after ${duration((Date.now() - startedAt) / 1000)}`);
    const code = await runIt(session, withEndpoint(campaign, modelUrl));
    if (!output.flags.json) showNext(session, startedAt);
    return code;
  },
};

/** The campaign that is run, and what the scripted model says in it. @throws UserError where the suite has none */
function demoOf(packageRoot: string, suite: string | null): { file: string; rules: string } {
  const examples = join(packageRoot, 'examples');
  const own = join(examples, 'quickstart');
  if (suite === null) return { file: join(own, 'campaign.yaml'), rules: join(own, 'rules.yaml') };
  const known = readdirSync(examples).filter((name) => existsSync(join(examples, name, 'demo.yaml')));
  if (known.includes(suite))
    return { file: join(examples, suite, 'demo.yaml'), rules: join(examples, suite, 'rules.yaml') };
  throw new UserError('usage', {
    message: `quickstart: there is no demo of a suite "${suite}"`,
    expected: `one of ${known.join(', ')}`,
    fix: 'name one of them, or leave --suite out',
  });
}

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
  return withConnection(session, (connection) => runCampaign(session, connection, campaign));
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
