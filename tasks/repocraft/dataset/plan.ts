import type { BuildPlan, BuiltProject } from '../../../src/contract/dataset-build.js';

/** Tasks per container run of gold, each in a process of its own: a lost run repeats little. */
export const GOLD_CHUNK = 24;
/** Tasks that share a process on gold: enough to disturb each other, few enough to fit its memory. */
export const GOLD_BATCH = 100;
/** Hash seeds, and orders, in which tasks share a process. */
export const GOLD_SEEDS = [1, 2] as const;

/** Input of the first step. */
export type HarvestInput = {
  /** Whether all tasks are drawn anew; else those of the committed lock keep their place. */
  newSample: boolean;
};

/** What was cut out of a release: blobs of the drafts and of the reference, and what made them. */
export type Harvest = {
  /** Drafts of tasks. */
  drafts: number;
  /** Blob of the locked tasks whose place is kept. */
  kept: string;
  /** Blob of the drafts and of what was dropped on the way. */
  plan: string;
  /** Blob of the reference as tasks import it. */
  reference: string;
  /** Recipe digest. */
  recipe: string;
};

/** Input of a step of gold: one chunk of it. */
export type GoldInput = Harvest & { chunk: number };

/** What an isolated chunk came to. */
type GoldAlone = {
  /** Tasks of it that hold. */
  held: number;
};

/** Tasks described in one step: each answer is kept by itself, and a step must end before anybody doubts that it will. */
export const DESCRIBED_CHUNK = 10;

/** The tasks as they are locked: what a model describes anew. */
export type LockedTasks = {
  tasks: number;
  /** Digest of the lock. */
  digest: string;
};

/** Input of a step that describes: one chunk of them. */
export type DescribeInput = LockedTasks & { chunk: number };

/** The same tasks described by a model: another version of the dataset. */
export const describeProject: BuildPlan = async (_project, { step, chunks }) => {
  const locked = await step<LockedTasks>('fetch', { summary: 'fetch the locked tasks' });
  const count = Math.ceil(locked.tasks / DESCRIBED_CHUNK);
  await chunks(count, (chunk) =>
    step('describe', {
      input: { ...locked, chunk },
      summary: `descriptions by the model: chunk ${chunk + 1} of ${count}`,
    }),
  );
  return step<BuiltProject>('lock-described', { input: locked, summary: 'lock the tasks with their descriptions' });
};

/** A dataset: harvest, gold in chunks, sample and lock. */
export const buildProject: BuildPlan = async (_project, { step, chunks, newSample }) => {
  const input: HarvestInput = { newSample };
  const harvest = await step<Harvest>('harvest', { input, summary: 'harvest, slice, filter and group the tests' });
  const alone = Math.ceil(harvest.drafts / GOLD_CHUNK);
  const ends = await chunks(alone, (chunk) =>
    step<GoldAlone>('gold-alone', {
      input: { ...harvest, chunk },
      summary: `gold, isolated: chunk ${chunk + 1} of ${alone}`,
    }),
  );
  // One test that is not there ends a whole pytest run, so only what holds alone is tried together.
  const held = ends.reduce((sum, end) => sum + end.held, 0);
  const together = GOLD_SEEDS.length * Math.ceil(held / GOLD_BATCH);
  await chunks(together, (chunk) =>
    step('gold-together', {
      input: { ...harvest, chunk },
      summary: `gold, all together: run ${chunk + 1} of ${together}`,
    }),
  );
  return step<BuiltProject>('lock', { input: harvest, summary: 'sample, number and lock the tasks' });
};
