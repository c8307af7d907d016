import { randomBytes } from 'node:crypto';
import type { CampaignSpec } from '../../contract/campaign.js';
import type { CampaignPlan } from '../../contract/plan.js';
import { expandPlan } from '../../domain/campaign/expand-plan.js';
import { campaignId, idProblem } from '../../domain/campaign/ids.js';
import { campaignLock } from '../../domain/campaign/lock.js';
import type { Blobs } from '../../ports/blobs.js';
import { graderDigest } from './grader-digest.js';
import { narrowedSystems, narrowedTasks, type Narrowing } from './narrowing.js';
import type { CheckedCampaign } from './read-campaign.js';
import type { Context } from '../context.js';
import { UserError } from '../../domain/failure/user-error.js';
import { suiteFolder } from '../../config/suite-folder.js';

/** Turns a checked campaign into the whole plan, pinned by its lock. Stores packed candidates as blobs. */
export async function makePlan(
  context: Context,
  campaign: CheckedCampaign,
  parts: { blobs: Blobs; id: string | undefined; narrowing?: Narrowing },
): Promise<CampaignPlan> {
  const { suite } = campaign;
  const { narrowing = {} } = parts;
  const spec = await withSnapshots(
    { ...campaign, spec: narrowedSystems(campaign.spec, narrowing.systems) },
    parts.blobs,
  );
  const whole = await suite.dataset.select(spec.dataset, spec.seed, suiteFolder(context.packageRoot, suite));
  if (whole.tasks.length === 0) throw noTasks(spec);
  const dataset = narrowedTasks(whole, narrowing);
  const lock = campaignLock({
    spec,
    datasetDigest: dataset.digest,
    imageDigests: await recipeDigests(context, suite.images(spec)),
    suiteVersion: suite.manifest.version,
    graderDigest: await graderDigest(context, suite.manifest.id),
    sandboxLimits: suite.manifest.sandboxLimits,
  });
  const id = parts.id === undefined ? campaignId(spec.name, randomBytes(10)) : checkedId(parts.id);
  try {
    return expandPlan({ id, spec, lock, dataset, suite });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UserError('usage', {
      message: error.message,
      expected: 'at most 500 tasks on one shared candidate, ids of at most 255 characters',
      fix: 'lower dataset.limit, or shorten the name',
    });
  }
}

async function withSnapshots({ spec, snapshots }: CheckedCampaign, blobs: Blobs): Promise<CampaignSpec> {
  const systems = spec.systems.map(async (system) => {
    const packed = snapshots.get(system.id);
    if (packed === undefined) return system;
    const ref = await blobs.put(packed.tar, { name: `${system.id}.tar`, mediaType: 'application/x-tar' });
    return { ...system, snapshot: { sha256: ref.sha256, sizeBytes: ref.sizeBytes, files: packed.files } };
  });
  return { ...spec, systems: await Promise.all(systems) };
}

/** Digests of the recipes, which are alike on every machine; image ids are not. */
async function recipeDigests(context: Context, images: readonly string[]): Promise<Record<string, string>> {
  if (images.length === 0) return {};
  const { loadRecipe, recipeFolders } = await import('../../adapters/docker/images/image-recipe.js');
  const folders = recipeFolders(context.packageRoot, context.environment().stateDir);
  const entries = images.map(async (name) => [name, (await loadRecipe(folders, name)).digest] as const);
  return Object.fromEntries(await Promise.all(entries));
}

function checkedId(id: string): string {
  const problem = idProblem(id, 51);
  if (problem === undefined) return id;
  throw new UserError('usage', {
    message: `--id ${id}: ${problem}`,
    expected: 'at most 51 characters from a-z, 0-9, ".", "_" and "-"',
    fix: 'choose such an id, or leave --id out',
  });
}

function noTasks(spec: CampaignSpec): UserError {
  return new UserError('usage', {
    message: `dataset: the selection ${JSON.stringify(spec.dataset)} holds no task`,
    fix: 'loosen projects, limit or tasks; `durabench suites` lists the projects',
  });
}
