import type { BudgetSpec } from '../contract/campaign.js';
import type { Problem } from '../contract/problem.js';
import type { CampaignRow } from '../ports/records.js';
import { dollars, grouped } from '../report/words.js';
import { author } from './author.js';
import type { CommandEntry } from './command-entry.js';
import { CommandProblem } from './command-problem.js';
import { EXIT } from './exit-code.js';
import { isClosed } from './follow-campaign.js';
import { forecast, waitingRuns } from './run-forecast.js';
import { campaignId, withWorkplace } from './workplace.js';

/** `durabench budget CAMPAIGN [--usd N] [--tokens N] [--soft SHARE]` */
export const budget: CommandEntry = {
  declare: (program) =>
    program
      .command('budget')
      .description('show or change what a campaign may spend; what was spent counts. `resume` goes on with it')
      .argument('<campaign>', 'id, unique beginning of an id, or latest')
      .option('--usd <dollars>', 'limit in US dollars, or none')
      .option('--tokens <count>', 'limit in tokens, or none')
      .option('--soft <share>', 'share of the limits at which nothing more is admitted, or none')
      .option('--reason <text>', 'kept in the record', 'durabench budget')
      .option('--dry-run', 'only say what would change'),
  action: (session, [wanted = 'latest'], options) => {
    const change = readChange(options);
    return withWorkplace(session, async (place) => {
      const { output } = session;
      const id = await campaignId(place.records, wanted);
      const campaign = await place.records.campaign(id);
      const before = { ...campaign.spec.budget, soft: campaign.spec.budget.soft ?? null };
      const after = { ...before, ...change };
      const changed = (['usd', 'tokens', 'soft'] as const).some((name) => before[name] !== after[name]);
      const isDryRun = options.dryRun === true;
      if (changed && !isDryRun) {
        const reason = String(options.reason);
        await place.records.setBudget({ campaignId: id, budget: after, author: author(), reason });
      }
      const { runs, usd } = forecast(await waitingRuns(place, id), await place.records.trials(id), false);
      const waiting = { trials: runs.length, usd };
      const spent = { usd: campaign.spend.microUsd / 1_000_000, tokens: campaign.spend.tokens };
      if (output.flags.json)
        output.json({ dry_run: isDryRun, verb: 'budget', campaign: id, changed, before, after, spent, waiting });
      else for (const line of lines({ campaign, before, after, changed, isDryRun, waiting })) output.data(line);
      return EXIT.ok;
    });
  },
};

function lines(shown: {
  campaign: CampaignRow;
  before: BudgetSpec;
  after: BudgetSpec;
  changed: boolean;
  isDryRun: boolean;
  waiting: { trials: number; usd: number };
}): string[] {
  const { campaign, before, after, changed, isDryRun, waiting } = shown;
  const { id, spend, status } = campaign;
  const verb = changed ? (isDryRun ? 'would be' : 'is now') : 'is';
  const isStopped = isClosed(status) && waiting.trials > 0;
  return [
    `budget of ${id} ${verb} ${words(after)}${changed ? ` (it was ${words(before)})` : ''}`,
    `spent        ${dollars(spend.microUsd / 1_000_000)}, ${grouped(spend.tokens)} tokens`,
    `waiting      ${grouped(waiting.trials)} trials, about ${dollars(waiting.usd)} by the mean cost of like trials so far`,
    ...(isStopped ? [`next         durabench resume ${id}`] : []),
  ];
}

function words({ usd, tokens, soft = null }: BudgetSpec): string {
  const limits = [usd === null ? [] : [dollars(usd)], tokens === null ? [] : [`${grouped(tokens)} tokens`]].flat();
  return `${limits.join(' and ') || 'not limited'}${soft === null ? '' : `, nothing admitted from ${soft * 100} % on`}`;
}

type Change = Partial<Record<'usd' | 'tokens' | 'soft', number | null>>;

/** What the options say, and only that. */
function readChange(options: Record<string, unknown>): Change {
  const readers = {
    usd: { isRight: (value: number) => value <= 1e9, allowed: 'dollars, 0 or more', example: '--usd 25.50' },
    tokens: {
      isRight: (value: number) => Number.isSafeInteger(value),
      allowed: 'a whole number, 0 or more',
      example: '--tokens 2000000',
    },
    soft: {
      isRight: (value: number) => value > 0 && value <= 1,
      allowed: 'a share above 0 and up to 1',
      example: '--soft 0.9',
    },
  };
  const problems: Problem[] = [];
  const change: Change = {};
  for (const [name, { isRight, allowed, example }] of Object.entries(readers)) {
    const text = options[name];
    if (typeof text !== 'string') continue;
    const value = text === 'none' ? null : /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
    if (value === null || isRight(value)) change[name as keyof Change] = value;
    else problems.push({ what: `--${name} is "${text}"`, allowed: `${allowed}, or none`, remedy: example });
  }
  if (problems.length > 0) throw new CommandProblem(problems);
  return change;
}
