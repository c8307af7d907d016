import { describe, expect, test } from 'vitest';
import { altered } from './twins.js';

const TEXT = `Data:  Instrument  Value\n${Array.from({ length: 20 }, (_, row) => `     ${row < 10 ? 1 : 2}   ${(196 + row / 100).toFixed(4)}`).join('\n')}\n`;
const rowsOf = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => row.trim().split(/\s+/));

describe('an alteration', () => {
  test('drops so many rows, and keeps the others as they are and the header', () => {
    const dropped = altered(TEXT, { file: 'data', drop: 3, seed: 1 });
    expect(rowsOf(dropped)).toHaveLength(17);
    expect(dropped.split('\n')[0]).toBe('Data:  Instrument  Value');
    expect(rowsOf(TEXT)).toEqual(expect.arrayContaining(rowsOf(dropped)));
  });

  test('shakes every value of a field, by no more than it says, and keeps the other', () => {
    const jitter = { field: 2, by: 0.05, decimals: 4 };
    const [before, after] = [rowsOf(TEXT), rowsOf(altered(TEXT, { file: 'data', jitter, seed: 1 }))];
    expect(after.map(([label]) => label)).toEqual(before.map(([label]) => label));
    const moved = after.map(([, value], row) => Math.abs(Number(value) - Number(before[row]?.[1])));
    expect(Math.max(...moved)).toBeLessThanOrEqual(0.0501);
    expect(moved.filter((by) => by > 0).length).toBeGreaterThan(15);
    expect(after.every(([, value]) => /^\d+\.\d{4}$/.test(value ?? ''))).toBe(true);
  });

  test('swaps labels: as many of each, at other places', () => {
    const [before, after] = [
      rowsOf(TEXT),
      rowsOf(altered(TEXT, { file: 'data', swap: { field: 1, share: 0.5 }, seed: 1 })),
    ];
    expect(after.map(([label]) => label).sort()).toEqual(before.map(([label]) => label).sort());
    expect(after.map(([label]) => label)).not.toEqual(before.map(([label]) => label));
    expect(after.map(([, value]) => value)).toEqual(before.map(([, value]) => value));
  });

  test('finds fields between commas too', () => {
    const jitter = { field: 2, by: 1, decimals: 0 };
    const lines = altered('"a","b","c"\n1,60323,83\n2,61122,88.5\n', { file: 'data', jitter, seed: 4 }).split('\n');
    expect(lines[0]).toBe('"a","b","c"');
    expect(lines[1]).toMatch(/^1,603\d\d,83$/);
    expect(lines[2]).toMatch(/^2,611\d\d,88\.5$/);
  });

  test('is the same for the same seed, and another for another', () => {
    const [one, again, other] = [1, 1, 2].map((seed) => altered(TEXT, { file: 'data', drop: 3, seed }));
    expect(again).toBe(one);
    expect(other).not.toBe(one);
  });

  test('of what is not there is told', () => {
    expect(() => altered(TEXT, { file: 'data', drop: 20, seed: 1 })).toThrow('data has 20 rows');
    const jitter = { field: 3, by: 1, decimals: 1 };
    expect(() => altered(TEXT, { file: 'data', jitter, seed: 1 })).toThrow('has no field 3');
  });
});
