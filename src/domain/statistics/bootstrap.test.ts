import { expect, it } from 'vitest';
import { stratifiedBootstrap } from './bootstrap.js';

type Means = readonly { mean: number; size: number }[];
const mean = (means: Means): number => means.reduce((sum, each) => sum + each.mean, 0) / means.length;
const binary = (ones: number, zeros: number): number[] => [
  ...Array<number>(ones).fill(1),
  ...Array<number>(zeros).fill(0),
];

it('agrees with the normal interval of a large sample', () => {
  const { interval } = stratifiedBootstrap({ passed: [binary(600, 400)] }, { interval: mean }, 1).passed;
  // 0.6 ± 1.96 √(0.24 / 1000)
  expect(interval?.low).toBeCloseTo(0.5696, 2);
  expect(interval?.high).toBeCloseTo(0.6304, 2);
});

it('draws within strata: what does not vary inside them does not vary at all', () => {
  const halves = { low: 0.5, high: 0.5 };
  const strata = [binary(50, 0), binary(0, 50)];
  expect(stratifiedBootstrap({ passed: strata }, { mean }, 1)).toEqual({ passed: { mean: halves } });
});

it('is the same for the same seed, and another for another', () => {
  const draw = (seed: number) => stratifiedBootstrap({ passed: [binary(7, 13), binary(5, 4)] }, { mean }, seed);
  expect(draw(3)).toEqual(draw(3));
  expect([draw(4), draw(5), draw(6)]).not.toEqual([draw(3), draw(3), draw(3)]);
});

it('is null without anything to draw from', () => {
  expect(stratifiedBootstrap({ passed: [] }, { mean }, 1)).toEqual({ passed: { mean: null } });
  expect(stratifiedBootstrap({ passed: [[1], []] }, { mean }, 1)).toEqual({ passed: { mean: null } });
});

it('gives each statistic and each measure what it gets alone', () => {
  const passed = [binary(7, 13), binary(5, 4)];
  const voted = [binary(12, 8), binary(9, 0)];
  const first = (means: Means): number => means[0]?.mean ?? 0;
  const both = stratifiedBootstrap({ passed, voted }, { mean, first }, 3);
  for (const [name, strata] of Object.entries({ passed, voted }))
    expect(both[name as 'passed']).toEqual({
      ...stratifiedBootstrap({ alone: strata }, { mean }, 3).alone,
      ...stratifiedBootstrap({ alone: strata }, { first }, 3).alone,
    });
});

it('draws what is measured of an item together', () => {
  const passed = [binary(7, 13)];
  const failed = passed.map((stratum) => stratum.map((value) => 1 - value));
  const { passed: one, failed: other } = stratifiedBootstrap({ passed, failed }, { mean }, 3);
  expect(one.mean?.low).toBeCloseTo(1 - (other.mean?.high ?? 0), 12);
});
