import type { CampaignPlan } from '../../contract/plan.js';
import type { Interval } from '../../domain/statistics/statistics.js';
import { sumForecast, totalForecast } from '../../domain/statistics/total-forecast.js';
import type { WorkSamples } from '../../ports/record-sums.js';
import type { Connection } from '../connection.js';

/** What a part of a plan is expected to come to, nineteen times in twenty; null where too little like it was ever run here. */
export interface ForecastFigures {
  calls: Interval | null;
  tokens: Interval | null;
  usd: Interval | null;
  /** Of its own; systems run side by side. */
  wallSeconds: Interval | null;
}

export interface PlanForecast {
  systems: ({ id: string; like: number } & ForecastFigures)[];
  /** Of all systems. Wall time from the longest alone to one after another. */
  all: ForecastFigures;
  /** Trials of the campaign that have ended already, where it is there; they are not run again. */
  done: number;
}

/** What a plan is expected to come to, by what work like it came to in the campaigns of this record. */
export async function planForecast(
  { records }: Pick<Connection, 'records'>,
  plan: CampaignPlan,
): Promise<PlanForecast> {
  const { spec, batches } = plan;
  const known = await records.likeWork(spec);
  const { batches: window, trials: inBatch } = spec.concurrency;
  const systems = spec.systems.map(({ id }) => {
    const own = batches.filter((batch) => batch.trials[0]?.systemId === id);
    const { trials, candidates } = known.find(({ systemId }) => systemId === id)!;
    const count = own.reduce((sum, batch) => sum + batch.trials.length, 0);
    const shared = own.filter(({ generation }) => generation !== null).length;
    const both = (name: keyof WorkSamples, atOnce: [trials: number, shared: number] = [1, 1]): Interval | null =>
      sumForecast([
        shareOf(totalForecast(trials[name], count), atOnce[0]),
        shareOf(totalForecast(candidates[name], shared), atOnce[1]),
      ]);
    return {
      ...{ id, like: trials.calls.pieces, calls: both('calls'), tokens: both('tokens') },
      usd: shareOf(both('microUsd'), 1e6),
      wallSeconds: both('seconds', [Math.min(count, window * inBatch) || 1, Math.min(shared, window) || 1]),
    };
  });
  const sum = (name: keyof ForecastFigures): Interval | null => sumForecast(systems.map((each) => each[name]));
  const walls = systems.map(({ wallSeconds }) => wallSeconds);
  const alone = walls.filter((wall) => wall !== null);
  const wallSeconds =
    alone.length < walls.length
      ? null
      : {
          low: Math.max(0, ...alone.map(({ low }) => low)),
          high: alone.reduce((total, { high }) => total + high, 0),
        };
  const all = { calls: sum('calls'), tokens: sum('tokens'), usd: sum('usd'), wallSeconds };
  return { systems, all, done: await doneAlready(records, plan.id) };
}

const shareOf = (range: Interval | null, by: number): Interval | null =>
  range === null ? null : { low: range.low / by, high: range.high / by };

async function doneAlready(records: Connection['records'], id: string): Promise<number> {
  if ((await records.resolveCampaign(id)) !== id) return 0;
  return (await records.campaign(id)).trials.done;
}
