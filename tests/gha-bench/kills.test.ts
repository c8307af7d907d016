import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/env.js';
import { RUN_IMAGES } from '../../tasks/gha-bench/runs/run-scenario.js';
import { seededRandom } from '../fixtures/chaos/seeded-random.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { killedRun, type KILLED, type KillFacts } from '../fixtures/gha-bench/killed-runs.js';

// What runs workflows, and the servers below it, are killed while act is at work; bench/gha-bench/kills.ts does it many times.

/** Of each kind: what works, what runs a workflow, what keeps records. The bench kills the two others as well. */
const KILLED_HERE = ['worker', 'engine', 'postgres'] as const satisfies readonly (typeof KILLED)[number][];
const SEED = Number(process.env['DURABENCH_CHAOS_SEED'] ?? 7);

let project: CliProject;
let undisturbed: KillFacts;
const random = seededRandom(SEED);

beforeAll(async () => {
  await ensureImages(readEnvironment().cacheDir, 'gha-lint', ...RUN_IMAGES);
  project = await createCliProject();
  await project.json(['up']);
  undisturbed = await killedRun(project, { name: 'undisturbed', victim: null, random });
});

afterAll(async () => {
  await project?.close();
});

test('undisturbed, the right solutions pass and the wrong ones fail', () => {
  const verdicts = Object.entries(undisturbed.verdicts);
  expect(verdicts.filter(([trial]) => trial.endsWith('/oracle')).map(([, verdict]) => verdict)).toEqual(
    Array.from({ length: 3 }, () => 'passed'),
  );
  expect(verdicts.filter(([, verdict]) => verdict.startsWith('failed'))).toHaveLength(3);
});

test.each(KILLED_HERE)(
  'SIGKILL of the %s while act is at work changes no verdict and leaves nothing',
  async (victim) => {
    const facts = await killedRun(project, { name: `killed-${victim}`, victim, random });
    expect(facts).toMatchObject({ exit: 0, verdicts: undisturbed.verdicts, left: [] });
    // A kill that hit no run would have shown nothing.
    if (victim === 'engine') expect(facts.lost).toBeGreaterThan(0);
    // Nor would one whose slots had no disk to leave.
    if (victim !== 'postgres') expect(facts.disks).toBeGreaterThan(0);
  },
);
