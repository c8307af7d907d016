import type { BudgetReport } from '../../client/control/change-budget.js';
import { usedText } from '../../report/text/budget-text.js';

/** What all campaigns together have used of the operator's limit over them, in a line; none where there is no limit. */
export function installationLines(installation: BudgetReport['installation']): string[] {
  const used = installation && usedText(installation.budget, installation.used);
  return used === null ? [] : [`installation ${used}, over all campaigns`];
}
