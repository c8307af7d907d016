import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { StageContext } from '../../../src/suite/stage.js';
import type { CodeCoverage } from '../results.js';
import { coverageMetrics } from './plan-coverage.js';

const suiteFolder = fileURLToPath(new URL('..', import.meta.url));

/** What the row of a trial says of a candidate with that coverage by code. */
const told = (codeCoverage: CodeCoverage) =>
  coverageMetrics({
    ...{ suiteFolder, scope: 'textkit', task: null, system: { options: {} }, prepared: { codeCoverage } },
  } as unknown as StageContext);

const CODE = { leaves: 5, planned: [0, 2], features: 9, outside: 3 };

it('a trial says how far the methods agree on its candidate', async () => {
  const metrics = await told({
    ...CODE,
    clusters: { planned: 2, outside: 3, agreement: 0.9, kappa: 0.8 },
    judged: {
      ...{ planned: 3, outside: 2, moved: 1, trusted: true, answered: 8 },
      ...{ asNearest: { agreed: 6, kappa: 0.6 }, asClusters: { agreed: 7, kappa: null } },
    },
  });
  expect(metrics).toMatchObject({
    ...{ code_clusters_agreement: 0.9, code_clusters_kappa: 0.8, code_judged_answered: 8, code_judged_moved: 1 },
    ...{ code_judged_as_nearest: 6, code_judged_as_nearest_kappa: 0.6, code_judged_as_clusters: 7 },
  });
  expect(metrics).not.toHaveProperty('code_judged_as_clusters_kappa');
});

it('of a candidate prepared before that was counted, and of a judge that is not believed, it says nothing of it', async () => {
  const before = await told({ ...CODE, clusters: { planned: 2, outside: 3, agreement: 0.9 } });
  expect(before).toMatchObject({ code_clusters_agreement: 0.9 });
  const judged = { planned: 3, outside: 2, moved: 1 };
  const older = await told({ ...CODE, judged: { ...judged, trusted: true } });
  expect(older).toMatchObject({ code_judged_covered: 3, code_judged_moved: 1 });
  const unbelieved = await told({ ...CODE, judged: { ...judged, trusted: false } });
  for (const metrics of [before, older, unbelieved])
    expect(Object.keys(metrics).filter((name) => /kappa|judged_(as|answered)/.test(name))).toEqual([]);
  expect(Object.keys(unbelieved).filter((name) => name.includes('judged'))).toEqual([]);
});
