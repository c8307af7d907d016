import { describe, expect, it } from 'vitest';
import type { TrialTimes } from '../../contract/plan.js';
import { seededRandom } from '../../../tests/fixtures/chaos/seeded-random.js';
import {
  batchesAt,
  simulatedMachine,
  timesAt,
  type SimulatedRun,
} from '../../../tests/fixtures/engine/simulated-machine.js';
import type { Interval } from '../statistics/statistics.js';
import { remainingSeconds } from '../statistics/remaining-time.js';
import { totalForecast } from '../statistics/total-forecast.js';
import type { PlayedBatch } from './play-through.js';
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

describe('what is left of a campaign', () => {
  const systems = (rows: Record<string, TrialTimes[]>) =>
    new Map(Object.entries(rows).map(([id, trials]) => [id, { trials, candidates: NO_CANDIDATES }]));
  const earlier = (seconds: number): TrialTimes[] =>
    Array.from({ length: 8 }, (_, n) =>
      times(`${n}`, { seconds, own: 0.8 * seconds, model: 0.8 * seconds, deviation: 0.2 * seconds }),
    );
  const left = (running: number[], trials: number): PlayedBatch => ({
    ...{ phase: 'grade', system: 'slow', trials, isShared: false, running },
  });
  const rest = (batches: PlayedBatch[], known = systems({ fast: [...earlier(1), now(1)], slow: earlier(20) })) =>
    wallForecast({ batches, concurrency: { batches: 2, trials: 4 }, slots: SLOTS, known, edges: [], rest: 'now' })!;
  const now = (seconds: number): TrialTimes => ({ ...earlier(seconds)[0]!, campaign: 'now', trials: 200 });

  it('is told by the times of the systems that are left, though others came first and were quick', () => {
    const { low, high } = rest([left([], 8)]);
    // 200 of 208 have ended, one a quarter of a second: by that pace the others take 2 s, and not two times 20.
    expect(low).toBeGreaterThan(20);
    expect(low).toBeLessThan(40);
    expect(high).toBeGreaterThan(40);
    expect(high).toBeLessThan(90);
  });

  it('counts a trial that runs for what is left of it, and one that is overdue for a while longer', () => {
    const middle = (running: number[]): number => {
      const { low, high } = rest([left(running, 0)]);
      return (low + high) / 2;
    };
    expect(middle([1])).toBeGreaterThan(1.5 * middle([12]));
    expect(middle([12])).toBeGreaterThan(1.2 * middle([20]));
    expect(middle([200])).toBeGreaterThan(middle([40]));
    // Four at once, of which one has just begun.
    expect(middle([1, 12, 15, 16])).toBeGreaterThan(0.9 * middle([1]));
  });

  it('is wider, as a ratio, where fewer trials are left', () => {
    const ratio = ({ low, high }: { low: number; high: number }): number => high / low;
    expect(ratio(rest([left([], 2)]))).toBeGreaterThan(1.2 * ratio(rest([left([], 400)])));
  });

  it('goes by how the campaign has begun: by its own steps, and by how busy the machine is with all of its systems', () => {
    const low = (own: TrialTimes[]): number =>
      rest([left([], 80)], systems({ fast: [...earlier(1), ...own], slow: earlier(20) })).low;
    // Served four times as slowly; the steps of the other system take what they took.
    expect(low([{ ...now(1), seconds: 2.2 }])).toBeGreaterThan(1.3 * low([now(1)]));
    const rows = earlier(20).map((row) => ({ ...row, deviation: 12 }));
    const slow = (own: Partial<TrialTimes>): number =>
      rest([left([], 80)], systems({ slow: [...rows, { ...rows[0]!, campaign: 'now', trials: 200, ...own }] })).low;
    const longer = { own: 32, model: 32, seconds: 40 };
    expect(slow(longer)).toBeGreaterThan(1.6 * slow({}));
    // Of two trials that have ended not much is believed.
    expect(slow({ ...longer, trials: 2 })).toBeLessThan(1.5 * slow({ trials: 2 }));
  });

  it('holds nine times in ten and more what a simulated machine takes, whichever systems come last', () => {
    const random = seededRandom(11);
    const found = [0.25, 0.5, 0.75].map((share) => ({ share, held: 0, heldByPace: 0, widths: [] as number[] }));
    const campaigns = 200;
    for (let n = 0; n < campaigns; n += 1) {
      const before = Array.from({ length: 8 }, (_, index) => timesAt(mixed(random, index < 2).run, `${index}`));
      const { run, inBatch } = mixed(random);
      const ends = run.trials.map(({ ended }) => ended);
      for (const each of found) {
        const done = Math.ceil(each.share * ends.length);
        const at = ends[done - 1]! + 1e-6;
        const own = timesAt(run, 'now', at);
        const known = systems(
          Object.fromEntries(
            MIXED.map(({ system }) => [system, [...before, own].flatMap((rows) => rows.get(system) ?? [])]),
          ),
        );
        const concurrency = { batches: 2, trials: inBatch };
        const { low, high } = wallForecast({
          ...{ batches: batchesAt(run, at), concurrency, slots: SLOTS, known, edges: [], rest: 'now' },
        })!;
        const isWithin = (range: Interval | null): boolean =>
          range !== null && run.wall - at >= range.low && run.wall - at <= range.high;
        if (isWithin({ low, high })) each.held += 1;
        if (isWithin(remainingSeconds({ ended: done, seconds: at, left: ends.length - done }))) each.heldByPace += 1;
        each.widths.push(high / low);
      }
    }
    for (const { share, held, heldByPace, widths } of found) {
      expect(held / campaigns, `${share}`).toBeGreaterThan(0.9);
      // As it was told until 2026-11-28.
      expect(heldByPace / campaigns, `${share}`).toBeLessThan(0.65);
      expect(widths.toSorted((a, b) => a - b)[campaigns / 2], `${share}`).toBeLessThan(3.1);
    }
  });
});

const MIXED = [
  { system: 'noise', answer: 0.1 },
  { system: 'short', answer: 0.2 },
  { system: 'long', answer: 0.6 },
  { system: 'slow', answer: 0.3, least: 1.5 },
];

/** A campaign of some systems, or of all; of a size, number at once and busy machine of its own. */
function mixed(random: () => number, isOfAll = false): { run: SimulatedRun; inBatch: number } {
  const drawn = (values: number): number => Math.floor(random() * values);
  const some = MIXED.filter(() => isOfAll || random() < 0.5);
  const [trials, repeats, inBatch] = [5 + drawn(16), 1 + drawn(2), [1, 2, 4, 8][drawn(4)]!];
  const batches = (some.length > 0 ? some : [MIXED[drawn(4)]!]).flatMap((system) =>
    Array.from({ length: repeats }, () => ({ ...system, trials })),
  );
  const service = 0.3 * busyness(random);
  return { run: simulatedMachine({ batches, service, window: 2, inBatch, seed: drawn(2 ** 31) }), inBatch };
}

/** By which factor a machine is busier at one time than at another. */
const busyness = (random: () => number): number =>
  Math.exp(0.25 * (random() + random() + random() + random() - 2) * Math.sqrt(3));

interface Simulated {
  row: TrialTimes;
  wall: number;
  atOnce: number;
}

/** A campaign of a size and number at once of its own, on a machine that is more or less busy. */
function simulated(random: () => number, campaign: string): Simulated {
  const [atOnce, trials] = [[1, 2, 4, 8][Math.floor(random() * 4)]!, 10 + Math.floor(random() * 30)];
  const busy = busyness(random);
  const run = simulatedMachine({
    batches: [{ system: 'sys', trials, answer: 0.5 }],
    ...{ service: 0.3 * busy, window: 1, inBatch: atOnce, seed: Math.floor(random() * 2 ** 31) },
  });
  const [row] = timesAt(run, campaign).get('sys')!;
  return { row: row!, wall: run.wall, atOnce };
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
