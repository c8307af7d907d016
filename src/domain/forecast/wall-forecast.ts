import type { ConcurrencySpec } from '../../contract/campaign.js';
import type { TrialTimes, WorkSample } from '../../contract/plan.js';
import { normalQuantile, normalShare, studentQuantile } from '../statistics/distributions.js';
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
 * How much campaigns differ before there are some to tell: a standard deviation of a fifth, counted as five campaigns. By about
 * so much one campaign was served slower than another where docs/results/forecast.md was measured, beside other work.
 */
const EXPECTED = { deviation: 0.2, campaigns: 5 };
/** How much the rest of a campaign differs from its beginning: other work comes and goes meanwhile. */
const CHANGE = 0.2;
/** How much services differ, one from the next: standard deviation as a share of the mean (docs/results/forecast.md). */
const SERVICE_VARIATION = 0.7;
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
 * The wall time of a campaign, or what is left of it, nineteen times in twenty: its batches played through with the times of the
 * campaigns there are, and what those took beside their trials. How far it may be off is found by playing it with longer and
 * shorter steps, then with slower and faster service, each as far from its mean as it differed between campaigns, then with what
 * runs already ending late and early; as what is independent, these distances are added. The more of a campaign has ended, the more it is told by its own times, and the less
 * far it may be from them. Null where too few trials are known.
 */
export function wallForecast(plan: {
  batches: readonly PlayedBatch[];
  concurrency: Pick<ConcurrencySpec, 'batches' | 'trials'>;
  /** Places for steps, over all workers. */
  slots: Slots;
  known: ReadonlyMap<string, SystemTimes>;
  /** Seconds that earlier campaigns took beside their trials: of one that runs, after the last. */
  edges: readonly number[];
  /** The campaign of which these batches are left; none before it begins. */
  rest?: string;
}): Interval | null {
  const { batches, concurrency, slots, known, rest } = plan;
  const systems = [...new Set(batches.map(({ system }) => system))];
  const times = new Map<string, KnownTimes>();
  for (const system of systems) {
    const own = batches.filter((batch) => batch.system === system);
    const found = knownTimes(known.get(system), own, { slots, rest });
    if (found === null) return null;
    times.set(system, found);
  }
  const pace = paceOf([...known.values()], { slots, rest, count: trialsIn(batches) });
  const played = (away: { steps?: number; services?: number; late?: number }): number => {
    const { steps = 0, services = 0, late = 0 } = away;
    const service = pace.mean * pace.factor ** services;
    return playThrough(batches, concurrency, playedTimes(times, { steps, service, late }));
  };
  const edge = guess(plan.edges);
  const middle = played({});
  const running = batches.reduce((sum, each) => sum + (each.running?.length ?? 0), 0);
  const away = (side: 1 | -1): number =>
    Math.hypot(
      ...[{ steps: side }, { services: side }].map((one) => played(one) - middle),
      running === 0 ? 0 : played({ late: (side * normalQuantile(SHARE)) / Math.sqrt(running) }) - middle,
      edge.mean * (edge.factor ** side - 1),
    );
  return { low: Math.max(0, middle + edge.mean - away(-1)), high: middle + edge.mean + away(1) };
}

/**
 * @param away how many of their factors steps and candidates are from the mean, by which factor services are, and by how many
 *   standard deviations late is what runs
 */
function playedTimes(
  times: ReadonlyMap<string, KnownTimes>,
  away: { steps: number; service: number; late: number },
): PlayedTimes {
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
    late: normalShare(away.late),
    candidate(system) {
      const { mean, factor } = times.get(system)!.candidate;
      return mean * factor ** away.steps;
    },
  };
}

function knownTimes(
  times: SystemTimes | undefined,
  batches: readonly PlayedBatch[],
  { slots, rest }: { slots: Slots; rest: string | undefined },
): KnownTimes | null {
  const pieces = times?.trials.reduce((sum, { trials }) => sum + trials, 0) ?? 0;
  if (times === undefined || pieces < FEWEST) return null;
  const shared = batches.filter(({ isShared }) => isShared).length;
  if (shared > 0 && times.candidates.pieces < FEWEST) return null;
  const mean = (of: (row: TrialTimes) => number): number =>
    times.trials.reduce((sum, row) => sum + row.trials * of(row), 0) / pieces;
  const own = mean((row) => row.own);
  const deviation = Math.sqrt(mean((row) => row.deviation ** 2));
  const service = Math.exp(meanOf(times.trials.map((row) => Math.log(serviceIn(row, slots)))));
  const count = trialsIn(batches);
  const variation = own > 0 ? deviation / own : 0;
  const begun = times.trials.find(({ campaign }) => campaign === rest);
  const { shift, reach } = spreadOf(
    new Map(times.trials.map((row) => [row.campaign, Math.log(Math.max(LEAST_SECONDS, row.own))])),
    begun && { campaign: begun.campaign, error: variation / Math.sqrt(begun.trials) },
  );
  const scaled = (seconds: number): number => seconds * Math.exp(shift);
  const held = { model: scaled(mean((row) => row.model)), sandbox: scaled(mean((row) => row.sandbox)) };
  return {
    work: { own: scaled(own), held: heldIn(held, slots) },
    ...{ service, variation: deviation / (own + service) },
    factor: Math.exp(Math.hypot(reach, (studentQuantile(SHARE, pieces - 1) * variation) / Math.sqrt(count))),
    candidate: candidateGuess(times.candidates, shared),
  };
}

/** As in {@link totalForecast}, as a factor. */
function candidateGuess({ pieces, mean, deviation }: WorkSample, further: number): Guess {
  if (further === 0 || mean === 0) return { mean: 0, factor: 1 };
  const error = (deviation / mean) * Math.sqrt(1 / further + 1 / pieces) * studentQuantile(SHARE, pieces - 1);
  return { mean, factor: Math.exp(error) };
}

/**
 * By which factor all services differ from their means: a busy machine lengthens those of every system. What a campaign that runs
 * says of it, its other systems have said.
 */
function paceOf(
  systems: readonly SystemTimes[],
  { slots, rest, count }: { slots: Slots; rest: string | undefined; count: number },
): Guess {
  const off = new Map<string, { sum: number; trials: number }>();
  for (const { trials: rows } of systems) {
    const services = rows.map((row) => Math.log(serviceIn(row, slots)));
    for (const [index, { campaign, trials }] of rows.entries()) {
      const known = off.get(campaign) ?? { sum: 0, trials: 0 };
      const sum = known.sum + trials * (services[index]! - meanOf(services));
      off.set(campaign, { sum, trials: known.trials + trials });
    }
  }
  const logs = new Map([...off].map(([campaign, { sum, trials }]) => [campaign, sum / trials]));
  const begun = rest === undefined ? undefined : off.get(rest);
  const { shift, reach } = spreadOf(
    logs,
    begun && { campaign: rest!, error: SERVICE_VARIATION / Math.sqrt(begun.trials) },
  );
  const byChance = (normalQuantile(SHARE) * SERVICE_VARIATION) / Math.sqrt(count);
  return { mean: Math.exp(shift), factor: Math.exp(Math.hypot(reach, byChance)) };
}

function guess(values: readonly number[]): Guess {
  if (values.length === 0) return { mean: 0, factor: 1 };
  const logs = values.map((value) => Math.log(Math.max(LEAST_SECONDS, value)));
  return { mean: Math.exp(meanOf(logs)), factor: Math.exp(spreadOf(new Map(logs.entries())).reach) };
}

/**
 * How far a further one may be from the mean of these, nineteen times in twenty; of the rest of one of them, how far that is from
 * the mean, and how far it may be from there.
 * @param begun the one, and how well is known how it has begun
 */
function spreadOf<Key>(
  known: ReadonlyMap<Key, number>,
  begun?: { campaign: Key; error: number },
): { shift: number; reach: number } {
  const logs = [...known.values()];
  const mean = meanOf(logs);
  const degrees = EXPECTED.campaigns + logs.length - 1;
  const squares = EXPECTED.campaigns * EXPECTED.deviation ** 2 + logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const variance = (squares / degrees) * (1 + 1 / logs.length);
  // Two measurements by their errors: of the campaigns, and of its own beginning.
  const weight = begun === undefined ? 0 : variance / (variance + begun.error ** 2 + CHANGE ** 2);
  return {
    shift: begun === undefined ? 0 : weight * (known.get(begun.campaign)! - mean),
    reach: studentQuantile(SHARE, degrees) * Math.sqrt(variance * (1 - weight)),
  };
}

const trialsIn = (batches: readonly PlayedBatch[]): number =>
  batches.reduce((sum, { trials, running = [] }) => sum + trials + running.length, 0);

const serviceIn = (row: TrialTimes, slots: Slots): number =>
  Math.max(LEAST_SECONDS, serviceOf({ own: row.own, held: heldIn(row, slots) }, row.seconds, row.atOnce));

const heldIn = (seconds: Slots, slots: Slots): TrialWork['held'] =>
  (['model', 'sandbox'] as const).map((queue) => ({ seconds: seconds[queue], slots: slots[queue] }));

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
