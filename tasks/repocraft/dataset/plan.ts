import type { BuildPlan, BuiltProject } from '../../../src/contract/dataset-build.js';

/** Tasks per container run of gold, each in a process of its own: a lost run repeats little. */
export const GOLD_PORTION = 24;
/** Tasks that share a process on gold: enough to disturb each other, few enough to fit its memory. */
export const GOLD_BATCH = 100;
/** Hash seeds, and orders, in which tasks share a process. */
export const GOLD_SEEDS = [1, 2] as const;

/** What was cut out of a release: blobs of the drafts and of the reference, and what made them. */
export type Harvest = {
  /** Drafts of tasks. */
  drafts: number;
  /** Blob of the drafts and of what was dropped on the way. */
  plan: string;
  /** Blob of the reference as tasks import it. */
  reference: string;
  /** Recipe digest. */
  recipe: string;
};

/** Input of a step of gold: one portion of it. */
export type GoldInput = Harvest & { portion: number };

/** What an isolated portion came to. */
export type GoldAlone = {
  /** Tasks of it that hold. */
  held: number;
};

/** A dataset: harvest, gold in portions, sample and lock. */
export const buildProject: BuildPlan = async (_project, { step, portions }) => {
  const harvest = await step<Harvest>('harvest', { summary: 'harvest, slice, filter and group the tests' });
  const alone = Math.ceil(harvest.drafts / GOLD_PORTION);
  const ends = await portions(alone, (portion) =>
    step<GoldAlone>('gold-alone', {
      input: { ...harvest, portion },
      summary: `gold, isolated: portion ${portion + 1} of ${alone}`,
    }),
  );
  // One test that is not there ends a whole pytest run, so only what holds alone is tried together.
  const held = ends.reduce((sum, end) => sum + end.held, 0);
  const together = GOLD_SEEDS.length * Math.ceil(held / GOLD_BATCH);
  await portions(together, (portion) =>
    step('gold-together', {
      input: { ...harvest, portion },
      summary: `gold, all together: run ${portion + 1} of ${together}`,
    }),
  );
  return step<BuiltProject>('lock', { input: harvest, summary: 'sample, number and lock the tasks' });
};
