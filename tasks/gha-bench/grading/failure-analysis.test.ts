import { expect, it } from 'vitest';
import { fileURLToPath } from 'node:url';
import { ghaExplanations } from '../explanations.js';
import { ghaFailures } from './failure-analysis.js';

it('has a stage for every reason, and rules for reasons that there are', () => {
  const stages = Object.keys(ghaExplanations).map((reason) => [reason, ghaFailures.stageOf({ reason, metrics: {} })]);
  expect(Object.fromEntries(stages)).toMatchObject({
    ...{ format: 'generate', 'syntax.yaml': 'localize', 'lint.zizmor': 'execute', features: 'score' },
    ...{ runs: 'execute', 'runs.unsupported': 'execute' },
  });
  expect(stages.filter(([, stage]) => stage === 'generate')).toEqual([['format', 'generate']]);
  for (const { counts } of ghaFailures.rules)
    expect(Object.keys(ghaExplanations).some((reason) => 'class' in counts && reason.startsWith(counts.class))).toBe(
      true,
    );
});

it('knows how hard every task is, the easy ones first', async () => {
  const found = await ghaFailures.difficulties!(fileURLToPath(new URL('..', import.meta.url)));
  expect(found.size).toBeGreaterThanOrEqual(12);
  expect([...new Set(found.values())]).toEqual(
    ['easy', 'medium', 'hard'].filter((each) => [...found.values()].includes(each)),
  );
});
