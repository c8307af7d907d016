import { expect, test } from 'vitest';
import type { GoldBench, GoldSubject } from './gold-bench.js';
import { runAlone } from './gold-validation.js';
import { GOLD_CHUNK } from './plan.js';

const task = { test_code: '', auxiliary_code: {}, functions: [], fixtures: [] };

test('where a run fails the one beside it ends, and no further one begins', async () => {
  const subjects = Array.from({ length: 5 * GOLD_CHUNK }, (_, number): GoldSubject => ({
    key: `task_${number}`,
    task,
  }));
  const began: string[] = [];
  const remembered: string[] = [];
  const bench: GoldBench = {
    run: async ({ subjects: chunk }) => {
      const keys = chunk.map(({ key }) => key);
      began.push(keys[0]!);
      if (began.length === 1) throw new Error('the sandbox is unavailable');
      await new Promise((resolve) => setTimeout(resolve, 5));
      return Object.fromEntries(keys.map((key) => [key, { outcome: 'passed' as const, reason: '', cpuSeconds: 0 }]));
    },
    recall: () => Promise.resolve(null),
    remember: (run) => Promise.resolve(void remembered.push(...run.subjects.map(({ key }) => key))),
  };
  await expect(runAlone(bench, subjects, () => undefined)).rejects.toThrow('the sandbox is unavailable');
  expect(began).toEqual(['task_0', `task_${GOLD_CHUNK}`]);
  expect(remembered).toHaveLength(GOLD_CHUNK);
});
