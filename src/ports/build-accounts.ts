import type { ModelSpec, SpendLimit } from '../contract/campaign.js';
import type { Changed, EventRow, OperatorChange, Spend } from './record-rows.js';

/** The account of the builds that make one version of a dataset: which model they ask, and what it may cost. */
export interface BuildAccount {
  /** `<suite>@<version>` */
  id: string;
  suite: string;
  version: string;
  /** As it is asked now; what was asked before keeps the price it had. */
  model: ModelSpec;
  budget: SpendLimit;
}

/** Such an account in lists. */
export interface BuildAccountRow extends BuildAccount {
  createdAt: string;
  /** When a build began to ask; null before. */
  openedAt: string | null;
  spend: Spend;
}

/** What the calls about one project came to, for one purpose. */
export interface BuildUsage {
  project: string;
  purpose: string;
  /** Answered, or maybe billed. */
  calls: number;
  tokens: number;
  costMicroUsd: number;
}

/** Cost accounts of dataset builds. Totals are sums over sends. */
export interface BuildAccounts {
  /**
   * Makes the account, or finds it: then its model and its limit in dollars are the given ones from now on, with an event
   * where one is another than before. What was paid stays as it is.
   */
  createBuildAccount(
    account: Omit<BuildAccount, 'budget'> & Pick<SpendLimit, 'usd'>,
    by: { author: string },
  ): Promise<void>;
  /** Raises the epoch: whoever asked before asks nothing more. */
  openBuildAccount(accountId: string): Promise<{ epoch: number }>;
  /** What a step of a build needs in order to ask. @throws DomainFailure `operator.superseded` when the epoch is stale */
  openedBuildAccount(accountId: string, epoch: number): Promise<BuildAccount>;
  /**
   * Settles what dead workers left, and tells what the account has cost so far. Idempotent.
   * @throws DomainFailure `operator.superseded` when another build has opened it
   */
  closeBuildAccount(input: { accountId: string; epoch: number }): Promise<{ microUsd: number }>;
  /** All there are, newest first. */
  buildAccounts(): Promise<BuildAccountRow[]>;
  buildUsage(accountId: string): Promise<BuildUsage[]>;
  /** What operators asked of it, oldest first. */
  buildEvents(accountId: string): Promise<EventRow[]>;
  /** Changes some of its limits from now on, recorded as an event where one is another than before; what was spent counts. */
  setBuildBudget(input: OperatorChange<SpendLimit> & { accountId: string }): Promise<Changed<SpendLimit>>;
}
