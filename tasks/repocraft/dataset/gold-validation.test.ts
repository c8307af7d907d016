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

test('what has ended of its runs is told from the first one on, so that the time left can be', async () => {
  const subjects = Array.from({ length: 3 * GOLD_CHUNK }, (_, number): GoldSubject => ({
    key: `task_${number}`,
    task,
  }));
  const bench: GoldBench = {
    run: ({ subjects: chunk }) =>
      Promise.resolve(
        Object.fromEntries(chunk.map(({ key }) => [key, { outcome: 'passed', reason: '', cpuSeconds: 0 }])),
      ),
    recall: () => Promise.resolve(null),
    remember: () => Promise.resolve(),
  };
  const told: [string, unknown][] = [];
  await runAlone(bench, subjects, (line, part) => void told.push([line, part]));
  expect(told).toEqual([0, 1, 2, 3].map((ended) => ['gold, isolated', { ended, of: 3 }]));
});
