import { expect, it } from 'vitest';
import { stratifiedBootstrap } from './bootstrap.js';

type Means = readonly { mean: number; size: number }[];
const mean = (means: Means): number => means.reduce((sum, each) => sum + each.mean, 0) / means.length;
const binary = (ones: number, zeros: number): number[] => [
  ...Array<number>(ones).fill(1),
  ...Array<number>(zeros).fill(0),
];

it('agrees with the normal interval of a large sample', () => {
  const { interval } = stratifiedBootstrap([binary(600, 400)], { interval: mean }, 1);
  // 0.6 ± 1.96 √(0.24 / 1000)
  expect(interval?.low).toBeCloseTo(0.5696, 2);
  expect(interval?.high).toBeCloseTo(0.6304, 2);
});

it('draws within strata: what does not vary inside them does not vary at all', () => {
  const halves = { low: 0.5, high: 0.5 };
  expect(stratifiedBootstrap([binary(50, 0), binary(0, 50)], { mean }, 1)).toEqual({ mean: halves });
});

it('is the same for the same seed, and another for another', () => {
  const draw = (seed: number) => stratifiedBootstrap([binary(7, 13), binary(5, 4)], { mean }, seed);
  expect(draw(3)).toEqual(draw(3));
  expect([draw(4), draw(5), draw(6)]).not.toEqual([draw(3), draw(3), draw(3)]);
});

it('is null without anything to draw from', () => {
  expect(stratifiedBootstrap([], { mean }, 1)).toEqual({ mean: null });
  expect(stratifiedBootstrap([[1], []], { mean }, 1)).toEqual({ mean: null });
});

it('gives each statistic what it gets alone', () => {
  const strata = [binary(7, 13), binary(5, 4)];
  const first = (means: Means): number => means[0]?.mean ?? 0;
  expect(stratifiedBootstrap(strata, { mean, first }, 3)).toEqual({
    ...stratifiedBootstrap(strata, { mean }, 3),
    ...stratifiedBootstrap(strata, { first }, 3),
  });
});
