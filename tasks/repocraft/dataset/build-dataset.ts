import type { BuildCall } from '../../../src/contract/dataset-build.js';
import type { Json } from '../../../src/contract/json.js';
import { jsonHash } from '../../../src/domain/text/content-hash.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { Blobs } from '../../../src/ports/blobs.js';
import type { BuildStep, DatasetBuild, DatasetTools } from '../../../src/suite/dataset.js';
import { lockPath, lockText } from './lock/dataset-lock.js';
import { createDatasetTool, type DatasetTool } from './dataset-tool.js';
import { describedVersion, describingSteps } from './describing/described-dataset.js';
import { subjectsOf, withoutBroken, type Draft, type Drafts, type DraftSubject } from './describing/drafts.js';
import { createGoldBench, type GoldBench } from './gold-bench.js';
import { chunks, holdingAlone, runAlone, runOnce, togetherRuns, validateOnGold } from './gold-validation.js';
import { holdsPlace, keptSample, type LockedPlace } from './lock/kept-sample.js';
import { lockOf } from './lock/make-lock.js';
import { GOLD_CHUNK, type GoldInput, type Harvest, type HarvestInput } from './plan.js';
import { DATASET_PROJECTS, projectImage, readProjectSettings, type ProjectSettings } from './project-settings.js';
import { recipeDigest } from './lock/recipe-digest.js';
import { obtainRelease, type ReleaseFiles } from './reference-release.js';
import { reachDigest, withinReach } from './reach/within-reach.js';
import { refuseTelling } from './describing/refuse-telling.js';
import type { RepocraftTask } from './repocraft-task.js';
import { packReference, storeDataset } from './task-blobs.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';

/** Version of the dataset; raised by hand when the recipe changes meaning. */
const DATASET_VERSION = 4;

/** The steps that the plan of a build (`plan.ts`) calls. */
export const repocraftBuild: DatasetBuild = {
  version: DATASET_VERSION,
  projects: DATASET_PROJECTS,
  images: (projects) => [...new Set(projects.map(projectImage))],
  steps: { harvest, 'gold-alone': goldAlone, 'gold-together': goldTogether, lock: lockTasks, ...describingSteps },
  describing: { version: (model) => describedVersion(DATASET_VERSION, model) },
};

/** Cuts drafts of tasks out of the release. Known again by the recipe and the kept sample, without the release. */
async function harvest({ project: name, input }: StepCall, tools: DatasetTools): Promise<Harvest> {
  const { newSample } = input as HarvestInput;
  const project = await readProjectSettings(name, tools.suiteFolder);
  const recipe = await recipeDigest(project, tools.suiteFolder);
  const places = newSample ? [] : await keptSample(name, tools.suiteFolder);
  const label = { name: `${name}-kept.json`, mediaType: 'application/json' };
  const { sha256: sample } = await tools.blobs.put(JSON.stringify(places), label);
  let unpacked: Promise<ReleaseFiles> | undefined;
  const release = (): Promise<ReleaseFiles> => (unpacked ??= obtainRelease(project.pin, tools));
  // Ids and categories are given by the last step.
  const together = jsonHash(places.map(({ file, functions }) => [file, functions]));
  const planKey = `repocraft/plan/${name}/${recipe}/${together}`;
  const plan = await remembered(tools.blobs, planKey, 'dataset-plan.json', async () => {
    tools.onProgress(`harvesting the tests of ${project.pin.name} ${project.pin.version}`);
    const tool = await createDatasetTool(project, await release(), tools);
    const overrides = project.overrides as unknown as Json;
    return JSON.stringify(await tool.ask({ mode: 'plan', overrides, kept: places }));
  });
  const libraryKey = `repocraft/library/${name}/${recipe}`;
  const reference = await remembered(tools.blobs, libraryKey, `${name}-reference.tar`, async () =>
    packReference(project, await release()),
  );
  const reached = await remembered(
    tools.blobs,
    `repocraft/reached/${plan}/${await reachDigest(project, tools.suiteFolder)}`,
    'dataset-plan.json',
    async () => {
      const cut = await readJsonBlob<Drafts>(tools.blobs, plan);
      return JSON.stringify(await withinReach(project, { plan: cut, reference }, tools));
    },
  );
  const { drafts } = await readJsonBlob<Drafts>(tools.blobs, reached);
  return { drafts: drafts.length, kept: sample, plan: reached, reference, recipe };
}

/** One chunk of the drafts on the reference, each in a process of its own. */
async function goldAlone({ project, input }: StepCall, tools: DatasetTools): ReturnType<BuildStep> {
  const { chunk, ...harvested } = input as GoldInput;
  const { bench, subjects } = await openWork(project, harvested, tools);
  const own = chunks(subjects, GOLD_CHUNK)[chunk] ?? [];
  const outcomes = await runAlone(bench, own, (line) => tools.onProgress(line));
  return { held: holdingAlone(own, outcomes).length };
}

/** One batch of those that held, in one process. */
async function goldTogether({ project, input }: StepCall, tools: DatasetTools): ReturnType<BuildStep> {
  const { chunk, ...harvested } = input as GoldInput;
  const { bench, subjects } = await openWork(project, harvested, tools);
  const alone = await runAlone(bench, subjects, (line) => tools.onProgress(line));
  const run = togetherRuns(holdingAlone(subjects, alone))[chunk];
  if (run !== undefined) await runOnce(bench, run);
  return null;
}

/** What gold says of every draft is known by now: sample, number, describe and pin what holds. */
async function lockTasks({ project: name, input }: StepCall, tools: DatasetTools): ReturnType<BuildStep> {
  const { kept: sample, recipe, reference } = input as Harvest;
  const { project, bench, subjects, plan } = await openWork(name, input as Harvest, tools);
  await refuseOtherRecipe(project, recipe, tools.suiteFolder);
  const findings = await validateOnGold(bench, subjects, (line) => tools.onProgress(line));
  const kept = await readJsonBlob<LockedPlace[]>(tools.blobs, sample);
  const { survivors, dropped, leftOut } = withoutBroken(plan, subjects, { findings, isKept: holdsPlace(kept) });
  const tool = await createDatasetTool(project, await obtainRelease(project.pin, tools), tools);
  const tasks = await numbered(tool, survivors, kept);
  refuseTelling(tasks, project);
  const made = { version: DATASET_VERSION, recipe };
  const lock = lockOf(project, made, tasks, { plan, survivors, dropped });
  await storeDataset(tools.blobs, lock, tasks, await tools.blobs.get(reference));
  const path = lockPath(name, '');
  const { sha256 } = await tools.blobs.put(lockText(lock), { name: path, mediaType: 'application/json' });
  const reasons = await tools.blobs.put(leftOut.join('\n'), { name: `${name}-left-out.txt`, mediaType: 'text/plain' });
  return { tasks: tasks.length, digest: lock.digest, files: [{ path, sha256 }], leftOut: reasons.sha256 };
}

type StepCall = Pick<BuildCall, 'project' | 'input'>;

/** What the steps after the harvest work on. */
async function openWork(
  name: string,
  harvested: Harvest,
  tools: DatasetTools,
): Promise<{
  project: ProjectSettings;
  plan: Drafts;
  bench: GoldBench;
  subjects: DraftSubject[];
}> {
  const project = await readProjectSettings(name, tools.suiteFolder);
  const plan = await readJsonBlob<Drafts>(tools.blobs, harvested.plan);
  const reference = { sha256: harvested.reference, load: () => tools.blobs.get(harvested.reference) };
  const bench = await createGoldBench(project, reference, tools);
  return { project, plan, bench, subjects: subjectsOf(plan) };
}

/** The blob that is remembered under the key, made where there is none. */
async function remembered(
  blobs: Blobs,
  key: string,
  name: string,
  make: () => Promise<Uint8Array | string>,
): Promise<string> {
  const known = await blobs.recall(key);
  if (known !== null) return known.sha256;
  const mediaType = name.endsWith('.tar') ? 'application/x-tar' : 'application/json';
  const made = await blobs.put(await make(), { name, mediaType });
  await blobs.remember(key, made);
  return made.sha256;
}

/** What was cut by one recipe is not numbered and described by another. */
async function refuseOtherRecipe(project: ProjectSettings, recipe: string, suiteFolder: string): Promise<void> {
  if ((await recipeDigest(project, suiteFolder)) === recipe) return;
  const name = project.project;
  throw new DomainFailure('dataset.hash-mismatch', {
    message: `the recipe of ${name} changed while it was built`,
    expected: 'settings, overrides, pin, Python and stand-ins that stay as they were when the build began',
    fix: `durabench dataset build repocraft --project ${name} (what is as it was is not done again)`,
  });
}

async function numbered(tool: DatasetTool, drafts: Draft[], kept: LockedPlace[]): Promise<RepocraftTask[]> {
  const answer = await tool.ask({ mode: 'number', drafts: drafts as unknown as Json, kept });
  return answer.tasks as unknown as RepocraftTask[];
}
