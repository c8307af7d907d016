import type { AccountRef } from '../../../contract/stage.js';
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

/** Key of the budget that every call of every account counts in, if the operator set one. */
export const INSTALLATION = 'installation';

/** Key of an account's budget. */
export function accountBudget({ kind, id }: AccountRef): string {
  return `${kind}:${id}`;
}

/** Budgets of a reservation, narrow to wide, without the installation's. */
export function budgetsOf({ account, systemLimits = [] }: Reservation): Budget[] {
  const own = systemLimits.map(({ scope, id, limit }): Budget => ({ scope, name: `${scope}:${id}`, ...limit }));
  return [...own, { scope: account.kind, name: accountBudget(account) }];
}
