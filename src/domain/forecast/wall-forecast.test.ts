import { describe, expect, it } from 'vitest';
import type { TrialTimes } from '../../contract/plan.js';
import { seededRandom } from '../../../tests/fixtures/chaos/seeded-random.js';
import { simulatedMachine } from '../../../tests/fixtures/engine/simulated-machine.js';
import { totalForecast } from '../statistics/total-forecast.js';
import { wallForecast } from './wall-forecast.js';

const NO_CANDIDATES = { pieces: 0, mean: 0, deviation: 0 };
const SLOTS = { model: 1_000, sandbox: 2 };

/** Earlier trials that all took so many seconds at their steps, and as many again waiting. */
const times = (campaign: string, more: Partial<TrialTimes> = {}): TrialTimes => ({
  ...{ campaign, trials: 20, seconds: 10, own: 8, model: 8, sandbox: 0, deviation: 0, atOnce: 4 },
  ...more,
});

function forecast(trials: readonly TrialTimes[], plan: Partial<Parameters<typeof wallForecast>[0]> = {}) {
  return wallForecast({
    batches: [{ phase: 'grade', system: 'sys', trials: 20, isShared: false }],
    concurrency: { batches: 2, trials: 4 },
    slots: SLOTS,
    known: new Map([['sys', { trials, candidates: NO_CANDIDATES }]]),
    edges: [],
    ...plan,
  });
}

describe('the wall time of a campaign', () => {
  it('is unknown where too few trials are, or candidates that it shares', () => {
    expect(forecast([])).toBeNull();
    expect(forecast([times('a', { trials: 2 })])).toBeNull();
    const batches = [{ phase: 'generate', system: 'sys', trials: 20, isShared: true }] as const;
    expect(forecast([times('a')], { batches })).toBeNull();
    expect(
      wallForecast({
        ...{ batches: [{ phase: 'grade', system: 'new', trials: 1, isShared: false }] as const, edges: [] },
        ...{ concurrency: { batches: 1, trials: 1 }, slots: SLOTS, known: new Map() },
      }),
    ).toBeNull();
  });

  it('holds what as many trials at once took before, and narrows with campaigns that agree', () => {
    const [few, many] = [2, 10].map((count) => forecast(Array.from({ length: count }, (_, n) => times(`${n}`)))!);
    for (const { low, high } of [few!, many!]) {
      expect(low).toBeLessThan(50);
      expect(high).toBeGreaterThan(50);
    }
    expect(many!.high / many!.low).toBeLessThan(few!.high / few!.low);
  });

  it('is as wide as earlier campaigns differed in how long they were served, and in how long their steps were', () => {
    const services = [1, 2, 4, 8].map((wait) => times(`${wait}`, { seconds: 8 + wait }));
    const steps = [2, 4, 8, 16].map((own) => times(`${own}`, { own, model: own, seconds: own + 1 }));
    const alike = [1, 2, 3, 4].map((n) => times(`${n}`));
    const width = (rows: TrialTimes[]): number => {
      const { low, high } = forecast(rows)!;
      return high / low;
    };
    expect(width(services)).toBeGreaterThan(1.3 * width(alike));
    expect(width(steps)).toBeGreaterThan(1.3 * width(alike));
  });

  it('has what campaigns take before the first trial and after the last', () => {
    const rows = Array.from({ length: 5 }, (_, n) => times(`${n}`));
    const [without, beside] = [forecast(rows)!, forecast(rows, { edges: [30, 30, 30, 30, 30] })!];
    expect(beside.low - without.low).toBeGreaterThan(15);
    expect(beside.low - without.low).toBeLessThan(30);
    expect(beside.high - without.high).toBeGreaterThan(30);
  });

  it('is told for slots that trials did not wait for before', () => {
    // One at once took 10 s in a sandbox; of eight at once no more than two run.
    const rows = Array.from({ length: 10 }, (_, n) =>
      times(`${n}`, { seconds: 10.1, own: 10, model: 0, sandbox: 10, atOnce: 1 }),
    );
    const batches = [{ phase: 'grade', system: 'sys', trials: 64, isShared: false }] as const;
    const { low, high } = forecast(rows, { batches, concurrency: { batches: 1, trials: 8 } })!;
    expect(low).toBeLessThan(320);
    expect(high).toBeGreaterThan(320);
    expect(high / low).toBeLessThan(3);
  });

  it('holds 19 times in 20 what a simulated machine takes, told by campaigns of another number at once', () => {
    const found = { held: 0, heldBefore: 0, widths: [] as number[] };
    const random = seededRandom(11);
    const times = 200;
    for (let time = 0; time < times; time += 1) {
      const earlier = Array.from({ length: 8 }, (_, n) => simulated(random, `${n}`));
      const next = simulated(random, 'next');
      const { low, high } = forecast(
        earlier.map(({ row }) => row),
        {
          batches: [{ phase: 'grade', system: 'sys', trials: next.row.trials, isShared: false }],
          concurrency: { batches: 2, trials: next.atOnce },
          edges: [],
        },
      )!;
      if (next.wall >= low && next.wall <= high) found.held += 1;
      if (asBefore(earlier, next)) found.heldBefore += 1;
      found.widths.push(high / low);
    }
    expect(found.held / times).toBeGreaterThan(0.92);
    // Taken for places that all work at full speed, as it was until 2026-11-28: half of them and less.
    expect(found.heldBefore / times).toBeLessThan(0.6);
    expect(found.widths.toSorted((a, b) => a - b)[times / 2]).toBeLessThan(3);
  });
});

interface Simulated {
  row: TrialTimes;
  wall: number;
  atOnce: number;
}

/** A campaign of a size and number at once of its own, on a machine that is more or less busy. */
function simulated(random: () => number, campaign: string): Simulated {
  const [atOnce, trials] = [[1, 2, 4, 8][Math.floor(random() * 4)]!, 10 + Math.floor(random() * 30)];
  const busy = Math.exp(0.25 * (random() + random() + random() + random() - 2) * Math.sqrt(3));
  const run = simulatedMachine({
    answer: 0.5,
    service: 0.3 * busy,
    atOnce,
    trials,
    seed: Math.floor(random() * 2 ** 31),
  });
  const { mean: seconds, own, deviation, wall } = run;
  const row = times(campaign, { trials, seconds, own, model: own, deviation, atOnce: (seconds * trials) / wall });
  return { row, wall, atOnce };
}

/** Whether it is held by seconds of trials, times trials, over places. */
function asBefore(earlier: readonly Simulated[], { row, wall, atOnce }: Simulated): boolean {
  const pieces = earlier.flatMap((each) => Array.from({ length: each.row.trials }, () => each.row.seconds));
  const mean = pieces.reduce((sum, each) => sum + each, 0) / pieces.length;
  const deviation = Math.sqrt(pieces.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (pieces.length - 1));
  const { low, high } = totalForecast({ pieces: pieces.length, mean, deviation }, row.trials)!;
  const places = Math.min(row.trials, 2 * atOnce);
  return wall >= low / places && wall <= high / places;
}
