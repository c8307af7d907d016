import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { duration } from '../../../report/text/number-text.js';
import type { CommandEntry } from '../../command-entry.js';
import { allDone, machineSteps, step } from '../../../client/machine/prepare-machine.js';
import { serveScriptedModels } from '../../../client/machine/scripted-models.js';
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
    const { output } = session;
    const file = demoOf(session.packageRoot, typeof options.suite === 'string' ? options.suite : null);
    const { readCampaign } = await import('../../../client/plans/read-campaign.js');
    const campaign = await readCampaign(session, file);
    await readyMachine(session, options.install === true ? installing(session, options.yes === true) : null);
    await checkSandbox(session, []);
    // Everything side by side that does not wait for another: stack ‖ images, then the dataset ‖ scripted model.
    await allDone([
      ...machineSteps(session, campaign),
      step(session, 'model', () => serveScriptedModels(session, campaign.spec)),
    ]);
    output.say(`ready     after ${duration((Date.now() - startedAt) / 1000)}`);
    const code = await withConnection(session, (connection) => runCampaign(session, connection, campaign));
    if (!output.flags.json) showNext(session, startedAt);
    return code;
  },
};

/** The campaign that is run. @throws UserError where the suite has none */
function demoOf(packageRoot: string, suite: string | null): string {
  const examples = join(packageRoot, 'examples');
  if (suite === null) return join(examples, 'quickstart', 'campaign.yaml');
  const known = readdirSync(examples).filter((name) => existsSync(join(examples, name, 'demo.yaml')));
  if (known.includes(suite)) return join(examples, suite, 'demo.yaml');
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

function showNext({ output }: Session, startedAt: number): void {
  output.data(`took         ${duration((Date.now() - startedAt) / 1000)} in all`);
  output.data('the stack stays up; stop it with: durabench down');
}
