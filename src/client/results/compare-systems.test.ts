import { expect, it } from 'vitest';
import { campaignPlan } from '../../../tests/fixtures/engine/campaign-plan.js';
import { systemSpec } from '../../fakes/suite-bench.js';
import type { TaskOutcome } from '../../ports/records.js';
import type { Connection } from '../connection.js';
import { compareSystems } from './compare-systems.js';

const ID = 'experiment-0123456789';

/** An experiment of `plain` against `better` and `worse` that has ended, by what each task came to: passed, failed, not graded. */
function experiment(outcomes: Record<string, string>): Connection {
  const { spec, lock } = campaignPlan({ id: ID, batches: 1, trialsPerBatch: 1 });
  const systems = Object.keys(outcomes).map((id) => systemSpec({ id, generator: 'gold' }));
  const campaign = {
    ...{ id: ID, suite: 'echo', dataset: 'echo@1', status: 'completed', lock, spend: { reusedCalls: 0 } },
    spec: { ...spec, systems, experiment: { baseline: 'plain', smallestEffect: 0.1 } },
  };
  const rows = Object.entries(outcomes).flatMap(([systemId, ends]) =>
    [...ends].map((end, task): TaskOutcome => {
      const trial = `${ID}/t${task}/${systemId}/1`;
      return {
        ...{ systemId, taskId: `t${task}`, group: 'g', sha256: 'a', metrics: {} },
        ...{ graded: end === '-' ? 0 : 1, passed: end === 'p' ? 1 : 0 },
        ...{ passedTrial: end === 'p' ? trial : null, failedTrial: end === 'f' ? trial : null },
      };
    }),
  );
  return {
    records: {
      resolveCampaign: async () => ID,
      campaign: async () => campaign,
      events: async () => [],
      taskOutcomes: async () => rows,
    },
    suiteNamed: async () => ({ resultColumns: [] }),
  } as unknown as Connection;
}

const better = 'p'.repeat(12);

it('an experiment without a task that baseline and variant were both graded on decides nothing, and says where to look', async () => {
  // All of the baseline errored, or each was graded where the other was not.
  for (const [plain, variant, common] of [
    ['------------', better, 12],
    ['------ffffff', 'pppppp------', 12],
  ] as const)
    await expect(compareSystems(experiment({ plain, better: variant }), ID)).rejects.toMatchObject({
      kind: 'usage',
      problems: [
        {
          message: `${ID}/plain and ${ID}/better have ${common} tasks in common, and none that was graded for both`,
          expected: 'systems that were graded on some of the same tasks',
          fix: `durabench show ${ID}`,
        },
      ],
    });
});

it('a variant without such a task is left out and told; the others are decided on', async () => {
  const { pairs, notes } = await compareSystems(
    experiment({ plain: 'f'.repeat(12), better, worse: '------------' }),
    ID,
  );
  expect(pairs.map(({ b, decision, p, p_holm }) => [b.system, decision, p === p_holm])).toEqual([
    ['better', 'adopt', true],
  ]);
  expect(notes).toEqual(['No task was graded for both sides of 1 pair, left out here.']);
});
