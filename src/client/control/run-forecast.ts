import type { PlannedRun } from '../../ports/records.js';
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
export async function forecast(
  { records }: Connection,
  runs: readonly PlannedRun[],
  { campaign, isFresh = false }: { campaign: string; isFresh?: boolean },
): Promise<RunForecast> {
  const costs = runs.length === 0 ? [] : await records.meanRunCosts(campaign);
  const means = new Map(costs.map(({ systemId, microUsd }) => [systemId, microUsd / 1e6]));
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
