import type { PlannedCampaign } from '../../client/plans/plan-campaign.js';
import { plainTable } from '../../report/result-table.js';
import { budgetWords } from '../../report/words/budget-words.js';
import { changeWords, revisedWords } from '../../report/words/revision-words.js';
import { counted, grouped } from '../../report/words/words.js';

/** What `run` shows before anything starts. */
export function planText(plan: PlannedCampaign): string {
  const rows = plan.systems.map(({ id, generator, models, trials, candidates }) => [
    ...[id, generator, models.join(', ') || '–', grouped(trials)],
    candidates === 0 ? 'one a trial' : grouped(candidates),
  ]);
  const head = ['system', 'generator', 'model', 'trials', 'candidates'];
  return [
    `campaign ${plan.id}: ${plan.dataset}`,
    plainTable(head, rows, ['left', 'left', 'left', 'right', 'right']),
    `${counted(plan.trials, 'trial')} in ${counted(plan.batches, 'batch', 'batches')}; ${budgetText(plan)}`,
    ...revisionLines(plan),
  ].join('\n');
}

function budgetText({ budget, models }: PlannedCampaign): string {
  if (budget.usd !== null || budget.tokens !== null) return `budget ${budgetWords(budget)}`;
  const isLimited = [budget.wallHours, budget.trials].some((limit) => typeof limit === 'number');
  return `${COST[models]}${isLimited ? `; at most ${budgetWords(budget)}` : ''}`;
}

/** What is said of the cost of a campaign without a limit on it. */
const COST = {
  none: 'no model is asked',
  free: 'all models are free; no budget',
  priced: 'NO BUDGET: what it costs is not limited (budget: { usd: N })',
} as const satisfies Record<PlannedCampaign['models'], string>;

/** What is said of a revision before it starts. */
function revisionLines({ revision }: PlannedCampaign): string[] {
  if (revision === null) return [];
  const { of, changes, trials } = revision;
  return [
    `revises      ${of}: ${revisedWords(trials)}; all are asked anew, and ${of} stays as it is`,
    ...changes.map((change) => `             ${changeWords(change)}`),
    '             concurrency, budget, prices, endpoints and keys are no part of the question and invalidate nothing',
  ];
}
