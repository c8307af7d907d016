import { expect, test } from 'vitest';
import { allEnded } from './all-ended.js';

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('results come in the order of the work, each of its own type', async () => {
  const [number, text] = await allEnded([later(5).then(() => 1), Promise.resolve('two')]);
  expect(number.toFixed(1) + text.toUpperCase()).toBe('1.0TWO');
});

test('a failure is told when all have ended, and of several the first in time', async () => {
  const ended: string[] = [];
  const failing = async (name: string, ms: number): Promise<never> => {
    await later(ms);
    ended.push(name);
    throw new Error(name);
  };
  await expect(
    allEnded([failing('second', 10), failing('first', 0), later(20).then(() => ended.push('last'))]),
  ).rejects.toThrow('first');
  expect(ended).toEqual(['first', 'second', 'last']);
});
