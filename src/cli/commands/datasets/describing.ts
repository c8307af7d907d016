import type { CampaignSpec } from '../../../contract/campaign.js';
import type { CampaignPlan } from '../../../contract/plan.js';
import { BOOKS_SYSTEM, booksOwner, holdsBooks } from '../../../domain/campaign/build-books.js';
import { sha256Hex } from '../../../domain/text/content-hash.js';
import { recordId } from '../../../domain/campaign/ids.js';
import { campaignLock } from '../../../domain/campaign/lock.js';
import type { CampaignRow } from '../../../ports/records.js';
import type { DatasetBuild } from '../../../suite/dataset.js';
import type { Suite } from '../../../suite/suite.js';
import type { Describing } from '../../../client/datasets/build-request.js';
import { judgeModel, readMadeCampaign } from '../../options/made-campaign.js';
import type { Session } from '../../session.js';
import { UserError } from '../../../domain/failure/user-error.js';

/** What the options become in the campaign file. */
const IN_FILE = [[/models\.author\.name/g, '--descriptions']] as const;

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
  if (describing === undefined) throw describedOtherwise(suite.manifest.id);
  const version = describing.version(descriptions);
  const { models, budget } = judgeModel({ ...options, model: descriptions });
  const campaign = {
    name: `describe-${version}`.slice(0, 40).replace(/[^a-z0-9]+$/, ''),
    suite: suite.manifest.id,
    models: { author: models.judge },
    systems: [{ id: BOOKS_SYSTEM, generator: describing.generator, model: 'author' }],
    budget,
  };
  const { spec } = await readMadeCampaign(session, { command: 'describe', file: version, campaign, options: IN_FILE });
  return { version, books: booksPlan(suite, { spec, version, projects: build.projects }), words: wordsOf(spec) };
}

/** The same model at the same price writes into the same books, whenever and for whichever projects it is asked. */
function booksPlan(
  { manifest }: Suite,
  { spec, version, projects }: { spec: CampaignSpec; version: string; projects: readonly string[] },
): CampaignPlan {
  const digest = sha256Hex(version);
  const pinned = { datasetDigest: digest, imageDigests: {}, suiteVersion: manifest.version, graderDigest: digest };
  const lock = campaignLock({ spec, ...pinned });
  const id = `${spec.name}-${lock.sha256.slice(0, 10)}`;
  const dataset = { suite: manifest.id, version, label: `${manifest.id}@${version} descriptions`, digest, tasks: [] };
  const batches = projects.map((scope, index) => ({
    id: recordId.batch(id, index + 1),
    lane: 'generate' as const,
    generation: { id: booksOwner(id, scope).id, systemId: BOOKS_SYSTEM, scope, repeat: 1, settings: {} },
    trials: [],
  }));
  return { id, spec, lock, dataset, batches };
}

/** The options that name the model of a build with such books, to be typed again. */
export function wordsOf({ models: { author }, budget }: CampaignSpec): string {
  const { name, baseUrl, apiKeyEnv, price } = author!;
  const key = apiKeyEnv === null ? '' : ` --api-key-env ${apiKeyEnv}`;
  const paid = price === 'free' ? price : `${price.input},${price.output}`;
  return `--descriptions ${name} --base-url ${baseUrl}${key} --price ${paid} --usd ${budget.usd}`;
}

/** @throws UserError for a campaign that holds books, with what to do instead */
export function refuseBooks(campaign: CampaignRow & { spec: CampaignSpec }, verb: 'resume' | 'pause'): void {
  if (!holdsBooks(campaign)) return;
  const { id, suite, spec } = campaign;
  const build = `durabench dataset build ${suite} ${wordsOf(spec)} (and its --project)`;
  throw new UserError('usage', {
    message: `campaign ${id} holds the books of a dataset build: it has no trials to ${verb}`,
    expected: 'a campaign with trials that are planned, interrupted or not run',
    fix:
      verb === 'resume'
        ? `the build goes on with the options it had: ${build}`
        : `end the build: durabench dataset cancel ${suite} ${wordsOf(spec)}; it goes on later with: ${build}`,
  });
}

const describedOtherwise = (suite: string): UserError =>
  new UserError('usage', {
    message: `--descriptions: the tasks of ${suite} are not described by models`,
    expected: 'a suite whose descriptions a model may write',
    fix: 'leave --descriptions out',
  });
