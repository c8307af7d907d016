import type { MissingForRun } from '../../client/machine/ready-for-run.js';
import type { PlannedCampaign } from '../../client/plans/plan-campaign.js';
import type { ForecastFigures, PlanForecast } from '../../client/plans/plan-forecast.js';
import { plainTable } from '../../report/result-table.js';
import { budgetText } from '../../report/text/budget-text.js';
import { changeText, revisedText } from '../../report/text/revision-text.js';
import { counted, dollars, durationRange, grouped, percent } from '../../report/text/number-text.js';

/**
 * What `run` shows before anything starts.
 * @param forecast null where nothing was looked up
 * @param width characters of a line of the terminal
 */
export function planText(plan: PlannedCampaign, forecast: PlanForecast | null, width: number): string {
  const isKnown = forecast?.systems.some(({ calls }) => calls !== null) === true;
  const rows = plan.systems.map(({ id, generator, models, trials, candidates }) => [
    ...[id, generator, models.join(', ') || '–', grouped(trials)],
    candidates === 0 ? 'one a trial' : grouped(candidates),
    ...(isKnown ? figureCells(forecast?.systems.find((system) => system.id === id)) : []),
  ]);
  const figures = isKnown ? ['calls', 'tokens', 'cost', 'alone takes'] : [];
  const head = ['system', 'generator', 'model', 'trials', 'candidates', ...figures];
  return [
    `campaign ${plan.id}: ${plan.dataset}`,
    plainTable(head, rows, ['left', 'left', 'left', ...Array<'right'>(6).fill('right')], {
      width,
      ranks: [0, 6, 5, 0, 7, 3, 4, 1, 2],
    }),
    `${counted(plan.trials, 'trial')} in ${counted(plan.batches, 'batch', 'batches')}; ${costText(plan)}`,
    ...(plan.experiment === null ? [] : experimentLines(plan.experiment)),
    ...(forecast === null ? [] : forecastLines(plan, forecast)),
    ...(plan.reusesAnswers ? [reusedText(forecast)] : []),
    ...plan.tight.map(tightText),
    ...revisionLines(plan),
  ].join('\n');
}

/** What a campaign need not ask that takes over answers. */
function reusedText(forecast: PlanForecast | null): string {
  const { trials, candidates } = forecast?.reused ?? { trials: 0, candidates: 0 };
  const parts = [
    ...(trials > 0 ? [counted(trials, 'trial')] : []),
    ...(candidates > 0 ? [counted(candidates, 'candidate')] : []),
  ];
  return parts.length > 0
    ? `reused       other campaigns have the answers to ${parts.join(' and ')}, at no cost: not in calls, tokens and cost`
    : 'reused       answers of other campaigns are taken over at no cost: calls, tokens and cost may be less than that';
}

/** What is built and fetched before the first trial. */
export function missingLines({ docker, images, tasks }: MissingForRun): string[] {
  const parts = [
    ...(docker ? [] : ['start Docker, which does not answer']),
    ...(images.length === 0
      ? []
      : [`build ${counted(images.length, 'image')} (durabench images build ${images.join(' ')})`]),
    ...(tasks === 0 ? [] : [`fetch ${counted(tasks, 'task')}`]),
  ];
  return parts.length === 0 ? [] : [`first        ${parts.join('; ')}`];
}

/** What an experiment can find on so many tasks. */
function experimentLines(plan: NonNullable<PlannedCampaign['experiment']>): string[] {
  const { baseline, variants, tasks, smallest_effect: least, flips, chances, detectable } = plan;
  const head = ['true gain', ...chances.map(({ effect }) => percent(effect))];
  const row = ['adopted', ...chances.map(({ chance }) => percent(chance))];
  return [
    `experiment   baseline ${baseline}, ${counted(variants, 'variant')}, ${counted(tasks, 'task')}`,
    `             a variant is adopted for a gain of ${percent(least)} of the tasks or more`,
    `             how often a variant is adopted, where ${percent(flips)} of the tasks flip by chance${variants > 1 ? ' and the other variants gain nothing' : ''}:`,
    plainTable(head, [row], ['left', ...chances.map(() => 'right' as const)]),
    detectable === null
      ? '             no gain is found in four of five such experiments: take more tasks'
      : `             found in four of five such experiments: a gain of ${percent(detectable)} or more`,
  ];
}

/** Where calls will wait for budget that others have reserved. */
const tightText = ({ model, usd, tokens, calls, asked }: PlannedCampaign['tight'][number]): string =>
  `warning      a call of ${model} may reserve ${dollars(usd)} and ${grouped(tokens)} tokens: the budget holds ${counted(calls, 'such call')} at once, concurrency.model asks for ${asked} (lower max_output_tokens, or raise the budget)`;

/** Ranges that hold nineteen times in twenty, where trials like these were run before. */
function figureCells(figures: ForecastFigures | undefined): string[] {
  if (figures === undefined) return ['', '', '', ''];
  const { calls, tokens, usd, wallSeconds } = figures;
  return [
    ...[rangeText(calls, grouped), rangeText(tokens, grouped), rangeText(usd, dollars)],
    wallSeconds === null ? UNKNOWN : durationRange(wallSeconds),
  ];
}

const UNKNOWN = '?';

function rangeText(range: ForecastFigures['calls'], text: (value: number) => string): string {
  if (range === null) return UNKNOWN;
  const round = (value: number): string => text(text === grouped ? Math.round(value) : value);
  const [low, high] = [round(range.low), round(range.high)];
  return low === high ? high : `${low} to ${high}`;
}

/** So many tasks give a forecast. */
const SMOKE_TASKS = 3;

function forecastLines(plan: PlannedCampaign, { systems, all, done }: PlanForecast): string[] {
  const unknown = plan.systems.filter(({ id }) => systems.find((each) => each.id === id)?.calls == null);
  const hasMore = unknown.some(({ trials }) => trials > SMOKE_TASKS);
  const like = systems.reduce((sum, system) => sum + system.like, 0);
  const [calls, tokens, usd, wall] = figureCells(all);
  const known = `${calls} calls, ${tokens} tokens, ${usd}, ${wall}`;
  return [
    ...(unknown.length === 0 ? [`forecast     ${known} (95 %, by ${counted(like, 'trial')} like these)`] : []),
    ...(unknown.length === 0
      ? []
      : [
          `forecast     none for ${unknown.map(({ id }) => id).join(', ')}: too few trials like these were run here${hasMore ? `; a run with --limit ${SMOKE_TASKS} first gives one` : ''}`,
        ]),
    ...(done === 0 ? [] : [`answered     ${counted(done, 'trial')} of it have ended already, and are not run again`]),
  ];
}

function costText({ budget, models }: PlannedCampaign): string {
  if (budget.usd !== null || budget.tokens !== null) return `budget ${budgetText(budget)}`;
  const isLimited = [budget.wallHours, budget.trials].some((limit) => typeof limit === 'number');
  return `${COST[models]}${isLimited ? `; at most ${budgetText(budget)}` : ''}`;
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
    `revises      ${of}: ${revisedText(trials)}; all are asked anew, and ${of} stays as it is`,
    ...changes.map((change) => `             ${changeText(change)}`),
    '             concurrency, budget, prices, endpoints and keys are no part of the question and invalidate nothing',
  ];
}
