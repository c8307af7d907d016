import type { BudgetScope, Reservation } from '../../../ports/ledger.js';

/** One budget a call counts in, as the database function `reserve_send` reads it. */
export interface Budget {
  scope: BudgetScope;
  /** Key of its row. */
  name: string;
  /** What the row of a system's own limit is opened with. */
  microUsd?: number | null;
  tokens?: number | null;
}

/** Key of the budget that every call of every campaign counts in, if the operator set one. */
export const INSTALLATION = 'installation';

/** Key of a campaign's budget. */
export function campaignBudget(campaignId: string): string {
  return `campaign:${campaignId}`;
}

/** Budgets of a reservation, narrow to wide, without the installation's. */
export function budgetsOf({ campaignId, systemLimits = [] }: Reservation): Budget[] {
  const own = systemLimits.map(({ scope, id, limit }): Budget => ({ scope, name: `${scope}:${id}`, ...limit }));
  return [...own, { scope: 'campaign', name: campaignBudget(campaignId) }];
}
