import { expect, test, vi } from 'vitest';
import type { RunKill } from '../../../contract/run-evidence.js';
import { startWallLimit, type Measured } from './wall-limit.js';

const SECONDS = 0.02;
const limits = { wallSeconds: SECONDS, cpuSeconds: 10 };

/** The whole process waits, as one that is stopped does: no timer fires meanwhile. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const asleep = async (): Promise<Measured> => ({ before: 5, after: 6, slowness: 1 });

const end = (stillMs: number, measure: () => Promise<Measured | null> = asleep): Promise<RunKill> =>
  new Promise((resolve) => {
    startWallLimit({ limits, cpuBefore: 5, measure }, resolve);
    standStill(stillMs);
  });

test('a process that stood still past the limit cannot say that it was reached', async () => {
  expect(await end(SECONDS * 1000 + 2_050)).toBe('stalled');
});

test('a timer that is late because the loop was busy is a limit that was reached', async () => {
  const clock = vi
    .spyOn(performance, 'now')
    .mockReturnValueOnce(0)
    .mockReturnValueOnce(0)
    .mockReturnValue(SECONDS * 1000 + 1_900);
  expect(await end(0)).toBe('wall');
  clock.mockRestore();
});

test('a container in which nothing can be measured has only itself to blame', async () => {
  expect(await end(0, async () => null)).toBe('wall');
});

test('an engine that does not answer leaves nobody to say', async () => {
  expect(await end(0, () => Promise.reject(new Error('no answer')))).toBe('starved');
});

test('what got less than its share is looked at again, until it has had its time', async () => {
  const startedAt = performance.now();
  const cpuSeconds = (): number => (performance.now() - startedAt) / 1000 / 1000;
  let looks = 0;
  const slow = async (): Promise<Measured> => {
    looks += 1;
    // What measuring itself takes counts for nothing.
    const before = 5 + (looks - 1) + (looks < 3 ? cpuSeconds() : limits.cpuSeconds);
    return { before, after: before + 1, slowness: 1000 };
  };
  const reached = await new Promise((resolve) => {
    startWallLimit({ limits: { ...limits, wallSeconds: 1 }, cpuBefore: 5, measure: slow }, resolve);
  });
  expect([reached, looks]).toEqual(['wall', 3]);
});

test('what is ended before says nothing', async () => {
  const said: RunKill[] = [];
  startWallLimit({ limits, cpuBefore: 0, measure: asleep }, (each) => said.push(each)).end();
  await new Promise((resolve) => setTimeout(resolve, 2 * SECONDS * 1000));
  expect(said).toEqual([]);
});
