import type { BudgetSpec, CampaignStatus, ModelSpec } from '../../contract/campaign.js';
import { isAccountId } from '../../domain/campaign/ids.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { Changed, EventRow } from '../../ports/records.js';
import { budgetUse, spentAmounts, type BudgetAmounts } from '../../report/text/budget-text.js';
import { actor } from '../actor.js';
import { campaignNamed } from '../campaigns/campaign-named.js';
import type { Connection } from '../connection.js';
import { buildAccountNamed } from '../datasets/build-costs.js';
import { budgetProblems, type BudgetChange, type BudgetOwner } from './budget-limits.js';
import type { OperatorOptions } from './operator-options.js';
import { forecast, waitingRuns } from './run-forecast.js';

/** Every limit there may be; null: not limited. */
export type BudgetLimits = Required<Pick<BudgetSpec, 'usd' | 'tokens' | 'wallHours' | 'trials' | 'soft'>> &
  Pick<BudgetSpec, 'onAmbiguous'>;

/** Whose budget it is, with what only that owner has. */
export type BudgetSubject =
  | {
      of: 'campaign';
      id: string;
      status: CampaignStatus;
      /** Trials a resume would run, and about what they would cost in dollars. */
      waiting: { trials: number; usd: number };
    }
  /** The builds of a dataset's version that ask a model. */
  | { of: 'account'; id: string; suite: string; model: ModelSpec }
  /** What operators asked of it, oldest first. */
  | { of: 'installation'; events: EventRow[] };

/** Limits, and what is used of them. */
export interface BudgetReport {
  subject: BudgetSubject;
  /** Whether a limit is another one now, or would be. */
  changed: boolean;
  before: BudgetLimits;
  after: BudgetLimits;
  /** Dollars, tokens, hours and trials; what is not counted for such an owner is left out. */
  used: BudgetAmounts;
  /** The operator's limit over all campaigns; null where there is none, or it is the one that is asked for. */
  installation: { budget: BudgetSpec; used: BudgetAmounts } | null;
}

/** An owner's budget, and how it is changed. */
interface Found {
  subject: BudgetSubject;
  budget: BudgetSpec;
  used: BudgetAmounts;
  change(change: BudgetChange, reason: string): Promise<Changed<BudgetSpec>>;
}

/**
 * Reads a budget and changes some of its limits from now on; what was used before counts. Applied by a resume where the
 * campaign was stopped. Looking holds nobody back.
 * @throws UserError for limits that cannot be, and for an owner that there is not
 */
export async function changeBudget(
  connection: Connection,
  owner: BudgetOwner,
  given: BudgetChange = {},
  { reason = 'durabench budget', dryRun = false }: OperatorOptions = {},
): Promise<BudgetReport> {
  const change: BudgetChange = Object.fromEntries(Object.entries(given).filter(([, limit]) => limit !== undefined));
  const problems = budgetProblems(owner, change);
  if (problems.length > 0) throw new UserError('usage', problems);
  const found = await ownerOf(connection, owner);
  const names = Object.keys(change) as (keyof BudgetChange)[];
  const { subject, budget, used } = found;
  const told =
    dryRun || names.length === 0
      ? { before: budget, after: { ...budget, ...change } }
      : // What it is by then: another operator may change another limit meanwhile.
        await found.change(change, reason);
  const [before, after] = [allLimits(told.before), allLimits(told.after)];
  const changed = names.some((name) => before[name] !== after[name]);
  const installation = subject.of === 'installation' ? null : await overAll(connection);
  return { subject, changed, before, after, used, installation };
}

function ownerOf(connection: Connection, owner: BudgetOwner): Promise<Found> {
  if (typeof owner !== 'string') return installation(connection);
  return isAccountId(owner) ? account(connection, owner) : campaign(connection, owner);
}

async function campaign(connection: Connection, wanted: string): Promise<Found> {
  const { records } = connection;
  const id = await campaignNamed(connection, wanted);
  const row = await records.campaign(id);
  const waiting = await waitingRuns(connection, id);
  const { runs, usd } = await forecast(connection, waiting, { campaign: id });
  return {
    subject: { of: 'campaign', id, status: row.status, waiting: { trials: runs.length, usd } },
    ...{ budget: row.spec.budget, used: budgetUse(row) },
    change: (change, reason) => records.setBudget({ campaignId: id, change, author: actor(), reason }),
  };
}

async function account(connection: Connection, wanted: string): Promise<Found> {
  const { id, suite, model, budget, spend } = await buildAccountNamed(connection, wanted);
  return {
    subject: { of: 'account', id, suite, model },
    ...{ budget, used: spentAmounts(spend) },
    // What is no limit of a build was refused.
    change: ({ usd, tokens }, reason) =>
      connection.records.setBuildBudget({
        accountId: id,
        change: { ...(usd !== undefined && { usd }), ...(tokens !== undefined && { tokens }) },
        ...{ author: actor(), reason },
      }),
  };
}

async function installation({ records }: Connection): Promise<Found> {
  const [{ budget, spent }, events] = await Promise.all([records.installationBudget(), records.events(null)]);
  return {
    subject: { of: 'installation', events },
    ...{ budget, used: spentAmounts(spent ?? (await records.installationSpend())) },
    // Hours and trials were refused.
    change: ({ wallHours: _hours, trials: _trials, ...change }, reason) =>
      records.setInstallationBudget({ change, author: actor(), reason }),
  };
}

/** What all campaigns together have used of the operator's limit over them; null where there is no limit. */
export async function overAll({ records }: Connection): Promise<BudgetReport['installation']> {
  const { budget, spent } = await records.installationBudget();
  return spent === null ? null : { budget, used: spentAmounts(spent) };
}

function allLimits({ wallHours = null, trials = null, soft = null, ...budget }: BudgetSpec): BudgetLimits {
  return { ...budget, wallHours, trials, soft };
}
