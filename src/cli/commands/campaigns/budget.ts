import type { BudgetSpec } from '../../../contract/campaign.js';
import { plainLine } from '../../../domain/text/plain-text.js';
import type { Changed } from '../../../ports/records.js';
import {
  budgetUse,
  budgetWords,
  spentAmounts,
  type BudgetAmounts,
  usedWords,
} from '../../../report/words/budget-words.js';
import { dollars, grouped } from '../../../report/words/words.js';
import type { DocumentBody } from '../../../report/documents/documents.js';
import { snakeKeys } from '../../../report/documents/snake-keys.js';
import { eventReport } from '../../../report/full-report.js';
import { author } from '../../../client/actor.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { isClosed } from '../../../client/campaigns/ended-campaign.js';
import { installationLines } from '../../format/installation-lines.js';
import { readBudgetChange, type BudgetChange } from '../../options/read-budget-change.js';
import { reasonOf } from '../../options/reason-of.js';
import { forecast, waitingRuns } from './run-forecast.js';
import { buildAccountNamed } from '../../../client/datasets/build-costs.js';
import { describingWords } from '../../../client/datasets/build-request.js';
import { campaignId, withConnection, type Connection } from '../../../client/connection.js';
import { UserError } from '../../../domain/failure/user-error.js';

/** Whose budget it is: where it stands, how it is changed, and what else is worth saying. */
interface Subject {
  name: string;
  budget: BudgetSpec;
  used: BudgetAmounts;
  change(change: BudgetChange, reason: string): Promise<Changed<BudgetSpec>>;
  /** For `--json`, beside what all have. */
  json: Pick<DocumentBody<'budget'>, 'campaign' | 'account' | 'waiting' | 'events'>;
  lines: string[];
}

/** `durabench budget CAMPAIGN|ACCOUNT|--installation [--usd N] [--tokens N] [--wall-hours N] [--trials N] [--soft SHARE]` */
export const budget: CommandEntry = {
  declare: (program) =>
    program
      .command('budget')
      .description(
        'show or change the limits of a campaign, or of the model of a dataset build; past usage counts. Apply with `resume`',
      )
      .argument(
        '[campaign]',
        'id, unique beginning of an id, or latest; or the account of a dataset build (SUITE@VERSION)',
      )
      .option('--installation', 'the limit over all campaigns instead')
      .option('--usd <dollars>', 'limit in US dollars, or none')
      .option('--tokens <count>', 'limit in tokens, or none')
      .option('--wall-hours <hours>', 'limit in hours that the campaign runs, without its pauses, or none')
      .option('--trials <count>', 'limit in trials that may be started, or none')
      .option('--soft <share>', 'soft limit: stop starting trials at this share of any limit, or none')
      .option('--reason <text>', 'kept in the record')
      .option('--dry-run', 'only say what would change'),
  action: (session, [wanted], options) => {
    const change = readBudgetChange(options);
    const isOfAll = options.installation === true;
    checkSubject(wanted, isOfAll, change);
    return withConnection(session, async (place) => {
      const { output } = session;
      const subject = await (isOfAll
        ? installation(place)
        : isBuild(wanted!)
          ? build(place, wanted!)
          : campaign(place, wanted!));
      const isDryRun = options.dryRun === true;
      const names = Object.keys(change) as (keyof BudgetChange)[];
      const told =
        isDryRun || names.length === 0
          ? { before: subject.budget, after: { ...subject.budget, ...change } }
          : // What it is by then: another operator may change another limit meanwhile.
            await subject.change(change, reasonOf(options, 'budget'));
      const [before, after] = [allLimits(told.before), allLimits(told.after)];
      const changed = names.some((name) => before[name] !== after[name]);
      if (output.flags.json) {
        const { json, used } = subject;
        const words = { before: snakeKeys(before), after: snakeKeys(after), spent: snakeKeys(used) };
        output.json('budget', { dry_run: isDryRun, verb: 'budget', ...json, changed, ...words });
        return EXIT.ok;
      }
      const verb = changed ? (isDryRun ? 'would be' : 'is now') : 'is';
      output.data(
        `budget of ${subject.name} ${verb} ${budgetWords(after)}${changed ? ` (it was ${budgetWords(before)})` : ''}`,
      );
      const { usd, tokens } = subject.used;
      output.data(
        `used         ${usedWords(after, subject.used) ?? `${dollars(usd ?? 0)}, ${grouped(tokens ?? 0)} tokens`}`,
      );
      for (const line of subject.lines) output.data(line);
      return EXIT.ok;
    });
  },
};

async function campaign(place: Connection, wanted: string): Promise<Subject> {
  const { records } = place;
  const id = await campaignId(records, wanted);
  const row = await records.campaign(id);
  const waiting = await waitingRuns(place, id);
  const { runs, usd } = forecast(waiting, waiting.length === 0 ? [] : await records.trials(id), false);
  const ofAll = installationLines(await records.installationBudget());
  const isStopped = isClosed(row.status) && runs.length > 0;
  return {
    name: id,
    budget: row.spec.budget,
    used: budgetUse(row),
    change: (change, reason) => records.setBudget({ campaignId: id, change, author: author(), reason }),
    json: { campaign: id, waiting: { trials: runs.length, usd } },
    lines: [
      ...ofAll,
      `waiting      ${grouped(runs.length)} trials, about ${dollars(usd)} by the mean cost of like trials so far`,
      ...(isStopped ? [`next         durabench resume ${id}`] : []),
    ],
  };
}

/** Only accounts of builds have an @ in their ids. */
const isBuild = (wanted: string): boolean => wanted.includes('@');

async function build(place: Connection, wanted: string): Promise<Subject> {
  const { id, suite, model, budget, spend } = await buildAccountNamed(place, wanted);
  const ofAll = installationLines(await place.records.installationBudget());
  return {
    name: `the builds of ${id}`,
    budget,
    used: spentAmounts(spend),
    // What is no limit of a build was refused.
    change: ({ usd, tokens }, reason) =>
      place.records.setBuildBudget({
        accountId: id,
        change: { ...(usd !== undefined && { usd }), ...(tokens !== undefined && { tokens }) },
        ...{ author: author(), reason },
      }),
    json: { campaign: null, account: id },
    lines: [
      ...ofAll,
      `next         a build goes on with: durabench dataset build ${suite} ${describingWords({ model, usd: null })} --usd LIMIT`,
    ],
  };
}

async function installation({ records }: Connection): Promise<Subject> {
  const [{ budget, spent }, events] = await Promise.all([records.installationBudget(), records.events(null)]);
  return {
    name: 'the installation, over all campaigns,',
    budget,
    used: spentAmounts(spent ?? (await records.installationSpend())),
    // Hours and trials were refused.
    change: ({ wallHours: _hours, trials: _trials, ...change }, reason) =>
      records.setInstallationBudget({ change, author: author(), reason }),
    json: { campaign: null, events: events.map(eventReport) },
    lines: events.map(
      ({ at, author: who, reason }) => `operator     ${at} budget by ${plainLine(who, 60)}: ${plainLine(reason, 100)}`,
    ),
  };
}

function allLimits({ wallHours = null, trials = null, soft = null, ...budget }: BudgetSpec) {
  return { ...budget, wallHours, trials, soft };
}

const FLAGS = { wallHours: '--wall-hours', trials: '--trials', soft: '--soft' } as const;

/** Limits that only a campaign has. */
const OF_CAMPAIGNS = {
  campaign: [],
  installation: ['wallHours', 'trials'],
  build: ['wallHours', 'trials', 'soft'],
} as const satisfies Record<string, readonly (keyof BudgetChange)[]>;

function checkSubject(wanted: string | undefined, isOfAll: boolean, change: BudgetChange): void {
  if ((wanted === undefined) !== isOfAll)
    throw new UserError('usage', {
      message: isOfAll ? `budget was given --installation and "${wanted}"` : 'budget was given no campaign',
      expected: 'a campaign (id, unique beginning of an id, or latest), or --installation for the limit over all',
      fix: 'durabench budget latest',
    });
  const given = OF_CAMPAIGNS[isOfAll ? 'installation' : isBuild(wanted!) ? 'build' : 'campaign'].filter(
    (name) => change[name] !== undefined,
  );
  if (given.length > 0)
    throw new UserError('usage', {
      message: `budget ${isOfAll ? '--installation' : wanted} was given ${given.map((name) => FLAGS[name]).join(' and ')}`,
      expected: isOfAll
        ? '--usd, --tokens and --soft: hours and trials are limits of a campaign'
        : '--usd and --tokens: the others are limits of a campaign',
      fix: 'durabench budget CAMPAIGN --wall-hours 24',
    });
}
