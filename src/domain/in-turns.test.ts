import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inTurns } from './in-turns.js';

it('does all work in its order, so many at once', async () => {
  const begun: number[] = [];
  let running = 0;
  await inTurns([1, 2, 3, 4, 5], 2, async (item, index) => {
    begun.push(item);
    running += 1;
    expect([running <= 2, index]).toEqual([true, item - 1]);
    await turn();
    running -= 1;
  });
  expect(begun).toEqual([1, 2, 3, 4, 5]);
});

it('begins nothing after a failure, and throws it when what was under way has ended', async () => {
  const ended: number[] = [];
  const failing = inTurns([1, 2, 3, 4], 2, async (item) => {
    if (item === 1) throw new Error('one');
    await turn();
    ended.push(item);
  });
  await expect(failing).rejects.toThrow('one');
  expect(ended).toEqual([2]);
});
