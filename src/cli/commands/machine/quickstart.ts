import { join } from 'node:path';
import { duration } from '../../../report/words/words.js';
import type { CommandEntry } from '../../command-entry.js';
import type { ExitCode } from '../../exit-code.js';
import { makePlan } from '../../../client/plans/make-plan.js';
import { planText } from '../../format/plan-text.js';
import { allDone, machineSteps, step } from '../../../client/machine/prepare-machine.js';
import { startQuickstartModel } from './quickstart-model.js';
import type { CheckedCampaign } from '../../../client/plans/read-campaign.js';
import { checkSandbox } from '../../../client/machine/ready-for-run.js';
import { runPlan } from '../campaigns/run.js';
import type { Session } from '../../session.js';
import { withConnection } from '../../../client/connection.js';

/** `durabench quickstart` */
export const quickstart: CommandEntry = {
  declare: (program) =>
    program
      .command('quickstart')
      .description('prepare everything that is missing and run a small real campaign; leaves the stack up'),
  action: async (session) => {
    const startedAt = Date.now();
    const { output, packageRoot } = session;
    const folder = join(packageRoot, 'examples', 'quickstart');
    const { readCampaign } = await import('../../../client/plans/read-campaign.js');
    const campaign = await readCampaign(session, join(folder, 'campaign.yaml'));
    await checkSandbox(session, []);
    const modelUrl = await prepare(session, campaign, join(folder, 'rules.yaml'));
    output.say(`ready     after ${duration((Date.now() - startedAt) / 1000)}`);
    const code = await runIt(session, withEndpoint(campaign, modelUrl));
    if (!output.flags.json) showNext(session, startedAt);
    return code;
  },
};

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
  return withConnection(session, async (place) => {
    const plan = await makePlan(session, campaign, { blobs: place.blobs, id: undefined });
    session.output.say(planText(plan));
    return runPlan(session, place, { plan, detach: false });
  });
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
