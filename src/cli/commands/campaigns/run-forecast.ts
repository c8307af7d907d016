import type { PlannedRun, RunSelection, TrialRow } from '../../../ports/records.js';
import { budgetUse, usedWords } from '../../../report/words/budget-words.js';
import { plainTable } from '../../../report/result-table.js';
import { dollars, grouped } from '../../../report/words/words.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import type { Session } from '../../session.js';
import type { Connection } from '../../../client/connection.js';

/** One run that would be planned, with what it would cost; null where no like trial says. */
interface ForecastRun extends PlannedRun {
  usd: number | null;
}

/** What a verb would run, and what that would cost. */
export interface RunForecast {
  runs: ForecastRun[];
  /** The sum of what is known. */
  usd: number;
}

const MAX_LINES = 50;

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

/** `--dry-run` of a verb that plans runs. */
export async function sayForecast(
  { output }: Session,
  place: Connection,
  would: { id: string; selection: RunSelection; runs: readonly PlannedRun[] },
): Promise<ExitCode> {
  const { id, selection } = would;
  const isFresh = selection.verb === 'retry' && selection.fresh;
  const { runs, usd } = forecast(would.runs, await place.records.trials(id), isFresh);
  if (output.flags.json) {
    const trials = runs.map(({ trialId: trial, n: run, why, usd: own }) => ({ trial, run, why, usd: own }));
    output.json('planned-runs', { dry_run: true, verb: selection.verb, campaign: id, trials, usd });
  } else {
    output.data(`${selection.verb} would run ${grouped(runs.length)} trials of ${id}`);
    if (runs.length > 0) output.data(forecastText({ runs, usd }));
    const campaign = await place.records.campaign(id);
    const used = usedWords(campaign.spec.budget, budgetUse(campaign));
    if (used !== null) output.data(`its budget: ${used}`);
  }
  return EXIT.ok;
}

/** Trials that wait for a resume, as the campaign stands; those that run now are not among them. */
export async function waitingRuns({ records }: Connection, id: string): Promise<PlannedRun[]> {
  const question = { campaignId: id, selection: { verb: 'resume' }, isDryRun: true } as const;
  const runs = await records.planRuns({ ...question, epoch: 0, server: '', author: '', reason: '' });
  return runs.filter(({ why }) => why !== 'interrupted');
}

/** For a terminal: trials with the reason and price of each, and the sum. */
function forecastText({ runs, usd }: RunForecast): string {
  const rows = runs
    .slice(0, MAX_LINES)
    .map(({ trialId, n, why, usd: own }) => [trialId, String(n), why, own === null ? 'unknown' : dollars(own)]);
  const unknown = runs.filter((run) => run.usd === null).length;
  return [
    plainTable(['trial', 'run', 'because', 'about'], rows, ['left', 'right', 'left', 'right']),
    ...(runs.length > MAX_LINES ? [`… and ${grouped(runs.length - MAX_LINES)} more (--json lists all)`] : []),
    `about ${dollars(usd)} in all, by the mean cost of each system's trials so far${unknown > 0 ? `; ${grouped(unknown)} have none to go by` : ''}`,
  ].join('\n');
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
