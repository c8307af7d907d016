import { expect, it } from 'vitest';
import { playThrough, type PlayedBatch, type PlayedTimes } from './play-through.js';

const batch = (trials: number, more: Partial<PlayedBatch> = {}): PlayedBatch => ({
  ...{ phase: 'grade', system: 'sys', trials, isShared: false },
  ...more,
});
const times = (more: Partial<PlayedTimes> = {}): PlayedTimes => ({
  ...{ trial: () => 10, variation: () => 0, candidate: () => 100, late: 0.5 },
  ...more,
});

it('runs only as many of a batch at once as its window has places, however many batches might run', () => {
  // Places for 16 trials, but one batch: 8 at once, three times.
  expect(playThrough([batch(20)], { batches: 2, trials: 8 }, times())).toBeCloseTo(30, 6);
  expect(playThrough([batch(10), batch(10)], { batches: 2, trials: 8 }, times())).toBeCloseTo(20, 6);
});

it('opens the next batch of a phase when one is done, and the other phase beside it', () => {
  const concurrency = { batches: 2, trials: 4 };
  expect(playThrough([batch(4), batch(8), batch(4)], concurrency, times())).toBeCloseTo(20, 6);
  expect(playThrough([batch(8), batch(8), batch(8)], concurrency, times())).toBeCloseTo(40, 6);
  const making = batch(8, { phase: 'generate' });
  expect(playThrough([batch(8), batch(8), making], concurrency, times())).toBeCloseTo(20, 6);
});

it('makes a shared candidate before its trials, which do not count as running meanwhile', () => {
  const crowds: number[] = [];
  const trial = (_: string, atOnce: number): number => {
    crowds.push(atOnce);
    return 10;
  };
  const shared = batch(4, { phase: 'generate', isShared: true });
  expect(playThrough([shared], { batches: 1, trials: 4 }, times({ trial }))).toBeCloseTo(110, 6);
  expect(new Set(crowds)).toEqual(new Set([4]));
});

it('lets trials take longer while more run beside them, and shorter afterwards', () => {
  const played = playThrough(
    [batch(4), batch(2, { system: 'other' })],
    { batches: 2, trials: 4 },
    times({ trial: (system, atOnce) => (system === 'other' ? 2 : 1) * atOnce }),
  );
  // Six at once: the four end after 6 s, when the two have done half of their 12 s; alone that half takes 2 s.
  expect(played).toBeCloseTo(8, 6);
});

it('ends with the slowest of the last ones where trials differ', () => {
  const differing = times({ variation: () => 0.5 });
  const one = playThrough([batch(1)], { batches: 1, trials: 8 }, differing);
  const eight = playThrough([batch(8)], { batches: 1, trials: 8 }, differing);
  expect(one).toBeCloseTo(10, 6);
  // Of eight normal draws the largest is 1.42 standard deviations above the mean.
  expect(eight).toBeCloseTo(10 + 5 * 1.42, 0);
});

it('is over at once where nothing takes time, and where there is nothing', () => {
  expect(playThrough([], { batches: 1, trials: 1 }, times())).toBe(0);
  expect(playThrough([batch(30)], { batches: 1, trials: 1 }, times({ trial: () => 0 }))).toBe(0);
});

it('goes on from what runs: trials for what is left of them, a candidate for what is left of it', () => {
  const concurrency = { batches: 2, trials: 4 };
  const half = batch(0, { running: [5, 5] });
  expect(playThrough([half], concurrency, times())).toBeCloseTo(5, 1);
  // Two places are free, and two become so: two begin at once, and two at 5 s.
  expect(playThrough([batch(4, { running: [5, 5] })], concurrency, times())).toBeCloseTo(15, 1);
  const made = batch(4, { phase: 'generate', isShared: true, running: [50] });
  expect(playThrough([made, batch(8)], concurrency, times())).toBeCloseTo(60, 0);
});

it('has what is overdue take a while longer, and longer or shorter as what runs is to be late', () => {
  const played = (age: number, late = 0.5): number =>
    playThrough([batch(0, { running: [age] })], { batches: 1, trials: 1 }, times({ late }));
  expect(played(20)).toBeGreaterThan(1);
  expect(played(40)).toBeGreaterThan(1.5 * played(20));
  expect(played(9, 0.9)).toBeGreaterThan(2 * played(9));
  expect(played(9, 0.1)).toBeLessThan(played(9) / 2);
});
