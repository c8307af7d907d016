import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createDockerSandbox, type DockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { readEnvironment } from '../../src/config/env.js';
import { createBench, type Bench } from '../../src/fakes/suite-bench.js';
import type { DatasetTools } from '../../src/suite/dataset.js';
import { authoredTasks } from '../../tasks/gha-bench/dataset/gha-dataset.js';
import type { GhaTask } from '../../tasks/gha-bench/dataset/task-schema.js';
import { ghaBench } from '../../tasks/gha-bench/gha-bench.js';
import { ghaBenchPlans } from '../../tasks/gha-bench/plan.js';
import { RUN_IMAGES } from '../../tasks/gha-bench/runs/run-scenario.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { drawn } from '../vitest/drawn.js';
import { gradeCheat, readCheats } from '../fixtures/gha-bench/cheats.js';

// Candidates that try to pass without doing what was asked, by all layers; those that are not quick run by bench/gha-bench/cheats.ts.

const SUITE = join(PACKAGE_ROOT, 'tasks', 'gha-bench');
const cheats = await readCheats();

let stateFolder: string;
let sandbox: DockerSandbox;
let bench: Bench;
let tasks: GhaTask[];

beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'durabench-cheats-'));
  await ensureImages(readEnvironment().cacheDir, 'gha-lint', ...RUN_IMAGES);
  sandbox = createDockerSandbox({
    ...{ instance: currentInstance(), stateFolder, packageRoot: PACKAGE_ROOT, slots: 2 },
    idleMs: 600_000,
  });
  bench = createBench({ suite: ghaBench, plans: ghaBenchPlans, suiteFolder: SUITE, sandbox });
  await ghaBench.dataset.fetch({ projects: [], verify: false }, bench as unknown as DatasetTools);
  tasks = await authoredTasks(SUITE);
});

afterAll(async () => {
  await sandbox?.close();
  await rm(stateFolder, { recursive: true, force: true });
});

test.concurrent.each(
  drawn(
    cheats.filter(({ quick }) => quick),
    8,
  ),
)('$id is caught where it says', async (cheat) => {
  const { reasons } = await gradeCheat(bench, cheat, tasks);
  expect(reasons).toEqual(cheat.caught);
});

test('the page names every cheat and what catches it, and none that passes', async () => {
  const page = await readFile(join(PACKAGE_ROOT, 'docs', 'guarantees', 'gha-cheats.md'), 'utf8');
  const rows = page.split('\n').flatMap((line) => {
    const [, id = '', , , caught = ''] = line.split('|').map((cell) => cell.trim());
    return /^[a-z-]+$/.test(id) && id !== 'candidate' && !id.startsWith('--') ? [{ id, caught }] : [];
  });
  expect(rows).toEqual(cheats.map(({ id, caught }) => ({ id, caught: caught.join(', ') })));
  expect(cheats.length).toBeGreaterThanOrEqual(30);
});
