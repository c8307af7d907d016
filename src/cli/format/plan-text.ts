import type { CampaignPlan } from '../../contract/plan.js';
import { trialCount } from '../../domain/campaign/expand-plan.js';
import { plainTable } from '../../report/result-table.js';
import { budgetWords } from '../../report/words/budget-words.js';
import { grouped } from '../../report/words/words.js';

/** What `run` shows before anything starts. */
export function planText(plan: CampaignPlan): string {
  const { spec, dataset } = plan;
  const rows = spec.systems.map((system) => {
    const batches = plan.batches.filter((batch) => batch.trials[0]?.systemId === system.id);
    const trials = batches.reduce((sum, batch) => sum + batch.trials.length, 0);
    const candidates = batches.filter((batch) => batch.generation !== null).length;
    const models = [...new Set([system.model, ...Object.values(system.purposes)])].filter((key) => key !== null);
    return [
      system.id,
      system.generator,
      models.join(', ') || '–',
      grouped(trials),
      candidates === 0 ? 'one a trial' : grouped(candidates),
    ];
  });
  const head = ['system', 'generator', 'model', 'trials', 'candidates'];
  return [
    `campaign ${plan.id}: ${dataset.label}`,
    plainTable(head, rows, ['left', 'left', 'left', 'right', 'right']),
    `${grouped(trialCount(plan))} trials in ${grouped(plan.batches.length)} batches; ${budgetText(plan)}`,
  ].join('\n');
}

/** True when a model of the campaign costs money. */
export function isPriced(plan: CampaignPlan): boolean {
  return Object.values(plan.spec.models).some((model) => model.price !== 'free');
}

function budgetText(plan: CampaignPlan): string {
  const { budget } = plan.spec;
  if (budget.usd !== null || budget.tokens !== null) return `budget ${budgetWords(budget)}`;
  const isLimited = [budget.wallHours, budget.trials].some((limit) => typeof limit === 'number');
  return `${costText(plan)}${isLimited ? `; at most ${budgetWords(budget)}` : ''}`;
}

/** What is said of the cost of a campaign without a limit on it. */
function costText(plan: CampaignPlan): string {
  if (Object.keys(plan.spec.models).length === 0) return 'no model is asked';
  return isPriced(plan)
    ? 'NO BUDGET: what it costs is not limited (budget: { usd: N })'
    : 'all models are free; no budget';
}
