import type { PlannedRun, TrialRow } from '../../ports/records.js';
import type { Connection } from '../connection.js';

/** One run that would be planned. */
export interface ForecastRun extends PlannedRun {
  /** What it would cost in dollars; null where no like trial says. */
  usd: number | null;
}

/** What would be run, and what that would cost. */
export interface RunForecast {
  /** In plan order. */
  runs: ForecastRun[];
  /** Dollars: the sum of what is known. */
  usd: number;
}

/**
 * The price of a run is the mean cost of its system's trials so far. Answers that are stored cost nothing: a regrade,
 * and a trial run again without fresh samples, asks nothing that was answered.
 */
export function forecast(runs: readonly PlannedRun[], trials: readonly TrialRow[], isFresh: boolean): RunForecast {
  const means = meanCosts(trials);
  const priced = runs.map((run): ForecastRun => {
    const isStored = run.kind !== 'grade' && !isFresh;
    return { ...run, usd: isStored ? 0 : (means.get(run.systemId) ?? null) };
  });
  return { runs: priced, usd: priced.reduce((sum, { usd }) => sum + (usd ?? 0), 0) };
}

/** Trials that wait for a resume, as the campaign stands; those that run now are not among them. */
export async function waitingRuns({ records }: Connection, id: string): Promise<PlannedRun[]> {
  const question = { campaignId: id, selection: { action: 'resume' }, isDryRun: true } as const;
  const runs = await records.planRuns({ ...question, epoch: 0, server: '', author: '', reason: '' });
  return runs.filter(({ why }) => why !== 'interrupted');
}

function meanCosts(trials: readonly TrialRow[]): Map<string, number> {
  const sums = new Map<string, { usd: number; count: number }>();
  for (const { systemId, outcome, costMicroUsd, runs } of trials) {
    if (outcome !== 'passed' && outcome !== 'failed') continue;
    const sum = sums.get(systemId) ?? { usd: 0, count: 0 };
    // A trial that ran twice may have paid twice.
    sums.set(systemId, { usd: sum.usd + costMicroUsd / 1e6 / runs, count: sum.count + 1 });
  }
  return new Map([...sums].map(([system, { usd, count }]) => [system, usd / count]));
}
