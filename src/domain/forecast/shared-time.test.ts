import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { simulatedMachine, timesAt } from '../../../tests/fixtures/engine/simulated-machine.js';
import { secondsAmong, serviceOf } from './shared-time.js';

describe('what a trial takes among others', () => {
  const asking = { own: 2, held: [] };

  it('is its steps and its own service alone, and among many the service of all', () => {
    expect(secondsAmong(asking, 0.5, 1)).toBeCloseTo(2.5, 6);
    expect(secondsAmong(asking, 0.5, 1_000) / 1_000).toBeCloseTo(0.5, 2);
    expect(secondsAmong(asking, 0, 1_000)).toBeCloseTo(2, 6);
  });

  it('waits for a slot where more run than there are slots', () => {
    const running = { own: 10, held: [{ seconds: 10, slots: 2 }] };
    expect(secondsAmong(running, 0, 1)).toBeCloseTo(10, 6);
    expect(secondsAmong(running, 0, 16)).toBeGreaterThan(79);
    expect(secondsAmong(running, 0, 16)).toBeLessThan(86);
  });

  it('finds the service that makes of steps what trials took, however many ran at once', () => {
    const seconds = fc.double({ min: 0.01, max: 100, noNaN: true });
    fc.assert(
      fc.property(seconds, seconds, seconds, fc.integer({ min: 1, max: 500 }), (own, held, service, atOnce) => {
        const work = { own: own + held, held: [{ seconds: held, slots: 4 }] };
        const took = secondsAmong(work, service, atOnce);
        expect(secondsAmong(work, serviceOf(work, took, atOnce), atOnce) / took).toBeCloseTo(1, 4);
      }),
    );
  });

  it('is no service where steps took all of the time', () => {
    expect(serviceOf({ own: 5, held: [] }, 5, 8)).toBe(0);
    expect(serviceOf({ own: 5, held: [{ seconds: 5, slots: 1 }] }, 5, 8)).toBe(0);
  });

  it('is what a machine takes that is simulated, from what it took at another number at once', () => {
    // Answers of 2 s in the mean, and a service of 0.3 s: measured at 12 trials at once, told for 1, 4 and 24.
    const took = (atOnce: number): number => {
      const batches = [{ system: 'sys', trials: 1_000, answer: 2 }];
      const run = simulatedMachine({ batches, service: 0.3, window: 1, inBatch: atOnce, seed: 5 });
      return timesAt(run, 'c').get('sys')![0]!.seconds;
    };
    const service = serviceOf(asking, took(12), 12);
    for (const atOnce of [1, 4, 24]) {
      const ratio = secondsAmong(asking, service, atOnce) / took(atOnce);
      expect(ratio).toBeGreaterThan(0.9);
      expect(ratio).toBeLessThan(1.1);
    }
  });
});
