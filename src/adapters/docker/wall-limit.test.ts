import { expect, test, vi } from 'vitest';
import { startWallLimit, type WallEnd } from './wall-limit.js';

const SECONDS = 0.02;

/** The whole process waits, as one that is stopped does: no timer fires meanwhile. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const end = (stillMs: number): Promise<WallEnd> =>
  new Promise((resolve) => {
    startWallLimit(SECONDS, resolve);
    standStill(stillMs);
  });

test('a process that stood still past the limit cannot say that it was reached', async () => {
  expect(await end(SECONDS * 1000 + 2_050)).toBe('stall');
});

test('a timer that is late because the loop was busy is a limit that was reached', async () => {
  const clock = vi
    .spyOn(performance, 'now')
    .mockReturnValueOnce(0)
    .mockReturnValue(SECONDS * 1000 + 1_900);
  expect(await end(0)).toBe('wall');
  clock.mockRestore();
});

test('what is ended before says nothing', async () => {
  const said: WallEnd[] = [];
  startWallLimit(SECONDS, (each) => said.push(each))();
  await new Promise((resolve) => setTimeout(resolve, 2 * SECONDS * 1000));
  expect(said).toEqual([]);
});
