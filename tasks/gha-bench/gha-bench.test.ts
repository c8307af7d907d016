import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { SuitePlans } from '../../src/contract/suite.js';
import type { Verdict } from '../../src/contract/verdict.js';
import { createBench, runTrial, systemSpec, type Bench } from '../../src/fakes/suite-bench.js';
import type { DatasetTools } from '../../src/suite/dataset.js';
import { ghaBench } from './gha-bench.js';
import { ghaBenchPlans } from './plan.js';
import type { Generated, Harvested } from './results.js';

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

test('what a changed grader takes, and nobody ran, is not judged', async () => {
  const [task] = await tasks();
  const plans: SuitePlans = {
    ...ghaBenchPlans,
    trial: async (_, stages) => {
      const { stated } = await stages.harvest<Harvested>();
      const { candidate, refusal, notes } = await stages.generate<Generated>({ input: { question: null } });
      return stages.score<Verdict>({ input: { candidate, refusal, notes, stated, lint: null, runs: null } });
    },
  };
  const regraded = createBench({ suite: ghaBench, plans, suiteFolder: import.meta.dirname });
  await ghaBench.dataset.fetch({ projects: [], verify: false }, regraded as unknown as DatasetTools);
  const trial = runTrial(regraded, { system: systemSpec({ id: 'oracle', generator: 'oracle' }), task: task! });
  await expect(trial).rejects.toMatchObject({ type: 'evidence.missing' });
});

test('the tasks of tiers are selected, and a name that is none is refused', async () => {
  const { tasks } = await ghaBench.dataset.select({ projects: ['tier-1'], limit: 1 }, 0, import.meta.dirname);
  expect(tasks).toMatchObject([{ group: 'tier-1', candidateScope: null }]);
  await expect(ghaBench.dataset.select({ tasks: ['t9-none'] }, 0, join(import.meta.dirname))).rejects.toThrow(
    /gha-bench has no task t9-none/,
  );
});
