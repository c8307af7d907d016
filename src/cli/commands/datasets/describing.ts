import { recordId } from '../../../domain/campaign/ids.js';
import { UserError } from '../../../domain/failure/user-error.js';
import type { DatasetBuild } from '../../../suite/dataset.js';
import type { Suite } from '../../../suite/suite.js';
import type { Describing } from '../../../client/datasets/build-request.js';
import { judgeModel, readMadeCampaign } from '../../options/made-campaign.js';
import type { Session } from '../../session.js';

/** What the options become in the campaign file. */
const IN_FILE = [[/models\.describer\.name/g, '--descriptions']] as const;

/**
 * What `--descriptions` and the options of its model ask for; null where they are left out.
 * @throws UserError with everything that is wrong about the model
 */
export async function readDescribing(
  session: Session,
  suite: Suite,
  { build, options }: { build: DatasetBuild; options: Record<string, unknown> },
): Promise<Describing | null> {
  const { descriptions } = options;
  if (typeof descriptions !== 'string') return null;
  const { describing } = build;
  const { id } = suite.manifest;
  if (describing === undefined) throw describedOtherwise(id);
  const version = describing.version(descriptions);
  const { models, budget } = judgeModel({ ...options, model: descriptions });
  // Models and limits are checked as those of a campaign are: the file is read, and no such campaign is ever made.
  const campaign = {
    ...{ name: 'describe', suite: id, models: { describer: models.judge }, budget },
    systems: [{ id: 'build', generator: idleGenerator(suite), model: 'describer' }],
  };
  const { spec } = await readMadeCampaign(session, { command: 'describe', file: version, campaign, options: IN_FILE });
  const { describer } = spec.models;
  const account = { id: recordId.account(id, version), suite: id, version, model: describer!, usd: spec.budget.usd };
  return { version, account };
}

/** A generator that asks for nothing more than its name. */
const idleGenerator = ({ generators }: Suite): string =>
  Object.entries(generators).find(([, { needsModel, needsPath }]) => !needsModel && !needsPath)?.[0] ?? '';

const describedOtherwise = (suite: string): UserError =>
  new UserError('usage', {
    message: `--descriptions: the tasks of ${suite} are not described by models`,
    expected: 'a suite whose descriptions a model may write',
    fix: 'leave --descriptions out',
  });
