import { expect, it } from 'vitest';
import { artisanExplanations } from '../explanations.js';
import { artisanFailures } from './failure-analysis.js';

it('has a stage for every reason, and rules for reasons that there are', () => {
  const reasons = Object.keys(artisanExplanations);
  const early = reasons.filter((reason) => artisanFailures.stageOf({ reason, metrics: {} }) === 'generate');
  expect(early).toEqual(['static.empty', 'static.size', 'static.encoding']);
  expect(artisanFailures.stageOf({ reason: 'system.limit', metrics: {} })).toBe('generate');
  for (const { counts } of artisanFailures.rules)
    expect(reasons.some((reason) => 'class' in counts && reason.startsWith(counts.class))).toBe(true);
});
