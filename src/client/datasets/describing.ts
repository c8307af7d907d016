import { recordId } from '../../domain/campaign/ids.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { DatasetBuild } from '../../suite/dataset.js';
import type { Suite } from '../../suite/suite.js';
import type { Context } from '../context.js';
import { madeModel, readMadeCampaign, type MadeModel } from '../plans/made-campaign.js';
import type { Describing } from './build-request.js';

/** What options become in the campaign file. */
const IN_FILE = [[/models\.describer\.name/g, '--descriptions']] as const;

/**
 * What it means that a model describes a suite's tasks: the version it makes, and the account that pays for it.
 * @throws UserError with everything that is wrong about the model
 */
export async function describedBy(
  context: Context,
  suite: Suite,
  { build, model }: { build: DatasetBuild; model: MadeModel },
): Promise<Describing> {
  const { describing } = build;
  const { id } = suite.manifest;
  if (describing === undefined) throw describedOtherwise(id);
  const version = describing.version(model.name);
  const { models, budget } = madeModel(model);
  // Models and limits are checked as those of a campaign are: the file is read, and no such campaign is ever made.
  const campaign = {
    ...{ name: 'describe', suite: id, models: { describer: models.judge }, budget },
    systems: [{ id: 'build', generator: idleGenerator(suite), model: 'describer' }],
  };
  const { spec } = await readMadeCampaign(context, { command: 'describe', file: version, campaign, options: IN_FILE });
  const { describer } = spec.models;
  const account = { id: recordId.account(id, version), suite: id, version, model: describer!, usd: spec.budget.usd };
  return { version, account };
}

/** A generator that asks for nothing more than its name. */
const idleGenerator = ({ generators }: Suite): string =>
  Object.entries(generators).find(([, { needsModel, needsPath }]) => !needsModel && !needsPath)?.[0] ?? '';

const describedOtherwise = (suite: string): UserError =>
  new UserError('usage', {
    message: `the tasks of ${suite} cannot be described by a model`,
    expected: 'a suite whose descriptions a model may write',
    fix: 'leave --descriptions out',
  });
