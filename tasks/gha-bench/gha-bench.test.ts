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

test('the oracle passes every task, nothing passes none', async () => {
  for (const task of await tasks()) {
    const oracle = await runTrial(bench, { system: systemSpec({ id: 'oracle', generator: 'oracle' }), task });
    expect(oracle.verdict).toMatchObject({ passed: true, reasons: [], metrics: { syntax: 1 } });
    const none = await runTrial(bench, { system: systemSpec({ id: 'null', generator: 'null' }), task });
    expect(none.verdict).toMatchObject({
      passed: false,
      reasons: ['format', 'syntax.no-workflow'],
      metrics: { syntax: 0 },
    });
  }
});

test('the tasks of tiers are selected, and a name that is none is refused', async () => {
  const { tasks } = await ghaBench.dataset.select({ projects: ['tier-1'], limit: 1 }, 0, import.meta.dirname);
  expect(tasks).toMatchObject([{ group: 'tier-1', candidateScope: null }]);
  await expect(ghaBench.dataset.select({ tasks: ['t9-none'] }, 0, join(import.meta.dirname))).rejects.toThrow(
    /gha-bench has no task t9-none/,
  );
});
