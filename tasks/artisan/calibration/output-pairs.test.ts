import { expect, test } from 'vitest';
import { misjudgedPairs, outputPairs } from './output-pairs.js';

test('of three hundred labelled outputs and more none is misjudged', () => {
  const pairs = outputPairs();
  expect(pairs.length).toBeGreaterThanOrEqual(300);
  expect(pairs.filter(({ isRight }) => isRight).length).toBeGreaterThan(120);
  expect(pairs.filter(({ isRight }) => !isRight).length).toBeGreaterThan(120);
  expect(misjudgedPairs(pairs).map(({ change, output }) => `${change}:\n${output}`)).toEqual([]);
});
