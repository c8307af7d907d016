import { expect, test } from 'vitest';
import { diffLines } from './diff-lines.js';

const kept = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, index) => ` line ${from + index}`);

test('shows what changed with two lines around it, and marks what is left out', () => {
  const diff = [...kept(6), '-old', '+new', ...kept(8, 7), '+last'].join('\n');
  expect(diffLines(diff)).toEqual([
    ...[' line 5', ' line 6', '-old', '+new', ' line 7', ' line 8', '…'],
    ...[' line 13', ' line 14', '+last'],
  ]);
});

test('keeps indentation and lets nothing through that acts on a terminal', () => {
  expect(diffLines('+    x = 1\u001b[2J')).toEqual([expect.stringMatching(/^\+ {4}x = 1[^\u001b]*$/)]);
});

test('is cut where it is long', () => {
  const lines = diffLines(Array.from({ length: 200 }, (_, index) => `+${index}`).join('\n'));
  expect(lines).toHaveLength(81);
  expect(lines.at(-1)).toBe('… 120 more lines');
});
