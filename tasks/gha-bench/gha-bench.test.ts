import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createBench, runTrial, systemSpec, type Bench } from '../../src/fakes/suite-bench.js';
import type { DatasetTools } from '../../src/suite/dataset.js';
import { ghaBench } from './gha-bench.js';
import { ghaBenchPlans } from './plan.js';

let bench: Bench;

beforeAll(async () => {
  bench = createBench({ suite: ghaBench, plans: ghaBenchPlans, suiteFolder: import.meta.dirname });
  await ghaBench.dataset.fetch({ projects: [], verify: false }, bench as unknown as DatasetTools);
});

const tasks = async () => (await ghaBench.dataset.select({}, 0, bench.suiteFolder)).tasks;

// Solutions pass in tests/gha-bench/lint.test.ts, where the linters run.
test('nothing passes no task', async () => {
  for (const task of await tasks()) {
    const none = await runTrial(bench, { system: systemSpec({ id: 'null', generator: 'null' }), task });
    expect(none.verdict).toMatchObject({
      passed: false,
      reasons: ['format', 'syntax.no-workflow'],
      metrics: { syntax: 0, lint: null },
    });
  }
});

test('without the image of the linters nobody is judged', async () => {
  const [task] = await tasks();
  const trial = runTrial(bench, { system: systemSpec({ id: 'oracle', generator: 'oracle' }), task: task! });
  await expect(trial).rejects.toMatchObject({ type: 'sandbox.image-missing' });
});

test('the tasks of tiers are selected, and a name that is none is refused', async () => {
  const { tasks } = await ghaBench.dataset.select({ projects: ['tier-1'], limit: 1 }, 0, import.meta.dirname);
  expect(tasks).toMatchObject([{ group: 'tier-1', candidateScope: null }]);
  await expect(ghaBench.dataset.select({ tasks: ['t9-none'] }, 0, join(import.meta.dirname))).rejects.toThrow(
    /gha-bench has no task t9-none/,
  );
});
