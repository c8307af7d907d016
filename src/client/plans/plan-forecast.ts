import type { CampaignPlan } from '../../contract/plan.js';
import type { SuiteManifest } from '../../contract/suite.js';
import type { Interval } from '../../domain/statistics/statistics.js';
import { sumForecast, totalForecast } from '../../domain/statistics/total-forecast.js';
import type { WorkSamples } from '../../ports/record-sums.js';
import type { Connection } from '../connection.js';
import { wallTime } from './wall-time.js';

/** What a part of a plan is expected to come to, nineteen times in twenty; null where too little like it was ever run here. */
export interface ForecastFigures {
  calls: Interval | null;
  tokens: Interval | null;
  usd: Interval | null;
  /** From the opening to the end, were there nothing else. */
  wallSeconds: Interval | null;
}

export interface PlanForecast {
  systems: ({ id: string; like: number } & ForecastFigures)[];
  /**
   * What the answers of other campaigns are there for, where it takes them over: no part of calls, tokens and dollars. Its wall
   * time is told as if all were asked.
   */
  reused: { trials: number; candidates: number };
  /** Of all systems together. */
  all: ForecastFigures;
  /** Trials of the campaign that have ended already, where it is there; they are not run again. */
  done: number;
}

/** What a plan is expected to come to, by what work like it came to in the campaigns of this record. */
export async function planForecast(
  { records }: Pick<Connection, 'records'>,
  plan: CampaignPlan,
  { stages }: Pick<SuiteManifest, 'stages'>,
): Promise<PlanForecast> {
  const { spec, batches } = plan;
  const known = await records.likeWork(spec);
  const times = await records.likeTimes(spec, stages);
  const played = batches.map(({ phase, generation, trials }) => {
    const [first] = trials;
    return {
      phase,
      systemId: first?.systemId ?? '',
      trials: trials.length,
      isShared: generation !== null,
      running: [],
    };
  });
  /** Of some of its systems, were they the only ones. */
  const wall = (ids: readonly string[]): Interval | null =>
    wallTime(spec, times, { batches: played.filter(({ systemId }) => ids.includes(systemId)) });
  const reused = spec.reuseAnswers === true ? await records.likeAnswers(plan) : [];
  const systems = spec.systems.map(({ id }) => {
    const own = batches.filter((batch) => batch.trials[0]?.systemId === id);
    const { trials, candidates } = known.find(({ systemId }) => systemId === id)!;
    const count = own.reduce((sum, batch) => sum + batch.trials.length, 0);
    const shared = own.filter(({ generation }) => generation !== null).length;
    const answered = reused.find(({ systemId }) => systemId === id);
    const both = (name: keyof WorkSamples): Interval | null =>
      sumForecast([
        totalForecast(trials[name], count - (answered?.trials ?? 0)),
        totalForecast(candidates[name], shared - (answered?.candidates ?? 0)),
      ]);
    return {
      ...{ id, like: trials.calls.pieces, calls: both('calls'), tokens: both('tokens') },
      ...{ usd: inDollars(both('microUsd')), wallSeconds: wall([id]) },
    };
  });
  const sum = (name: keyof ForecastFigures): Interval | null => sumForecast(systems.map((each) => each[name]));
  const wallSeconds = wall(spec.systems.map(({ id }) => id));
  const all = { calls: sum('calls'), tokens: sum('tokens'), usd: sum('usd'), wallSeconds };
  const total = (of: 'trials' | 'candidates'): number => reused.reduce((sum, each) => sum + each[of], 0);
  return {
    ...{ systems, all, reused: { trials: total('trials'), candidates: total('candidates') } },
    done: await doneAlready(records, plan.id),
  };
}

const inDollars = (microUsd: Interval | null): Interval | null =>
  microUsd === null ? null : { low: microUsd.low / 1e6, high: microUsd.high / 1e6 };

async function doneAlready(records: Connection['records'], id: string): Promise<number> {
  if ((await records.resolveCampaign(id)) !== id) return 0;
  return (await records.campaign(id)).trials.done;
}
