import type { ConcurrencySpec } from '../../contract/campaign.js';
import type { TrialTimes, WorkSample } from '../../contract/plan.js';
import { studentQuantile } from '../statistics/distributions.js';
import type { Interval } from '../statistics/statistics.js';
import { playThrough, type PlayedBatch, type PlayedTimes } from './play-through.js';
import { secondsAmong, serviceOf, type TrialWork } from './shared-time.js';

/** What times are known of the work of one system. */
export interface SystemTimes {
  trials: readonly TrialTimes[];
  /** Seconds in which shared candidates were made. */
  candidates: WorkSample;
}

/** Fewer trials say nothing. */
const FEWEST = 3;
/** Nineteen times in twenty. */
const SHARE = 0.975;
/**
 * How much campaigns differ before there are some to tell: a standard deviation of a quarter, counted as five campaigns. By about
 * so much one campaign was served slower than another where docs/results/forecast.md was measured, beside other work.
 */
const EXPECTED = { deviation: 0.25, campaigns: 5 };
/** Nothing is shorter: logarithms are taken. */
const LEAST_SECONDS = 1e-3;

/** A mean, and the factor by which a further one is missed either way, nineteen times in twenty. */
interface Guess {
  mean: number;
  factor: number;
}

interface KnownTimes {
  work: TrialWork;
  service: number;
  variation: number;
  /** Of `work`. */
  factor: number;
  candidate: Guess;
}

type Slots = Record<'model' | 'sandbox', number>;

/**
 * The wall time of a campaign, nineteen times in twenty: its batches played through with the times of earlier campaigns, and what
 * those took before the first trial and after the last. How far it may be off is found by playing it with longer and shorter
 * steps, then with slower and faster service, each as far from its mean as it differed between earlier campaigns; as what is
 * independent, these distances are added. Null where too few trials are known.
 */
export function wallForecast(plan: {
  batches: readonly PlayedBatch[];
  concurrency: Pick<ConcurrencySpec, 'batches' | 'trials'>;
  /** Places for steps, over all workers. */
  slots: Slots;
  known: ReadonlyMap<string, SystemTimes>;
  /** Seconds that earlier campaigns took beside their trials. */
  edges: readonly number[];
}): Interval | null {
  const { batches, concurrency, slots, known } = plan;
  const systems = [...new Set(batches.map(({ system }) => system))];
  const times = new Map<string, KnownTimes>();
  for (const system of systems) {
    const own = batches.filter((batch) => batch.system === system);
    const found = knownTimes(known.get(system), own, slots);
    if (found === null) return null;
    times.set(system, found);
  }
  const pace = paceFactor(
    systems.map((system) => known.get(system)!.trials),
    slots,
  );
  const played = (steps: number, services: number): number =>
    playThrough(batches, concurrency, playedTimes(times, { steps, service: pace ** services }));
  const edge = guess(plan.edges);
  const middle = played(0, 0);
  const away = (side: 1 | -1): number =>
    Math.hypot(played(side, 0) - middle, played(0, side) - middle, edge.mean * (edge.factor ** side - 1));
  return { low: Math.max(0, middle + edge.mean - away(-1)), high: middle + edge.mean + away(1) };
}

/** @param away how many of their factors steps and candidates are from the mean, and by which factor services are */
function playedTimes(times: ReadonlyMap<string, KnownTimes>, away: { steps: number; service: number }): PlayedTimes {
  const found = new Map<string, number>();
  const trial = (system: string, atOnce: number): number => {
    const { work, service, factor } = times.get(system)!;
    const scale = factor ** away.steps;
    const held = work.held.map(({ seconds, slots }) => ({ seconds: seconds * scale, slots }));
    return secondsAmong({ own: work.own * scale, held }, service * away.service, atOnce);
  };
  return {
    trial(system, atOnce) {
      const key = `${system} ${atOnce}`;
      const seconds = found.get(key) ?? trial(system, atOnce);
      found.set(key, seconds);
      return seconds;
    },
    variation: (system) => times.get(system)!.variation,
    candidate(system) {
      const { mean, factor } = times.get(system)!.candidate;
      return mean * factor ** away.steps;
    },
  };
}

function knownTimes(times: SystemTimes | undefined, batches: readonly PlayedBatch[], slots: Slots): KnownTimes | null {
  const pieces = times?.trials.reduce((sum, { trials }) => sum + trials, 0) ?? 0;
  if (times === undefined || pieces < FEWEST) return null;
  const shared = batches.filter(({ isShared }) => isShared).length;
  if (shared > 0 && times.candidates.pieces < FEWEST) return null;
  const mean = (of: (row: TrialTimes) => number): number =>
    times.trials.reduce((sum, row) => sum + row.trials * of(row), 0) / pieces;
  const own = mean((row) => row.own);
  const deviation = Math.sqrt(mean((row) => row.deviation ** 2));
  const service = Math.exp(meanOf(times.trials.map((row) => Math.log(serviceIn(row, slots)))));
  const count = batches.reduce((sum, { trials }) => sum + trials, 0);
  const { quantile, further } = spreadOf(times.trials.map((row) => Math.log(Math.max(LEAST_SECONDS, row.own))));
  const ofMean = own > 0 ? deviation / own / Math.sqrt(count) : 0;
  return {
    work: { own, held: heldIn({ model: mean((row) => row.model), sandbox: mean((row) => row.sandbox) }, slots) },
    ...{ service, variation: deviation / (own + service) },
    factor: Math.exp(quantile * Math.hypot(further, ofMean)),
    candidate: candidateGuess(times.candidates, shared),
  };
}

/** As in {@link totalForecast}, as a factor. */
function candidateGuess({ pieces, mean, deviation }: WorkSample, further: number): Guess {
  if (further === 0 || mean === 0) return { mean: 0, factor: 1 };
  const error = (deviation / mean) * Math.sqrt(1 / further + 1 / pieces) * studentQuantile(SHARE, pieces - 1);
  return { mean, factor: Math.exp(error) };
}

/** By which factor all services of a further campaign differ: a busy machine lengthens those of every system. */
function paceFactor(systems: readonly (readonly TrialTimes[])[], slots: Slots): number {
  const off = new Map<string, number[]>();
  for (const rows of systems) {
    const services = rows.map((row) => Math.log(serviceIn(row, slots)));
    for (const [index, { campaign }] of rows.entries())
      off.set(campaign, [...(off.get(campaign) ?? []), services[index]! - meanOf(services)]);
  }
  const { quantile, further } = spreadOf([...off.values()].map(meanOf));
  return Math.exp(quantile * further);
}

function guess(values: readonly number[]): Guess {
  if (values.length === 0) return { mean: 0, factor: 1 };
  const logs = values.map((value) => Math.log(Math.max(LEAST_SECONDS, value)));
  const { quantile, further } = spreadOf(logs);
  return { mean: Math.exp(meanOf(logs)), factor: Math.exp(quantile * further) };
}

/** How much a further one differs from the mean of these, and how many times as far it may be. */
function spreadOf(logs: readonly number[]): { further: number; quantile: number } {
  const mean = meanOf(logs);
  const degrees = EXPECTED.campaigns + logs.length - 1;
  const squares = EXPECTED.campaigns * EXPECTED.deviation ** 2 + logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  return {
    further: Math.sqrt((squares / degrees) * (1 + 1 / logs.length)),
    quantile: studentQuantile(SHARE, degrees),
  };
}

const serviceIn = (row: TrialTimes, slots: Slots): number =>
  Math.max(LEAST_SECONDS, serviceOf({ own: row.own, held: heldIn(row, slots) }, row.seconds, row.atOnce));

const heldIn = (seconds: Slots, slots: Slots): TrialWork['held'] =>
  (['model', 'sandbox'] as const).map((queue) => ({ seconds: seconds[queue], slots: slots[queue] }));

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
