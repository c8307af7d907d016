import { expect, test } from 'vitest';
import { misjudgedPairs, outputPairs } from './output-pairs.js';

test('of three hundred labelled outputs and more none is misjudged', () => {
  const pairs = outputPairs();
  expect(new Set(pairs.map(({ shape, output }) => JSON.stringify([shape, output]))).size).toBe(pairs.length);
  expect(pairs.length).toBeGreaterThanOrEqual(300);
  expect(pairs.filter(({ isRight }) => isRight).length).toBeGreaterThan(120);
  expect(pairs.filter(({ isRight }) => !isRight).length).toBeGreaterThan(120);
  // Where one rule for halves would do, the other one is asked too; units and percent, in either direction.
  const of = (isRight: boolean): string[] =>
    pairs.filter((pair) => pair.isRight === isRight).map(({ change }) => change);
  expect(of(true)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/away from zero/),
      expect.stringMatching(/even/),
      expect.stringMatching(/percent/),
    ]),
  );
  expect(of(false)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/odd/),
      expect.stringMatching(/unit behind/),
      expect.stringMatching(/percent/),
    ]),
  );
  expect(misjudgedPairs(pairs).map(({ change, output }) => `${change}:\n${output}`)).toEqual([]);
});
