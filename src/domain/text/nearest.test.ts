import { expect, it } from 'vitest';
import { nearest } from './nearest.js';

it.each([
  ['projetcs', ['projects', 'limit'], 'projects'],
  ['Gold', ['gold', 'null'], 'gold'],
  ['budgt', ['quiet', 'budget'], 'budget'],
  ['budget', ['quiet', 'limit'], undefined],
  ['z', ['m'], undefined],
  ['zz', ['m'], undefined],
  ['big', ['bih', 'small'], 'bih'],
  ['gold', [], undefined],
])('finds what "%s" most likely meant, and nothing that has no letter of it', (word, known, meant) => {
  expect(nearest(word, known)).toBe(meant);
});
