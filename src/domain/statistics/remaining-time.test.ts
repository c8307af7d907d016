import fc from 'fast-check';
import { expect, it } from 'vitest';
import { remainingSeconds } from './remaining-time.js';

it('is unknown until some have ended', () => {
  expect(remainingSeconds({ ended: 4, seconds: 10, left: 5 })).toBeNull();
  expect(remainingSeconds({ ended: 5, seconds: 0, left: 5 })).toBeNull();
});

it('holds the time at the pace so far, and narrows with what has ended', () => {
  fc.assert(
    fc.property(fc.integer({ min: 5, max: 100_000 }), fc.integer({ min: 1, max: 100_000 }), (ended, left) => {
      const [few, more] = [ended, 4 * ended].map((count) => remainingSeconds({ ended: count, seconds: count, left })!);
      expect(few!.low).toBeLessThan(left);
      expect(few!.high).toBeGreaterThan(left);
      expect(more!.high - more!.low).toBeLessThan(few!.high - few!.low);
    }),
  );
});

it('held what came nine times in ten, where trials end by chance', () => {
  // 2,000 campaigns of 60 trials with exponential pauses: the interval after 20 of them against the time of the other 40.
  let seed = 7;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const pauses = (count: number): number =>
    Array.from({ length: count }, () => -Math.log(random())).reduce((a, b) => a + b);
  const means = Array.from({ length: 2_000 }, () => {
    const interval = remainingSeconds({ ended: 20, seconds: pauses(20), left: 40 })!;
    return interval.low <= 40 && 40 <= interval.high ? 1 : 0;
  });
  const share = means.reduce<number>((a, b) => a + b, 0) / means.length;
  expect(share).toBeGreaterThan(0.87);
  expect(share).toBeLessThan(0.93);
});
