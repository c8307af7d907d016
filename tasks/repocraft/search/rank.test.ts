import { expect, it } from 'vitest';
import { closestRows } from './rank.js';

it('returns the closest rows, best first, equal ones in row order', () => {
  const table = Float32Array.from([0, 1, 1, 0, 0.6, 0.8, 1, 0]);
  const ranked = closestRows(Float32Array.from([1, 0]), table, { top: 3 });
  expect(ranked.map(({ row }) => row)).toEqual([1, 3, 2]);
  expect(ranked[2]?.score).toBeCloseTo(0.6, 5);
});

it('counts every number of a vector, however many there are', () => {
  const table = Float32Array.from([1, 2, 4, 8, 16, 32, 0, 0, 0, 0, 0, 64]);
  const ranked = closestRows(Float32Array.from([1, 1, 1, 1, 1, 1]), table, { top: 5 });
  expect(ranked).toEqual([
    { row: 1, score: 64 },
    { row: 0, score: 63 },
  ]);
});

it('returns nothing from an empty table', () => {
  expect(closestRows(Float32Array.from([1, 0]), new Float32Array(0), { top: 5 })).toEqual([]);
});

it('takes the closest of the views of a row', () => {
  const table = Float32Array.from([0, 1, 0.6, 0.8, 0, 1, 1, 0]);
  const ranked = closestRows(Float32Array.from([1, 0]), table, { top: 2, views: 2 });
  expect(ranked.map(({ row, score }) => [row, Number(score.toFixed(3))])).toEqual([
    [1, 1],
    [0, 0.6],
  ]);
});
